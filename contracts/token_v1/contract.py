"""Entry points of the token, and which handler takes which message."""

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
from contracts.token_v1 import NAME, VERSION
from contracts.token_v1.allowance import (
    execute_burn_from,
    execute_decrease_allowance,
    execute_increase_allowance,
    execute_send_from,
    execute_transfer_from,
)
from contracts.token_v1.create import create_token
from contracts.token_v1.marketing import execute_update_marketing, execute_upload_logo
from contracts.token_v1.mint import execute_mint, execute_update_minter
from contracts.token_v1.msg import InstantiateMsg, MigrateMsg
from contracts.token_v1.query import (
    query_all_accounts,
    query_all_allowances,
    query_all_spender_allowances,
    query_allowance,
    query_balance,
    query_download_logo,
    query_marketing_info,
    query_minter,
    query_token_info,
)
from contracts.token_v1.transfer import execute_burn, execute_send, execute_transfer

EXECUTE_HANDLERS: dict[str, ExecuteHandler] = {
    "transfer": execute_transfer,
    "burn": execute_burn,
    "send": execute_send,
    "increase_allowance": execute_increase_allowance,
    "decrease_allowance": execute_decrease_allowance,
    "transfer_from": execute_transfer_from,
    "send_from": execute_send_from,
    "burn_from": execute_burn_from,
    "mint": execute_mint,
    "update_minter": execute_update_minter,
    "update_marketing": execute_update_marketing,
    "upload_logo": execute_upload_logo,
}

QUERY_HANDLERS: dict[str, QueryHandler] = {
    "balance": query_balance,
    "token_info": query_token_info,
    "minter": query_minter,
    "allowance": query_allowance,
    "all_allowances": query_all_allowances,
    "all_spender_allowances": query_all_spender_allowances,
    "all_accounts": query_all_accounts,
    "marketing_info": query_marketing_info,
    "download_logo": query_download_logo,
}


def instantiate(deps: DepsMut, env: Env, info: MessageInfo, msg: InstantiateMsg) -> Response:
    """Make the token. Attached coins are kept without a word, as cw20-base does."""
    set_contract_version(deps.storage, NAME, VERSION)
    create_token(deps, msg)
    return Response()


def execute(deps: DepsMut, env: Env, info: MessageInfo, msg: Message) -> Response:
    """One handler a message."""
    return EXECUTE_HANDLERS[msg.variant](deps, env, info, msg)


def query(deps: Deps, env: Env, msg: Message) -> object:
    """One handler a question."""
    return QUERY_HANDLERS[msg.variant](deps, env, msg)


def migrate(deps: DepsMut, env: Env, msg: MigrateMsg) -> Response:
    """Take over a token of an earlier version; the layout has not changed."""
    set_contract_version(deps.storage, NAME, VERSION)
    return Response()
