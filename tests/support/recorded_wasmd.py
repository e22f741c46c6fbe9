"""Sets up the recorded wasmd's world in a test chain and replays cases on it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from dispatch_trace import traced
from recorded_wire import b64, compact, fill, message_bytes, responses, same, unfolded
from twins.burner import BURNER
from twins.hackatom import HACKATOM, HACKATOM_42, HACKATOM_420
from twins.reflect import REFLECT, RESULT
from twins.replier import REPLIER
from twins.script import SCRIPT

from chain.crypto.addresses import contract_address, predictable_address, validate
from chain.std import Coin
from chain.testing import Chain, QueryFailed
from chain.tx.messages import (
    AccessConfig,
    MsgClearAdmin,
    MsgExecuteContract,
    MsgInstantiateContract,
    MsgInstantiateContract2,
    MsgMigrateContract,
    MsgSend,
    MsgStoreCode,
    MsgUpdateAdmin,
    MsgUpdateContractLabel,
)

FOLDER = Path(__file__).parents[2] / "fixtures" / "recorded" / "wasmd"
TWINS = {
    "reflect": REFLECT,
    "replier": REPLIER,
    "hackatom": HACKATOM,
    "burner": BURNER,
    "script": SCRIPT,
    "hackatom_42": HACKATOM_42,
    "hackatom_420": HACKATOM_420,
}
GENESIS_TIME = 1704067200
START = "1000000denom,1000000stake,1000000ufoo"
LOOSE = (
    "Error parsing into type",
    "addr_validate errored:",
    "decoding bech32",
    "panicked at",
    "out of gas in location:",
    "invalid character",
    "json: cannot unmarshal",
    "illegal base64 data",
    "unexpected end of JSON input",
)


@cache
def load(name: str) -> Any:
    """A recorded file, decoded."""
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


class World:
    """The recorded starting state in a test chain, and the names of its addresses."""

    def __init__(self) -> None:
        self.recorded = load("world.json")
        self.names: dict[str, str] = {
            **self.recorded["accounts"],
            **self.recorded["other_addresses"],
            **{name: entry["address"] for name, entry in self.recorded["contracts"].items()},
        }
        self.chain = Chain(chain_id=self.recorded["chain_id"], prefix="msg")
        for name in self.recorded["accounts"]:
            self.chain.fund(self.names[name], START)
        self.setup_results = [self._set_up(i) for i in range(len(self.recorded["setup"]))]
        block = self.recorded["block"]
        self.chain.set_height(block["height"])
        self.chain.set_time(int(block["time_ns"]))

    def _set_up(self, index: int) -> Any:
        step = self.recorded["setup"][index]
        self.chain.set_height(index + 2)
        self.chain.set_time((GENESIS_TIME + 5 * (index + 2)) * 10**9)
        sender = self.names[step["sender"]]
        ((kind, fields),) = step["msg"].items()
        if kind == "store":
            number = str(
                len([s for s in self.recorded["setup"][:index] if "store" in s["msg"]]) + 1
            )
            code = self.recorded["codes"][number]
            allowed = fill(fields["perm_addrs"], self.lookup) if "perm_addrs" in fields else None
            return self.chain.store_code(
                TWINS[fields["code"]],
                sender=sender,
                checksum=bytes.fromhex(code["checksum"]),
                instantiate_by=allowed,
            )
        return self.chain.try_execute_many([self.message({kind: fields}, sender)])

    def lookup(self, name: str) -> str:
        """The address a name stands for."""
        if name in self.names:
            return self.names[name]
        if name.endswith("_upper"):
            return self.names[name.removesuffix("_upper")].upper()
        if name.startswith("pre_"):
            checksum = bytes.fromhex(self.recorded["codes"]["5"]["checksum"])
            creator = validate(self.names["alice"])
            return str(predictable_address(checksum, creator, bytes.fromhex(name[4:])))
        code, _, instance = name.removeprefix("c").partition("_")
        return str(contract_address(int(code), int(instance)))

    def message(self, shown: dict[str, Any], sender: str) -> Any:
        """A top-level message in the recordings' shorthand as a transaction's message."""
        ((kind, fields),) = shown.items()
        if kind == "store":
            return self._store(fields, sender)
        f = {key: item if key == "msg" else unfolded(item) for key, item in fields.items()}
        f = fill(f, self.lookup)
        funds = tuple(
            Coin(c["denom"], int(c["amount"])) for c in f.get("funds") or f.get("amount") or []
        )
        msg = message_bytes(f["msg"]) if "msg" in f else b""
        if kind == "execute":
            return MsgExecuteContract(sender, f["contract"], msg, funds)
        if kind == "instantiate":
            return MsgInstantiateContract(sender, f["admin"], f["code_id"], f["label"], msg, funds)
        if kind == "instantiate2":
            salt, fix = bytes.fromhex(f["salt"]), f.get("fix_msg", False)
            return MsgInstantiateContract2(
                sender, f["admin"], f["code_id"], f["label"], msg, funds, salt, fix
            )
        if kind == "migrate":
            return MsgMigrateContract(sender, f["contract"], f["code_id"], msg)
        if kind == "update_admin":
            return MsgUpdateAdmin(sender, f["contract"], f["new_admin"])
        if kind == "clear_admin":
            return MsgClearAdmin(sender, f["contract"])
        if kind == "update_label":
            return MsgUpdateContractLabel(sender, f["contract"], f.get("label") or f["new_label"])
        if kind == "send":
            return MsgSend(sender, f["to"], funds)
        raise ValueError(kind)

    def _store(self, fields: dict[str, Any], sender: str) -> MsgStoreCode:
        """An upload: of the script contract by its line, of anything else as bytes of that size."""
        code = b"\0" * fields["bytes"]
        if fields["sha256"] == self.recorded["codes"]["5"]["checksum"]:
            code = self.chain._engine.codes.add(SCRIPT, bytes.fromhex(fields["sha256"])).encode()
        access = AccessConfig(1) if fields.get("perm") == "nobody" else None
        return MsgStoreCode(sender, code, access)

    def replay(self, case: dict[str, Any]) -> list[tuple[str, str]]:
        """Run one case and list what differs: (aspect, what)."""
        mark = self.chain.snapshot()
        names = dict(self.names)
        try:
            for name, entry in case.get("instantiate2", {}).items():
                self.names[name] = entry["address"]
            return list(self._differences(case))
        finally:
            self.chain.revert(mark)
            self.names = names

    def _differences(self, case: dict[str, Any]) -> Any:
        with traced(self.chain) as rows:
            txs = case.get("txs", [])
            for tx, expected in zip(txs, case.get("results", [])[: len(txs)], strict=True):
                sender = self.names[tx["sender"]]
                result = self.chain.try_execute_many(
                    [self.message(message, sender) for message in tx["msgs"]],
                    gas_limit=tx.get("gas", self.recorded["default_tx_gas"]),
                )
                yield from self.result_differences(fill(expected, self.lookup), result)
        if "trace" in case:
            wanted = [[row[0], self.lookup(row[1]), *row[2:]] for row in case["trace"]]
            if not _traces_equal(fill(wanted, self.lookup), rows):
                yield "trace", f"{wanted} != {rows}"
        if "dispatches" in case and case["dispatches"] != len(rows):
            yield "trace", f"{case['dispatches']} != {len(rows)} dispatches"
        for asked in (*case.get("queries", ()), *case.get("raw_queries", ())):
            if asked.get("query") != "nested":
                yield from self._query_differences(asked)
        if "txs" in case:
            yield from self.state_differences(case)

    def _query_differences(self, asked: dict[str, Any]) -> Any:
        """Compare an external query; the recordings show ``ok`` as text and ``raw`` as base64."""
        address, answer = fill(asked["contract"], self.lookup), fill(asked["answer"], self.lookup)
        try:
            if "key_hex" in asked:
                raw = self.chain.query_raw(address, bytes.fromhex(asked["key_hex"]))
                shown = {"raw": None if raw is None else b64(raw)}
            else:
                message = message_bytes(fill(asked["query"], self.lookup))
                found = self.chain.query(address, message)
                shown = {"ok": found.decode() if isinstance(found, bytes) else compact(found)}
        except QueryFailed as error:
            shown = {"error": str(error)}
            if "error" in answer:
                answer = {"error": answer["error"].removesuffix(": query wasm contract failed")}
        if loosened(answer) != loosened(shown):
            yield (
                "query",
                f"{asked['query' if 'query' in asked else 'key_hex']}: {answer} != {shown}",
            )

    def result_differences(self, expected: dict[str, Any], result: Any) -> Any:
        """Compare one transaction's result."""
        codes = (expected["code"], expected.get("codespace", ""))
        if codes != (result.code, result.codespace):
            yield "code", f"{codes} != {(result.code, result.codespace)} {result.log!r}"
            return
        if not logs_equal(expected.get("log", ""), result.log, result.code):
            yield "log", f"{expected.get('log')!r} != {result.log!r}"
        if "data" in expected and expected["data"] != b64(result.tx_data):
            yield "data", f"{expected['data']} != {b64(result.tx_data)}"
        if not same(expected.get("responses", []), responses(result.tx_data)):
            yield "responses", f"{expected.get('responses')} != {responses(result.tx_data)}"
        shown = [row for row in map(event_row, result.events) if row[2] is not None]
        total = expected.get("events_total", len(expected["events"]))
        if total != len(shown) or not same(expected["events"], shown[: len(expected["events"])]):
            yield "events", f"{expected['events']} != {shown}"

    def state_differences(self, case: dict[str, Any]) -> Any:
        """Compare balances, supply, contracts and counters after the case."""
        yield from self._balance_differences(case)
        world, changed = self.recorded["contracts"], case.get("contracts", {})
        for name in [*world, *(n for n in changed if n not in world)]:
            entry = {**world.get(name, {}), **changed.get(name, {})}
            yield from self._contract_differences(name, entry, changed.get(name, {}))
        wanted = case.get("next_instance_id", self.recorded["next_instance_id"])
        mark = self.chain.snapshot()
        fresh = self.chain.instantiate(1, {}, sender=self.names["alice"], label="next")
        self.chain.revert(mark)
        if fresh != contract_address(1, wanted):
            yield "next_instance_id", f"{wanted}: {fresh}"

    def _balance_differences(self, case: dict[str, Any]) -> Any:
        wanted = {**self.recorded["balances"], **case.get("balances", {})}
        for name in [*self.names, *(n for n in wanted if n not in self.names)]:
            coins = self.chain.balances(self.lookup(name))
            shown = ",".join(f"{coin.amount}{coin.denom}" for coin in coins)
            if shown != wanted.get(name, ""):
                yield "balances", f"{name}: {wanted.get(name, '')} != {shown}"
        supply = ",".join(f"{self.chain.supply(denom)}{denom}" for denom in ("denom", "ufoo"))
        if supply != case.get("supply", self.recorded["supply"]):
            yield "supply", f"{case.get('supply')} != {supply}"

    def _contract_differences(self, name: str, entry: Any, changed: Any) -> Any:
        address = self.lookup(name)
        try:
            info = self.chain.contract_info(address)
        except QueryFailed as error:
            yield "contracts", str(error)
            return
        for field in ("code_id", "creator", "admin", "label"):
            shown = getattr(info, field) or ""
            if fill(entry[field], self.lookup) != shown:
                yield "contracts", f"{name}.{field}: {entry[field]} != {shown}"
        before = self.recorded["contracts"].get(name, {}).get("state", {})
        state = {**before, **changed.get("state", {})}
        state = {key: value for key, value in state.items() if value is not None}
        stored = self.chain.storage(address)
        replies = {
            str(int.from_bytes(key[8:])): json.loads(stored.pop(key))
            for key in list(stored)
            if key.startswith(RESULT)
        }
        if loosened(fill(changed.get("replies", {}), self.lookup)) != loosened(replies):
            yield "replies", f"{name}: {changed.get('replies')} != {replies}"
        shown = {shown_key(key): value for key, value in stored.items()}
        wanted = fill(state, self.lookup)
        if shown.keys() != wanted.keys():
            yield "state", f"{name}: {sorted(wanted)} != {sorted(shown)}"
            return
        for key, value in wanted.items():
            if not _values_equal(value, shown[key]):
                yield "state", f"{name}.{key}: {value!r} != {shown[key]!r}"


def shown_key(key: bytes) -> str:
    """A key as the recordings show it."""
    if len(key) > 1024:
        return f"len:{len(key)}"
    text = key.decode("latin-1")
    if all(" " <= char <= "~" for char in text):
        return text if len(text) <= 100 else f"{text[:40]}…({len(text)} chars)"
    return "0x" + key.hex()


def _values_equal(wanted: Any, stored: bytes) -> bool:
    if isinstance(wanted, list):
        shown = [_shortened(json.loads(line)) for line in stored.decode().splitlines()]
        return bool(loosened(wanted) == loosened(shown))
    if isinstance(wanted, dict) and set(wanted) == {"b64"}:
        return bool(wanted["b64"] == b64(stored))
    if isinstance(wanted, str) and wanted.startswith("len:"):
        return wanted == f"len:{len(stored)}"
    return bool(wanted == stored.decode("utf-8", "replace"))


def loosened(value: Any) -> Any:
    """The value with texts that the recordings mark as loose cut after their fixed part."""
    if isinstance(value, str):
        for marker in LOOSE:
            if marker in value:
                return value[: value.index(marker) + len(marker)]
        return value
    if isinstance(value, list):
        return [loosened(item) for item in value]
    if isinstance(value, dict):
        return {key: loosened(item) for key, item in value.items()}
    return value


def _shortened(reply: dict[str, Any]) -> dict[str, Any]:
    if len(reply.get("payload", "")) > 60:
        reply["payload"] = "<script>"
    return reply


def _traces_equal(wanted: list[Any], shown: list[Any]) -> bool:
    if len(wanted) != len(shown):
        return False
    for row, other in zip(wanted, shown, strict=True):
        if row[:6] != other[:6] or row[6:8] != other[6:8]:
            return False
        if len(row) > 8 and not logs_equal(row[8], other[8], 1):
            return False
    return True


def event_row(event: Any) -> list[Any]:
    """An event as the recordings show it: type, attributes, msg_index."""
    pairs = [[attribute.key, attribute.value] for attribute in event.attributes]
    index = None
    if pairs and pairs[-1][0] == "msg_index":
        index = int(pairs.pop()[1])
    return [event.type, pairs, index]


def logs_equal(expected: str, actual: str, code: int) -> bool:
    """Equality of error texts; the texts that the recordings mark as loose match by their fixed part."""
    if code == 0 or expected == actual:
        return True
    for marker in LOOSE:
        if marker in expected:
            return marker in actual or marker in LOOSE[2:4] or marker in LOOSE[5:]
    return False
