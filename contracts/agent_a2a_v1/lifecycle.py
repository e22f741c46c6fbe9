"""What happens to a message after it was sent: delivered, read, cancelled, expired."""

from chain.std import Addr, DepsMut, Env, Event, MessageInfo, Response, Storage, replace
from contracts.agent_a2a_v1.checks import refuse_funds
from contracts.agent_a2a_v1.error import (
    InvalidMessageStatus,
    MessageExpired,
    MessageNotFound,
    NotSubscribed,
    Unauthorized,
)
from contracts.agent_a2a_v1.ledger import may_load_message, move_status, status_at
from contracts.agent_a2a_v1.msg import (
    CancelMessage,
    MarkDelivered,
    MarkRead,
)
from contracts.agent_a2a_v1.state import (
    CANCELLED,
    DELIVERED,
    EXPIRED,
    MESSAGE_STATUSES,
    PENDING,
    READ,
    SUBSCRIPTIONS,
    TOPIC_KIND,
    MessageRecord,
)


def execute_cancel_message(
    deps: DepsMut, env: Env, info: MessageInfo, msg: CancelMessage
) -> Response:
    """Pending to cancelled, by the sender."""
    number, record = load_message(deps.storage, info, msg.msg_id)
    if info.sender != record.sender or record.kind == TOPIC_KIND:
        raise Unauthorized
    before = move_from(deps.storage, env, number, record, after=CANCELLED, latest=PENDING)
    return moved(env, info, msg.msg_id, record, before=before, after=CANCELLED)


def execute_mark_delivered(
    deps: DepsMut, env: Env, info: MessageInfo, msg: MarkDelivered
) -> Response:
    """Pending to delivered, by the receiver."""
    number, record = load_message(deps.storage, info, msg.msg_id)
    if info.sender != record.receiver:
        raise Unauthorized
    before = move_from(deps.storage, env, number, record, after=DELIVERED, latest=PENDING)
    return moved(env, info, msg.msg_id, record, before=before, after=DELIVERED)


def execute_mark_read(deps: DepsMut, env: Env, info: MessageInfo, msg: MarkRead) -> Response:
    """Pending or delivered to read, by the receiver.

    For a topic message the subscriber's cursor moves here.
    """
    number, record = load_message(deps.storage, info, msg.msg_id)
    if record.kind == TOPIC_KIND:
        return move_cursor(deps.storage, env, info, (msg.msg_id, number, record))
    if info.sender != record.receiver:
        raise Unauthorized
    before = move_from(deps.storage, env, number, record, after=READ, latest=DELIVERED)
    return moved(env, info, msg.msg_id, record, before=before, after=READ)


def load_message(storage: Storage, info: MessageInfo, msg_id: str) -> tuple[int, MessageRecord]:
    """Number and record. Raises: NonPayable, MessageNotFound."""
    refuse_funds(info)
    found = may_load_message(storage, msg_id)
    if found is None:
        raise MessageNotFound(msg_id)
    return found


def move_from(
    storage: Storage, env: Env, number: int, record: MessageRecord, *, after: int, latest: int
) -> int:
    """Move a live message that stands at ``latest`` or before.

    Raises: MessageExpired, InvalidMessageStatus.
    """
    now = env.block.time.nanos()
    before = status_at(storage, number, record, now)
    if before == EXPIRED:
        raise MessageExpired
    if before > latest:
        raise InvalidMessageStatus(MESSAGE_STATUSES[before], MESSAGE_STATUSES[after])
    move_status(storage, number, record, before=before, after=after, now=now)
    return before


def moved(
    env: Env, info: MessageInfo, msg_id: str, record: MessageRecord, *, before: int, after: int
) -> Response:
    """The answer to a change of status."""
    word = MESSAGE_STATUSES[after]
    actions = ("", "mark_delivered", "mark_read", "", "", "cancel_message")
    event = Event(
        f"a2a_message_{word}",
        (
            ("actor", info.sender),
            ("msg_id", msg_id),
            ("sender", record.sender),
            ("receiver", record.receiver),
            ("previous_status", MESSAGE_STATUSES[before]),
            ("status", word),
            ("height", str(env.block.height)),
        ),
    )
    if after == CANCELLED:
        event.add_attribute("cancelled_by", info.sender)
    return (
        Response()
        .add_event(event)
        .add_attribute("action", actions[after])
        .add_attribute("msg_id", msg_id)
    )


def move_cursor(
    storage: Storage, env: Env, info: MessageInfo, found: tuple[str, int, MessageRecord]
) -> Response:
    """A subscriber has read a topic up to a message; a cursor never goes back."""
    msg_id, number, record = found
    channel_id = record.channel_id or ""
    topic = record.topic or ""
    key: tuple[Addr, str, str] = (info.sender, channel_id, topic)
    subscription = SUBSCRIPTIONS.may_load(storage, key)
    if subscription is None or not subscription.active:
        raise NotSubscribed
    if number > subscription.cursor:
        SUBSCRIPTIONS.save(
            storage,
            key,
            replace(subscription, cursor=number, cursor_id=msg_id),
        )
    event = Event(
        "a2a_topic_read",
        (
            ("actor", info.sender),
            ("msg_id", msg_id),
            ("channel_id", channel_id),
            ("topic", topic),
            ("height", str(env.block.height)),
        ),
    )
    return (
        Response()
        .add_event(event)
        .add_attribute("action", "mark_read")
        .add_attribute("msg_id", msg_id)
    )
