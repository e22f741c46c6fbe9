"""Replays the random submessage trees that cw-multi-test ran, compared as their README says."""

from __future__ import annotations

import base64
import json
from functools import cache
from pathlib import Path
from typing import Any

from twins.reflect import pairs
from twins.tree import TREE, coins

from chain.testing import Chain

PATH = Path(__file__).parents[2] / "fixtures" / "recorded" / "multitest" / "submsg_traces.json"
DROPPED = {"coin_spent", "coin_received", "transfer", "burn", "coinbase", "message", "tx"}
CODES = {"contract": {("wasm", 5)}, "funds": {("sdk", 5)}, "event": {("wasm", 21)}}


@cache
def load() -> Any:
    """The recorded file, decoded."""
    return json.loads(PATH.read_text(encoding="utf-8"))


def fill(value: Any, names: dict[str, str]) -> Any:
    """The value with every ``@name`` replaced by its address."""
    if isinstance(value, str):
        return names.get(value[1:], value) if value.startswith("@") else value
    if isinstance(value, list):
        return [fill(item, names) for item in value]
    if isinstance(value, dict):
        return {fill(key, names): fill(item, names) for key, item in value.items()}
    return value


class TreeWorld:
    """Three instances of ``tree`` and their coins."""

    def __init__(self) -> None:
        self.header = load()["header"]
        self.names: dict[str, str] = self.header["addresses"]
        self.chain = Chain()
        code = self.chain.store_code(TREE)
        for name in self.header["contracts"]:
            made = self.chain.instantiate(code, {}, sender=self.names["alice"], label=name)
            if made != self.names[name]:
                raise AssertionError(f"{name} is at {made}")
        for name, amounts in fill(self.header["start_bank"], self.names).items():
            self.chain.fund(name, coins(amounts))

    def replay(self, case: dict[str, Any]) -> list[str]:
        """Run one case and list what differs."""
        mark = self.chain.snapshot()
        try:
            return list(self._differences(fill(case, self.names)))
        finally:
            self.chain.revert(mark)

    def _differences(self, case: dict[str, Any]) -> Any:
        for tx in case["txs"]:
            self.chain.set_height(tx["height"])
            self.chain.set_time(int(tx["time"]))
            result = self.chain.try_execute(
                tx["contract"], tx["msg"], tx["sender"], tx.get("funds", ())
            )
            yield from _result_differences(tx, result)
        yield from self._final_differences(case["final"])

    def _final_differences(self, final: dict[str, Any]) -> Any:
        for address, wanted in final["storage"].items():
            stored = self.chain.storage(address)
            shown = {key.decode(): value.decode() for key, value in stored.items()}
            if shown != wanted:
                yield f"storage of {address}: {wanted} != {shown}"
        for address, wanted in final["bank"].items():
            held = [[str(c.amount), c.denom] for c in self.chain.balances(address)]
            if sorted(held) != sorted(wanted):
                yield f"balance of {address}: {wanted} != {held}"


def _result_differences(tx: dict[str, Any], result: Any) -> Any:
    if "err" in tx:
        kind, text = tx["err"]["kind"], tx["err"]["text"]
        if (result.codespace, result.code) not in CODES[kind]:
            yield f"{kind} became {result!r}"
        plain = result.log.replace("'", "").replace('"', "")
        if kind != "funds" and text.replace("'", "").replace('"', "") not in plain:
            yield f"{text!r} is not in {result.log!r}"
        return
    if result.code != 0:
        yield f"failed: {result!r}"
        return
    wanted = [(e["type"], [tuple(a) for a in e["attributes"]]) for e in tx["ok"]["events"]]
    shown = []
    for event in result.events:
        attributes = pairs(event)
        if attributes and attributes[-1][0] == "msg_index":
            shown.append((event.type, attributes[:-1]))
    if _normal(wanted) != _normal(shown):
        yield f"events {_normal(wanted)} != {_normal(shown)}"

    if base64.b64decode(tx["ok"]["data"] or "") != result.data:
        yield f"data {tx['ok']['data']} != {result.data!r}"


def _normal(events: list[tuple[str, list[tuple[str, str]]]]) -> list[Any]:
    shown = []
    for kind, attributes in events:
        if kind not in DROPPED:
            kept = [a for a in attributes if not (kind == "reply" and a[0] == "mode")]
            shown.append((kind, sorted(kept, key=lambda a: a[0].encode())))
    return shown
