"""``hook``: a receiver of CW20 tokens that does what the message inside its ``receive`` says."""

from __future__ import annotations

from typing import Any

from chain.std import (
    Binary,
    ContractError,
    Event,
    Message,
    Response,
    Uint128,
    WasmMsg,
    decode_variant,
)
from chain.storage_plus import Item
from chain.testing import Contract

CALLS = Item("calls", int)


class Receive(Message):
    """The hook of CW20."""

    sender: str
    amount: Uint128
    msg: Binary


class Accept(Message):
    """Take the tokens."""


class Fail(Message):
    """Refuse them with this text."""

    text: str


class Data(Message):
    """Answer with data and an event."""

    data: Binary


class Bounce(Message):
    """Transfer them, or another amount, back to the sender."""

    amount: Uint128 | None = None


class Burn(Message):
    """Burn an amount."""

    amount: Uint128


class Forward(Message):
    """Send an amount on."""

    contract: str
    amount: Uint128
    msg: Binary


class Spend(Message):
    """Use an allowance."""

    owner: str
    amount: Uint128


class Look(Message):
    """Ask the token for the hook's balance."""


class Calls(Message):
    """How often the hook was called."""


HOOK = (Accept, Fail, Data, Bounce, Burn, Forward, Spend, Look)


def instantiate(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    """Start the count."""
    CALLS.save(deps.storage, 0)
    return Response()


def execute(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    """Do what the message inside says."""
    step = decode_variant(msg.msg, HOOK, "HookMsg")
    if isinstance(step, Fail):
        raise ContractError(step.text)
    calls = CALLS.update(deps.storage, lambda count: count + 1)
    response = Response().add_attribute("action", f"hook_{step.variant}")
    token = info.sender
    match step:
        case Accept():
            response.add_attribute("from", msg.sender)
            response.add_attribute("amount", str(msg.amount))
            response.add_attribute("calls", str(calls))
        case Data():
            response.add_event(Event("hook").add_attribute("calls", str(calls)))
            response.set_data(bytes(step.data))
        case Bounce():
            amount = msg.amount if step.amount is None else step.amount
            response.add_message(call(token, "transfer", recipient=msg.sender, amount=str(amount)))
        case Burn():
            response.add_message(call(token, "burn", amount=str(step.amount)))
        case Forward():
            body = {"contract": step.contract, "amount": str(step.amount), "msg": step.msg}
            response.add_message(call(token, "send", **body))
        case Spend():
            body = {"owner": step.owner, "recipient": env.contract.address}
            response.add_message(call(token, "transfer_from", **body, amount=str(step.amount)))
        case Look():
            asked = {"balance": {"address": env.contract.address}}
            answer = deps.querier.query_wasm_smart(token, asked)
            response.add_attribute("balance", answer["balance"])
    return response


def call(token: str, name: str, **body: Any) -> Any:
    """A plain message to the token."""
    return WasmMsg.Execute(token, {name: body})


def query(deps: Any, env: Any, msg: Any) -> int:
    """The count."""
    return CALLS.load(deps.storage)


HOOK_CONTRACT = Contract(
    name="hook",
    version="1.0.0",
    instantiate=instantiate,
    execute=execute,
    query=query,
    execute_msg=(Receive,),
    query_msg=(Calls,),
)
