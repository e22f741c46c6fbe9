"""Entry points of the escrow, and which handler takes which message."""

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
from contracts.escrow_v1 import NAME, VERSION
from contracts.escrow_v1.fund import execute_create, execute_receive, execute_top_up
from contracts.escrow_v1.money import keep_stray, keep_undelivered
from contracts.escrow_v1.msg import InstantiateMsg, MigrateMsg
from contracts.escrow_v1.query import (
    query_claimable,
    query_details,
    query_held,
    query_list,
    query_list_claimable,
    query_list_open,
)
from contracts.escrow_v1.release import (
    execute_approve,
    execute_claim,
    execute_partial_release,
    execute_refund,
    execute_set_recipient,
)

EXECUTE_HANDLERS: dict[str, ExecuteHandler] = {
    "create": execute_create,
    "top_up": execute_top_up,
    "set_recipient": execute_set_recipient,
    "approve": execute_approve,
    "partial_release": execute_partial_release,
    "refund": execute_refund,
    "receive": execute_receive,
    "claim": execute_claim,
}

QUERY_HANDLERS: dict[str, QueryHandler] = {
    "list": query_list,
    "details": query_details,
    "list_open": query_list_open,
    "claimable": query_claimable,
    "list_claimable": query_list_claimable,
    "held": query_held,
}


def instantiate(deps: DepsMut, env: Env, info: MessageInfo, msg: InstantiateMsg) -> Response:
    """Nothing to set up; attached coins stay the sender's."""
    set_contract_version(deps.storage, NAME, VERSION)
    keep_stray(deps.storage, info)
    return Response()


def execute(deps: DepsMut, env: Env, info: MessageInfo, msg: Message) -> Response:
    """One handler a message."""
    return EXECUTE_HANDLERS[msg.variant](deps, env, info, msg)


def query(deps: Deps, env: Env, msg: Message) -> object:
    """One handler a question."""
    return QUERY_HANDLERS[msg.variant](deps, env, msg)


def reply(deps: DepsMut, env: Env, reply: Reply) -> Response:
    """A token did not move; the escrow is closed all the same."""
    return keep_undelivered(deps, env, reply.payload)


def migrate(deps: DepsMut, env: Env, msg: MigrateMsg) -> Response:
    """Take over from an earlier version; the layout has not changed."""
    set_contract_version(deps.storage, NAME, VERSION)
    return Response()
