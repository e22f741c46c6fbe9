"""The recorded application queries, sent to our node: exact, or by shape where state differs."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from typing import Any

import httpx
import pytest
from google.protobuf.json_format import MessageToDict
from recorded_rpc import load, replayed, with_holes
from rpc_differences import NAMED_QUERIES, SHAPED_QUERIES, UNKNOWN_MODULES

from chain.node.rpc import Rpc
from chain.node.server import application
from chain.tx.proto import message

HEIGHT = 262
ENTRIES = [
    entry for entry in load("queries")["queries"] if not entry["id"].startswith(UNKNOWN_MODULES)
]


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """Our answers, by id."""

    async def ask() -> dict[str, Any]:
        rpc = Rpc(replay.node)
        transport = httpx.ASGITransport(app=application(replay.node, rpc))
        answers = {}
        async with httpx.AsyncClient(transport=transport, base_url="http://node") as client:
            for entry in ENTRIES:
                plain = {"path": entry.get("path"), "data": entry.get("data_hex"), "prove": False}
                body = {"id": 1, "method": "abci_query", "params": entry.get("params") or plain}
                answers[entry["id"]] = (await client.post("/", json=body)).json()
        rpc.close()
        return answers

    replay = replayed()
    try:
        replay.mine_to(HEIGHT)
        return asyncio.run(ask())
    finally:
        replay.node.stop()


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["id"])
def test_recorded_query(found: dict[str, Any], entry: dict[str, Any]) -> None:
    answer = found[entry["id"]]
    if "rpc_error" in entry:
        assert answer["error"] == entry["rpc_error"]
        return
    recorded, ours = entry["response"], answer["result"]["response"]
    assert list(ours) == list(recorded)
    differences = _differences(entry, recorded, ours)
    if entry["id"] in NAMED_QUERIES:
        assert differences, f"{entry['id']} does not differ any more"
    else:
        assert not differences, "\n".join(differences)


def _differences(
    entry: dict[str, Any], recorded: dict[str, Any], ours: dict[str, Any]
) -> list[str]:
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
        differences += _value_differences(entry, recorded["value"] or "", ours["value"] or "")
    return differences


def _value_differences(entry: dict[str, Any], recorded: str, ours: str) -> list[str]:
    """How two answers differ: in their members, or also in what these hold."""
    service, _, method = entry["path"].strip("/").rpartition("/")
    package = service.rpartition(".")[0]
    try:
        kind = message(f"{package}.{'Query' if service.endswith('.Query') else ''}{method}Response")
    except KeyError:
        return [f"value: {recorded!r} / {ours!r}"]
    left, right = [kind.FromString(base64.b64decode(value)) for value in (recorded, ours)]
    if entry["id"] in SHAPED_QUERIES:
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
