"""Contracts that mean ill, to put beside the one under attack.

``hook_token``: a CW20 with true balances that calls somebody when it is told to move money, or
refuses to. ``hostile_receiver``: takes anything, or refuses it, or calls back.
"""

from __future__ import annotations

from typing import Any, Final

from chain.std import (
    Addr,
    Binary,
    ContractError,
    Deps,
    DepsMut,
    Env,
    Message,
    MessageInfo,
    Record,
    Response,
    Uint128,
    WasmMsg,
    decode,
    decode_variant,
    encode,
)
from chain.storage_plus import Item, Map
from chain.vm.contract import Contract


class Share(Message):
    """A holder's first balance."""

    address: Addr
    amount: Uint128


class TokenInstantiate(Message):
    """Who begins with how much."""

    initial_balances: list[Share]


class Transfer(Message):
    """Move the sender's tokens; what is armed happens now."""

    recipient: Addr
    amount: Uint128


class Send(Message):
    """Move the sender's tokens to a contract and call its ``receive``."""

    contract: Addr
    amount: Uint128
    msg: Binary


class Arm(Message):
    """At the next ``transfer``, or payment received, call ``contract`` with ``call`` first."""

    contract: Addr
    call: Binary


class Break(Message):
    """Refuse to move anything, or no longer."""

    broken: bool


class Balance(Message):
    """What an address holds."""

    address: Addr


class Armed(Record):
    """A call that waits for its moment."""

    contract: str
    call: bytes


_BALANCES: Final = Map("balance", (str,), Uint128)
_ARMED: Final = Item("armed", Armed)
_BROKEN: Final = Item("broken", bool)


def _token_instantiate(
    deps: DepsMut, env: Env, info: MessageInfo, msg: TokenInstantiate
) -> Response:
    for share in msg.initial_balances:
        _give(deps, share.address, share.amount)
    return Response()


def _token_execute(deps: DepsMut, env: Env, info: MessageInfo, msg: Any) -> Response:
    if isinstance(msg, Transfer):
        if _BROKEN.may_load(deps.storage):
            raise ContractError("broken")
        _take(deps, info.sender, msg.amount)
        _give(deps, msg.recipient, msg.amount)
        return _spring(deps, Response().add_attribute("action", "transfer"))
    if isinstance(msg, Send):
        _take(deps, info.sender, msg.amount)
        _give(deps, msg.contract, msg.amount)
        body = {"sender": info.sender, "amount": str(msg.amount), "msg": msg.msg}
        return Response().add_message(WasmMsg.Execute(msg.contract, {"receive": body}))
    return _prepare(deps, msg)


def _prepare(deps: DepsMut, msg: Any) -> Response:
    if isinstance(msg, Arm):
        if _claims_payment(msg.call):
            raise ContractError(
                "a token with true balances tells of no payment that it did not make"
            )
        _ARMED.save(deps.storage, Armed(msg.contract, bytes(msg.call)))
    else:
        _BROKEN.save(deps.storage, msg.broken)
    return Response()


def _claims_payment(call: bytes) -> bool:
    """Whether a call is the hook that says that tokens came."""
    try:
        found = decode(bytes(call))
    except ContractError:
        return False
    return isinstance(found, dict) and "receive" in found


def _spring(deps: DepsMut, response: Response) -> Response:
    """Do what is armed, once."""
    armed = _ARMED.may_load(deps.storage)
    if armed is None:
        return response
    _ARMED.remove(deps.storage)
    return response.add_message(WasmMsg.Execute(armed.contract, armed.call))


def _take(deps: DepsMut, owner: str, amount: int) -> None:
    balance = _BALANCES.may_load(deps.storage, owner) or 0
    if amount > balance:
        raise ContractError("not enough")
    _BALANCES.save(deps.storage, owner, Uint128(balance - amount))


def _give(deps: DepsMut, owner: str, amount: int) -> None:
    balance = _BALANCES.may_load(deps.storage, owner) or 0
    _BALANCES.save(deps.storage, owner, Uint128(balance + amount))


def _token_query(deps: Deps, env: Env, msg: Balance) -> Any:
    return {"balance": str(_BALANCES.may_load(deps.storage, msg.address) or 0)}


hook_token = Contract(
    name="hook_token",
    version="1.0.0",
    instantiate=_token_instantiate,
    execute=_token_execute,
    query=_token_query,
    instantiate_msg=TokenInstantiate,
    execute_msg=(Transfer, Send, Arm, Break),
    query_msg=(Balance,),
)


class Poke(Message):
    """Send a call of one's own, with what is attached."""

    contract: Addr
    call: Binary


def _receiver_instantiate(deps: DepsMut, env: Env, info: MessageInfo, msg: Any) -> Response:
    return Response()


def _receiver_execute(deps: DepsMut, env: Env, info: MessageInfo, msg: Any) -> Response:
    """Whatever hook it is called by counts as a message received."""
    body = encode(msg)
    for variant in RECEIVER_MESSAGES:
        if isinstance(msg, dict) and [*msg] == [variant.variant]:
            told = decode_variant(body, RECEIVER_MESSAGES, "ExecuteMsg")
            if isinstance(told, Poke):
                call = WasmMsg.Execute(told.contract, bytes(told.call), info.funds)
                return Response().add_message(call)
            return _prepare(deps, told)
    if _BROKEN.may_load(deps.storage):
        raise ContractError("broken")
    return _spring(deps, Response())


#: what ``hostile_receiver`` does when told; it takes everything else as well
RECEIVER_MESSAGES: Final = (Arm, Break, Poke)

hostile_receiver = Contract(
    name="hostile_receiver",
    version="1.0.0",
    instantiate=_receiver_instantiate,
    execute=_receiver_execute,
)
