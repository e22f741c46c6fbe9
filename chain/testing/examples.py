"""A small contract for examples: a counter that anybody may raise."""

from __future__ import annotations

from typing import Any

from chain.std import ContractError, Deps, DepsMut, Env, Message, MessageInfo, Response, Uint128
from chain.storage_plus import Item
from chain.testing.chain import Chain
from chain.vm.contract import Contract

COUNT = Item("count", int)
_MOST = 1_000_000


class Add(Message):
    """Raise the count."""

    by: Uint128


class Reset(Message):
    """Begin again."""


def _instantiate(deps: DepsMut, env: Env, info: MessageInfo, msg: Any) -> Response:
    COUNT.save(deps.storage, int(msg.get("start", 0)))
    return Response()


def _execute(deps: DepsMut, env: Env, info: MessageInfo, msg: Any) -> Response:
    if isinstance(msg, Reset):
        COUNT.save(deps.storage, 0)
        return Response().add_attribute("total", "0")
    if msg.by > _MOST:
        raise ContractError("too much at once")
    total = COUNT.load(deps.storage) + msg.by
    COUNT.save(deps.storage, total)
    return Response().add_attribute("total", str(total))


def _query(deps: Deps, env: Env, msg: Any) -> Any:
    return {"count": COUNT.load(deps.storage)}


#: Its messages are ``add`` and ``reset``; any query answers ``{"count": n}``.
counter = Contract(
    name="counter",
    version="1.0.0",
    instantiate=_instantiate,
    execute=_execute,
    query=_query,
    execute_msg=(Add, Reset),
)


def scene() -> dict[str, Any]:
    """What the examples of ``Chain``'s methods go on from, as its docstring makes it.

    >>> sorted(scene())
    ['address', 'alice', 'bob', 'chain', 'code', 'counter']
    """
    chain = Chain()
    alice, bob = chain.account("alice", "5msg"), chain.account("bob", "")
    code = chain.store_code(counter)
    address = chain.instantiate(code, {"start": 0}, alice, "counter", admin=alice)
    people = {"alice": alice, "bob": bob}
    return {"chain": chain, "counter": counter, "code": code, "address": address, **people}
