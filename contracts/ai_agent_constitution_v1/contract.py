"""Entry points of the constitution, and which handler takes which message."""

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
from contracts.ai_agent_constitution_v1 import NAME, VERSION
from contracts.ai_agent_constitution_v1.amend import (
    amended,
    execute_add_rule,
    execute_remove_rule,
    execute_set_rules,
    execute_update_authority,
    execute_update_config,
    store_version,
)
from contracts.ai_agent_constitution_v1.error import NonPayable
from contracts.ai_agent_constitution_v1.msg import InstantiateMsg
from contracts.ai_agent_constitution_v1.query import (
    query_check_action,
    query_get_config,
    query_get_rules,
    query_get_suspension,
    query_list_suspensions,
    query_list_versions,
)
from contracts.ai_agent_constitution_v1.rules import check_rule_count, parse_effect, read_rule
from contracts.ai_agent_constitution_v1.state import CONFIG, Config
from contracts.ai_agent_constitution_v1.suspension import (
    execute_reinstate_agent,
    execute_suspend_agent,
)

HANDLERS: dict[str, ExecuteHandler] = {
    "set_rules": execute_set_rules,
    "add_rule": execute_add_rule,
    "remove_rule": execute_remove_rule,
    "suspend_agent": execute_suspend_agent,
    "reinstate_agent": execute_reinstate_agent,
    "update_authority": execute_update_authority,
    "update_config": execute_update_config,
}

QUERIES: dict[str, QueryHandler] = {
    "check_action": query_check_action,
    "get_rules": query_get_rules,
    "list_versions": query_list_versions,
    "get_suspension": query_get_suspension,
    "list_suspensions": query_list_suspensions,
    "get_config": query_get_config,
}


def instantiate(deps: DepsMut, env: Env, info: MessageInfo, msg: InstantiateMsg) -> Response:
    """Version 1 of the rules, and who may change them."""
    if info.funds:
        raise NonPayable
    registry = None
    if msg.registry_address is not None:
        registry = deps.api.addr_validate(msg.registry_address)
    config = Config(authority=deps.api.addr_validate(msg.authority), registry=registry)
    CONFIG.save(deps.storage, config)
    set_contract_version(deps.storage, NAME, VERSION)
    check_rule_count(len(msg.rules))
    rules = tuple([read_rule(deps.api, deps.querier, config, rule) for rule in msg.rules])
    version = store_version(deps, env, 1, parse_effect(msg.default), rules)
    return amended(env, info, "instantiate", version)


def execute(deps: DepsMut, env: Env, info: MessageInfo, msg: Message) -> Response:
    """One handler a message."""
    return HANDLERS[msg.variant](deps, env, info, msg)


def query(deps: Deps, env: Env, msg: Message) -> object:
    """One handler a question."""
    return QUERIES[msg.variant](deps, env, msg)
