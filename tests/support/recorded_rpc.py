"""Replays the recorded transactions of a real wasmd chain against our App: same bytes, same answers.

Only the groups without Wasm: ``bank``, ``ante``, ``multisig`` and ``block``. What must differ is named in ``DIFFERENCES``.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app_world import Codes

from chain.app import keys, records
from chain.app.application import App
from chain.app.records import Account
from chain.block.types import BlockInput
from chain.crypto.addresses import validate
from chain.store import MemoryBackend, StateStore

FIXTURE = Path(__file__).parents[2] / "fixtures" / "recorded" / "rpc" / "tx_cases.json"
GROUPS = ("bank", "ante", "multisig", "block")
TIME = 1_704_067_200 * 10**9

#: case -> why ours answers otherwise
DIFFERENCES = {
    "bank_send_to_uppercase": "upper case addresses are refused everywhere (CH-7)",
    "bank_send_amount_empty_string": "the real chain crashes (111222); ours refuses the coins",
    "ante_pubkey_32_bytes": "the real chain crashes (111222); ours refuses the key",
    "ante_mode_info_absent": "the real chain crashes (111222); ours refuses the signature",
    "ante_fee_two_denoms_ok": "fee coins other than MSG's are refused by name (CH-4)",
}
#: case before which the recorded chain had made this many accounts, by cases that ours does not run
ACCOUNTS_BEFORE = {"block_fund_q30": 49}
_HOLES = re.compile(
    r"gasUsed: \d+|spendable balance \d+\w*|is smaller than \d+\w*|block height: \d+|"
    r"out of gas in location: \w+|stack:.*",
    re.DOTALL,
)


def cases() -> list[dict[str, Any]]:
    """The recorded cases in file order, those without answer too (they move the state)."""
    found = json.loads(FIXTURE.read_text(encoding="utf-8"))["cases"]
    return [case for case in found if case["group"] in GROUPS and case["tx"] is not None]


def shown(log: str) -> str:
    """A log with marks for what depends on gas, balances and heights."""
    return _HOLES.sub("*", log)


class RecordedChain:
    """An App from the recorded genesis accounts, whose blocks have the recorded heights."""

    def __init__(self) -> None:
        meta = json.loads(FIXTURE.read_text(encoding="utf-8"))["meta"]
        accounts = [
            {"address": entry["address"], "coins": entry["coins"]}
            for entry in meta["genesis_accounts"]
        ]
        self._addresses = {entry["name"]: entry["address"] for entry in meta["genesis_accounts"]}
        self.app = App(StateStore(MemoryBackend()), Codes())
        state = {"devnet": True, "accounts": accounts}
        self.app.init_chain(TIME, meta["chain_id"], None, (), state)
        self._run(1, ())

    def replay(self) -> Iterator[tuple[dict[str, Any], Any, Any]]:
        """Every case with our CheckTx answer and our result in the block (None: not in one)."""
        pending: list[tuple[dict[str, Any], Any]] = []
        listed = cases()
        for place, case in enumerate(listed):
            raw = base64.b64decode(case["tx"])
            if not pending:
                self._follow(case)
            checked = self.app.check_tx(raw)
            if not checked.code:
                pending.append((case, checked))
                following = listed[place + 1] if place + 1 < len(listed) else {}
                if case.get("height") and case.get("height") == following.get("height"):
                    continue
            if pending:
                txs = tuple(base64.b64decode(entry["tx"]) for entry, _ in pending)
                height = int(case.get("height") or 0)
                results = self._run(max(height, self.app.height + 1), txs)
                for (entry, answer), result in zip(pending, results, strict=True):
                    yield entry, answer, result
                pending.clear()
            if checked.code:
                yield case, checked, None

    def _follow(self, case: dict[str, Any]) -> None:
        """Bring the chain to where the recording is, after cases that ours answers otherwise."""
        writes: dict[bytes, bytes] = {}
        made = ACCOUNTS_BEFORE.get(case["id"])
        if made is not None:
            writes[keys.ACCOUNT_NUMBER] = keys.encode_amount(made)
        recorded = case.get("broadcast_tx_sync")
        address = self._addresses.get(case.get("signer", ""))
        if recorded and address and not case.get("withheld") and recorded["code"] != 32:
            found = self.app.queries.account(address)
            sequence = int(case["sequence"])
            if found is not None and found[0].sequence != sequence:
                moved = Account(found[0].number, sequence)
                writes[keys.account(validate(address))] = records.encode(moved)
        if not writes:
            return
        height = self.app.height + 1
        self.app.open_block(BlockInput(height, TIME + height * 10**9, b""))
        for key, value in writes.items():
            self.app.open_scope.overlay.set(key, value)
        self.app.close_block()
        self.app.commit()

    def _run(self, height: int, txs: tuple[bytes, ...]) -> list[Any]:
        result = self.app.finalize_block(BlockInput(height, TIME + height * 10**9, b"", txs))
        self.app.commit()
        return result.tx_results


def differences(case: dict[str, Any], checked: Any, result: Any) -> list[str]:
    """What of a recorded case ours does not answer."""
    found = []
    recorded = case.get("broadcast_tx_sync")
    if recorded is None or case.get("withheld"):
        return found
    if (recorded["code"], recorded["codespace"]) != (checked.code, checked.codespace):
        return [
            f"check: {recorded['codespace']}/{recorded['code']} {recorded['log']!r} != {checked}"
        ]
    if shown(recorded["log"]) != shown(checked.log):
        found.append(f"check: {recorded['log']!r} != {checked.log!r}")
    wanted = case.get("tx_result")
    if wanted is None or result is None:
        return found
    if (wanted["code"], wanted["codespace"]) != (result.code, result.codespace):
        return [
            *found,
            f"block: {wanted['codespace']}/{wanted['code']} {wanted['log']!r} != {result}",
        ]
    if shown(wanted["log"]) != shown(result.log):
        found.append(f"block: {wanted['log']!r} != {result.log!r}")
    if base64.b64decode(wanted["data"] or "") != result.data:
        found.append(f"data: {wanted['data']} != {base64.b64encode(result.data).decode()}")
    if int(wanted["gas_wanted"]) != result.gas_wanted:
        found.append("gas_wanted")
    found.extend(_event_differences(wanted["events"], result.events))
    return found


def _event_differences(wanted: list[dict[str, Any]], events: list[Any]) -> list[str]:
    ours = [(event.type, [list(pair) for pair in event.attributes]) for event in events]
    theirs = [
        (event["type"], [[a["key"], _amsg(a["key"], a["value"])] for a in event["attributes"]])
        for event in wanted
    ]
    if ours == theirs:
        return []
    return [f"events: {theirs} != {ours}"]


def _amsg(key: str, value: str) -> str:
    """Amounts of umsg as our events show them: in amsg, first in order of denominations."""
    if key not in ("amount", "fee"):
        return value
    parts = [
        f"{part[:-4]}{'0' * 12}amsg" if part.endswith("umsg") else part for part in value.split(",")
    ]
    return ",".join(sorted(parts, key=lambda part: part.lstrip("0123456789")))
