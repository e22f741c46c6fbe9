"""``replier``: calls itself in a tree and writes down the order of its calls and replies."""

from __future__ import annotations

import json
from typing import Any

from chain.std import ContractError, Response, SubMsg, WasmMsg
from chain.testing import Contract
from twins import serde
from twins.cosmos import compact

SET_DATA, RETURN_ORDER, REPLY_ERROR = 0x100, 0x200, 0x400
FIELDS: dict[str, serde.Parser] = {
    "msg_id": serde.unsigned(8),
    "set_data_in_exec_and_reply": serde.boolean,
    "return_order_in_reply": serde.boolean,
    "exec_error": serde.boolean,
    "reply_error": serde.boolean,
    "reply_on_never": serde.boolean,
    "messages": lambda value: serde.list_of(EXECUTE)(value),  # noqa: PLW0108  # EXECUTE comes below
}
EXECUTE = serde.struct(FIELDS, strict=False)
INSTANTIATE = serde.struct({}, strict=False)
QUERY = serde.enum({})


def instantiate(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    """Start with an empty order."""
    serde.parse(msg, INSTANTIATE, "replier::InstantiateMsg")
    save(deps, [])
    return Response()


def execute(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    """Write the call down, fail if told to, and call itself once for each child."""
    fields = serde.parse(msg, EXECUTE, "replier::ExecuteMsg")
    number = fields["msg_id"]
    order = [] if number <= 1 else load(deps)
    save(deps, [*order, 0xEE, number])
    if fields["exec_error"]:
        raise ContractError(f"Generic error: Err in exec msg_id: {number}")
    response = Response()
    if fields["set_data_in_exec_and_reply"]:
        response.set_data(bytes([0xEE, number]))
    flags = SET_DATA * fields["set_data_in_exec_and_reply"]
    flags |= RETURN_ORDER * fields["return_order_in_reply"]
    flags |= REPLY_ERROR * fields["reply_error"]
    for child in fields["messages"]:
        message = WasmMsg.Execute(env.contract.address, compact(child).encode())
        if child["reply_on_never"]:
            sub = SubMsg.reply_never(message)
            sub.id = number | flags
        else:
            sub = SubMsg.reply_always(message, number | flags)
        response.add_submessage(sub)
    return response


def reply(deps: Any, env: Any, reply: Any) -> Response:
    """Write the reply down and answer as the flags in its id say."""
    number = reply.id & 0xFF
    order = [*load(deps), 0xBB, number]
    save(deps, order)
    if reply.id & REPLY_ERROR:
        raise ContractError(f"Generic error: Err in reply msg_id: {number}")
    response = Response()
    if reply.result.error is not None:
        return response
    if reply.id & RETURN_ORDER:
        return response.set_data(bytes(order))
    if reply.id & SET_DATA:
        values = b"".join(r.value for r in reply.result.ok.msg_responses)
        return response.set_data(values + bytes([0xBB, number]))
    return response


def query(deps: Any, env: Any, msg: Any) -> Any:
    """There is nothing to ask."""
    return serde.parse(msg, QUERY, "replier::QueryMsg")


def load(deps: Any) -> list[int]:
    """The order so far."""
    order: list[int] = json.loads(deps.storage.get(b"config"))["order"]
    return order


def save(deps: Any, order: list[int]) -> None:
    """Store the order."""
    deps.storage.set(b"config", compact({"order": order}).encode())


REPLIER = Contract(
    name="replier",
    version="1.0.0",
    instantiate=instantiate,
    execute=execute,
    query=query,
    reply=reply,
)
