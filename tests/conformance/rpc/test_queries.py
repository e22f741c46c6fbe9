"""The recorded application queries, sent to our node: exact, or by shape where state differs."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest
from recorded_rpc import load, replayed
from rpc_compare import query_differences
from rpc_differences import NAMED_QUERIES, SHAPED_QUERIES, UNKNOWN_MODULES, judge

from chain.node.rpc import Rpc
from chain.node.server import application

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
    shaped = entry["id"] in SHAPED_QUERIES
    differences = query_differences(entry["path"], recorded, ours, shaped=shaped)
    judge(entry["id"], differences, NAMED_QUERIES)
