"""Replays what the real cw20-base and cw20-escrow did, compared as the recordings' README says."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from chain.driver.genesis import format_time
from chain.testing import Chain, QueryFailed

FOLDER = Path(__file__).parents[2] / "fixtures" / "recorded" / "multitest"
DROPPED = {"coin_spent", "coin_received", "transfer", "burn", "coinbase", "message", "tx"}
#: What a recorded kind of error is on a chain that follows wasmd.
CODES = {
    "contract": {("wasm", 5), ("wasm", 4)},
    "parse": {("wasm", 5), ("wasm", 4)},
    "panic": {("wasm", 29)},
    "funds": {("sdk", 5)},
    "no_contract": {("wasm", 22)},
    "event": {("wasm", 21)},
}
#: Texts of the mock API, or with version numbers and Rust type names in them.
ADDRESS_TEXTS = (
    "Generic error: Error decoding bech32",
    "Wrong bech32 prefix",
    "Generic error: Wrong bech32 prefix",
    "Generic error: Invalid input: address not normalized",
    "Generic error: Querier contract error",
)


@cache
def load(name: str) -> Any:
    """A recorded file, decoded."""
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def fill(value: Any, names: dict[str, str]) -> Any:
    """The value with every ``@name`` replaced by its address, and ``$b64`` and ``$pad`` made."""
    if isinstance(value, str):
        return names.get(value[1:], value) if value.startswith("@") else value
    if isinstance(value, list):
        return [fill(item, names) for item in value]
    if isinstance(value, dict):
        if set(value) == {"$b64"}:
            plain = json.dumps(
                fill(value["$b64"], names), ensure_ascii=False, separators=(",", ":")
            )
            return base64.b64encode(plain.encode()).decode()
        if set(value) == {"$pad"}:
            head, byte, size = value["$pad"]
            raw = base64.b64decode(head)
            return base64.b64encode(raw + bytes([byte]) * (size - len(raw))).decode()
        return {fill(key, names): fill(item, names) for key, item in value.items()}
    return value


def compact(value: Any) -> bytes:
    """A message as the recorder sent it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


class World:
    """A chain at the start of a recorded sequence."""

    def __init__(
        self, header: dict[str, Any], contracts: dict[str, Any], first: dict[str, Any]
    ) -> None:
        self.names: dict[str, str] = header["addresses"]
        time = format_time(int(first["time"]))
        start = {"genesis_time": time, "initial_height": str(first["height"])}
        self.chain = Chain(start)
        self.codes = {name: self.chain.store_code(made) for name, made in contracts.items()}
        bank = header["start_bank"]
        for actor in bank["each_of"]:
            self.chain.fund(self.names[actor[1:]], bank["coins"])

    def at(self, op: dict[str, Any]) -> None:
        """Move to the block of an operation."""
        self.chain.set_height(op["height"])
        self.chain.set_time(int(op["time"]))

    def run(self, op: dict[str, Any]) -> Any:
        """Carry out one operation."""
        self.at(op)
        sender = fill(op["sender"], self.names)
        body = compact(fill(op["msg"], self.names))
        funds = op.get("funds", [])
        if op["op"] == "instantiate":
            code = self.codes[op["code"]]
            return self.chain.try_instantiate(
                code, body, sender=sender, label=op["label"], funds=funds
            )
        return self.chain.try_execute(
            fill(op["contract"], self.names), body, sender=sender, funds=funds
        )

    def ask(self, address: str, asked: dict[str, Any]) -> str | None:
        """Ask a recorded question; what differs, or None."""
        question = fill(asked["q"], self.names)
        try:
            answer = self.chain.query(address, compact(question))
        except QueryFailed as error:
            return None if "e" in asked else f"{question}: {error}"
        if "e" in asked:
            return f"{question}: answered {answer}, not {asked['e']}"
        wanted = fill(asked["a"], self.names)
        return None if answer == wanted else f"{question}: {wanted} != {answer}"

    def bank_differences(self, bank: dict[str, Any]) -> Iterator[str]:
        """Recorded balances against the chain's."""
        for address, wanted in fill(bank, self.names).items():
            held = {c.denom: str(c.amount) for c in self.chain.balances(address)}
            if held != {c["denom"]: c["amount"] for c in wanted if c["amount"] != "0"}:
                yield f"balance of {address}: {wanted} != {held}"


def result_differences(op: dict[str, Any], result: Any, names: dict[str, str]) -> Iterator[str]:
    """What differs between a recorded and an actual result."""
    if "err" in op:
        yield from _error_differences(op["err"], result, names)
        return
    if result.code != 0:
        yield f"failed: {result!r}, recorded {op['ok']['events'][-1]}"
        return
    wanted = [
        (event["type"], [tuple(pair) for pair in fill(event["attributes"], names)])
        for event in op["ok"]["events"]
    ]
    shown = []
    for event in result.events:
        attributes = [(a.key, a.value) for a in event.attributes]
        if attributes and attributes[-1][0] == "msg_index":
            shown.append((event.type, attributes[:-1]))
    if _normal(wanted) != _normal(shown):
        yield f"events {_normal(wanted)} != {_normal(shown)}"
    if base64.b64decode(op["ok"]["data"] or "") != result.data:
        yield f"data {op['ok']['data']} != {result.data!r}"


def _error_differences(err: dict[str, str], result: Any, names: dict[str, str]) -> Iterator[str]:
    kind, text = err["kind"], err["text"]
    for name, address in names.items():
        text = text.replace(f"@{name}", address)
    if (result.codespace, result.code) not in CODES[kind]:
        yield f"{kind} {text!r} became {result!r}"
    if kind != "contract" or text.startswith(ADDRESS_TEXTS):
        return
    if "not found" in text:
        text = "not found"
    if text.startswith("Overflow: Cannot Sub"):
        text = "Overflow: Cannot Sub"
    if text not in result.log:
        yield f"{text!r} is not in {result.log!r}"


def _normal(events: list[tuple[str, list[tuple[str, str]]]]) -> list[Any]:
    kept = []
    for kind, attributes in events:
        if kind not in DROPPED:
            shown = [a for a in attributes if a[0] != "code_id"]
            kept.append((kind, sorted(shown, key=lambda a: a[0].encode())))
    return kept


def replay_cw20(sequence: dict[str, Any], contracts: dict[str, Any]) -> list[str]:
    """One sequence of the token file; what differs."""
    header = load("cw20_traces.json")["header"]
    world = World(header, contracts, sequence["ops"][0])
    names, chain = world.names, world.chain
    for name in ("hooka", "hookb"):
        made = chain.instantiate(world.codes["hook"], {}, sender=names["creator"], label=name)
        if made != names[name]:
            raise AssertionError(f"{name} is at {made}")
    found = []
    for number, op in enumerate(sequence["ops"]):
        for line in result_differences(op, world.run(op), names):
            found.append(f"{sequence['i']}.{number} {compact(op['msg'])[:200]!r}: {line}")
    final = sequence["final"]
    world.at(final)
    for asked in final["queries"]:
        line = world.ask(names["token"], asked)
        if line:
            found.append(f"{sequence['i']} {line}")
    for name, calls in final.get("hook_calls", {}).items():
        if chain.query(fill(name, names), {"calls": {}}) != calls:
            found.append(f"{sequence['i']} calls of {name}")
    found.extend(world.bank_differences(final.get("bank", {})))
    return found


def replay_escrow(sequence: dict[str, Any], contracts: dict[str, Any]) -> list[str]:
    """One sequence of the escrow file; what differs, ids that are stuck in cw20-escrow left out."""
    header = load("escrow_traces.json")["header"]
    world = World(header, contracts, sequence["ops"][0])
    names = world.names
    for made in header["setup"]["instantiate"]:
        world.chain.instantiate(
            world.codes[made["code"]],
            fill(made["msg"], names),
            sender=fill(made["sender"], names),
            label=made["label"],
        )
    found = []
    for number, op in enumerate(sequence["ops"]):
        if is_locked(op):
            continue
        for line in result_differences(op, world.run(op), names):
            found.append(f"{sequence['i']}.{number} {compact(op['msg'])[:200]!r}: {line}")
    final = sequence["final"]
    world.at(final)
    for asked in final["queries"]:
        line = world.ask(names["escrow"], asked)
        if line:
            found.append(f"{sequence['i']} {line}")
    found.extend(world.bank_differences(final["bank"]))
    for token, holders in fill(final["cw20"], names).items():
        for holder, amount in holders.items():
            answer = world.chain.query(token, {"balance": {"address": holder}})
            if answer["balance"] != amount:
                found.append(f"{sequence['i']} {token} of {holder}: {amount} != {answer}")
    return found


def is_locked(op: dict[str, Any]) -> bool:
    """A way out that cw20-escrow does not have: a panic on the end time, a token that does not exist."""
    name = next(iter(op["msg"])) if isinstance(op["msg"], dict) and op["msg"] else ""
    kind = op.get("err", {}).get("kind")
    return name in ("approve", "refund") and kind in ("panic", "no_contract")
