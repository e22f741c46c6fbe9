"""Messages in storage: the one place that writes them and their indexes.

Cost: a message costs the same number of reads and writes at any size of the state.
"""

from chain.std import Addr, Storage
from contracts.agent_a2a_v1.state import (
    CHANNEL_MESSAGES,
    CHANNEL_STATS,
    CONVERSATIONS,
    DUE,
    EXPIRED,
    EXPIRY,
    INBOX,
    INBOX_BY_STATUS,
    INBOXES,
    KINDS,
    MESSAGE_NUMBER,
    MESSAGE_STATUSES,
    MESSAGES,
    NONCES,
    PAIRS,
    PENDING,
    READ,
    SENT,
    STATUSES,
    THREADS,
    WIDE,
    ChannelStats,
    DueRecord,
    ExpiryRecord,
    Inbox,
    MessageRecord,
    Pair,
    StatusRecord,
)

NO_INBOX = Inbox(WIDE, WIDE, WIDE, WIDE, WIDE, WIDE, WIDE)
NOTHING_DUE = DueRecord(pending=WIDE, delivered=WIDE, read=WIDE)
NO_PAIR = Pair(messages=WIDE, channels=0, live=False, status=0)
PENDING_WORD = MESSAGE_STATUSES[PENDING]
#: Digits of a number in an id: ids of any age have one length, so every send costs the same gas.
NUMBER_DIGITS = 10
NUMBER_DIGITS_MAX = 19  # below 2^64
DECIMAL = "0123456789"


def pair_of(first_addr: Addr, second_addr: Addr) -> tuple[Addr, Addr]:
    """The two addresses in text order."""
    if first_addr < second_addr:
        return (first_addr, second_addr)
    return (second_addr, first_addr)


def message_id(record: MessageRecord, number: int) -> str:
    """The id of a message."""
    return (
        f"{KINDS[record.kind]}:{record.sender[:8]}-{record.receiver[:8]}"
        f"-{record.height - WIDE}-{str(number).zfill(NUMBER_DIGITS)}"
    )


def number_in(text: str) -> int | None:
    """The number at the end of an id or cursor; None where there is none."""
    digits = text.rpartition("-")[2]
    if NUMBER_DIGITS <= len(digits) <= NUMBER_DIGITS_MAX and digits.strip(DECIMAL) == "":
        return int(digits)
    return None


def padded(number: int) -> str:
    """A number as ids have it."""
    return str(number).zfill(NUMBER_DIGITS)


def may_load_message(storage: Storage, msg_id: str) -> tuple[int, MessageRecord] | None:
    """Number and record of the message with exactly this id."""
    number = number_in(msg_id)
    if number is None:
        return None
    record = MESSAGES.may_load(storage, number)
    if record is None or message_id(record, number) != msg_id:
        return None
    return (number, record)


def status_at(storage: Storage, number: int, record: MessageRecord, now: int) -> int:
    """The status that holds at a time.

    A live message is expired from the first instant after ``expires_at``.
    """
    stored = STATUSES.may_load(storage, number)
    status = PENDING if stored is None else stored.status
    if status <= READ and now > record.expires_at:
        return EXPIRED
    return status


def next_number(storage: Storage) -> int:
    """Take the next number of the contract-wide counter."""
    stored = (MESSAGE_NUMBER.may_load(storage) or WIDE) + 1
    MESSAGE_NUMBER.save(storage, stored)
    return stored - WIDE


def append_message(
    storage: Storage, record: MessageRecord, pair_key: tuple[Addr, Addr], pair: Pair
) -> str:
    """Store a message with every index and count but the sender's own. Returns its id.

    ``pair`` is the two parties' record as it stands, with a changed channel status where the send
    changed it.
    """
    number = next_number(storage)
    msg_id = message_id(record, number)
    sender_addr = record.sender
    receiver_addr = record.receiver
    expires_at = record.expires_at
    MESSAGES.save(storage, number, record)
    SENT.save(storage, (sender_addr, number), True)
    INBOX.save(storage, (receiver_addr, number), True)
    INBOX_BY_STATUS.save(storage, (receiver_addr, PENDING_WORD, number), expires_at)
    inbox = INBOXES.may_load(storage, receiver_addr) or NO_INBOX
    grown = Inbox(
        inbox.received + 1,
        inbox.pending + 1,
        inbox.delivered,
        inbox.read,
        inbox.replied,
        inbox.expired,
        inbox.cancelled,
    )
    INBOXES.save(storage, receiver_addr, grown)
    due_key = (receiver_addr, expires_at)
    due = DUE.may_load(storage, due_key) or NOTHING_DUE
    DUE.save(storage, due_key, DueRecord(due.pending + 1, due.delivered, due.read))
    EXPIRY.save(
        storage,
        (expires_at, receiver_addr, number),
        ExpiryRecord(msg_id=msg_id, sender=sender_addr),
    )
    CONVERSATIONS.save(storage, (pair_key[0], pair_key[1], number), True)
    PAIRS.save(storage, pair_key, Pair(pair.messages + 1, pair.channels, pair.live, pair.status))
    if record.channel_id is not None:
        log_in_channel(storage, record.channel_id, number, record)
    if record.root is not None:
        root = number_in(record.root)
        if root is not None:
            THREADS.save(storage, (root, number), True)
    if record.signature is not None:
        NONCES.save(storage, (sender_addr, record.signature.nonce), number)
    return msg_id


def log_in_channel(storage: Storage, channel_id: str, number: int, record: MessageRecord) -> None:
    """Count a message for its channel and list it there."""
    stats = CHANNEL_STATS.may_load(storage, channel_id)
    messages = WIDE + 1 if stats is None else stats.messages + 1
    CHANNEL_MESSAGES.save(storage, (channel_id, number), True)
    CHANNEL_STATS.save(
        storage, channel_id, ChannelStats(messages=messages, last_at=record.created_at)
    )


def move_status(
    storage: Storage, number: int, record: MessageRecord, *, before: int, after: int, now: int
) -> None:
    """Move a live message to another status, and its entries and counts with it."""
    receiver_addr = record.receiver
    expires_at = record.expires_at
    STATUSES.save(storage, number, StatusRecord(status=after, at=now))
    INBOX_BY_STATUS.remove(storage, (receiver_addr, MESSAGE_STATUSES[before], number))
    INBOX_BY_STATUS.save(storage, (receiver_addr, MESSAGE_STATUSES[after], number), expires_at)
    shift_inbox(storage, receiver_addr, before, after, 1)
    due = DUE.load(storage, (receiver_addr, expires_at))
    counts = [due.pending, due.delivered, due.read]
    counts[before] -= 1
    if after <= READ:
        counts[after] += 1
    else:
        EXPIRY.remove(storage, (expires_at, receiver_addr, number))
    save_due(storage, receiver_addr, expires_at, counts)


def counts_of(inbox: Inbox) -> tuple[int, ...]:
    """Messages by recorded status, in the order of ``MESSAGE_STATUSES``."""
    return (
        inbox.pending,
        inbox.delivered,
        inbox.read,
        inbox.replied,
        inbox.expired,
        inbox.cancelled,
    )


def shift_inbox(storage: Storage, receiver_addr: Addr, before: int, after: int, count: int) -> None:
    """Move ``count`` messages of a receiver from one status' count to another's."""
    inbox = INBOXES.load(storage, receiver_addr)
    counts = list(counts_of(inbox))
    counts[before] -= count
    counts[after] += count
    changed = Inbox(
        inbox.received, counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]
    )
    INBOXES.save(storage, receiver_addr, changed)


def save_due(storage: Storage, receiver_addr: Addr, expires_at: int, counts: list[int]) -> None:
    """Keep the live messages that end at one instant; an empty record goes."""
    if counts[0] + counts[1] + counts[2] == 3 * WIDE:
        DUE.remove(storage, (receiver_addr, expires_at))
        return
    DUE.save(
        storage,
        (receiver_addr, expires_at),
        DueRecord(pending=counts[0], delivered=counts[1], read=counts[2]),
    )
