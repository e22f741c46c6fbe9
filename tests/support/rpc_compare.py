"""Compares a recorded answer with ours, a rule for each kind of value; the default is "equal"."""

from __future__ import annotations

import re
from typing import Any

from recorded_rpc import events_of, with_holes

_HASH = re.compile(r"[0-9A-F]{64}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z")
_DIGITS = re.compile(r"\d+")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{2,}={0,2}")
_ADDRESS = re.compile(r"[0-9A-F]{40}")
#: members that are other numbers on another chain
_NUMBERS = frozenset(
    (
        "gas_used",
        "height",
        "block_height",
        "last_height",
        "block_size",
        "last_block_height",
        "latest_block_height",
        "voting_power",
        "total_bytes",
    )
)
#: members that are other names, keys and signatures
_NAMES = {
    "id": re.compile(r"[0-9a-f]{40}"),
    "listen_addr": re.compile(r"tcp://.*:\d+"),
    "rpc_address": re.compile(r"tcp://.*:\d+"),
    "moniker": re.compile(r".+"),
    "version": re.compile(r"(0\.38\.\d+|.*)"),
    "signature": _BASE64,
    "value": _BASE64,
    "app_hash": _BASE64,
    "last_block_app_hash": _BASE64,
    "address": _ADDRESS,
    "validator_address": _ADDRESS,
    "proposer_address": _ADDRESS,
    "data": re.compile(r".+"),
}
#: the application's version: CometBFT's rollback needs it not to be 0, recordings had 0
_VERSION = "version"


def compare(recorded: Any, ours: Any, path: str = "") -> list[str]:
    """How two JSON values differ, as texts."""
    if type(recorded) is not type(ours):
        return [f"{path}: {recorded!r} / {ours!r}"]
    if isinstance(recorded, dict):
        return _compare_objects(recorded, ours, path)
    if isinstance(recorded, list):
        return _compare_lists(recorded, ours, path)
    if recorded == ours or _alike(path, recorded, ours):
        return []
    return [f"{path}: {recorded!r} / {ours!r}"]


def _compare_objects(recorded: dict[str, Any], ours: dict[str, Any], path: str) -> list[str]:
    found = []
    if path.endswith(".version") and "block" in recorded:
        ours = {"block": ours["block"]} if "app" not in recorded else ours
    if list(recorded) != list(ours):
        found.append(f"{path}: members {list(recorded)} / {list(ours)}")
    for name, value in recorded.items():
        if name in ours:
            found += compare(value, ours[name], f"{path}.{name}")
    return found


def _compare_lists(recorded: list[Any], ours: list[Any], path: str) -> list[str]:
    if recorded and ours and path.endswith(".events") and isinstance(recorded[0], dict):
        left, right = events_of({"events": recorded}), events_of({"events": ours})
        return [] if left == right else [f"{path}: {left} / {right}"]
    found = []
    if len(recorded) != len(ours):
        found.append(f"{path}: {len(recorded)} items / {len(ours)}")
    for index, (left, right) in enumerate(zip(recorded, ours, strict=False)):
        found += compare(left, right, f"{path}[{index}]")
    return found


def _alike(path: str, recorded: Any, ours: Any) -> bool:
    if not isinstance(recorded, str):
        return False
    name = path.rpartition(".")[2]
    if path.endswith((".version.app", ".protocol_version.app")):
        return bool(_DIGITS.fullmatch(ours))
    for pattern in (_HASH, _TIME):
        if pattern.fullmatch(recorded) and pattern.fullmatch(ours):
            return True
    if name in _NUMBERS:
        return bool(_DIGITS.fullmatch(ours))
    if name.endswith("bit_array") or name.startswith("votes["):
        return True
    pattern = _NAMES.get(name)
    if pattern is not None and ".error" not in path and ".response." not in path:
        return bool(pattern.fullmatch(recorded) and pattern.fullmatch(ours))
    return with_holes(recorded) == with_holes(ours)
