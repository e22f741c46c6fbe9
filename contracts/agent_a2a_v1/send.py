"""Sending and replying to one receiver."""

from chain.std import Addr, DepsMut, Env, Event, MessageInfo, Response, Storage, replace
from contracts.agent_a2a_v1.channel_store import activate, find_route
from contracts.agent_a2a_v1.checks import (
    check_content,
    parse_message_type,
    refuse_funds,
    resolve_sender,
)
from contracts.agent_a2a_v1.error import (
    InvalidMessageStatus,
    MessageExpired,
    OriginalMessageNotFound,
    ReplyChainTooDeep,
    SelfMessage,
    Unauthorized,
)
from contracts.agent_a2a_v1.guard import check_signature, pass_guard, save_sender
from contracts.agent_a2a_v1.ledger import (
    NO_PAIR,
    append_message,
    may_load_message,
    move_status,
    pair_of,
    status_at,
)
from contracts.agent_a2a_v1.msg import (
    ReplyMessage,
    SendMessage,
    Signature,
)
from contracts.agent_a2a_v1.state import (
    CONFIG,
    EXPIRED,
    MESSAGE_STATUSES,
    MESSAGE_TYPES,
    PAIRS,
    READ,
    REPLIED,
    REPLY_KIND,
    RESPONSE,
    SENT_KIND,
    WIDE,
    Config,
    MessageRecord,
    Pair,
    SignatureRecord,
)

NANOS_PER_SECOND = 1_000_000_000


def execute_send_message(deps: DepsMut, env: Env, info: MessageInfo, msg: SendMessage) -> Response:
    """Store a message for one receiver; with ``reply_to`` it is a reply (MS-5)."""
    refuse_funds(info)
    config = CONFIG.load(deps.storage)
    sender_addr, via = resolve_sender(deps.api, config, info.sender, msg.on_behalf_of)
    receiver_addr = deps.api.addr_validate(msg.to)
    if receiver_addr == sender_addr:
        raise SelfMessage
    check_content(config, msg.payload, msg.priority, msg.ttl)
    message_type = parse_message_type(msg.message_type)
    if msg.reply_to is not None:
        number, original, status = load_original(
            deps.storage, env, config, msg.reply_to, sender_addr
        )
        if receiver_addr != original.sender:
            raise Unauthorized
        draft = reply_draft(env, (msg.reply_to, original), msg.payload, message_type, via)
        if draft.channel_id is None and msg.channel_id is not None:
            draft = replace(draft, channel_id=msg.channel_id)
    else:
        now = env.block.time.nanos()
        draft = MessageRecord(
            kind=SENT_KIND,
            sender=sender_addr,
            receiver=receiver_addr,
            message_type=message_type,
            payload=msg.payload,
            priority=msg.priority,
            ttl=msg.ttl,
            created_at=now,
            expires_at=now + msg.ttl * NANOS_PER_SECOND,
            height=WIDE + env.block.height,
            channel_id=msg.channel_id,
            via=via,
        )
    msg_id, record = deliver(deps, env, config, draft, (msg.constitution_hash, msg.signature))
    response = Response().add_attribute("action", "send_message").add_attribute("msg_id", msg_id)
    response.add_event(sent_event(msg_id, record))
    if msg.reply_to is not None:
        finish_original(deps.storage, env, number, original, status)
        response.add_event(replied_event(msg.reply_to, msg_id, record))
    return response.set_data(f'{{"msg_id":"{msg_id}"}}'.encode())


def execute_reply_message(
    deps: DepsMut, env: Env, info: MessageInfo, msg: ReplyMessage
) -> Response:
    """Store the receiver's answer to a message, and mark that message replied."""
    refuse_funds(info)
    config = CONFIG.load(deps.storage)
    sender_addr, via = resolve_sender(deps.api, config, info.sender, msg.on_behalf_of)
    number, original, status = load_original(
        deps.storage, env, config, msg.original_msg_id, sender_addr
    )
    check_content(config, msg.payload, original.priority, original.ttl)
    draft = reply_draft(env, (msg.original_msg_id, original), msg.payload, RESPONSE, via)
    msg_id, record = deliver(deps, env, config, draft, (msg.constitution_hash, msg.signature))
    finish_original(deps.storage, env, number, original, status)
    return (
        Response()
        .add_event(replied_event(msg.original_msg_id, msg_id, record))
        .add_attribute("action", "reply_message")
        .add_attribute("reply_msg_id", msg_id)
        .set_data(f'{{"msg_id":"{msg_id}"}}'.encode())
    )


def load_original(
    storage: Storage, env: Env, config: Config, msg_id: str, sender_addr: Addr
) -> tuple[int, MessageRecord, int]:
    """The message that ``sender_addr`` may answer now: number, record, status.

    Raises: OriginalMessageNotFound, Unauthorized, MessageExpired, InvalidMessageStatus,
    ReplyChainTooDeep.
    """
    found = may_load_message(storage, msg_id)
    if found is None:
        raise OriginalMessageNotFound
    number, original = found
    if sender_addr != original.receiver:
        raise Unauthorized
    status = status_at(storage, number, original, env.block.time.nanos())
    if status == EXPIRED:
        raise MessageExpired
    if status > READ:
        raise InvalidMessageStatus(MESSAGE_STATUSES[status], MESSAGE_STATUSES[REPLIED])
    if original.depth >= config.reply_depth_max:
        raise ReplyChainTooDeep(config.reply_depth_max)
    return (number, original, status)


def reply_draft(
    env: Env,
    answered: tuple[str, MessageRecord],
    payload: bytes,
    message_type: int,
    via: Addr | None,
) -> MessageRecord:
    """The answer to a message: parties turned round, its priority, lifetime, channel, thread."""
    original_id, original = answered
    now = env.block.time.nanos()
    return MessageRecord(
        kind=REPLY_KIND,
        sender=original.receiver,
        receiver=original.sender,
        message_type=message_type,
        payload=payload,
        priority=original.priority,
        ttl=original.ttl,
        created_at=now,
        expires_at=now + original.ttl * NANOS_PER_SECOND,
        height=WIDE + env.block.height,
        depth=original.depth + 1,
        channel_id=original.channel_id,
        reply_to=original_id,
        root=original_id if original.root is None else original.root,
        via=via,
    )


def completed(
    draft: MessageRecord,
    channel_id: str | None,
    constitution_hash: str | None,
    signature: SignatureRecord | None,
) -> MessageRecord:
    """The draft with what the checks found; itself where they found nothing."""
    if signature is None and channel_id is None and constitution_hash is None:
        return draft  # what a draft without a channel has
    return replace(
        draft, channel_id=channel_id, constitution_hash=constitution_hash, signature=signature
    )


def deliver(
    deps: DepsMut,
    env: Env,
    config: Config,
    draft: MessageRecord,
    proof: tuple[str | None, Signature | None],
) -> tuple[str, MessageRecord]:
    """Channel, constitution, rate limit, signature; then store. Returns id and record.

    ``proof`` is the constitution hash that the sender expects, and the signature.
    """
    storage = deps.storage
    pair_key = pair_of(draft.sender, draft.receiver)
    pair = PAIRS.may_load(storage, pair_key) or NO_PAIR
    channel_id, first = find_route(storage, draft, pair_key, pair)
    constitution_hash, sender = pass_guard(deps, env, config, draft, proof[0])
    signature = None
    if proof[1] is not None:
        signature = check_signature(deps, env, config, draft, proof[1])
    record = completed(draft, channel_id, constitution_hash, signature)
    msg_id = place(storage, record, pair_key, pair, first)
    save_sender(storage, record.sender, sender, 1)
    return (msg_id, record)


def place(
    storage: Storage,
    record: MessageRecord,
    pair_key: tuple[Addr, Addr],
    pair: Pair,
    first: bool,
) -> str:
    """Store a checked message; the first one of a channel makes the channel active."""
    if first and record.channel_id is not None:
        pair = activate(storage, record.channel_id, record.created_at, pair)
    return append_message(storage, record, pair_key, pair)


def finish_original(
    storage: Storage, env: Env, number: int, original: MessageRecord, status: int
) -> None:
    """The answered message is replied, for good."""
    move_status(storage, number, original, before=status, after=REPLIED, now=env.block.time.nanos())


def sent_event(msg_id: str, record: MessageRecord) -> Event:
    """``a2a_message_sent`` (guide 2.7), with what an index of threads and channels needs."""
    event = Event(
        "a2a_message_sent",
        (
            ("actor", record.sender),
            ("msg_id", msg_id),
            ("sender", record.sender),
            ("receiver", record.receiver),
            ("message_type", MESSAGE_TYPES[record.message_type]),
            ("priority", str(record.priority)),
            ("ttl", str(record.ttl)),
            ("expires_at", str(record.expires_at)),
            ("height", str(record.height - WIDE)),
        ),
    )
    return add_links(event, record)


def replied_event(original_id: str, msg_id: str, record: MessageRecord) -> Event:
    """``a2a_message_replied`` (guide 10.4)."""
    event = Event(
        "a2a_message_replied",
        (
            ("actor", record.sender),
            ("original_msg_id", original_id),
            ("reply_msg_id", msg_id),
            ("msg_id", msg_id),
            ("sender", record.sender),
            ("receiver", record.receiver),
            ("message_type", MESSAGE_TYPES[record.message_type]),
            ("priority", str(record.priority)),
            ("ttl", str(record.ttl)),
            ("expires_at", str(record.expires_at)),
            ("height", str(record.height - WIDE)),
        ),
    )
    return add_links(event, record)


def add_links(event: Event, record: MessageRecord) -> Event:
    """Channel, original and relay, where there are any."""
    if record.channel_id is not None:
        event.add_attribute("channel_id", record.channel_id)
    if record.reply_to is not None:
        event.add_attribute("reply_to", record.reply_to)
    if record.via is not None:
        event.add_attribute("via", record.via)
    return event
