"""Money goes out: to the recipient, in whole or in part, or back to the source.

The record goes before the money does.
"""

from chain.std import DepsMut, Env, MessageInfo, Response, Uint128, replace
from contracts.escrow_v1.error import (
    Expired,
    NotEnough,
    NothingToRelease,
    OwnAddress,
    RecipientNotSet,
    Unauthorized,
)
from contracts.escrow_v1.fund import load_escrow
from contracts.escrow_v1.money import claim, credit_own, keep_stray, pay_all
from contracts.escrow_v1.msg import Approve, Claim, PartialRelease, Refund, SetRecipient
from contracts.escrow_v1.state import CW20_PREFIX, ESCROWS, Escrow, Holding

NANOS = 1_000_000_000


def execute_set_recipient(
    deps: DepsMut, env: Env, info: MessageInfo, msg: SetRecipient
) -> Response:
    """Name, or change, who is paid."""
    escrow = load_escrow(deps, msg.id)
    if info.sender != escrow.arbiter_addr:
        raise Unauthorized
    recipient_addr = deps.api.addr_validate(msg.recipient)
    ESCROWS.save(deps.storage, msg.id, replace(escrow, recipient_addr=recipient_addr))
    keep_stray(deps.storage, info)
    return (
        Response()
        .add_attribute("action", "set_recipient")
        .add_attribute("id", msg.id)
        .add_attribute("recipient", msg.recipient)
    )


def execute_approve(deps: DepsMut, env: Env, info: MessageInfo, msg: Approve) -> Response:
    """Pay everything to the recipient."""
    escrow = releasable(deps, env, info, msg.id)
    recipient_addr = escrow.recipient_addr
    if recipient_addr is None:
        raise RecipientNotSet
    ESCROWS.remove(deps.storage, msg.id)
    keep_stray(deps.storage, info)
    response = (
        Response()
        .add_attribute("action", "approve")
        .add_attribute("id", msg.id)
        .add_attribute("to", recipient_addr)
    )
    credit_own(deps, env, escrow, recipient_addr, (*escrow.native, *escrow.cw20))
    return pay_all(deps.storage, response, recipient_addr, escrow.native, escrow.cw20)


def execute_partial_release(
    deps: DepsMut, env: Env, info: MessageInfo, msg: PartialRelease
) -> Response:
    """Pay a part to the recipient.

    What is left stays under the same terms, and nothing left closes the escrow.
    """
    escrow = releasable(deps, env, info, msg.id)
    recipient_addr = escrow.recipient_addr
    if recipient_addr is None:
        raise RecipientNotSet
    native = tuple([Holding(coin.denom, Uint128(coin.amount)) for coin in msg.native])
    cw20 = tuple([Holding(f"{CW20_PREFIX}{token.address}", token.amount) for token in msg.cw20])
    if not native and not cw20:
        raise NothingToRelease
    left = replace(
        escrow,
        native=subtract_holdings(escrow.native, native),
        cw20=subtract_holdings(escrow.cw20, cw20),
    )
    if left.native or left.cw20:
        ESCROWS.save(deps.storage, msg.id, left)
    else:
        ESCROWS.remove(deps.storage, msg.id)
    keep_stray(deps.storage, info)
    response = (
        Response()
        .add_attribute("action", "partial_release")
        .add_attribute("id", msg.id)
        .add_attribute("to", recipient_addr)
    )
    credit_own(deps, env, escrow, recipient_addr, (*native, *cw20))
    return pay_all(deps.storage, response, recipient_addr, native, cw20)


def execute_refund(deps: DepsMut, env: Env, info: MessageInfo, msg: Refund) -> Response:
    """Give everything back to the source."""
    escrow = load_escrow(deps, msg.id)
    if info.sender != escrow.arbiter_addr and not is_expired(escrow, env):
        raise Unauthorized
    ESCROWS.remove(deps.storage, msg.id)
    keep_stray(deps.storage, info)
    response = (
        Response()
        .add_attribute("action", "refund")
        .add_attribute("id", msg.id)
        .add_attribute("to", escrow.source_addr)
    )
    credit_own(deps, env, escrow, escrow.source_addr, (*escrow.native, *escrow.cw20))
    return pay_all(
        deps.storage,
        response,
        escrow.source_addr,
        escrow.native,
        escrow.cw20,
        keep_native=True,
    )


def execute_claim(deps: DepsMut, env: Env, info: MessageInfo, msg: Claim) -> Response:
    """Fetch what waits for the sender."""
    keep_stray(deps.storage, info)
    to_addr = info.sender if msg.to is None else deps.api.addr_validate(msg.to)
    if to_addr == env.contract.address:
        raise OwnAddress
    return claim(deps, info.sender, msg.denom, to_addr)


def releasable(deps: DepsMut, env: Env, info: MessageInfo, escrow_id: str) -> Escrow:
    """Order: it exists, the sender is its arbiter, it has not expired."""
    escrow = load_escrow(deps, escrow_id)
    if info.sender != escrow.arbiter_addr:
        raise Unauthorized
    if is_expired(escrow, env):
        raise Expired
    return escrow


def is_expired(escrow: Escrow, env: Env) -> bool:
    """Strictly after the end: at ``end_height`` and at ``end_time`` itself it is still open.

    Differs: an ``end_time`` that overflows 64-bit nanoseconds panics in cw20-escrow and locks the
    money; here it is a time far ahead.
    """
    if escrow.end_height is not None and env.block.height > escrow.end_height:
        return True
    return escrow.end_time is not None and env.block.time.nanos() > escrow.end_time * NANOS


def subtract_holdings(
    current: tuple[Holding, ...], taken: tuple[Holding, ...]
) -> tuple[Holding, ...]:
    """What is left; a denomination with nothing left disappears."""
    totals = {holding.denom: int(holding.amount) for holding in current}
    for holding in taken:
        held = totals.get(holding.denom, 0)
        if holding.amount == 0:
            raise NothingToRelease
        if holding.amount > held:
            raise NotEnough(holding.denom, held, holding.amount)
        totals[holding.denom] = held - holding.amount
    return tuple(
        [Holding(denom, Uint128(amount)) for denom, amount in totals.items() if amount > 0]
    )
