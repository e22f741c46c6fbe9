"""Entry points of the agent registry, and which handler takes which message."""

from chain.std import (
    Deps,
    DepsMut,
    Env,
    ExecuteHandler,
    Message,
    MessageInfo,
    QueryHandler,
    Response,
)
from chain.storage_plus import set_contract_version
from contracts.agent_registry_v1 import NAME, VERSION
from contracts.agent_registry_v1.agent import (
    execute_confirm_agent,
    execute_deregister_agent,
    execute_register_agent,
    execute_set_spending_policy,
    execute_transfer_ownership,
    execute_update_agent,
)
from contracts.agent_registry_v1.checks import refuse_funds
from contracts.agent_registry_v1.config import checked_config, execute_update_config
from contracts.agent_registry_v1.discovery import (
    execute_announce_card,
    execute_set_card,
    execute_withdraw_card,
    sudo_begin_block,
)
from contracts.agent_registry_v1.msg import BeginBlock, InstantiateMsg
from contracts.agent_registry_v1.query import (
    query_discover,
    query_discover_agents,
    query_get_agent,
    query_get_agent_by_address,
    query_get_agent_by_owner,
    query_get_card,
    query_get_config,
    query_get_spending_policy,
    query_list_agents,
)
from contracts.agent_registry_v1.state import CONFIG, Config

HANDLERS: dict[str, ExecuteHandler] = {
    "register_agent": execute_register_agent,
    "confirm_agent": execute_confirm_agent,
    "update_agent": execute_update_agent,
    "transfer_ownership": execute_transfer_ownership,
    "deregister_agent": execute_deregister_agent,
    "set_card": execute_set_card,
    "announce_card": execute_announce_card,
    "withdraw_card": execute_withdraw_card,
    "set_spending_policy": execute_set_spending_policy,
    "update_config": execute_update_config,
}

QUERIES: dict[str, QueryHandler] = {
    "get_agent": query_get_agent,
    "get_agent_by_owner": query_get_agent_by_owner,
    "get_agent_by_address": query_get_agent_by_address,
    "list_agents": query_list_agents,
    "discover_agents": query_discover_agents,
    "get_card": query_get_card,
    "discover": query_discover,
    "get_spending_policy": query_get_spending_policy,
    "get_config": query_get_config,
}


def instantiate(deps: DepsMut, env: Env, info: MessageInfo, msg: InstantiateMsg) -> Response:
    """Store the configuration."""
    refuse_funds(info)
    config = Config(
        admin=deps.api.addr_validate(msg.admin),
        a2a=None if msg.a2a_address is None else deps.api.addr_validate(msg.a2a_address),
        discovery_topic=msg.discovery_topic,
        announce_ttl_seconds=msg.announce_ttl_seconds,
        card_max_bytes=msg.card_max_bytes,
    )
    CONFIG.save(deps.storage, checked_config(config))
    set_contract_version(deps.storage, NAME, VERSION)
    return Response().add_attribute("action", "instantiate").add_attribute("admin", config.admin)


def execute(deps: DepsMut, env: Env, info: MessageInfo, msg: Message) -> Response:
    """One handler a message."""
    return HANDLERS[msg.variant](deps, env, info, msg)


def query(deps: Deps, env: Env, msg: Message) -> object:
    """One handler a question."""
    return QUERIES[msg.variant](deps, env, msg)


def sudo(deps: DepsMut, env: Env, msg: BeginBlock) -> Response:
    """The chain calls this at the start of each block."""
    return sudo_begin_block(deps, env, msg)
