"""More requests to a chain like the recorded one: what they are told whatever the state holds."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from recorded_rpc import Replay, cases
from rpc_compare import http_differences

from chain.node.rpc import Rpc
from chain.node.server import application

FILE = Path(__file__).parents[3] / "fixtures" / "recorded" / "again" / "rpc.json"
REQUESTS = json.loads(FILE.read_text())
HEIGHT = 76


@pytest.fixture(scope="module")
def found() -> dict[str, httpx.Response]:
    """Our answers, by id, after the transactions of two groups."""
    replay = Replay()

    async def ask() -> dict[str, httpx.Response]:
        rpc = Rpc(replay.node)
        transport = httpx.ASGITransport(app=application(replay.node, rpc))
        answers = {}
        async with httpx.AsyncClient(transport=transport, base_url="http://node") as client:
            for entry in REQUESTS:
                request = entry["request"]
                answers[entry["id"]] = await client.request(
                    request["method"],
                    request["path"],
                    headers=request["headers"],
                    content=request["body"],
                )
        rpc.close()
        return answers

    try:
        replay.run(cases("bank", "ante"))
        replay.mine_to(HEIGHT)
        return asyncio.run(ask())
    finally:
        replay.node.stop()


@pytest.mark.parametrize("entry", REQUESTS, ids=lambda entry: entry["id"])
def test_request(found: dict[str, httpx.Response], entry: dict[str, Any]) -> None:
    assert not http_differences(entry["response"], found[entry["id"]])


def ask_one(method: str, params: Any) -> Any:
    """One call of a fresh node."""
    replay = Replay()

    async def ask() -> Any:
        rpc = Rpc(replay.node)
        transport = httpx.ASGITransport(app=application(replay.node, rpc))
        async with httpx.AsyncClient(transport=transport, base_url="http://node") as client:
            body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            answer = (await client.post("/", json=body)).json()
        rpc.close()
        return answer

    try:
        return asyncio.run(ask())
    finally:
        replay.node.stop()


def test_evidence_that_is_no_object() -> None:
    error = ask_one("broadcast_evidence", {"evidence": [1]})["error"]
    assert error["code"] == -32602
    assert error["data"].endswith(
        "json: cannot unmarshal array into Go value of type json.interfaceWrapper"
    )
