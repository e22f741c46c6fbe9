"""Opening, changing and closing channels."""

from chain.std import Addr, Api, DepsMut, Env, Event, MessageInfo, Response, Storage, replace
from contracts.agent_a2a_v1.channel_store import (
    delist,
    direct_channel_id,
    enlist,
    load_channel,
    load_pair,
    next_channel_number,
    set_status,
)
from contracts.agent_a2a_v1.checks import check_metadata, index_of, parse_status, refuse_funds
from contracts.agent_a2a_v1.error import (
    ChannelAlreadyExists,
    ChannelNotOpen,
    InvalidChannelTransition,
    InvalidChannelType,
    InvalidParticipants,
    Unauthorized,
)
from contracts.agent_a2a_v1.ledger import padded, pair_of
from contracts.agent_a2a_v1.msg import (
    CloseChannel,
    CreateChannel,
    UpdateChannel,
)
from contracts.agent_a2a_v1.state import (
    ACTIVE,
    CHANNEL_STATUSES,
    CHANNEL_TYPES,
    CHANNELS,
    CLOSED,
    CONFIG,
    DIRECT,
    OPEN,
    PAIRS,
    SUSPENDED,
    ChannelRecord,
    Config,
)
from contracts.ai_agent_constitution_v1.msg import ConfigResponse as ConstitutionConfig
from contracts.ai_agent_constitution_v1.msg import GetConfig as GetConstitutionConfig


def execute_create_channel(
    deps: DepsMut, env: Env, info: MessageInfo, msg: CreateChannel
) -> Response:
    """Open a channel; a pair has one live direct channel at a time."""
    refuse_funds(info)
    storage = deps.storage
    config = CONFIG.load(storage)
    channel_type = index_of(CHANNEL_TYPES, msg.channel_type)
    if channel_type is None:
        raise InvalidChannelType(msg.channel_type)
    check_metadata(config, msg.metadata)
    participants = [info.sender]
    named = msg.members if msg.participant is None else (msg.participant, *msg.members)
    add_members(deps.api, config, participants, named)
    number = next_channel_number(storage)
    if channel_type == DIRECT:
        if len(participants) != 2:
            raise InvalidParticipants("a direct channel has one other participant")
        channel_id = open_direct(storage, participants[0], participants[1])
    else:
        word = CHANNEL_TYPES[channel_type]
        channel_id = f"ch:{word}-{info.sender[:8]}-{env.block.height}-{padded(number)}"
    now = env.block.time.nanos()
    record = ChannelRecord(
        number=number,
        channel_type=channel_type,
        status=OPEN,
        participants=tuple(participants),
        metadata=msg.metadata,
        created_at=now,
        updated_at=now,
    )
    CHANNELS.save(storage, channel_id, record)
    for participant_addr in participants:
        enlist(storage, participant_addr, number, channel_id)
    return created(env, info, channel_id, record)


def open_direct(storage: Storage, sender_addr: Addr, participant_addr: Addr) -> str:
    """Id of the pair's next direct channel. Raises: ChannelAlreadyExists."""
    pair = load_pair(storage, sender_addr, participant_addr)
    if pair.live:
        raise ChannelAlreadyExists
    low_addr, high_addr = pair_of(sender_addr, participant_addr)
    PAIRS.save(
        storage,
        (low_addr, high_addr),
        replace(pair, channels=pair.channels + 1, live=True, status=OPEN),
    )
    return direct_channel_id(low_addr, high_addr, pair.channels + 1)


def created(env: Env, info: MessageInfo, channel_id: str, record: ChannelRecord) -> Response:
    """The answer to a new channel; guide 2.7 names both sides of a direct one."""
    event = Event(
        "a2a_channel_created",
        (
            ("actor", info.sender),
            ("channel_id", channel_id),
            ("participant_1", record.participants[0]),
        ),
    )
    if record.channel_type == DIRECT:
        event.add_attribute("participant_2", record.participants[1])
    event.add_attribute("channel_type", CHANNEL_TYPES[record.channel_type])
    event.add_attribute("height", str(env.block.height))
    return (
        Response()
        .add_event(event)
        .add_attribute("action", "create_channel")
        .add_attribute("channel_id", channel_id)
        .set_data(f'{{"channel_id":"{channel_id}"}}'.encode())
    )


def add_members(api: Api, config: Config, participants: list[Addr], named: tuple[str, ...]) -> None:
    """Validate and append. Raises: InvalidParticipants for one twice, oneself, or too many."""
    if len(participants) - 1 + len(named) > config.members_max:
        raise InvalidParticipants(f"at most {config.members_max} members")
    for text in named:
        addr = api.addr_validate(text)
        if addr == participants[0]:
            raise InvalidParticipants("the owner is no member")
        if addr in participants:
            raise InvalidParticipants(f"{addr} is named twice")
        participants.append(addr)


def execute_update_channel(
    deps: DepsMut, env: Env, info: MessageInfo, msg: UpdateChannel
) -> Response:
    """Change status, metadata, members.

    Suspending and resuming is the admin's or the constitution authority's.
    """
    refuse_funds(info)
    storage = deps.storage
    channel = load_channel(storage, msg.channel_id)
    status = None if msg.status is None else parse_status(CHANNEL_STATUSES, msg.status)
    if status == channel.status and status != CLOSED:
        status = None
    if status == SUSPENDED or (status == ACTIVE and channel.status == SUSPENDED):
        if msg.metadata is not None or msg.add_members or msg.remove_members:
            raise Unauthorized
        check_authority(deps, info.sender)
        return move_channel(deps, env, info, (msg.channel_id, channel), status)
    if info.sender not in channel.participants:
        raise Unauthorized
    if status is not None:
        check_closer(channel, info.sender)
        check_move(channel.status, status)
    elif channel.status == CLOSED:
        raise ChannelNotOpen(msg.channel_id)
    channel = apply_changes(deps, env, info, msg, channel)
    if status is not None:
        return move_channel(deps, env, info, (msg.channel_id, channel), status)
    return updated(env, info, msg.channel_id, channel.status)


def apply_changes(
    deps: DepsMut, env: Env, info: MessageInfo, msg: UpdateChannel, channel: ChannelRecord
) -> ChannelRecord:
    """Metadata and members as asked; the record as it now stands."""
    config = CONFIG.load(deps.storage)
    check_metadata(config, msg.metadata)
    participants = list(channel.participants)
    if msg.add_members or msg.remove_members:
        change_members(deps, config, info, msg, (channel, participants))
    metadata = channel.metadata
    if msg.metadata is not None:
        metadata = msg.metadata if len(msg.metadata) > 0 else None
    record = replace(
        channel,
        participants=tuple(participants),
        metadata=metadata,
        updated_at=env.block.time.nanos(),
    )
    CHANNELS.save(deps.storage, msg.channel_id, record)
    return record


def change_members(
    deps: DepsMut,
    config: Config,
    info: MessageInfo,
    msg: UpdateChannel,
    target: tuple[ChannelRecord, list[Addr]],
) -> None:
    """The owner adds and removes members; a member removes itself."""
    channel, participants = target
    owner_addr = participants[0]
    if channel.channel_type == DIRECT:
        raise InvalidParticipants("a direct channel has two participants for good")
    if info.sender != owner_addr and (msg.add_members or msg.remove_members != (info.sender,)):
        raise Unauthorized
    for text in msg.remove_members:
        addr = deps.api.addr_validate(text)
        if addr == owner_addr or addr not in participants:
            raise InvalidParticipants(f"{addr} is no member")
        participants.remove(addr)
        delist(deps.storage, addr, channel.number)
    before = len(participants)
    add_members(deps.api, config, participants, msg.add_members)
    for addr in participants[before:]:
        enlist(deps.storage, addr, channel.number, msg.channel_id)


def execute_close_channel(
    deps: DepsMut, env: Env, info: MessageInfo, msg: CloseChannel
) -> Response:
    """Close for good: either side of a direct channel, the owner of another."""
    refuse_funds(info)
    channel = load_channel(deps.storage, msg.channel_id)
    if info.sender not in channel.participants:
        raise Unauthorized
    check_closer(channel, info.sender)
    check_move(channel.status, CLOSED)
    return move_channel(deps, env, info, (msg.channel_id, channel), CLOSED)


def check_closer(channel: ChannelRecord, sender_addr: Addr) -> None:
    """Members of a broadcast or pubsub channel do not close it. Raises: Unauthorized."""
    if channel.channel_type != DIRECT and sender_addr != channel.participants[0]:
        raise Unauthorized


def check_move(before: int, after: int) -> None:
    """All but a closed one may close; active and suspended turn into each other.

    Raises: InvalidChannelTransition.
    """
    if after == CLOSED and before != CLOSED:
        return
    if (before, after) not in ((ACTIVE, SUSPENDED), (SUSPENDED, ACTIVE)):
        raise InvalidChannelTransition(CHANNEL_STATUSES[before], CHANNEL_STATUSES[after])


def check_authority(deps: DepsMut, sender_addr: Addr) -> None:
    """The admin, the constitution, or its authority. Raises: Unauthorized."""
    config = CONFIG.load(deps.storage)
    if sender_addr == config.admin:
        return
    if config.constitution is None:
        raise Unauthorized
    if sender_addr == config.constitution:
        return
    answer = deps.querier.query_wasm_smart(
        config.constitution, GetConstitutionConfig(), ConstitutionConfig
    )
    if sender_addr != answer.authority:
        raise Unauthorized


def move_channel(
    deps: DepsMut, env: Env, info: MessageInfo, target: tuple[str, ChannelRecord], status: int
) -> Response:
    """Give a channel another status, by name."""
    channel_id, channel = target
    check_move(channel.status, status)
    set_status(deps.storage, channel_id, channel, status=status, now=env.block.time.nanos())
    if status != CLOSED:
        return updated(env, info, channel_id, status)
    event = Event(
        "a2a_channel_closed",
        (
            ("actor", info.sender),
            ("channel_id", channel_id),
            ("closed_by", info.sender),
            ("height", str(env.block.height)),
        ),
    )
    return (
        Response()
        .add_event(event)
        .add_attribute("action", "close_channel")
        .add_attribute("channel_id", channel_id)
    )


def updated(env: Env, info: MessageInfo, channel_id: str, status: int) -> Response:
    """The answer to a changed channel."""
    event = Event(
        "a2a_channel_updated",
        (
            ("actor", info.sender),
            ("channel_id", channel_id),
            ("status", CHANNEL_STATUSES[status]),
            ("updated_by", info.sender),
            ("height", str(env.block.height)),
        ),
    )
    return (
        Response()
        .add_event(event)
        .add_attribute("action", "update_channel")
        .add_attribute("channel_id", channel_id)
    )
