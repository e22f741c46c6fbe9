"""The recorded requests over HTTP, sent to our node: status, headers and bodies."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import httpx
import pytest
from recorded_rpc import Replay, in_amsg, load, replayed
from rpc_compare import http_differences
from rpc_differences import NAMED_RPC, judge

from chain.block.hashing import block_id
from chain.node.rpc import Rpc
from chain.node.server import application
from chain.node.shapes import as_block

ENTRIES = load("rpc")["http"]
HEIGHT = 274
_NOTES = {"'[' repeated 100000 times": b"[" * 100_000}
#: who sends the transactions of these entries
_SENDER = "msg194jf5cljlgz4vz42fpdyudrv4jyjav9dfkzjqc"
#: entries before which a block was made
_BLOCK_BEFORE = ("tx_broadcast_sync_ok", "tx_broadcast_commit_fails_in_block")


def body_of(entry: dict[str, Any], hashes: dict[str, str]) -> bytes:
    """A request's body, with our hash of a block in place of the recorded one."""
    request = entry["request"]
    if "body_note" in request:
        note = request["body_note"]
        nested = b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
        deep = b'{"jsonrpc":"2.0","id":1,"method":"health","params":' + nested + b"}"
        return _NOTES.get(note, deep)
    body = request.get("body") or ""
    for recorded, ours in hashes.items() if not entry["id"].endswith("_base64") else ():
        body = body.replace(recorded, ours)
    return (in_amsg(body) if "_search" in body else body).encode()


async def answers(replay: Replay) -> dict[str, httpx.Response]:
    """Our answers to all requests, in order."""
    node = replay.node
    rpc = Rpc(node)
    record = node.record(15)
    assert record is not None
    ours = block_id(as_block(record)).hash
    recorded = bytes.fromhex("2AE65FA30117C067EC05095E591099B116C0FE9771626A12A9EFA8A656750830")
    hashes = {
        recorded.hex().upper(): ours.hex().upper(),
        base64.b64encode(recorded).decode(): base64.b64encode(ours).decode(),
    }
    found = {}
    transport = httpx.ASGITransport(app=application(node, rpc))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:37657") as client:
        for entry in ENTRIES:
            if entry["id"] == "tx_broadcast_commit_fails_in_block":
                _fill_gap(replay)
            if entry["id"] in _BLOCK_BEFORE:
                await asyncio.to_thread(node.mine)
            request = entry["request"]
            sent = asyncio.create_task(
                client.request(
                    request["method"],
                    request["path"],
                    content=body_of(entry, hashes),
                    headers=request.get("headers"),
                )
            )
            if "broadcast_tx_commit" in (request.get("body") or ""):
                await asyncio.sleep(0.1)
                await asyncio.to_thread(node.mine)
            found[entry["id"]] = await sent
    rpc.close()
    return found


def _fill_gap(replay: Replay) -> None:
    """Stand in for transactions that the recording leaves out."""
    found = replay.node.app.queries.account(_SENDER)
    assert found is not None
    replay.node.mine()
    for sequence in (1, 2):
        replay.plain(_SENDER, found[0].number, sequence)


@pytest.fixture(scope="module")
def found() -> dict[str, httpx.Response]:
    replay = replayed()
    try:
        replay.mine_to(HEIGHT)
        return asyncio.run(answers(replay))
    finally:
        replay.node.stop()


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["id"])
def test_recorded_request(found: dict[str, httpx.Response], entry: dict[str, Any]) -> None:
    differences = http_differences(entry["response"], found[entry["id"]])
    judge(entry["id"], differences, NAMED_RPC)
