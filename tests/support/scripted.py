"""A small chain with three ``script`` contracts, and short spellings of what they are told to do."""

from __future__ import annotations

import json
from typing import Any

from twins.cosmos import b64, compact
from twins.reflect import pairs
from twins.script import SCRIPT

from chain.std import Response
from chain.testing import Chain, Contract


def script(
    *do: list[Any],
    messages: Any = (),
    attributes: Any = (),
    events: Any = (),
    data: bytes | None = None,
    error: str | None = None,
) -> dict[str, Any]:
    """A script: operations, then a response or an error."""
    if error is not None:
        return {"do": list(do), "ret": {"error": error}}
    ok = {
        "messages": list(messages),
        "attributes": [{"key": k, "value": v} for k, v in attributes],
        "events": [
            {"type": t, "attributes": [{"key": k, "value": v} for k, v in a]} for t, a in events
        ],
        "data": b64(data),
    }
    return {"do": list(do), "ret": {"ok": ok}}


def sub(
    msg: Any,
    reply_on: str = "always",
    number: int = 1,
    then: Any = None,
    gas_limit: int | None = None,
) -> dict[str, Any]:
    """A submessage; ``then`` is the script that its reply runs."""
    entry: dict[str, Any] = {"id": number, "msg": msg, "reply_on": reply_on, "gas_limit": gas_limit}
    if then is not None:
        entry["payload"] = b64(compact(then).encode())
    return entry


def plain(msg: Any) -> dict[str, Any]:
    """A message that is never replied to."""
    return sub(msg, "never", 0)


def coins(text: str) -> list[dict[str, str]]:
    """Coins as they stand: ``5denom,0earth``."""
    shown = []
    for part in filter(None, text.split(",")):
        digits = part.rstrip("abcdefghijklmnopqrstuvwxyz")
        shown.append({"denom": part[len(digits) :], "amount": digits})
    return shown


def call(address: str, message: Any, funds: str = "") -> dict[str, Any]:
    """A call of a contract."""
    return {
        "wasm": {
            "execute": {
                "contract_addr": address,
                "msg": b64(compact(message).encode()),
                "funds": coins(funds),
            }
        }
    }


def create(code_id: int, message: Any, funds: str = "", **more: Any) -> dict[str, Any]:
    """An instantiation; with ``salt`` at a predictable address."""
    fields = {
        "code_id": code_id,
        "msg": b64(compact(message).encode()),
        "label": "l",
        "funds": coins(funds),
        "admin": None,
        **more,
    }
    return {"wasm": {"instantiate2" if "salt" in more else "instantiate": fields}}


def migrate(address: str, code_id: int, message: Any) -> dict[str, Any]:
    """A migration."""
    encoded = b64(compact(message).encode())
    fields = {"contract_addr": address, "new_code_id": code_id, "msg": encoded}
    return {"wasm": {"migrate": fields}}


def send(to: str, amount: str) -> dict[str, Any]:
    """A bank send."""
    return {"bank": {"send": {"to_address": to, "amount": coins(amount)}}}


def burn(amount: str) -> dict[str, Any]:
    """A bank burn."""
    return {"bank": {"burn": {"amount": coins(amount)}}}


class Scripted:
    """Contracts ``a``, ``b`` and ``c`` of one code, each with 1000denom; ``alice`` and ``bob`` with coins."""

    def __init__(self) -> None:
        self.chain = Chain()
        self.alice = self.chain.account("alice", "1000msg,10000denom,10000earth")
        self.bob = self.chain.account("bob", "10denom")
        self.code = self.chain.store_code(SCRIPT, sender=self.alice)
        self.a, self.b, self.c = (
            self.chain.instantiate(
                self.code, {}, sender=self.alice, label=name, funds="1000denom", admin=self.alice
            )
            for name in "abc"
        )

    def run(self, message: Any, address: str = "", **more: Any) -> Any:
        """Execute ``a`` (or another) as alice; never raises."""
        return self.chain.try_execute(address or self.a, message, sender=self.alice, **more)

    def text(self, address: str, key: str) -> str | None:
        """A stored value as text."""
        raw = self.chain.storage(address).get(key.encode())
        return None if raw is None else raw.decode()

    def replies(self, address: str) -> list[Any]:
        """The replies that a contract received, as its JSON showed them."""
        return [json.loads(line) for line in (self.text(address, "replies") or "").splitlines()]

    def deploy(self, **entries: Any) -> str:
        """A contract made of functions."""
        entries.setdefault("instantiate", nothing)
        code = self.chain.store_code(Contract(name="case", version="1.0.0", **entries))
        return self.chain.instantiate(code, {}, sender=self.alice, label="case", admin=self.alice)


def nothing(deps: Any, env: Any, info: Any, msg: Any) -> Any:
    """An entry point that does nothing."""
    return Response()


def shape(result: Any) -> list[tuple[str, list[tuple[str, str]]]]:
    """Events of the messages of a transaction: (type, attributes without msg_index), ``message`` left out."""
    shown = []
    for event in result.events:
        attributes = pairs(event)
        if attributes and attributes[-1][0] == "msg_index" and event.type != "message":
            shown.append((event.type, attributes[:-1]))
    return shown


def types(result: Any) -> list[str]:
    """Types of those events."""
    return [kind for kind, _ in shape(result)]
