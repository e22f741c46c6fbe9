"""``tree``: carries out the plan in its message and hands each reply its own plan."""

from __future__ import annotations

import base64
import json
from typing import Any

from chain.std import BankMsg, Coin, ContractError, Event, Response, SubMsg, WasmMsg
from chain.testing import Contract
from twins.cosmos import compact

BANK_TYPES = {"coin_spent", "coin_received", "transfer", "burn", "coinbase", "message", "tx"}
MODES = {
    "always": SubMsg.reply_always,
    "success": SubMsg.reply_on_success,
    "error": SubMsg.reply_on_error,
}


def instantiate(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    """Start empty."""
    return Response()


def execute(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    """Carry out a plan."""
    return carry_out(deps, msg["run"], None)


def reply(deps: Any, env: Any, reply: Any) -> Response:
    """Carry out the plan that travelled in the payload."""
    plan = json.loads(reply.payload)["plan"]
    return Response() if plan is None else carry_out(deps, plan, reply)


def carry_out(deps: Any, plan: Any, reply: Any) -> Response:
    """Take each step in order, then return or refuse."""
    response = Response()
    for entry in plan["steps"]:
        ((name, value),) = entry.items()
        if not on_storage(deps, response, name, value):
            on_response(deps, response, (name, value), reply)
    if plan["then"] == "err":
        raise ContractError(plan["text"])
    return response


def on_storage(deps: Any, response: Response, name: str, value: Any) -> bool:
    """A step that reads or writes raw storage; tells whether it was one."""
    storage = deps.storage
    if name == "set":
        storage.set(value[0].encode(), value[1].encode())
    elif name == "del":
        storage.remove(value.encode())
    elif name == "incr":
        old = (storage.get(value.encode()) or b"").decode()
        total = str((int(old) if old.isascii() and old.isdigit() else 0) + 1)
        storage.set(value.encode(), total.encode())
        response.add_attribute(value, total)
    elif name == "log":
        storage.set(b"log", (storage.get(b"log") or b"") + f"{value};".encode())
    elif name == "get":
        response.add_attribute(value[1], shown(storage.get(value[0].encode())))
    else:
        return False
    return True


def on_response(deps: Any, response: Response, step: tuple[str, Any], reply: Any) -> None:
    """A step that adds to the response."""
    name, value = step
    if name == "attr":
        response.add_attribute(value[0], value[1])
    elif name == "event":
        event = Event(value["type"])
        for key, text in value["attributes"]:
            event.add_attribute(key, text)
        response.add_event(event)
    elif name == "data":
        response.set_data(base64.b64decode(value))
    elif name == "peek":
        found = deps.querier.query_wasm_raw(value[0], value[1].encode())
        response.add_attribute(value[2], shown(found or None))
    elif name == "balance":
        coin = deps.querier.query_balance(value[0], value[1])
        response.add_attribute(value[2], str(coin.amount))
    elif name == "bank_send":
        response.add_message(BankMsg.Send(value["to"], coins(value["amount"])))
    elif name == "sub":
        response.add_submessage(submessage(value))
    else:
        on_reply(response, name, value, reply)


def on_reply(response: Response, name: str, value: Any, reply: Any) -> None:
    """A step that looks at the reply."""
    ok = reply.result.ok
    if name == "reply_info":
        payload = json.loads(reply.payload)["payload"]
        response.add_attribute(value, f"{reply.id}|{'err' if ok is None else 'ok'}|{payload}")
    elif name == "reply_events":
        types = [] if ok is None else [e.type for e in ok.events if e.type not in BANK_TYPES]
        response.add_attribute(value, ",".join(types) or "-")
    elif name == "reply_urls":
        urls = [] if ok is None else [r.type_url for r in ok.msg_responses]
        response.add_attribute(value, ",".join(urls) or "-")
    elif name == "echo" and ok is not None and ok.data:
        response.set_data(ok.data)


def submessage(sub: Any) -> SubMsg:
    """The submessage that a plan describes."""
    message: Any
    if "to" in sub:
        run = compact({"run": sub["run"]}).encode()
        message = WasmMsg.Execute(sub["to"], run, coins(sub["funds"]))
    elif "send" in sub:
        message = BankMsg.Send(sub["send"]["to"], coins(sub["send"]["amount"]))
    else:
        message = BankMsg.Burn(coins(sub["burn"]["amount"]))
    if sub["reply_on"] == "never":
        result = SubMsg.reply_never(message)
    else:
        result = MODES[sub["reply_on"]](message, sub["id"])
    if sub["gas_limit"] is not None:
        result = result.with_gas_limit(sub["gas_limit"])
    carried = {"payload": sub["payload"], "plan": sub["on_reply"]}
    return result.with_payload(compact(carried).encode())


def coins(pairs: list[Any]) -> list[Coin]:
    """Coins from [amount, denom] pairs."""
    return [Coin(denom, int(amount)) for amount, denom in pairs]


def shown(value: bytes | None) -> str:
    """A value as text, or a dash."""
    return "-" if value is None else value.decode()


TREE = Contract(
    name="tree",
    version="1.0.0",
    instantiate=instantiate,
    execute=execute,
    reply=reply,
)
