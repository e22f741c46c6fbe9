"""Questions about channels and subscriptions."""

from chain.std import Deps, Env, Timestamp
from chain.storage_plus import Bound, Order, page_size
from contracts.agent_a2a_v1.answers import (
    ChannelResponse,
    ChannelsResponse,
    ChannelView,
    SubscriptionsResponse,
    SubscriptionView,
)
from contracts.agent_a2a_v1.channel_store import direct_channel_id, load_pair
from contracts.agent_a2a_v1.error import InvalidCursor
from contracts.agent_a2a_v1.ledger import DECIMAL, pair_of
from contracts.agent_a2a_v1.msg import (
    GetChannel,
    ListChannels,
    ListChannelsOf,
    ListSubscriptions,
)
from contracts.agent_a2a_v1.state import (
    CHANNEL_COUNTS,
    CHANNELS,
    CHANNELS_OF,
    SUBSCRIPTIONS,
)
from contracts.agent_a2a_v1.views import channel_view

GENERATION_DIGITS_MAX = 18


def query_get_channel(deps: Deps, env: Env, msg: GetChannel) -> ChannelResponse:
    """One channel, or null."""
    channel = CHANNELS.may_load(deps.storage, msg.channel_id)
    if channel is None:
        return ChannelResponse(channel=None)
    return ChannelResponse(channel=channel_view(deps.storage, msg.channel_id, channel))


def query_list_channels(deps: Deps, env: Env, msg: ListChannels) -> ChannelsResponse:
    """Direct channels of a pair, newest first; their ids are numbered, so nothing is searched."""
    first_addr = deps.api.addr_validate(msg.participants[0])
    second_addr = deps.api.addr_validate(msg.participants[1])
    low_addr, high_addr = pair_of(first_addr, second_addr)
    pair = load_pair(deps.storage, first_addr, second_addr)
    generation = pair.channels
    if msg.start_after is not None:
        generation = generation_in(direct_channel_id(low_addr, high_addr, 1), msg.start_after) - 1
    page: list[ChannelView] = []
    size_max = page_size(msg.limit)
    while generation > 0 and len(page) < size_max:
        if generation <= pair.channels:
            channel_id = direct_channel_id(low_addr, high_addr, generation)
            page.append(
                channel_view(deps.storage, channel_id, CHANNELS.load(deps.storage, channel_id))
            )
        generation = min(generation, pair.channels + 1) - 1
    more = page[-1].channel_id if page and generation > 0 else None
    return ChannelsResponse(channels=tuple(page), total=pair.channels, next=more)


def generation_in(first_id: str, channel_id: str) -> int:
    """Which of a pair's channels an id names. Raises: InvalidCursor."""
    if channel_id == first_id:
        return 1
    digits = channel_id.removeprefix(f"{first_id}-")
    if not (1 <= len(digits) <= GENERATION_DIGITS_MAX and digits.strip(DECIMAL) == ""):
        raise InvalidCursor
    return int(digits)


def query_list_channels_of(deps: Deps, env: Env, msg: ListChannelsOf) -> ChannelsResponse:
    """Channels of one address, newest first."""
    addr = deps.api.addr_validate(msg.address)
    cursor = None
    if msg.start_after is not None:
        start = CHANNELS.may_load(deps.storage, msg.start_after)
        if start is None:
            raise InvalidCursor
        cursor = Bound.exclusive(start.number)
    size_max = page_size(msg.limit)
    page: list[ChannelView] = []
    more = False
    entries = CHANNELS_OF.prefix(addr).range(deps.storage, None, cursor, Order.DESCENDING)
    for entry in entries:
        if len(page) >= size_max:
            more = True
            break
        channel_id = entry[1]
        page.append(channel_view(deps.storage, channel_id, CHANNELS.load(deps.storage, channel_id)))
    return ChannelsResponse(
        channels=tuple(page),
        total=CHANNEL_COUNTS.may_load(deps.storage, addr) or 0,
        next=page[-1].channel_id if more and page else None,
    )


def query_list_subscriptions(deps: Deps, env: Env, msg: ListSubscriptions) -> SubscriptionsResponse:
    """Subscriptions of one address, by channel and topic; ended ones are shown as not active."""
    subscriber_addr = deps.api.addr_validate(msg.subscriber)
    start = None if msg.start_after is None else Bound.exclusive(msg.start_after)
    size_max = page_size(msg.limit)
    page: list[SubscriptionView] = []
    more = False
    for key, record in SUBSCRIPTIONS.sub_prefix(subscriber_addr).range(deps.storage, start, None):
        if len(page) >= size_max:
            more = True
            break
        page.append(
            SubscriptionView(
                subscriber=subscriber_addr,
                topic=key[1],
                channel_id=key[0],
                filter=record.filter,
                active=record.active,
                created_at=Timestamp(record.created_at),
                cursor=record.cursor_id,
            )
        )
    after = (page[-1].channel_id, page[-1].topic) if more and page else None
    return SubscriptionsResponse(subscriptions=tuple(page), next=after)
