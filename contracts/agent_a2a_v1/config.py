"""The configuration: who is asked, who may relay, every limit."""

from chain.std import Addr, Api, DepsMut, Env, Event, MessageInfo, Response
from contracts.agent_a2a_v1.checks import refuse_funds
from contracts.agent_a2a_v1.error import InvalidLimit, Unauthorized
from contracts.agent_a2a_v1.msg import (
    InstantiateMsg,
    Limits,
    UpdateConfig,
)
from contracts.agent_a2a_v1.state import CONFIG, Config

RELAYS_MAX = 32
#: Name, default, lowest and highest value of each limit.
LIMITS = (
    ("payload_max_bytes", 262_144, 1, 262_144),
    ("ttl_max_seconds", 31_536_000, 1, 315_360_000),
    ("reply_depth_max", 10, 1, 100),
    ("rate_window_seconds", 1, 1, 3_600),
    ("rate_messages_max", 20, 1, 1_000),
    ("rate_discovery_max", 5, 1, 1_000),
    ("members_max", 100, 1, 1_000),
    ("metadata_max_bytes", 4_096, 0, 65_536),
    ("capabilities_max", 64, 1, 256),
    ("candidates_max", 100, 1, 1_000),
    ("intents_open_max", 100, 1, 1_000),
    ("sweep_max", 100, 0, 10_000),
)


def make_config(api: Api, msg: InstantiateMsg) -> Config:
    """The first configuration, every address checked."""
    constitution = None
    if msg.constitution_address is not None:
        constitution = api.addr_validate(msg.constitution_address)
    return with_limits(
        msg.limits,
        tuple([limit[1] for limit in LIMITS]),
        (
            api.addr_validate(msg.admin),
            api.addr_validate(msg.registry_address),
            api.addr_validate(msg.did_registry_address),
            constitution,
            check_relays(api, msg.relays),
        ),
    )


def check_relays(api: Api, relays: tuple[str, ...]) -> tuple[Addr, ...]:
    """Raises: InvalidLimit."""
    if len(relays) > RELAYS_MAX:
        raise InvalidLimit("relays")
    return tuple([api.addr_validate(relay) for relay in relays])


def with_limits(
    limits: Limits | None,
    current: tuple[int, ...],
    parties: tuple[Addr, Addr, Addr, Addr | None, tuple[Addr, ...]],
) -> Config:
    """A configuration from the limits that were given over those that hold.

    Raises: InvalidLimit.
    """
    values = list(current)
    if limits is not None:
        given = given_limits(limits)
        for position in range(len(LIMITS)):
            value = given[position]
            if value is not None:
                limit = LIMITS[position]
                if value < limit[2] or value > limit[3]:
                    raise InvalidLimit(limit[0])
                values[position] = value
    return Config(
        admin=parties[0],
        registry=parties[1],
        did_registry=parties[2],
        constitution=parties[3],
        relays=parties[4],
        payload_max_bytes=values[0],
        ttl_max_seconds=values[1],
        reply_depth_max=values[2],
        rate_window_seconds=values[3],
        rate_messages_max=values[4],
        rate_discovery_max=values[5],
        members_max=values[6],
        metadata_max_bytes=values[7],
        capabilities_max=values[8],
        candidates_max=values[9],
        intents_open_max=values[10],
        sweep_max=values[11],
    )


def given_limits(limits: Limits) -> tuple[int | None, ...]:
    """The limits in the order of ``LIMITS``."""
    return (
        limits.payload_max_bytes,
        limits.ttl_max_seconds,
        limits.reply_depth_max,
        limits.rate_window_seconds,
        limits.rate_messages_max,
        limits.rate_discovery_max,
        limits.members_max,
        limits.metadata_max_bytes,
        limits.capabilities_max,
        limits.candidates_max,
        limits.intents_open_max,
        limits.sweep_max,
    )


def current_limits(config: Config) -> tuple[int, ...]:
    """The limits that hold, in the order of ``LIMITS``."""
    return (
        config.payload_max_bytes,
        config.ttl_max_seconds,
        config.reply_depth_max,
        config.rate_window_seconds,
        config.rate_messages_max,
        config.rate_discovery_max,
        config.members_max,
        config.metadata_max_bytes,
        config.capabilities_max,
        config.candidates_max,
        config.intents_open_max,
        config.sweep_max,
    )


def execute_update_config(
    deps: DepsMut, env: Env, info: MessageInfo, msg: UpdateConfig
) -> Response:
    """Change what is given; the admin only."""
    refuse_funds(info)
    config = CONFIG.load(deps.storage)
    if info.sender != config.admin:
        raise Unauthorized
    api = deps.api
    constitution = config.constitution
    if msg.constitution_address is not None:
        constitution = None
        if msg.constitution_address != "":
            constitution = api.addr_validate(msg.constitution_address)
    changed = with_limits(
        msg.limits,
        current_limits(config),
        (
            config.admin if msg.admin is None else api.addr_validate(msg.admin),
            config.registry
            if msg.registry_address is None
            else api.addr_validate(msg.registry_address),
            config.did_registry
            if msg.did_registry_address is None
            else api.addr_validate(msg.did_registry_address),
            constitution,
            config.relays if msg.relays is None else check_relays(api, msg.relays),
        ),
    )
    CONFIG.save(deps.storage, changed)
    event = Event(
        "a2a_config_updated",
        (
            ("actor", info.sender),
            ("admin", changed.admin),
            ("height", str(env.block.height)),
        ),
    )
    return Response().add_event(event).add_attribute("action", "update_config")
