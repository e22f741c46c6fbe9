"""What a real wasmd answered over RPC, our node made the same way, and how the two are compared.

Amounts of ``umsg`` are turned into ``amsg`` on the recorded side, because our state and events
know nothing else.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from recorded_twins import STORED, TwinCodes, store_message

from chain.crypto.hd import wallet_key
from chain.crypto.keys import Ed25519Key
from chain.driver.codes import KnownCodes
from chain.driver.mempool import MempoolError
from chain.node.home import open_node
from chain.node.service import Node, Options
from chain.node.shapes import tx_result
from chain.tx.builder import build_cosmos_direct, build_dev, coins
from chain.tx.messages import DevFund, MsgSend, MsgStoreCode
from chain.wiring import dev_validator_keys, genesis_document

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "recorded" / "rpc"
GENESIS_TIME = 1_704_067_200_000_000_000  # 2024-01-01T00:00:00Z
#: went through there and are refused here; another transaction then takes their sequence
SUBSTITUTED = ("ante_fee_two_denoms_ok",)
#: not sent: its Wasm is not in the recording, and no line of ours is as long
OMITTED = ("store_out_of_gas",)
#: all but those of staking and fee grants
GROUPS = ("bank", "ante", "multisig", "store", "wasm", "reflect", "replier", "block")


@cache
def load(name: str) -> Any:
    """A recording by file name."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def node(codes: KnownCodes | None = None, *, first: int = 1, **options: Any) -> Node:
    """A started node in memory with the recorded accounts, which makes blocks on demand; ``first``
    is its first height."""
    accounts = [
        {"address": entry["address"], "name": entry["name"], "coins": entry["coins"]}
        for entry in load("tx_cases")["meta"]["genesis_accounts"]
    ]
    keys = dev_validator_keys(1)
    state = {"devnet": True, "accounts": accounts, "messages": []}
    document = genesis_document("msg-chain-1", GENESIS_TIME, keys, state)
    document["initial_height"] = str(first)
    made = open_node(None, document, Options(block_time="manual", **options), codes=codes)
    made.start()
    return made


def filler(number: int) -> str:
    """An address that nobody has."""
    return Ed25519Key(f"filler {number:>25}".encode()).pubkey.address()


def fill(made: Node, count: int, start: int) -> None:
    """Make accounts that only take numbers."""
    messages = [DevFund(filler(start + number), coins("1amsg")) for number in range(count)]
    made.produce([build_dev(messages, chain_id="msg-chain-1", nonce=start)])


def cases(*groups: str) -> list[dict[str, Any]]:
    """Transactions of groups in file order."""
    return [
        case
        for case in load("tx_cases")["cases"]
        if case["group"] in groups and case["id"] not in OMITTED
    ]


def _batch(case: dict[str, Any]) -> str:
    for prefix in ("block_race_", "block_five_"):
        if case["id"].startswith(prefix):
            return prefix
    return str(case["id"])


def batches(found: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Cases that were sent together."""
    for _, group in groupby(found, key=_batch):
        yield list(group)


def replayed() -> Replay:
    """Everything that needs no module we lack, in order and at the recorded heights."""
    replay = Replay()
    replay.run(cases(*GROUPS))
    replay.mine_to(int(load("tx_cases")["meta"]["final_height"]))
    return replay


class Replay:
    """Sends cases and remembers both sides."""

    def __init__(self) -> None:
        self.node = node(TwinCodes())
        self.answers: dict[str, tuple[dict[str, Any], dict[str, Any] | None]] = {}

    def run(self, found: list[dict[str, Any]]) -> None:
        """Send cases in order, a block after each batch."""
        for batch in batches(found):
            if batch[0]["id"] == "ante_timeout_current":
                self.mine_to(int(batch[0]["tx_json"]["body"]["timeout_height"]))
            elif batch[0].get("height"):
                self.mine_to(int(batch[0]["height"]) - 1)
            sent: list[tuple[str, bytes]] = []
            for case in batch:
                raw = self.stored(case) if case["id"] in STORED else base64.b64decode(case["tx"])
                checked = self.check(raw)
                self.answers[case["id"]] = (checked, None)
                if checked.get("code") == 0:
                    sent.append((case["id"], raw))
                elif case["id"] in SUBSTITUTED:
                    sent.append(("", self.substitute(case)))
            if not sent:
                continue
            record = self.node.mine()[0]
            results = dict(zip(record.block.txs, record.result.tx_results, strict=True))
            for name, raw in filter(lambda one: one[0], sent):
                self.answers[name] = (self.answers[name][0], tx_result(results[raw]))

    def mine_to(self, height: int) -> None:
        """Make empty blocks, so that transactions get the heights they had."""
        self.node.mine(height - self.node.height)

    def substitute(self, case: dict[str, Any]) -> bytes:
        """A plain transaction with a case's signer and sequence, so that the next ones fit."""
        account = load("tx_cases")["meta"]["accounts"][case["signer"]]
        number = int(case["account_number"])
        return self.plain(account["address"], number, int(case["sequence"]))

    def stored(self, case: dict[str, Any]) -> bytes:
        """A transaction that stores a twin, in place of one with Wasm."""
        address = load("tx_cases")["meta"]["accounts"][case["signer"]]["address"]
        message = store_message(case, address)
        return self.signed(message, address, int(case["account_number"]), int(case["sequence"]))

    def plain(self, address: str, number: int, sequence: int) -> bytes:
        """A plain transaction of a recorded account, taken into the pool."""
        alice = load("tx_cases")["meta"]["accounts"]["alice"]["address"]
        message = MsgSend(address, alice, coins("1umsg"))
        raw = self.signed(message, address, number, sequence, gas_limit=200_000)
        assert self.check(raw)["code"] == 0
        return raw

    def signed(
        self,
        message: MsgSend | MsgStoreCode,
        address: str,
        number: int,
        sequence: int,
        *,
        gas_limit: int = 5_000_000,
    ) -> bytes:
        """A message signed by a recorded account."""
        meta = load("tx_cases")["meta"]
        account = next(one for one in meta["accounts"].values() if one["address"] == address)
        key = wallet_key(meta["mnemonic"], int(account["hd_path"].rpartition("/")[2]))
        return build_cosmos_direct(
            [message],
            [key],
            chain_id=meta["chain_id"],
            account_numbers=[number],
            sequences=[sequence],
            gas_limit=gas_limit,
            fee=coins(f"{gas_limit // 1000}umsg"),
        )

    def check(self, raw: bytes) -> dict[str, Any]:
        """Code, codespace and log of a broadcast, or the pool's refusal."""
        try:
            found = self.node.broadcast(raw)
        except MempoolError as error:
            return {"error": str(error)}
        return {"code": found.code, "codespace": found.codespace, "log": found.log}


_UMSG = re.compile(r"(?<![\w.])(\d+)umsg\b")


def in_amsg(text: str) -> str:
    """Amounts of a text in base units."""
    return _UMSG.sub(lambda match: f"{int(match[1]) * 10**12}amsg", text)


_HOLES = (
    (re.compile(r"gasUsed: \d+"), "gasUsed: _"),
    (re.compile(r"gas used: '\d+'"), "gas used: '_'"),
    (re.compile(r"block height: \d+"), "block height: _"),
    (re.compile(r"current blockchain height \d+"), "current blockchain height _"),
    (re.compile(r"spendable balance \d+(\w+)"), r"spendable balance _\1"),
    (re.compile(r"out of gas in location: [^;]*;"), "out of gas in location: _;"),
    (re.compile(r" \[[^\]]*\.go:\d+\]"), ""),
)


def with_holes(text: str) -> str:
    """A text whose moment-dependent parts are marks."""
    text = in_amsg(text)
    for pattern, mark in _HOLES:
        text = pattern.sub(mark, text)
    return text


def events_of(result: dict[str, Any]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Events as types and pairs, amounts in base units."""
    return [
        (
            event["type"],
            [(one["key"], in_amsg(one["value"])) for one in event["attributes"]],
        )
        for event in result["events"]
    ]


def differences(case: dict[str, Any], answer: tuple[dict[str, Any], Any]) -> list[str]:
    """How our answer differs from a recorded one."""
    checked, result = answer
    recorded = case["broadcast_tx_sync"]
    found: list[str] = []
    if recorded is None:
        return found
    if "code" not in recorded:
        return [] if checked.get("error") else [f"error: {recorded} / {checked}"]
    for name in ("code", "codespace"):
        if checked.get(name) != recorded[name]:
            found.append(f"check {name}: {recorded[name]!r} / {checked.get(name)!r}: {checked}")
    if with_holes(checked.get("log", "")) != with_holes(recorded["log"]):
        found.append(f"check log: {recorded['log']!r} / {checked.get('log')!r}")
    expected = case.get("tx_result")
    if (expected is None) != (result is None):
        return [*found, f"in a block: {expected is not None} / {result is not None}"]
    if expected is None or result is None:
        return found
    for name in ("code", "codespace", "gas_wanted", "info"):
        if result[name] != expected[name]:
            found.append(f"{name}: {expected[name]!r} / {result[name]!r} {result['log']}")
    if _data(result["data"]) != _data(expected["data"]):
        found.append(f"data: {expected['data']!r} / {result['data']!r}")
    if with_holes(result["log"]) != with_holes(expected["log"]):
        found.append(f"log: {expected['log']!r} / {result['log']!r}")
    left, right = events_of(expected), events_of(result)
    if case["id"] in STORED:
        left, right = _unsigned(left), _unsigned(right)
    if left != right:
        found.append(f"events: {left} / {right}")
    return found


_TIME = re.compile(rb'"time":"\d{19}"')


def _data(shown: str | None) -> bytes | None:
    """A result's data without the times that a contract mirrored into it."""
    return None if shown is None else _TIME.sub(b'"time":_', base64.b64decode(shown))


def _unsigned(events: list[tuple[str, list[tuple[str, str]]]]) -> Any:
    """Events without the signature, of a transaction that is not the recorded one."""
    return [event for event in events if event[1][0][0] != "signature"]
