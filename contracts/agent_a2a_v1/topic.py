"""Topics of pubsub channels: publishing, subscribing."""

from chain.std import DepsMut, Env, Event, MessageInfo, Response, replace
from contracts.agent_a2a_v1.channel_store import activate, check_open, load_channel
from contracts.agent_a2a_v1.checks import (
    check_content,
    check_topic,
    parse_message_type,
    refuse_funds,
)
from contracts.agent_a2a_v1.error import (
    InvalidChannelType,
    NotSubscribed,
    Unauthorized,
)
from contracts.agent_a2a_v1.filters import parse_filter
from contracts.agent_a2a_v1.guard import pass_guard, save_sender
from contracts.agent_a2a_v1.ledger import NO_PAIR, log_in_channel, message_id, next_number
from contracts.agent_a2a_v1.msg import (
    Publish,
    Subscribe,
    Unsubscribe,
)
from contracts.agent_a2a_v1.send import NANOS_PER_SECOND, completed
from contracts.agent_a2a_v1.state import (
    CHANNEL_TYPES,
    CONFIG,
    MESSAGE_NUMBER,
    MESSAGE_TYPES,
    MESSAGES,
    OPEN,
    PUBSUB,
    SENT,
    SUBSCRIPTIONS,
    TOPIC_COUNTS,
    TOPIC_KIND,
    TOPIC_MESSAGES,
    WIDE,
    ChannelRecord,
    MessageRecord,
    SubscriptionRecord,
    TopicEntry,
)


def execute_publish(deps: DepsMut, env: Env, info: MessageInfo, msg: Publish) -> Response:
    """Store one message under a topic, whoever follows it."""
    refuse_funds(info)
    storage = deps.storage
    config = CONFIG.load(storage)
    channel = load_pubsub(deps, msg.channel_id)
    if info.sender not in channel.participants:
        raise Unauthorized
    check_open(channel, msg.channel_id)
    check_topic(msg.topic)
    check_content(config, msg.payload, msg.priority, msg.ttl)
    message_type = parse_message_type(msg.message_type)
    now = env.block.time.nanos()
    draft = MessageRecord(
        kind=TOPIC_KIND,
        sender=info.sender,
        receiver=env.contract.address,
        message_type=message_type,
        payload=msg.payload,
        priority=msg.priority,
        ttl=msg.ttl,
        created_at=now,
        expires_at=now + msg.ttl * NANOS_PER_SECOND,
        height=WIDE + env.block.height,
        channel_id=msg.channel_id,
        topic=msg.topic,
    )
    constitution_hash, sender = pass_guard(deps, env, config, draft, msg.constitution_hash)
    record = completed(draft, msg.channel_id, constitution_hash, None)
    if channel.status == OPEN:
        activate(storage, msg.channel_id, now, NO_PAIR)
    msg_id = store_topic_message(deps, record, msg.channel_id, msg.topic)
    save_sender(storage, info.sender, sender, 1)
    event = Event(
        "a2a_message_published",
        (
            ("actor", info.sender),
            ("msg_id", msg_id),
            ("sender", info.sender),
            ("channel_id", msg.channel_id),
            ("topic", msg.topic),
            ("message_type", MESSAGE_TYPES[message_type]),
            ("priority", str(msg.priority)),
            ("ttl", str(msg.ttl)),
            ("expires_at", str(record.expires_at)),
            ("height", str(env.block.height)),
        ),
    )
    return (
        Response()
        .add_event(event)
        .add_attribute("action", "publish")
        .add_attribute("msg_id", msg_id)
        .set_data(f'{{"msg_id":"{msg_id}"}}'.encode())
    )


def store_topic_message(deps: DepsMut, record: MessageRecord, channel_id: str, topic: str) -> str:
    """Write a topic's message and its entries.

    It stands in no inbox, and its end is computed, never written.
    """
    storage = deps.storage
    number = next_number(storage)
    MESSAGES.save(storage, number, record)
    SENT.save(storage, (record.sender, number), True)
    log_in_channel(storage, channel_id, number, record)
    TOPIC_MESSAGES.save(
        storage,
        (channel_id, topic, number),
        TopicEntry(
            message_type=record.message_type, priority=record.priority, sender=record.sender
        ),
    )
    count = TOPIC_COUNTS.may_load(storage, (channel_id, topic)) or WIDE
    TOPIC_COUNTS.save(storage, (channel_id, topic), count + 1)
    return message_id(record, number)


def load_pubsub(deps: DepsMut, channel_id: str) -> ChannelRecord:
    """The pubsub channel. Raises: ChannelNotFound, InvalidChannelType."""
    channel = load_channel(deps.storage, channel_id)
    if channel.channel_type != PUBSUB:
        raise InvalidChannelType(CHANNEL_TYPES[channel.channel_type])
    return channel


def execute_subscribe(deps: DepsMut, env: Env, info: MessageInfo, msg: Subscribe) -> Response:
    """Follow a topic from its next message on; again: keep the cursor, take the new filter."""
    refuse_funds(info)
    storage = deps.storage
    channel = load_pubsub(deps, msg.channel_id)
    check_open(channel, msg.channel_id)
    check_topic(msg.topic)
    if msg.filter is not None:
        parse_filter(msg.filter)
    key = (info.sender, msg.channel_id, msg.topic)
    known = SUBSCRIPTIONS.may_load(storage, key)
    if known is not None and known.active:
        created_at = known.created_at
        cursor = known.cursor
        cursor_id = known.cursor_id
    else:
        created_at = env.block.time.nanos()
        cursor = (MESSAGE_NUMBER.may_load(storage) or WIDE) - WIDE
        cursor_id = None
    SUBSCRIPTIONS.save(
        storage,
        key,
        SubscriptionRecord(
            filter=msg.filter,
            active=True,
            created_at=created_at,
            cursor=cursor,
            cursor_id=cursor_id,
        ),
    )
    return subscription_changed(env, info, "subscribe", (msg.channel_id, msg.topic, msg.filter))


def execute_unsubscribe(deps: DepsMut, env: Env, info: MessageInfo, msg: Unsubscribe) -> Response:
    """Stop following a topic."""
    refuse_funds(info)
    key = (info.sender, msg.channel_id, msg.topic)
    known = SUBSCRIPTIONS.may_load(deps.storage, key)
    if known is None or not known.active:
        raise NotSubscribed
    SUBSCRIPTIONS.save(deps.storage, key, replace(known, active=False))
    return subscription_changed(env, info, "unsubscribe", (msg.channel_id, msg.topic, None))


def subscription_changed(
    env: Env, info: MessageInfo, action: str, what: tuple[str, str, str | None]
) -> Response:
    """The answer to a changed subscription."""
    channel_id, topic, text = what
    event = Event(
        f"a2a_{action}d",
        (
            ("actor", info.sender),
            ("subscriber", info.sender),
            ("channel_id", channel_id),
            ("topic", topic),
            ("height", str(env.block.height)),
        ),
    )
    if text is not None:
        event.add_attribute("filter", text)
    return (
        Response()
        .add_event(event)
        .add_attribute("action", action)
        .add_attribute("channel_id", channel_id)
        .add_attribute("topic", topic)
    )
