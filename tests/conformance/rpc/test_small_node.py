"""The recorded node with small limits: old blocks gone, a pool of two, open to every web page."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest
from recorded_rpc import load, node
from rpc_compare import http_differences
from rpc_differences import NAMED_SMALL, judge

from chain.node.rpc import Rpc
from chain.node.server import application

ENTRIES = load("rpc")["small_node"]
FIRST, LAST = 93, 103


@pytest.fixture(scope="module")
def found() -> dict[str, httpx.Response]:
    """Our answers. Blocks that the recorded node had pruned are before the first of ours."""
    made = node(first=FIRST, mempool_txs=2, tx_bytes=3_000, unsafe=True)

    async def ask() -> dict[str, httpx.Response]:
        rpc = Rpc(made)
        transport = httpx.ASGITransport(app=application(made, rpc, origins=("*",)))
        answers = {}
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            for entry in ENTRIES:
                if entry["id"] == "small_mempool_again":
                    await asyncio.to_thread(made.mine)
                request = entry["request"]
                answers[entry["id"]] = await client.request(
                    request["method"],
                    request["path"],
                    content=request.get("body"),
                    headers=request.get("headers"),
                )
        rpc.close()
        return answers

    try:
        made.mine(LAST - made.height)
        return asyncio.run(ask())
    finally:
        made.stop()


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["id"])
def test_recorded_request(found: dict[str, httpx.Response], entry: dict[str, Any]) -> None:
    differences = http_differences(entry["response"], found[entry["id"]])
    judge(entry["id"], differences, NAMED_SMALL)
