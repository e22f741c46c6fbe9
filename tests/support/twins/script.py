"""``script``: runs the operations in its message and answers with the result given there."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

from chain.errors import VmError
from chain.std import ContractError, Event, Response, SubMsg
from chain.testing import Contract
from twins.cosmos import b64, compact
from twins.reflect import pairs

WASM = "Error calling the VM: Error executing Wasm: Wasmer runtime error: RuntimeError: "
EMPTY = {"ok": {"messages": [], "attributes": [], "events": [], "data": None}}
ORDERS = {1: "ascending", 2: "descending"}


class Done(Exception):
    """An operation ended the script; carries the result, decoded."""


def append(deps: Any, key: str, text: str) -> None:
    """Add text to a key."""
    old = deps.storage.get(key.encode()) or b""
    deps.storage.set(key.encode(), old + text.encode())


def op_set(deps: Any, key: str, value: str) -> None:
    deps.storage.set(key.encode(), value.encode())


def op_del(deps: Any, key: str) -> None:
    deps.storage.remove(key.encode())


def op_copy(deps: Any, key: str, target: str) -> None:
    value = deps.storage.get(key.encode())
    shown = b"(none)" if value is None else value or b"(empty)"
    deps.storage.set(target.encode(), shown)


def op_query(deps: Any, request: Any) -> None:
    append(deps, "log", ask(deps, request) + "\n")


def op_qret(deps: Any, request: Any) -> None:
    raise Done({"ok": b64(ask(deps, request).encode())})


def op_retkey(deps: Any, key: str) -> None:
    raise Done({"ok": b64(deps.storage.get(key.encode()) or b"")})


def op_trap(deps: Any) -> None:
    raise VmError(f"{WASM}unreachable")


def op_abort(deps: Any, text: str) -> None:
    raise VmError(f"{WASM}Aborted: {text}")


def op_loop(deps: Any) -> None:
    while True:
        deps.storage.get(b"spin")


def op_sethex(deps: Any, key: str, value: str) -> None:
    deps.storage.set(bytes.fromhex(key), bytes.fromhex(value))


def op_delhex(deps: Any, key: str) -> None:
    deps.storage.remove(bytes.fromhex(key))


def op_fill(deps: Any, char: str, key_len: int, value_len: int) -> None:
    deps.storage.set(char.encode() * key_len, b"v" * value_len)


def op_readn(deps: Any, char: str, key_len: int) -> None:
    found = deps.storage.get(char.encode() * key_len)
    append(deps, "log", "missing;" if found is None else "found;")


def op_readlen(deps: Any, key: str) -> None:
    value = deps.storage.get(key.encode())
    append(deps, "log", "none\n" if value is None else f"len {len(value)}\n")


def op_scan(deps: Any, start: str, end: str, order: int, limit: int) -> None:
    rows = []
    for key, value in open_range(deps, start, end, order):
        if len(rows) == limit:
            break
        rows.append(f"{key.hex()}={value.hex()},")
    append(deps, "log", f"[{''.join(rows)}]\n")


def op_iter(deps: Any, order: int, key: str, value: str) -> None:
    entries = iter(open_range(deps, "", "", order))
    shown = [region(next(entries))]
    deps.storage.set(key.encode(), value.encode())
    shown.extend(region(entry) for entry in entries)
    append(deps, "log", "|".join([*shown, "00" * 8]) + "\n")


def op_log(deps: Any, text: str) -> None:
    append(deps, "log", text)


def op_ret(deps: Any, text: str) -> None:
    raise Done(loads(text))


def op_countdown(deps: Any, key: str, address: str, reply_on: str) -> None:
    message = {"do": [["countdown", key, address, reply_on]]}
    count(deps, key, execute_message(address, message), reply_on, None)


def op_countdown_reply(deps: Any, key: str, address: str) -> None:
    payload = {"nolog": 1, "do": [["countdown_reply", key, address]]}
    send = {"bank": {"send": {"to_address": address, "amount": []}}}
    count(deps, key, send, "always", payload)


def op_validate(deps: Any, text: str) -> None:
    deps.api.addr_validate(text)


def op_canonicalize(deps: Any, text: str) -> None:
    append(deps, "log", deps.api.addr_canonicalize(text).hex())


def op_humanize(deps: Any, canonical: str) -> None:
    append(deps, "log", deps.api.addr_humanize(bytes.fromhex(canonical)))


OPS: dict[str, Callable[..., None]] = {
    name.removeprefix("op_"): function
    for name, function in list(globals().items())
    if name.startswith("op_")
}
OPS["append"] = append


def ask(deps: Any, request: Any) -> str:
    """The querier's raw answer as text."""
    answer: bytes = deps.querier.raw_query(compact(request).encode())
    return answer.decode()


def open_range(deps: Any, start: str, end: str, order: int) -> Any:
    """A range over raw storage; bounds in hex, empty for none."""
    if order not in ORDERS:
        raise VmError(
            f"{WASM}Error in guest/host communication: "
            f"Got an invalid value for iteration order: {order}"
        )
    low = bytes.fromhex(start) if start else None
    high = bytes.fromhex(end) if end else None
    return deps.storage.range(low, high, ORDERS[order])


def region(entry: tuple[bytes, bytes]) -> str:
    """An entry as the VM hands it over: key, its length, value, its length."""
    return b"".join(part + len(part).to_bytes(4, "big") for part in entry).hex()


def execute_message(address: str, message: Any) -> dict[str, Any]:
    """A call of another contract, in CosmWasm's JSON."""
    encoded = b64(compact(message).encode())
    return {"wasm": {"execute": {"contract_addr": address, "msg": encoded, "funds": []}}}


def count(deps: Any, key: str, message: Any, reply_on: str, payload: Any) -> None:
    """Take one off the counter and go on with the message, or stop at zero."""
    left = int(deps.storage.get(key.encode()))
    if left == 0:
        raise Done(EMPTY)
    deps.storage.set(key.encode(), str(left - 1).encode())
    sub: dict[str, Any] = {"id": 1, "msg": message, "reply_on": reply_on}
    if payload is not None:
        sub["payload"] = b64(compact(payload).encode())
    raise Done({"ok": {"messages": [sub], "attributes": [], "events": [], "data": None}})


def loads(text: str) -> Any:
    """A result text, decoded; not JSON is a VM error."""
    try:
        return json.loads(text)
    except ValueError:
        raise VmError("invalid character looking for beginning of value") from None


def run(deps: Any, msg: Any, default: Any) -> Any:
    """Run the operations and return the decoded result."""
    script = msg if isinstance(msg, dict) else {}
    try:
        for name, *arguments in script.get("do", []):
            OPS[name](deps, *arguments)
    except Done as done:
        return done.args[0]
    return script.get("ret", default)


def outcome(result: Any) -> Any:
    """What stands under ``ok``; an error text is raised. Reads as Go's decoder does."""
    if result is None:
        raise VmError("nil result")
    if not isinstance(result, dict):
        raise VmError("json: cannot unmarshal into Go value of type types.ContractResult")
    folded = {key.lower(): value for key, value in result.items()}
    error = folded.get("error")
    if error is not None and not isinstance(error, str):
        raise VmError("json: cannot unmarshal into Go struct field ContractResult.error")
    if error:
        raise ContractError(error)
    if folded.get("ok") is None:
        raise VmError("nil result")
    return folded["ok"]


def response(result: Any) -> Response:
    """The result as a Response."""
    ok = outcome(result)
    answer = Response()
    for sub in ok.get("messages") or []:
        answer.messages.append(submessage(sub))
    for attribute in ok.get("attributes") or []:
        answer.add_attribute(attribute["key"], attribute["value"])
    for entry in ok.get("events") or []:
        event = Event(entry["type"])
        for attribute in entry.get("attributes") or []:
            event.add_attribute(attribute["key"], attribute["value"])
        answer.add_event(event)
    if ok.get("data") is not None:
        answer.set_data(decode64(ok["data"]))
    return answer


def decode64(text: Any) -> bytes:
    """Base64 as Go reads it, or a VM error."""
    if not isinstance(text, str):
        raise VmError("json: cannot unmarshal into Go struct field of type []uint8")
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        raise VmError("illegal base64 data at input byte 0") from None


def submessage(fields: Any) -> SubMsg:
    """One submessage; what Go's types refuse is a VM error."""
    number, limit = fields.get("id", 0), fields.get("gas_limit")
    for value in (number, 0 if limit is None else limit):
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 64:
            raise VmError(f"json: cannot unmarshal {value} into Go struct field of type uint64")
    reply_on = fields.get("reply_on", "")
    if not isinstance(reply_on, str):
        raise VmError("json: cannot unmarshal number into Go struct field of type string")
    sub = SubMsg.reply_always(fields.get("msg") or {}, number)
    sub.reply_on = reply_on
    if limit is not None:
        sub = sub.with_gas_limit(limit)
    if fields.get("payload"):
        sub = sub.with_payload(decode64(fields["payload"]))
    return sub


def call(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    """Entry points with a sender."""
    if isinstance(msg, dict) and msg.get("store_env"):
        deps.storage.set(b"env", compact(env_json(env)).encode())
        funds = [{"denom": c.denom, "amount": str(c.amount)} for c in info.funds]
        deps.storage.set(b"info", compact({"sender": info.sender, "funds": funds}).encode())
    return response(run(deps, msg, EMPTY))


def call_without_sender(deps: Any, env: Any, msg: Any) -> Response:
    """Entry points without a sender."""
    return response(run(deps, msg, EMPTY))


def env_json(env: Any) -> dict[str, Any]:
    """The environment in CosmWasm's JSON."""
    block = {"height": env.block.height, "time": str(int(env.block.time))}
    block["chain_id"] = env.block.chain_id
    transaction = None if env.transaction is None else {"index": env.transaction.index}
    return {
        "block": block,
        "transaction": transaction,
        "contract": {"address": env.contract.address},
    }


def reply(deps: Any, env: Any, reply: Any) -> Response:
    """Write the reply down, then run its payload when that is a script."""
    try:
        payload = json.loads(reply.payload)
    except ValueError:
        payload = None
    script = payload if isinstance(payload, dict) else {}
    if not script.get("nolog"):
        append(deps, "replies", compact(reply_json(reply)) + "\n")
    return response(run(deps, script, EMPTY))


def reply_json(reply: Any) -> dict[str, Any]:
    """The reply as it crosses into the VM: data and payload absent when empty."""
    shown: dict[str, Any] = {"gas_used": reply.gas_used, "id": reply.id}
    if reply.result.error is not None:
        shown["result"] = {"error": reply.result.error}
    else:
        ok = reply.result.ok
        events = [
            {"type": e.type, "attributes": [{"key": k, "value": v} for k, v in pairs(e)]}
            for e in ok.events
        ]
        inner: dict[str, Any] = {"events": events}
        if ok.data:
            inner["data"] = b64(ok.data)
        inner["msg_responses"] = [
            {"type_url": r.type_url, "value": b64(r.value)} for r in ok.msg_responses
        ]
        shown["result"] = {"ok": inner}
    if reply.payload:
        shown["payload"] = b64(reply.payload)
    return shown


def query(deps: Any, env: Any, msg: Any) -> bytes:
    """Run the script and answer with the bytes of its result."""
    return decode64(outcome(run(deps, msg, {"ok": ""})))


SCRIPT = Contract(
    name="script",
    version="1.0.0",
    instantiate=call,
    execute=call,
    query=query,
    reply=reply,
    migrate=call_without_sender,
    sudo=call_without_sender,
)
