"""Money in and out: ``HELD`` grows by what comes in and shrinks by what leaves.

A payment is a submessage whose failure does not undo the task: what cannot be delivered stays here
in the payee's name and waits for ``withdraw``. So a token that refuses, or a blocked account, holds
up nobody else.
"""

from chain.std import (
    Addr,
    BankMsg,
    Coin,
    CosmosMsg,
    DepsMut,
    MessageInfo,
    Response,
    Storage,
    SubMsg,
    Uint128,
    WasmMsg,
)
from contracts.agent_tasks_v1.error import NoFundsAccepted, NothingToWithdraw, OneCoinOnly
from contracts.agent_tasks_v1.state import CLAIMABLE, HELD

CW20_PREFIX = "cw20:"
#: Reply id of a payment.
PAYMENT_REPLY = 1
#: A token's transfer gets this much gas and no more, so that it cannot burn the whole
#: transaction's.
TOKEN_GAS_MAX = 2_000_000


def attached(info: MessageInfo) -> Coin:
    """The one coin attached; nothing attached is 0 of no denomination."""
    coins = [coin for coin in info.funds if coin.amount > 0]
    if len(coins) > 1:
        raise OneCoinOnly
    return coins[0] if coins else Coin("", 0)


def refuse_funds(info: MessageInfo) -> None:
    """Money that would belong to nobody is not taken."""
    if [coin for coin in info.funds if coin.amount > 0]:
        raise NoFundsAccepted


def hold(storage: Storage, denom: str, amount: int) -> None:
    """Note money that came in."""
    if amount > 0:
        HELD.save(storage, denom, Uint128((HELD.may_load(storage, denom) or 0) + amount))


def let_go(storage: Storage, denom: str, amount: int) -> None:
    """Note money that leaves."""
    left = HELD.load(storage, denom) - amount
    if left > 0:
        HELD.save(storage, denom, Uint128(left))
    else:
        HELD.remove(storage, denom)


def pay(storage: Storage, response: Response, to_addr: Addr, denom: str, amount: int) -> Response:
    """Send held money out; nothing for 0."""
    if amount <= 0:
        return response
    let_go(storage, denom, amount)
    payload = f"{to_addr}|{denom}|{amount}".encode()
    payment = SubMsg.reply_on_error(transfer(to_addr, denom, amount), PAYMENT_REPLY)
    if denom.startswith(CW20_PREFIX):
        payment = payment.with_gas_limit(TOKEN_GAS_MAX)
    return response.add_submessage(payment.with_payload(payload))


def transfer(to_addr: Addr, denom: str, amount: int) -> CosmosMsg:
    """The message that moves coins or tokens."""
    if denom.startswith(CW20_PREFIX):
        token = denom[len(CW20_PREFIX) :]
        return WasmMsg.Execute(token, {"transfer": {"recipient": to_addr, "amount": str(amount)}})
    return BankMsg.Send(to_addr, [Coin(denom, amount)])


def keep_undelivered(deps: DepsMut, payload: bytes) -> Response:
    """A payment failed: it is the payee's to withdraw."""
    to_addr, denom, text = payload.decode().split("|")
    amount = int(text)
    key = (Addr(to_addr), denom)
    hold(deps.storage, denom, amount)
    waiting = (CLAIMABLE.may_load(deps.storage, key) or 0) + amount
    CLAIMABLE.save(deps.storage, key, Uint128(waiting))
    return (
        Response()
        .add_attribute("action", "payment_kept")
        .add_attribute("address", to_addr)
        .add_attribute("denom", denom)
        .add_attribute("amount", text)
    )


def withdraw(deps: DepsMut, payee_addr: Addr, denom: str, to_addr: Addr) -> Response:
    """Send what waits, or fail as a whole and leave it waiting."""
    amount = CLAIMABLE.may_load(deps.storage, (payee_addr, denom))
    if amount is None:
        raise NothingToWithdraw(denom)
    CLAIMABLE.remove(deps.storage, (payee_addr, denom))
    let_go(deps.storage, denom, amount)
    return (
        Response()
        .add_attribute("action", "withdraw")
        .add_attribute("address", payee_addr)
        .add_attribute("to", to_addr)
        .add_attribute("denom", denom)
        .add_attribute("amount", str(amount))
        .add_message(transfer(to_addr, denom, amount))
    )
