# pragma version ^0.4.0
# The records that agent_a2a_v1 writes for one send_message, as an EVM contract keeps them.

struct Message:
    kind: uint8
    message_type: uint8
    priority: uint8
    sender: address
    receiver: address
    ttl: uint64
    created_at: uint64
    expires_at: uint64
    height: uint64
    payload: Bytes[1024]

struct Inbox:
    received: uint64
    pending: uint64

struct Window:
    sent: uint64
    at: uint64
    messages: uint64

event Sent:
    sender: indexed(address)
    receiver: indexed(address)
    number: uint256
    message_type: uint8
    priority: uint8
    expires_at: uint64

PER_SECOND: constant(uint64) = 1000
number: public(uint256)
messages: HashMap[uint256, Message]
sent: HashMap[address, HashMap[uint256, bool]]
inbox: HashMap[address, HashMap[uint256, bool]]
pending: HashMap[address, HashMap[uint256, uint64]]
inboxes: HashMap[address, Inbox]
due: HashMap[address, HashMap[uint64, uint64]]
expiry: HashMap[uint64, HashMap[address, HashMap[uint256, address]]]
conversations: HashMap[address, HashMap[address, HashMap[uint256, bool]]]
pairs: HashMap[address, HashMap[address, uint64]]
windows: HashMap[address, Window]

@external
def send_message(to: address, message_type: uint8, payload: Bytes[1024], priority: uint8, ttl: uint64):
    assert to != msg.sender, "SelfMessage"
    assert priority <= 100 and ttl > 0, "InvalidContent"
    now: uint64 = convert(block.timestamp, uint64)
    window: Window = self.windows[msg.sender]
    if window.at == now:
        window.messages += 1
    else:
        window.at = now
        window.messages = 1
    assert window.messages <= PER_SECOND, "RateLimitExceeded"
    window.sent += 1
    self.number += 1
    number: uint256 = self.number
    expires_at: uint64 = now + ttl
    self.messages[number] = Message(
        kind=0,
        message_type=message_type,
        priority=priority,
        sender=msg.sender,
        receiver=to,
        ttl=ttl,
        created_at=now,
        expires_at=expires_at,
        height=convert(block.number, uint64),
        payload=payload,
    )
    self.sent[msg.sender][number] = True
    self.inbox[to][number] = True
    self.pending[to][number] = expires_at
    self.inboxes[to].received += 1
    self.inboxes[to].pending += 1
    self.due[to][expires_at] += 1
    self.expiry[expires_at][to][number] = msg.sender
    self.conversations[msg.sender][to][number] = True
    self.pairs[msg.sender][to] += 1
    self.windows[msg.sender] = window
    log Sent(
        sender=msg.sender,
        receiver=to,
        number=number,
        message_type=message_type,
        priority=priority,
        expires_at=expires_at,
    )
