"""``reflect``: sends on what its owner hands it, and stores every reply (the build for std 2.0)."""

from __future__ import annotations

import base64
import json
from typing import Any

from chain.std import ContractError, Response, SubMsg
from chain.testing import Contract
from twins import serde
from twins.cosmos import COSMOS_MSG, b64, compact, to_json

CONFIG = b"\x00\x06config"
RESULT = b"\x00\x06result"

INSTANTIATE = serde.struct({})
SUB_MSG = serde.struct(
    {
        "id": serde.unsigned(64),
        "payload": serde.binary,
        "msg": COSMOS_MSG,
        "gas_limit": serde.optional(serde.unsigned(64)),
        "reply_on": serde.choice("always", "error", "success", "never"),
    },
    {"payload": b"", "gas_limit": None},
    strict=False,
)
EXECUTE = serde.enum(
    {
        "reflect_msg": serde.struct({"msgs": serde.list_of(COSMOS_MSG)}),
        "reflect_sub_msg": serde.struct({"msgs": serde.list_of(SUB_MSG)}),
        "change_owner": serde.struct({"owner": serde.text}),
    }
)
QUERY = serde.enum(
    {
        "owner": serde.struct({}),
        "capitalized": serde.struct({"text": serde.text}),
        "chain": serde.struct({"request": serde.anything}),
        "raw": serde.struct({"contract": serde.text, "key": serde.binary}),
        "sub_msg_result": serde.struct({"id": serde.unsigned(64)}),
    }
)
BUILDERS = {
    "always": SubMsg.reply_always,
    "error": SubMsg.reply_on_error,
    "success": SubMsg.reply_on_success,
}


def instantiate(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    """Make the sender the owner."""
    serde.parse(msg, INSTANTIATE, "reflect::msg::InstantiateMsg")
    deps.storage.set(CONFIG, compact({"owner": info.sender}).encode())
    return Response()


def execute(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    """Reflect messages, or change the owner; the owner only."""
    name, fields = serde.parse(msg, EXECUTE, "reflect::msg::ExecuteMsg")
    owner = json.loads(deps.storage.get(CONFIG))["owner"]
    if info.sender != owner:
        raise ContractError("Permission denied: the sender is not the current owner")
    if name == "change_owner":
        new = deps.api.addr_validate(fields["owner"])
        deps.storage.set(CONFIG, compact({"owner": new}).encode())
        return Response().add_attribute("action", "change_owner").add_attribute("owner", new)
    if not fields["msgs"]:
        raise ContractError("Messages empty. Must reflect at least one message")
    if name == "reflect_msg":
        response = Response().add_attribute("action", "reflect")
        for message in fields["msgs"]:
            response.add_message(to_json(message))
        return response
    response = Response().add_attribute("action", "reflect_subcall")
    for sub in fields["msgs"]:
        response.add_submessage(submessage(sub))
    return response


def submessage(sub: dict[str, Any]) -> SubMsg:
    """The submessage that the fields describe."""
    message = to_json(sub["msg"])
    if sub["reply_on"] == "never":
        result = SubMsg.reply_never(message)
        result.id = sub["id"]
    else:
        result = BUILDERS[sub["reply_on"]](message, sub["id"])
    if sub["gas_limit"] is not None:
        result = result.with_gas_limit(sub["gas_limit"])
    return result.with_payload(sub["payload"])


def reply(deps: Any, env: Any, reply: Any) -> Response:
    """Store the reply under its id."""
    deps.storage.set(RESULT + reply.id.to_bytes(8, "big"), compact(reply_json(reply)).encode())
    return Response()


def reply_json(reply: Any) -> dict[str, Any]:
    """The reply as cosmwasm-std 2.0 writes it: absent data is null."""
    if reply.result.error is not None:
        result: dict[str, Any] = {"error": reply.result.error}
    else:
        ok = reply.result.ok
        result = {
            "ok": {
                "events": [
                    {
                        "type": event.type,
                        "attributes": [{"key": k, "value": v} for k, v in pairs(event)],
                    }
                    for event in ok.events
                ],
                "data": b64(ok.data),
                "msg_responses": [
                    {"type_url": r.type_url, "value": b64(r.value)} for r in ok.msg_responses
                ],
            }
        }
    return {
        "id": reply.id,
        "payload": b64(reply.payload),
        "gas_used": reply.gas_used,
        "result": result,
    }


def pairs(event: Any) -> list[tuple[str, str]]:
    """Keys and values of an event's attributes."""
    return [(attribute.key, attribute.value) for attribute in event.attributes]


def query(deps: Any, env: Any, msg: Any) -> Any:
    """Owner, stored replies, and questions passed on."""
    name, fields = serde.parse(msg, QUERY, "reflect::msg::QueryMsg")
    if name == "owner":
        return {"owner": json.loads(deps.storage.get(CONFIG))["owner"]}
    if name == "sub_msg_result":
        stored = deps.storage.get(RESULT + fields["id"].to_bytes(8, "big"))
        if stored is None:
            raise ContractError(f"reply {fields['id']} not found")
        return bytes(stored)
    if name == "raw":
        data = deps.querier.query_wasm_raw(fields["contract"], fields["key"])
        return {"data": b64(data or b"")}
    request = {"custom": {}} if name == "capitalized" else fields["request"]
    answer = json.loads(deps.querier.raw_query(compact(request).encode()))
    return {"data": b64(contents(answer))}


def contents(answer: Any) -> bytes:
    """The bytes of a querier's raw answer; its errors as std words them."""
    if "error" in answer:
        kind = next(iter(answer["error"]))
        if kind == "unsupported_request":
            text = f"Unsupported query type: {answer['error'][kind]['kind']}"
        elif kind == "no_such_contract":
            text = f"No such contract: {answer['error'][kind]['addr']}"
        else:
            text = compact(answer["error"])
        raise ContractError(f"Generic error: Querier system error: {text}")
    inner = answer["ok"]
    if "error" in inner:
        raise ContractError(f"Generic error: Querier contract error: {inner['error']}")
    return base64.b64decode(inner["ok"])


REFLECT = Contract(
    name="reflect",
    version="1.0.0",
    instantiate=instantiate,
    execute=execute,
    query=query,
    reply=reply,
)
