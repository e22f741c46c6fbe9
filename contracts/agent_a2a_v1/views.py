"""Records as queries show them, and pages of them."""

from chain.std import Binary, Env, Iterable, Storage, Timestamp
from chain.storage_plus import Bound, page_size
from contracts.agent_a2a_v1.answers import (
    ChannelView,
    MessagesResponse,
    MessageView,
)
from contracts.agent_a2a_v1.checks import priority_label
from contracts.agent_a2a_v1.error import InvalidCursor
from contracts.agent_a2a_v1.ledger import message_id, number_in, status_at
from contracts.agent_a2a_v1.state import (
    CHANNEL_STATS,
    CHANNEL_STATUSES,
    CHANNEL_TYPES,
    MESSAGE_STATUSES,
    MESSAGE_TYPES,
    MESSAGES,
    WIDE,
    ChannelRecord,
    MessageRecord,
)

#: A page also ends before its payloads pass this, in the base64 that the answer holds (CH-6).
PAGE_BYTES_MAX = 4 * 1024 * 1024
#: What an item takes beside its payload, roughly.
ITEM_BYTES = 1_024


def encoded_size(payload: bytes, signature: bytes | None) -> int:
    """About how many bytes an item adds to an answer."""
    size = len(payload) + (0 if signature is None else len(signature))
    return ITEM_BYTES + size * 4 // 3


def before_cursor(start_after: str | None) -> Bound | None:
    """Upper end of a listing that goes down in numbers. Raises: InvalidCursor."""
    if start_after is None:
        return None
    number = number_in(start_after)
    if number is None:
        raise InvalidCursor
    return Bound.exclusive(number)


def message_view(msg_id: str, record: MessageRecord, status: int) -> MessageView:
    """A message as queries show it."""
    signature = record.signature
    return MessageView(
        msg_id=msg_id,
        sender=record.sender,
        receiver=record.receiver,
        message_type=MESSAGE_TYPES[record.message_type],
        payload=Binary(record.payload),
        priority=record.priority,
        status=MESSAGE_STATUSES[status],
        channel_id=record.channel_id,
        reply_to=record.reply_to,
        ttl=record.ttl,
        created_at=Timestamp(record.created_at),
        expires_at=Timestamp(record.expires_at),
        constitution_hash=record.constitution_hash,
        signature=None if signature is None else Binary(signature.value),
        verification_method=None if signature is None else signature.verification_method,
        nonce=None if signature is None else signature.nonce,
        priority_label=priority_label(record.priority),
        height=record.height - WIDE,
        depth=record.depth,
        thread=msg_id if record.root is None else record.root,
        topic=record.topic,
        via=record.via,
    )


def message_page(
    storage: Storage, env: Env, numbers: Iterable[int], total: int, limit: int | None
) -> MessagesResponse:
    """The first messages of ``numbers``, as many as a page holds."""
    size_max = page_size(limit)
    now = env.block.time.nanos()
    page: list[MessageView] = []
    filled = 0
    more = False
    if size_max > 0:
        for number in numbers:
            if len(page) >= size_max:
                more = True
                break
            record = MESSAGES.load(storage, number)
            signature = record.signature
            filled += encoded_size(record.payload, None if signature is None else signature.value)
            if filled > PAGE_BYTES_MAX and page:
                more = True
                break
            status = status_at(storage, number, record, now)
            page.append(message_view(message_id(record, number), record, status))
    return MessagesResponse(
        messages=tuple(page), total=total, next=page[-1].msg_id if more else None
    )


def channel_view(storage: Storage, channel_id: str, channel: ChannelRecord) -> ChannelView:
    """A channel as queries show it; messages also count as updates."""
    stats = CHANNEL_STATS.may_load(storage, channel_id)
    updated_at = channel.updated_at
    messages = 0
    if stats is not None:
        messages = stats.messages - WIDE
        updated_at = max(updated_at, stats.last_at)
    return ChannelView(
        channel_id=channel_id,
        participants=channel.participants,
        status=CHANNEL_STATUSES[channel.status],
        channel_type=CHANNEL_TYPES[channel.channel_type],
        metadata=None if channel.metadata is None else Binary(channel.metadata),
        created_at=Timestamp(channel.created_at),
        updated_at=Timestamp(updated_at),
        message_count=messages,
        owner=channel.participants[0],
    )
