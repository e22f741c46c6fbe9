"""Entry points of the tasks contract, and which handler takes which message."""

from chain.std import (
    Deps,
    DepsMut,
    Env,
    ExecuteHandler,
    Message,
    MessageInfo,
    QueryHandler,
    Reply,
    Response,
)
from chain.storage_plus import set_contract_version
from contracts.agent_tasks_v1 import NAME, VERSION
from contracts.agent_tasks_v1.admin import (
    create_config,
    execute_update_config,
    execute_withdraw,
)
from contracts.agent_tasks_v1.approval import (
    execute_approve_task,
    execute_deny_task,
    execute_request_approval,
)
from contracts.agent_tasks_v1.create import execute_create_task, execute_receive
from contracts.agent_tasks_v1.ending import (
    execute_cancel_task,
    execute_expire_task,
    execute_fail_task,
    execute_reject_task,
)
from contracts.agent_tasks_v1.money import PAYMENT_REPLY, keep_undelivered, refuse_funds
from contracts.agent_tasks_v1.msg import InstantiateMsg, MigrateMsg
from contracts.agent_tasks_v1.progress import (
    execute_accept_task,
    execute_complete_task,
    execute_provide_input,
    execute_request_input,
)
from contracts.agent_tasks_v1.query import (
    query_claimable,
    query_get_config,
    query_get_price,
    query_get_task,
    query_get_task_by_ref,
    query_held,
    query_list_claimable,
    query_list_tasks,
    query_spending_status,
    query_task_history,
)
from contracts.agent_tasks_v1.sweep import sweep_overdue

EXECUTE_HANDLERS: dict[str, ExecuteHandler] = {
    "create_task": execute_create_task,
    "receive": execute_receive,
    "accept_task": execute_accept_task,
    "request_input": execute_request_input,
    "provide_input": execute_provide_input,
    "request_approval": execute_request_approval,
    "approve_task": execute_approve_task,
    "deny_task": execute_deny_task,
    "complete_task": execute_complete_task,
    "fail_task": execute_fail_task,
    "reject_task": execute_reject_task,
    "cancel_task": execute_cancel_task,
    "expire_task": execute_expire_task,
    "withdraw": execute_withdraw,
    "update_config": execute_update_config,
}

QUERY_HANDLERS: dict[str, QueryHandler] = {
    "get_task": query_get_task,
    "get_task_by_ref": query_get_task_by_ref,
    "list_tasks": query_list_tasks,
    "task_history": query_task_history,
    "get_price": query_get_price,
    "spending_status": query_spending_status,
    "claimable": query_claimable,
    "list_claimable": query_list_claimable,
    "held": query_held,
    "get_config": query_get_config,
}


def instantiate(deps: DepsMut, env: Env, info: MessageInfo, msg: InstantiateMsg) -> Response:
    """Store the configuration."""
    refuse_funds(info)
    set_contract_version(deps.storage, NAME, VERSION)
    create_config(deps, msg)
    return Response().add_attribute("action", "instantiate")


def execute(deps: DepsMut, env: Env, info: MessageInfo, msg: Message) -> Response:
    """One handler a message."""
    return EXECUTE_HANDLERS[msg.variant](deps, env, info, msg)


def query(deps: Deps, env: Env, msg: Message) -> object:
    """One handler a question."""
    return QUERY_HANDLERS[msg.variant](deps, env, msg)


def sudo(deps: DepsMut, env: Env, msg: Message) -> Response:
    """The start of a block."""
    return sweep_overdue(deps, env)


def reply(deps: DepsMut, env: Env, reply: Reply) -> Response:
    """A payment or a mirrored message failed; neither undoes the task."""
    if reply.id == PAYMENT_REPLY:
        return keep_undelivered(deps, reply.payload)
    return Response().add_attribute("mirror_failed", "true")


def migrate(deps: DepsMut, env: Env, msg: MigrateMsg) -> Response:
    """Take over from an earlier version; the layout has not changed."""
    set_contract_version(deps.storage, NAME, VERSION)
    return Response()
