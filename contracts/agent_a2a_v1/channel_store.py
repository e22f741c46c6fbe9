"""Channels in storage: records, the pair they belong to, and the lists they stand in."""

from chain.std import Addr, Storage, replace
from contracts.agent_a2a_v1.error import (
    ChannelNotFound,
    ChannelNotOpen,
    InvalidChannelType,
    InvalidParticipants,
    Unauthorized,
)
from contracts.agent_a2a_v1.ledger import NO_PAIR, pair_of
from contracts.agent_a2a_v1.state import (
    ACTIVE,
    CHANNEL_COUNTS,
    CHANNEL_NUMBER,
    CHANNEL_TYPES,
    CHANNELS,
    CHANNELS_OF,
    CLOSED,
    DIRECT,
    OPEN,
    PAIRS,
    PUBSUB,
    SUSPENDED,
    ChannelRecord,
    MessageRecord,
    Pair,
)


def load_channel(storage: Storage, channel_id: str) -> ChannelRecord:
    """The channel. Raises: ChannelNotFound."""
    channel = CHANNELS.may_load(storage, channel_id)
    if channel is None:
        raise ChannelNotFound(channel_id)
    return channel


def direct_channel_id(low_addr: Addr, high_addr: Addr, generation: int) -> str:
    """Id of a pair's first, second, … direct channel."""
    if generation == 1:
        return f"ch:{low_addr}-{high_addr}"
    return f"ch:{low_addr}-{high_addr}-{generation}"


def load_pair(storage: Storage, first_addr: Addr, second_addr: Addr) -> Pair:
    """What two addresses share; zeros where they share nothing."""
    return PAIRS.may_load(storage, pair_of(first_addr, second_addr)) or NO_PAIR


def find_route(
    storage: Storage, record: MessageRecord, pair_key: tuple[Addr, Addr], pair: Pair
) -> tuple[str | None, bool]:
    """The channel a message goes over, and whether the message is its first.

    Without a named channel: the pair's live direct channel, or none. Raises: ChannelNotFound,
    InvalidChannelType, Unauthorized, InvalidParticipants, ChannelNotOpen.
    """
    channel_id = record.channel_id
    if channel_id is None:
        if not pair.live:
            return (None, False)
        found = direct_channel_id(pair_key[0], pair_key[1], pair.channels)
        if pair.status == SUSPENDED:
            raise ChannelNotOpen(found)
        return (found, pair.status == OPEN)
    channel = load_channel(storage, channel_id)
    if channel.channel_type == PUBSUB:
        raise InvalidChannelType(CHANNEL_TYPES[PUBSUB])
    if record.sender not in channel.participants:
        raise Unauthorized
    if record.receiver not in channel.participants:
        raise InvalidParticipants("receiver is not in the channel")
    check_open(channel, channel_id)
    return (channel_id, channel.status == OPEN)


def check_open(channel: ChannelRecord, channel_id: str) -> None:
    """Raises: ChannelNotOpen."""
    if channel.status > ACTIVE:
        raise ChannelNotOpen(channel_id)


def activate(storage: Storage, channel_id: str, now: int, pair: Pair) -> Pair:
    """The first message over a channel makes it active. Returns the pair as it now stands."""
    channel = load_channel(storage, channel_id)
    CHANNELS.save(storage, channel_id, replace(channel, status=ACTIVE, updated_at=now))
    if channel.channel_type != DIRECT:
        return pair
    return replace(pair, live=True, status=ACTIVE)


def set_status(
    storage: Storage, channel_id: str, channel: ChannelRecord, *, status: int, now: int
) -> None:
    """Write a new status, for a direct channel also where sends look."""
    CHANNELS.save(storage, channel_id, replace(channel, status=status, updated_at=now))
    if channel.channel_type == DIRECT:
        key = pair_of(channel.participants[0], channel.participants[1])
        pair = PAIRS.load(storage, key)
        PAIRS.save(storage, key, replace(pair, live=status != CLOSED, status=status))


def next_channel_number(storage: Storage) -> int:
    """Take the next number of the counter of channels."""
    number = (CHANNEL_NUMBER.may_load(storage) or 0) + 1
    CHANNEL_NUMBER.save(storage, number)
    return number


def enlist(storage: Storage, addr: Addr, number: int, channel_id: str) -> None:
    """Put a channel into a participant's list."""
    CHANNELS_OF.save(storage, (addr, number), channel_id)
    CHANNEL_COUNTS.save(storage, addr, (CHANNEL_COUNTS.may_load(storage, addr) or 0) + 1)


def delist(storage: Storage, addr: Addr, number: int) -> None:
    """Take a channel out of a participant's list."""
    CHANNELS_OF.remove(storage, (addr, number))
    CHANNEL_COUNTS.save(storage, addr, CHANNEL_COUNTS.load(storage, addr) - 1)
