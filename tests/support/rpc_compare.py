"""Compares a recorded answer with ours, a rule for each kind of value; the default is "equal"."""

from __future__ import annotations

import base64
import contextlib
import json
import re
from typing import Any

import httpx
from google.protobuf.json_format import MessageToDict
from recorded_rpc import events_of, with_holes

from chain.tx.proto import message

_HEADERS = (
    "cache-control",
    "content-type",
    "x-content-type-options",
    "vary",
    "access-control-allow-origin",
    "access-control-allow-methods",
    "access-control-allow-headers",
)
_DEVNET = re.compile(r'<a href="//[^"]*/(?:devnet|msgchain)_[^"]*">[^<]*</a></br>')

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


def http_differences(recorded: dict[str, Any], ours: httpx.Response) -> list[str]:
    """How two answers over HTTP differ: in status, headers and body."""
    wanted = 400 if recorded["status"] == 500 else recorded["status"]  # named: see rpc_differences
    differences = [] if ours.status_code == wanted else [f"status {wanted} / {ours.status_code}"]
    for name in _HEADERS:
        left, right = recorded["headers"].get(name), ours.headers.get(name)
        if left != right:
            differences.append(f"{name}: {left} / {right}")
    if "x-server-time" in recorded["headers"] and "metrics" not in ours.text[:20]:
        assert ours.headers.get("x-server-time", "0").isdigit()
    try:
        return differences + compare(json.loads(recorded["body"]), ours.json())
    except ValueError:
        text = _DEVNET.sub("", ours.text)  # the list of methods has more on a devnet
        if recorded["body"] != text:
            differences.append(f"{recorded['body']!r} / {text!r}")
        return differences


def query_differences(
    path: str, recorded: dict[str, Any], ours: dict[str, Any], *, shaped: bool = False
) -> list[str]:
    """How two answers to an application query differ; of a ``shaped`` one only the members count."""
    differences = []
    for name in ("code", "codespace", "info", "index", "key"):
        if recorded[name] != ours[name]:
            differences.append(f"{name}: {recorded[name]!r} / {ours[name]!r}")
    if with_holes(recorded["log"]) != with_holes(ours["log"]):
        differences.append(f"log: {recorded['log']!r} / {ours['log']!r}")
    if (recorded["height"] == "0") != (ours["height"] == "0"):
        differences.append(f"height: {recorded['height']} / {ours['height']}")
    if (recorded["proofOps"] is None) != (ours["proofOps"] is None):
        differences.append(f"proof: {recorded['proofOps']} / {ours['proofOps']}")
    if recorded["value"] != ours["value"]:
        differences += _value_differences(
            path, recorded["value"] or "", ours["value"] or "", shaped=shaped
        )
    return differences


def _value_differences(path: str, recorded: str, ours: str, *, shaped: bool) -> list[str]:
    """How two answers differ: in their members, or also in what these hold."""
    service, _, method = path.strip("/").rpartition("/")
    package = service.rpartition(".")[0]
    try:
        kind = message(f"{package}.{'Query' if service.endswith('.Query') else ''}{method}Response")
    except KeyError:
        return [f"value: {recorded!r} / {ours!r}"]
    left, right = [kind.FromString(base64.b64decode(value)) for value in (recorded, ours)]
    if shaped:
        names = [[field.name for field, _ in one.ListFields()] for one in (left, right)]
        return [] if names[0] == names[1] else [f"members: {names[0]} / {names[1]}"]
    shown = [
        _masked(MessageToDict(one, descriptor_pool=one.DESCRIPTOR.file.pool))
        for one in (left, right)
    ]
    return [] if shown[0] == shown[1] else [f"value: {shown[0]} / {shown[1]}"]


def _masked(value: Any, name: str = "") -> Any:
    """An answer without what is another on another chain: gas, moments, our unit of coins."""
    if isinstance(value, dict):
        return {key: _masked(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [_masked(item, name) for item in value]
    if name in ("gasUsed", "timestamp"):
        return type(value).__name__
    if name in ("data", "value") and isinstance(value, str):
        with contextlib.suppress(ValueError):
            value = base64.b64decode(value, validate=True).decode()
    return with_holes(value) if isinstance(value, str) else value
