"""The configuration."""

from chain.std import DepsMut, Env, Event, MessageInfo, Response, replace
from contracts.agent_registry_v1.checks import check_topic, refuse_funds
from contracts.agent_registry_v1.error import InvalidLimit, Unauthorized
from contracts.agent_registry_v1.msg import UpdateConfig
from contracts.agent_registry_v1.state import CONFIG, Config

ANNOUNCE_TTL_LIMIT = 31_536_000
CARD_BYTES_LIMIT = 131_072


def checked_config(config: Config) -> Config:
    """Raises: InvalidTopic, InvalidLimit."""
    check_topic(config.discovery_topic)
    if not 1 <= config.announce_ttl_seconds <= ANNOUNCE_TTL_LIMIT:
        raise InvalidLimit("announce_ttl_seconds")
    if not 1 <= config.card_max_bytes <= CARD_BYTES_LIMIT:
        raise InvalidLimit("card_max_bytes")
    return config


def execute_update_config(
    deps: DepsMut, env: Env, info: MessageInfo, msg: UpdateConfig
) -> Response:
    """Change what is given; the admin only."""
    refuse_funds(info)
    config = CONFIG.load(deps.storage)
    if info.sender != config.admin:
        raise Unauthorized("the admin")
    if msg.admin is not None:
        config = replace(config, admin=deps.api.addr_validate(msg.admin))
    if msg.a2a_address is not None:
        config = replace(config, a2a=deps.api.addr_validate(msg.a2a_address))
    if msg.discovery_topic is not None:
        config = replace(config, discovery_topic=msg.discovery_topic)
    if msg.announce_ttl_seconds is not None:
        config = replace(config, announce_ttl_seconds=msg.announce_ttl_seconds)
    if msg.card_max_bytes is not None:
        config = replace(config, card_max_bytes=msg.card_max_bytes)
    CONFIG.save(deps.storage, checked_config(config))
    event = Event(
        "agent_registry_config_updated",
        (("actor", info.sender), ("height", str(env.block.height))),
    )
    return Response().add_event(event).add_attribute("action", "update_config")
