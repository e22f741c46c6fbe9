"""Money in and out: ``HELD`` grows by what comes in and shrinks by what leaves.

A token is somebody else's contract. If its transfer fails, or burns its gas, the payee's amount
waits here and the rest of the escrow goes out all the same.
"""

from chain.std import (
    Addr,
    BankMsg,
    Coin,
    CosmosMsg,
    DepsMut,
    Env,
    MessageInfo,
    Response,
    Storage,
    SubMsg,
    Uint128,
    WasmMsg,
)
from contracts.escrow_v1.error import NothingToClaim
from contracts.escrow_v1.state import CLAIMABLE, CW20_PREFIX, HELD, Escrow, Holding

#: Reply id of a payment.
PAYMENT_REPLY = 1
#: A token's transfer gets this much gas and no more.
TOKEN_GAS_MAX = 2_000_000


def attached(info: MessageInfo) -> tuple[Holding, ...]:
    """The coins sent along, without zeros."""
    return tuple(
        [Holding(coin.denom, Uint128(coin.amount)) for coin in info.funds if coin.amount > 0]
    )


def hold(storage: Storage, holdings: tuple[Holding, ...]) -> None:
    """Note money that came in."""
    for holding in holdings:
        total = (HELD.may_load(storage, holding.denom) or 0) + holding.amount
        HELD.save(storage, holding.denom, Uint128(total))


def let_go(storage: Storage, denom: str, amount: int) -> None:
    """Note money that leaves."""
    left = HELD.load(storage, denom) - amount
    if left > 0:
        HELD.save(storage, denom, Uint128(left))
    else:
        HELD.remove(storage, denom)


def keep_stray(storage: Storage, info: MessageInfo) -> None:
    """Coins attached where none belong stay the sender's, who can claim them."""
    stray = attached(info)
    hold(storage, stray)
    for holding in stray:
        add_claim(storage, info.sender, holding.denom, holding.amount)


def add_claim(storage: Storage, owner_addr: Addr, denom: str, amount: int) -> None:
    """Let money that is held wait for its owner."""
    key = (owner_addr, denom)
    waiting = (CLAIMABLE.may_load(storage, key) or 0) + amount
    CLAIMABLE.save(storage, key, Uint128(waiting))


def credit_own(
    deps: DepsMut, env: Env, escrow: Escrow, to_addr: Addr, holdings: tuple[Holding, ...]
) -> None:
    """What the contract pays to itself does not move: it waits for the source, else the arbiter."""
    if to_addr != env.contract.address:
        return
    owner_addr = escrow.source_addr
    if owner_addr == env.contract.address:
        owner_addr = escrow.arbiter_addr
    hold(deps.storage, holdings)
    for holding in holdings:
        add_claim(deps.storage, owner_addr, holding.denom, holding.amount)


def pay_all(
    storage: Storage,
    response: Response,
    to_addr: Addr,
    native: tuple[Holding, ...],
    cw20: tuple[Holding, ...],
    *,
    keep_native: bool = False,
) -> Response:
    """One bank send for the coins, then one transfer a token.

    With ``keep_native`` coins that do not move wait for the payee like tokens; otherwise the whole
    call fails, because the arbiter has other ways.
    """
    if native:
        for holding in native:
            let_go(storage, holding.denom, holding.amount)
        coins = [Coin(holding.denom, holding.amount) for holding in native]
        send = BankMsg.Send(to_addr, coins)
        if keep_native:
            payment = SubMsg.reply_on_error(send, PAYMENT_REPLY)
            response.add_submessage(payment.with_payload(payment_note(to_addr, native)))
        else:
            response.add_message(send)
    for holding in cw20:
        let_go(storage, holding.denom, holding.amount)
        payment = SubMsg.reply_on_error(
            transfer(to_addr, holding.denom, holding.amount), PAYMENT_REPLY
        )
        note = payment_note(to_addr, (holding,))
        response.add_submessage(payment.with_gas_limit(TOKEN_GAS_MAX).with_payload(note))
    return response


def payment_note(to_addr: Addr, holdings: tuple[Holding, ...]) -> bytes:
    """What the reply has to know: the payee, then denominations with amounts."""
    parts = [f"|{holding.denom}|{holding.amount}" for holding in holdings]
    return (to_addr + "".join(parts)).encode()


def transfer(to_addr: Addr, denom: str, amount: int) -> CosmosMsg:
    """The message that moves coins or tokens."""
    if denom.startswith(CW20_PREFIX):
        body = {"recipient": to_addr, "amount": str(amount)}
        return WasmMsg.Execute(denom[len(CW20_PREFIX) :], {"transfer": body})
    return BankMsg.Send(to_addr, [Coin(denom, amount)])


def keep_undelivered(deps: DepsMut, env: Env, note: bytes) -> Response:
    """A payment did not move: its amounts wait for the payee.

    One to this contract itself waits for somebody else already.
    """
    parts = note.decode().split("|")
    to_addr = Addr(parts[0])
    response = Response().add_attribute("action", "payment_kept").add_attribute("address", to_addr)
    if to_addr == env.contract.address:
        return response
    for index in range(1, len(parts), 2):
        denom = parts[index]
        amount = Uint128(int(parts[index + 1]))
        hold(deps.storage, (Holding(denom, amount),))
        add_claim(deps.storage, to_addr, denom, amount)
        response.add_attribute("denom", denom).add_attribute("amount", str(amount))
    return response


def claim(deps: DepsMut, owner_addr: Addr, denom: str, to_addr: Addr) -> Response:
    """Send what waits, or fail as a whole and leave it waiting."""
    amount = CLAIMABLE.may_load(deps.storage, (owner_addr, denom))
    if amount is None:
        raise NothingToClaim(denom)
    CLAIMABLE.remove(deps.storage, (owner_addr, denom))
    let_go(deps.storage, denom, amount)
    return (
        Response()
        .add_attribute("action", "claim")
        .add_attribute("address", owner_addr)
        .add_attribute("to", to_addr)
        .add_attribute("denom", denom)
        .add_attribute("amount", str(amount))
        .add_message(transfer(to_addr, denom, amount))
    )
