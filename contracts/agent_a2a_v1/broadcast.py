"""One message to many: each receiver gets its own, from the agent itself, all or nothing."""

from chain.std import Addr, DepsMut, Env, Event, MessageInfo, Response
from contracts.agent_a2a_v1.channel import add_members
from contracts.agent_a2a_v1.channel_store import (
    activate,
    check_open,
    find_route,
    load_channel,
)
from contracts.agent_a2a_v1.checks import check_content, refuse_funds
from contracts.agent_a2a_v1.error import InvalidChannelType, InvalidParticipants, Unauthorized
from contracts.agent_a2a_v1.guard import pass_guard, save_sender
from contracts.agent_a2a_v1.ledger import NO_PAIR, append_message, pair_of
from contracts.agent_a2a_v1.msg import (
    Broadcast,
)
from contracts.agent_a2a_v1.send import NANOS_PER_SECOND, completed, place, sent_event
from contracts.agent_a2a_v1.state import (
    BROADCAST,
    BROADCASTING,
    CHANNEL_TYPES,
    CONFIG,
    OPEN,
    PAIRS,
    SENT_KIND,
    WIDE,
    Config,
    MessageRecord,
)


def execute_broadcast(deps: DepsMut, env: Env, info: MessageInfo, msg: Broadcast) -> Response:
    """Send to the members of a broadcast channel, or to the named receivers.

    Counts once for the rate limit.
    """
    refuse_funds(info)
    storage = deps.storage
    config = CONFIG.load(storage)
    receivers, first = find_receivers(deps, config, info, msg)
    check_content(config, msg.payload, msg.priority, msg.ttl)
    draft = broadcast_record(env, info.sender, info.sender, msg, None)
    constitution_hash, sender = pass_guard(deps, env, config, draft, msg.constitution_hash)
    if first and msg.channel_id is not None:
        activate(storage, msg.channel_id, draft.created_at, NO_PAIR)
    response = Response().add_attribute("action", "broadcast")
    msg_ids = []
    for receiver_addr in receivers:
        record = broadcast_record(env, info.sender, receiver_addr, msg, constitution_hash)
        pair_key = pair_of(info.sender, receiver_addr)
        pair = PAIRS.may_load(storage, pair_key) or NO_PAIR
        if msg.channel_id is not None:
            msg_id = append_message(storage, record, pair_key, pair)
        else:
            route, opens = find_route(storage, record, pair_key, pair)
            record = completed(record, route, constitution_hash, None)
            msg_id = place(storage, record, pair_key, pair, opens)
        msg_ids.append(msg_id)
        response.add_event(sent_event(msg_id, record))
    save_sender(storage, info.sender, sender, len(receivers))
    event = Event(
        "a2a_broadcast_sent",
        (
            ("actor", info.sender),
            ("sender", info.sender),
            ("count", str(len(receivers))),
            ("height", str(env.block.height)),
        ),
    )
    if msg.channel_id is not None:
        event.add_attribute("channel_id", msg.channel_id)
    quoted = ",".join([f'"{msg_id}"' for msg_id in msg_ids])
    return (
        response.add_event(event)
        .add_attribute("count", str(len(receivers)))
        .set_data(f'{{"msg_ids":[{quoted}]}}'.encode())
    )


def find_receivers(
    deps: DepsMut, config: Config, info: MessageInfo, msg: Broadcast
) -> tuple[tuple[Addr, ...], bool]:
    """Who gets it, and whether it is the channel's first message.

    Raises: InvalidParticipants, ChannelNotFound, InvalidChannelType, Unauthorized, ChannelNotOpen.
    """
    if (msg.channel_id is None) == (msg.receivers is None):
        raise InvalidParticipants("name a channel or receivers, one of them")
    if msg.receivers is not None:
        named = [info.sender]
        add_members(deps.api, config, named, msg.receivers)
        receivers = tuple(named[1:])
        first = False
    else:
        channel_id = msg.channel_id or ""
        channel = load_channel(deps.storage, channel_id)
        if channel.channel_type != BROADCASTING:
            raise InvalidChannelType(CHANNEL_TYPES[channel.channel_type])
        if info.sender != channel.participants[0]:
            raise Unauthorized
        check_open(channel, channel_id)
        receivers = channel.participants[1:]
        first = channel.status == OPEN
    if not receivers:
        raise InvalidParticipants("nobody to send to")
    return (receivers, first)


def broadcast_record(
    env: Env, sender_addr: Addr, receiver_addr: Addr, msg: Broadcast, constitution_hash: str | None
) -> MessageRecord:
    """The message to one receiver."""
    now = env.block.time.nanos()
    return MessageRecord(
        kind=SENT_KIND,
        sender=sender_addr,
        receiver=receiver_addr,
        message_type=BROADCAST,
        payload=msg.payload,
        priority=msg.priority,
        ttl=msg.ttl,
        created_at=now,
        expires_at=now + msg.ttl * NANOS_PER_SECOND,
        height=WIDE + env.block.height,
        channel_id=msg.channel_id,
        constitution_hash=constitution_hash,
    )
