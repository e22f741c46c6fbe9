"""Entry points of ``agent_a2a_v1``, and which handler takes which message."""

from chain.std import (
    Deps,
    DepsMut,
    Env,
    ExecuteHandler,
    Message,
    MessageInfo,
    Response,
)
from chain.storage_plus import get_contract_version, set_contract_version
from contracts.agent_a2a_v1 import NAME, VERSION
from contracts.agent_a2a_v1.broadcast import execute_broadcast
from contracts.agent_a2a_v1.capability import (
    execute_add_capability,
    execute_remove_capability,
    execute_sync_agent,
)
from contracts.agent_a2a_v1.channel import (
    execute_close_channel,
    execute_create_channel,
    execute_update_channel,
)
from contracts.agent_a2a_v1.checks import refuse_funds
from contracts.agent_a2a_v1.config import execute_update_config, make_config
from contracts.agent_a2a_v1.intent import (
    execute_cancel_intent,
    execute_route_intent,
    execute_submit_intent,
)
from contracts.agent_a2a_v1.lifecycle import (
    execute_cancel_message,
    execute_mark_delivered,
    execute_mark_read,
)
from contracts.agent_a2a_v1.migration import check_migration
from contracts.agent_a2a_v1.msg import (
    BeginBlock,
    InstantiateMsg,
    MigrateMsg,
)
from contracts.agent_a2a_v1.query import QUERIES
from contracts.agent_a2a_v1.send import execute_reply_message, execute_send_message
from contracts.agent_a2a_v1.state import CONFIG
from contracts.agent_a2a_v1.sweep import sudo_begin_block
from contracts.agent_a2a_v1.topic import execute_publish, execute_subscribe, execute_unsubscribe

HANDLERS: dict[str, ExecuteHandler] = {
    "send_message": execute_send_message,
    "reply_message": execute_reply_message,
    "cancel_message": execute_cancel_message,
    "mark_delivered": execute_mark_delivered,
    "mark_read": execute_mark_read,
    "create_channel": execute_create_channel,
    "update_channel": execute_update_channel,
    "close_channel": execute_close_channel,
    "broadcast": execute_broadcast,
    "publish": execute_publish,
    "subscribe": execute_subscribe,
    "unsubscribe": execute_unsubscribe,
    "add_capability": execute_add_capability,
    "remove_capability": execute_remove_capability,
    "sync_agent": execute_sync_agent,
    "submit_intent": execute_submit_intent,
    "route_intent": execute_route_intent,
    "cancel_intent": execute_cancel_intent,
    "update_config": execute_update_config,
}


def instantiate(deps: DepsMut, env: Env, info: MessageInfo, msg: InstantiateMsg) -> Response:
    """Store the configuration; the attributes are the guide's."""
    refuse_funds(info)
    config = make_config(deps.api, msg)
    CONFIG.save(deps.storage, config)
    set_contract_version(deps.storage, NAME, VERSION)
    return (
        Response()
        .add_attribute("action", "instantiate")
        .add_attribute("admin", config.admin)
        .add_attribute("registry", config.registry)
        .add_attribute("did_registry", config.did_registry)
    )


def execute(deps: DepsMut, env: Env, info: MessageInfo, msg: Message) -> Response:
    """One handler a message."""
    return HANDLERS[msg.variant](deps, env, info, msg)


def query(deps: Deps, env: Env, msg: Message) -> object:
    """One handler a question."""
    return QUERIES[msg.variant](deps, env, msg)


def migrate(deps: DepsMut, env: Env, msg: MigrateMsg) -> Response:
    """Take this contract's state at the same or a newer version."""
    previous = get_contract_version(deps.storage)
    check_migration(previous, NAME, VERSION)
    set_contract_version(deps.storage, NAME, VERSION)
    return (
        Response()
        .add_attribute("action", "migrate")
        .add_attribute("from_version", previous.version)
        .add_attribute("to_version", VERSION)
    )


def sudo(deps: DepsMut, env: Env, msg: BeginBlock) -> Response:
    """The chain calls this at the start of each block."""
    return sudo_begin_block(deps, env, msg)
