"""Questions about messages. Every status is the one that holds at the block's time."""

from chain.std import Addr, Binary, Deps, Env, Storage, Timestamp
from chain.storage_plus import Bound, Order, page_size
from contracts.agent_a2a_v1.answers import (
    CountResponse,
    MessageResponse,
    MessagesResponse,
    MessageStatusResponse,
    RateLimitResponse,
    VerifyMessageResponse,
)
from contracts.agent_a2a_v1.channel_store import load_channel, load_pair
from contracts.agent_a2a_v1.checks import parse_status
from contracts.agent_a2a_v1.error import MessageNotFound, NotSubscribed
from contracts.agent_a2a_v1.filters import parse_filter, passes
from contracts.agent_a2a_v1.guard import (
    NO_SENDER,
    ask_did_registry,
    live_window,
    signed_content,
)
from contracts.agent_a2a_v1.ledger import (
    NO_INBOX,
    counts_of,
    may_load_message,
    number_in,
    padded,
    pair_of,
    status_at,
)
from contracts.agent_a2a_v1.msg import (
    CountPendingMessages,
    GetMessage,
    GetMessageStatus,
    ListChannelMessages,
    ListConversation,
    ListMessages,
    ListSentMessages,
    ListThread,
    ListTopicMessages,
    RateLimitStatus,
    VerifyMessage,
)
from contracts.agent_a2a_v1.state import (
    CHANNEL_MESSAGES,
    CHANNEL_STATS,
    CONFIG,
    CONVERSATIONS,
    DELIVERED,
    DUE,
    EXPIRED,
    EXPIRY,
    INBOX,
    INBOX_BY_STATUS,
    INBOXES,
    MESSAGE_STATUSES,
    PENDING,
    READ,
    SENDERS,
    SENT,
    SUBSCRIPTIONS,
    THREADS,
    TOPIC_COUNTS,
    TOPIC_MESSAGES,
    WIDE,
)
from contracts.agent_a2a_v1.views import before_cursor, message_page, message_view
from contracts.did_registry_v1.msg import VerifySignature

#: How many entries of a topic one page looks at while a filter leaves them out.
SCAN_MAX = 1_000
#: So many messages, dead or alive, are found by their instants; more, by walking an index.
FEW = 1_000
#: After every instant.
NEVER = 1 << 80


def query_get_message(deps: Deps, env: Env, msg: GetMessage) -> MessageResponse:
    """One message, or null."""
    found = may_load_message(deps.storage, msg.msg_id)
    if found is None:
        return MessageResponse(message=None)
    number, record = found
    status = status_at(deps.storage, number, record, env.block.time.nanos())
    return MessageResponse(message=message_view(msg.msg_id, record, status))


def query_get_message_status(deps: Deps, env: Env, msg: GetMessageStatus) -> MessageStatusResponse:
    """The status alone."""
    found = may_load_message(deps.storage, msg.msg_id)
    if found is None:
        return MessageStatusResponse(msg_id=msg.msg_id, status=None, expires_at=None)
    number, record = found
    status = status_at(deps.storage, number, record, env.block.time.nanos())
    return MessageStatusResponse(
        msg_id=msg.msg_id,
        status=MESSAGE_STATUSES[status],
        expires_at=Timestamp(record.expires_at),
    )


def count_owed(storage: Storage, receiver_addr: Addr, now: int) -> tuple[int, int, int]:
    """What the sweep still owes a receiver: dead messages recorded as pending, delivered, read."""
    pending = 0
    delivered = 0
    read = 0
    for entry in DUE.prefix(receiver_addr).range(storage, None, Bound.exclusive(now)):
        due = entry[1]
        pending += due.pending - WIDE
        delivered += due.delivered - WIDE
        read += due.read - WIDE
    return (pending, delivered, read)


def query_count_pending_messages(deps: Deps, env: Env, msg: CountPendingMessages) -> CountResponse:
    """Live pending messages, from kept counts."""
    receiver_addr = deps.api.addr_validate(msg.address)
    inbox = INBOXES.may_load(deps.storage, receiver_addr) or NO_INBOX
    owed = count_owed(deps.storage, receiver_addr, env.block.time.nanos())
    return CountResponse(count=inbox.pending - WIDE - owed[PENDING])


def query_list_messages(deps: Deps, env: Env, msg: ListMessages) -> MessagesResponse:
    """An inbox, all of it or by the status that holds."""
    storage = deps.storage
    receiver_addr = deps.api.addr_validate(msg.address)
    cursor = before_cursor(msg.start_after)
    now = env.block.time.nanos()
    inbox = INBOXES.may_load(storage, receiver_addr) or NO_INBOX
    if msg.status is None:
        every = INBOX.prefix(receiver_addr).keys(storage, None, cursor, Order.DESCENDING)
        return message_page(storage, env, every, inbox.received - WIDE, msg.limit)
    status = parse_status(MESSAGE_STATUSES, msg.status)
    total = counts_of(inbox)[status] - WIDE
    size_max = page_size(msg.limit)
    count_max = size_max + 1 if size_max > 0 else 0  # one more tells that there are more
    if status > READ and status != EXPIRED:
        numbers = recorded(storage, receiver_addr, status, cursor, count_max)
        return message_page(storage, env, numbers, total, msg.limit)
    owed = count_owed(storage, receiver_addr, now)
    if status == EXPIRED:
        numbers = expired_numbers(
            storage, receiver_addr, now, cursor, owed=sum(owed), count_max=count_max
        )
        return message_page(storage, env, numbers, total + sum(owed), msg.limit)
    alive = inbox.pending + inbox.delivered + inbox.read - 3 * WIDE - sum(owed)
    if sum(owed) > FEW and alive <= FEW:  # else a walk would pass all that is dead
        due = due_numbers(storage, receiver_addr, Bound.inclusive(now), None, cursor)
        word = MESSAGE_STATUSES[status]
        numbers = [
            number for number in due if INBOX_BY_STATUS.has(storage, (receiver_addr, word, number))
        ]
    else:
        numbers = recorded(storage, receiver_addr, status, cursor, count_max, since=now)
    return message_page(storage, env, numbers, total - owed[status], msg.limit)


def query_list_sent_messages(deps: Deps, env: Env, msg: ListSentMessages) -> MessagesResponse:
    """What an address sent."""
    sender_addr = deps.api.addr_validate(msg.address)
    sender = SENDERS.may_load(deps.storage, sender_addr) or NO_SENDER
    numbers = SENT.prefix(sender_addr).keys(
        deps.storage, None, before_cursor(msg.start_after), Order.DESCENDING
    )
    return message_page(deps.storage, env, numbers, sender.sent - WIDE, msg.limit)


def query_list_conversation(deps: Deps, env: Env, msg: ListConversation) -> MessagesResponse:
    """Both directions between two addresses."""
    first_addr = deps.api.addr_validate(msg.participants[0])
    second_addr = deps.api.addr_validate(msg.participants[1])
    pair = load_pair(deps.storage, first_addr, second_addr)
    numbers = CONVERSATIONS.prefix(pair_of(first_addr, second_addr)).keys(
        deps.storage, None, before_cursor(msg.start_after), Order.DESCENDING
    )
    return message_page(deps.storage, env, numbers, pair.messages - WIDE, msg.limit)


def query_list_channel_messages(deps: Deps, env: Env, msg: ListChannelMessages) -> MessagesResponse:
    """What went over a channel."""
    stats = CHANNEL_STATS.may_load(deps.storage, msg.channel_id)
    total = 0 if stats is None else stats.messages - WIDE
    numbers = CHANNEL_MESSAGES.prefix(msg.channel_id).keys(
        deps.storage, None, before_cursor(msg.start_after), Order.DESCENDING
    )
    return message_page(deps.storage, env, numbers, total, msg.limit)


def query_list_thread(deps: Deps, env: Env, msg: ListThread) -> MessagesResponse:
    """A chain of replies with its root; the depth of replies bounds it. Raises: MessageNotFound."""
    found = may_load_message(deps.storage, msg.msg_id)
    if found is None:
        raise MessageNotFound(msg.msg_id)
    number, record = found
    root = number if record.root is None else number_in(record.root)
    replies = list(THREADS.prefix(root).keys(deps.storage, order=Order.DESCENDING))
    chain = [*replies, root]
    cursor = before_cursor(msg.start_after)
    wanted = [item for item in chain if cursor is None or item < cursor.key]
    return message_page(deps.storage, env, wanted, len(chain), msg.limit)


def query_list_topic_messages(deps: Deps, env: Env, msg: ListTopicMessages) -> MessagesResponse:
    """A topic newest first, or a subscriber's view of it oldest first.

    ``total`` counts the topic's messages.
    """
    storage = deps.storage
    load_channel(storage, msg.channel_id)
    total = (TOPIC_COUNTS.may_load(storage, (msg.channel_id, msg.topic)) or WIDE) - WIDE
    entries = TOPIC_MESSAGES.prefix((msg.channel_id, msg.topic))
    cursor = before_cursor(msg.start_after)
    if msg.subscriber is None:
        numbers = entries.keys(storage, None, cursor, Order.DESCENDING)
        return message_page(storage, env, numbers, total, msg.limit)
    subscriber_addr = deps.api.addr_validate(msg.subscriber)
    subscription = SUBSCRIPTIONS.may_load(storage, (subscriber_addr, msg.channel_id, msg.topic))
    if subscription is None or not subscription.active:
        raise NotSubscribed
    conditions = () if subscription.filter is None else parse_filter(subscription.filter)
    after = subscription.cursor if cursor is None else max(subscription.cursor, cursor.key)
    wanted = []
    looked = 0
    last = after
    for number, entry in entries.range(storage, Bound.exclusive(after), None):
        looked += 1
        if looked > SCAN_MAX:
            break
        last = number
        if passes(conditions, entry):
            wanted.append(number)
    page = message_page(storage, env, wanted, total, msg.limit)
    if page.next is None and looked > SCAN_MAX:
        return MessagesResponse(messages=page.messages, total=total, next=f"scan-{padded(last)}")
    return page


def query_verify_message(deps: Deps, env: Env, msg: VerifyMessage) -> VerifyMessageResponse:
    """Check a stored signature again. Raises: MessageNotFound."""
    found = may_load_message(deps.storage, msg.msg_id)
    if found is None:
        raise MessageNotFound(msg.msg_id)
    record = found[1]
    signature = record.signature
    if signature is None:
        return VerifyMessageResponse(
            valid=False, reason="unsigned", signed_content=None, verification_method=None
        )
    channel_id = record.channel_id if signature.channel_signed else None
    content = signed_content(
        env.block.chain_id, env.contract.address, record, channel_id, signature.nonce
    )
    answer = ask_did_registry(
        deps.querier,
        CONFIG.load(deps.storage),
        VerifySignature(
            verification_method=signature.verification_method,
            relation="assertionMethod",
            message=Binary(content),
            signature=Binary(signature.value),
            address=record.sender,
        ),
    )
    return VerifyMessageResponse(
        valid=answer.valid,
        reason=answer.reason,
        signed_content=Binary(content),
        verification_method=signature.verification_method,
    )


def query_rate_limit_status(deps: Deps, env: Env, msg: RateLimitStatus) -> RateLimitResponse:
    """The sender's window at the block's time."""
    config = CONFIG.load(deps.storage)
    sender_addr = deps.api.addr_validate(msg.address)
    sender = SENDERS.may_load(deps.storage, sender_addr) or NO_SENDER
    window = live_window(config, sender, env.block.time.nanos())
    return RateLimitResponse(
        window_seconds=config.rate_window_seconds,
        messages_used=sum([entry.messages for entry in window]),
        messages_max=config.rate_messages_max,
        discovery_used=sum([entry.discovery for entry in window]),
        discovery_max=config.rate_discovery_max,
    )


def recorded(
    storage: Storage,
    receiver_addr: Addr,
    status: int,
    cursor: Bound | None,
    count_max: int,
    *,
    since: int = 0,
    before: int = NEVER,
) -> list[int]:
    """Messages recorded with a status whose instant is in a range, newest first, at most so many.

    A loop, because ``map`` and ``filter`` would walk the whole index before the first item.
    """
    numbers: list[int] = []
    if count_max > 0:
        entries = INBOX_BY_STATUS.prefix((receiver_addr, MESSAGE_STATUSES[status]))
        for number, expires_at in entries.range(storage, None, cursor, Order.DESCENDING):
            if since <= expires_at < before:
                numbers.append(number)
                if len(numbers) >= count_max:
                    break
    return numbers


def due_numbers(
    storage: Storage,
    receiver_addr: Addr,
    first: Bound | None,
    end: Bound | None,
    cursor: Bound | None,
) -> list[int]:
    """Messages that are not rewritten yet whose instant is in a range, newest first, before the
    cursor.
    """
    numbers: list[int] = []
    for instant in DUE.prefix(receiver_addr).keys(storage, first, end):
        for number in EXPIRY.prefix((instant, receiver_addr)).keys(storage, None, cursor):
            numbers.append(number)
    numbers.sort(reverse=True)
    return numbers


def expired_numbers(
    storage: Storage,
    receiver_addr: Addr,
    now: int,
    cursor: Bound | None,
    *,
    owed: int,
    count_max: int,
) -> list[int]:
    """Dead messages, rewritten or not, newest first, as many as are wanted and more.

    Few that the sweep owes are found by their instants; many, by walking what is recorded as alive.
    """
    numbers = recorded(storage, receiver_addr, EXPIRED, cursor, count_max)
    if owed <= FEW:
        numbers.extend(due_numbers(storage, receiver_addr, None, Bound.exclusive(now), cursor))
    else:
        for status in (PENDING, DELIVERED, READ):
            numbers.extend(recorded(storage, receiver_addr, status, cursor, count_max, before=now))
    numbers.sort(reverse=True)
    return numbers
