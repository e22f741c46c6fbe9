"""New tokens, and who may make them."""

from chain.std import DepsMut, Env, MessageInfo, Response, replace
from contracts.token_v1.error import CannotExceedCap, Unauthorized
from contracts.token_v1.ledger import add_amounts, give
from contracts.token_v1.msg import Mint, UpdateMinter
from contracts.token_v1.state import TOKEN_INFO


def execute_mint(deps: DepsMut, env: Env, info: MessageInfo, msg: Mint) -> Response:
    """Make tokens. Order: sender, 128 bits, cap, recipient."""
    token = TOKEN_INFO.load(deps.storage)
    if token.minter is None or token.minter != info.sender:
        raise Unauthorized
    total_supply = add_amounts(token.total_supply, msg.amount)
    if token.cap is not None and total_supply > token.cap:
        raise CannotExceedCap
    recipient_addr = deps.api.addr_validate(msg.recipient)
    TOKEN_INFO.save(deps.storage, replace(token, total_supply=total_supply))
    give(deps.storage, recipient_addr, msg.amount)
    return (
        Response()
        .add_attribute("action", "mint")
        .add_attribute("to", msg.recipient)
        .add_attribute("amount", str(msg.amount))
    )


def execute_update_minter(
    deps: DepsMut, env: Env, info: MessageInfo, msg: UpdateMinter
) -> Response:
    """Hand the right over; the cap stays with it. To nobody: both are gone for ever."""
    token = TOKEN_INFO.load(deps.storage)
    if token.minter is None or token.minter != info.sender:
        raise Unauthorized
    minter_addr = None
    cap = None
    if msg.new_minter is not None:
        minter_addr = deps.api.addr_validate(msg.new_minter)
        cap = token.cap
    TOKEN_INFO.save(deps.storage, replace(token, minter=minter_addr, cap=cap))
    shown = "None" if minter_addr is None else minter_addr
    return Response().add_attribute("action", "update_minter").add_attribute("new_minter", shown)
