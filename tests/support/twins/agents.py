"""Stand-ins for the agent registry and the message contract: a test sets what they answer."""

from __future__ import annotations

import base64
from typing import Any

from chain.std import ContractError, Response, WasmMsg, decode, encode
from chain.storage_plus import Item, Map
from chain.testing import Contract

AGENTS = Map("agents", (str,), str)
CARDS = Map("cards", (str,), str)
POLICIES = Map("policies", (str,), str)
SENT = Item("sent", str)
BROKEN = Item("broken", bool)


def registry_instantiate(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    """Know nobody."""
    return Response()


def registry_execute(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    """``agent``, ``card``, ``policy``: set; null removes."""
    ((name, value),) = msg.items()
    table = {"agent": AGENTS, "card": CARDS, "policy": POLICIES}[name]
    for key, item in value.items():
        if item is None:
            table.remove(deps.storage, key)
        else:
            table.save(deps.storage, key, encode(item).decode())
    return Response()


def registry_query(deps: Any, env: Any, msg: Any) -> Any:
    """The three questions that the tasks contract asks."""
    ((name, value),) = msg.items()
    if name == "get_agent":
        found = AGENTS.may_load(deps.storage, value["agent_id"])
        return {"agent": None if found is None else decode(found.encode())}
    if name == "get_card":
        found = CARDS.may_load(deps.storage, value["agent_id"])
        if found is None:
            return {"card": None}
        raw = decode(found.encode())
        card = raw.encode() if isinstance(raw, str) else encode(raw)
        return {
            "card": {
                "agent_id": value["agent_id"],
                "card": base64.b64encode(card).decode(),
                "card_hash": "00",
                "updated_at": "0",
            }
        }
    if name == "get_spending_policy":
        found = POLICIES.may_load(deps.storage, value["address"])
        if found is None:
            return {"agent_id": None, "owner": None, "policy": None}
        return decode(found.encode())
    raise ContractError("unknown question")


REGISTRY = Contract(
    name="registry_twin",
    instantiate=registry_instantiate,
    execute=registry_execute,
    query=registry_query,
)


def mailbox_instantiate(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    """Start empty and sound."""
    SENT.save(deps.storage, "[]")
    BROKEN.save(deps.storage, False)
    return Response()


def mailbox_execute(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    """``send_message`` is kept; ``break`` makes every later one fail, or not any more."""
    if "break" in msg:
        BROKEN.save(deps.storage, msg["break"])
        return Response()
    if BROKEN.load(deps.storage):
        raise ContractError("the mailbox is broken")
    sent = decode(SENT.load(deps.storage).encode())
    body = msg["send_message"]
    envelope = decode(base64.b64decode(body.pop("payload")))
    sent.append({**body, "by": info.sender, "envelope": envelope})
    SENT.save(deps.storage, encode(sent).decode())
    return Response()


def mailbox_query(deps: Any, env: Any, msg: Any) -> Any:
    """Everything sent."""
    return decode(SENT.load(deps.storage).encode())


MAILBOX = Contract(
    name="mailbox_twin",
    instantiate=mailbox_instantiate,
    execute=mailbox_execute,
    query=mailbox_query,
)


def token_instantiate(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    """Nothing to set up."""
    BROKEN.save(deps.storage, False)
    return Response()


def token_execute(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    """A token of nothing: ``pay`` claims tokens to a contract's hook; ``transfer`` fails while broken."""
    ((name, value),) = msg.items()
    if name == "break":
        BROKEN.save(deps.storage, value)
        return Response()
    if name == "pay":
        hook = {"sender": info.sender, "amount": value["amount"], "msg": value["msg"]}
        return Response().add_message(WasmMsg.Execute(value["contract"], {"receive": hook}))
    if name == "transfer":
        broken = BROKEN.load(deps.storage)
        if broken:
            raise ContractError("this token never moves")
        return Response().add_attribute("action", "transfer")
    raise ContractError("unknown message")


HOSTILE_TOKEN = Contract(
    name="hostile_token_twin", instantiate=token_instantiate, execute=token_execute
)
