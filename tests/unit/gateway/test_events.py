"""Following blocks: ids, catching up, waiting, going back."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from chain.client.jsonrpc import RpcFailed, Unreachable
from chain.client.transport import TimedOut
from chain.gateway.events import BlockEvents, Follower, Position, block_events, position_of
from chain.gateway.link import Subscribed

TX = b"some transaction"
HASH = hashlib.sha256(TX).hexdigest().upper()


def event(kind: str, **attributes: str) -> dict[str, Any]:
    return {"type": kind, "attributes": [{"key": k, "value": v} for k, v in attributes.items()]}


class Node:
    """A chain of blocks without a chain: what ``Link`` would answer."""

    def __init__(self) -> None:
        self.blocks: dict[int, dict[str, Any]] = {}
        self.pushes: asyncio.Queue[Subscribed | None] = asyncio.Queue()
        self.fetched: list[int] = []
        self.down = False

    def make(self, height: int, *, fork: str = "", txs: bool = True) -> None:
        header = {"height": str(height), "time": "2026-01-01T00:00:00Z"}
        raw = [base64.b64encode(TX + str(height).encode()).decode()] if txs else []
        self.blocks[height] = {
            "block": {"header": header, "data": {"txs": raw}},
            "block_id": {"hash": f"H{height}{fork}"},
            "txs_results": [{"code": 0, "events": [event("tx"), event("wasm-a", x="1")]}]
            * len(raw),
            "finalize_block_events": [event("end")],
        }

    def push(self, height: int) -> None:
        block = self.blocks[height]
        shown = {"tx_results": block["txs_results"], "events": block["finalize_block_events"]}
        value = {**block, "result_finalize_block": shown}
        self.pushes.put_nowait(Subscribed("NewBlock", value))

    async def call(self, method: str, /, **params: Any) -> Any:
        if method == "status":
            return {"sync_info": {"latest_block_height": str(max(self.blocks))}}
        if method == "tx":
            raise RpcFailed(-32603, "Internal error", "tx not found")
        height = int(params["height"])
        if method == "block":
            self.fetched.append(height)
        return self.blocks[height]

    async def subscribe(self, query: str) -> AsyncIterator[Subscribed | None]:
        yield None
        while (one := await self.pushes.get()) is not None:
            yield one
        raise Unreachable("gone")


async def following(work: Callable[[Node, Follower, list[BlockEvents]], Awaitable[None]]) -> None:
    node = Node()
    for height in (1, 2, 3):
        node.make(height)
    follower = Follower(node)  # type: ignore[arg-type]
    heard: list[BlockEvents] = []
    follower.listen(heard.append)
    task = asyncio.create_task(follower.run())
    try:
        await follower.ready()
        await work(node, follower, heard)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def until(look: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not look():
            await asyncio.sleep(0.01)


def run(work: Callable[[Node, Follower, list[BlockEvents]], Awaitable[None]]) -> None:
    asyncio.run(following(work))


def test_ids_say_where_an_event_stands() -> None:
    node = Node()
    node.make(7)
    block = node.blocks[7]
    found = block_events(block["block"]["header"], "H7", block["block"]["data"]["txs"], block)
    assert [(str(one.at), one.event.type) for one in found.events] == [
        ("7-1", "tx"),
        ("7-2", "wasm-a"),
        ("7-3", "end"),
    ]
    assert found.events[2].tx == ""
    assert found.end == position_of("7-3")
    assert Position(7, 3) < Position(8, 0) < Position(10, 0)


@pytest.mark.parametrize(
    "text", ["", "1", "1-", "-1", "1-2-3", "01-1", "1-01", "x-1", "1-1 ", "٣-1"]
)
def test_what_is_no_event_id_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="an event id"):
        position_of(text)


def test_blocks_come_once_in_order_with_gaps_fetched() -> None:
    async def work(node: Node, follower: Follower, heard: list[BlockEvents]) -> None:
        for height in (4, 5, 6, 7):
            node.make(height)
        node.push(3)
        node.push(4)
        node.push(7)
        await until(lambda: follower.tip == 7)
        assert [one.height for one in heard] == [3, 4, 5, 6, 7]
        assert {5, 6} <= set(node.fetched)
        assert 7 not in node.fetched

    run(work)


def test_a_lost_connection_is_made_again_and_nothing_is_missed() -> None:
    async def work(node: Node, follower: Follower, heard: list[BlockEvents]) -> None:
        node.pushes.put_nowait(None)
        await until(lambda: not follower.connected)
        node.make(4)
        node.make(5)
        await until(lambda: follower.connected)
        assert [one.height for one in heard] == [3, 4, 5]

    run(work)


def test_a_devnet_that_goes_back_is_followed() -> None:
    async def work(node: Node, follower: Follower, heard: list[BlockEvents]) -> None:
        node.make(4)
        node.push(4)
        await until(lambda: follower.tip == 4)
        node.make(4, fork="b", txs=False)
        node.push(4)
        await until(lambda: heard[-1].hash == "H4b")
        assert follower.end == Position(4, 1)
        with pytest.raises(RpcFailed):
            await follower.find(hashlib.sha256(TX + b"4").hexdigest().upper())

    run(work)


def test_who_waits_for_a_transaction_hears_of_it_before_or_after() -> None:
    async def work(node: Node, follower: Follower, heard: list[BlockEvents]) -> None:
        name = hashlib.sha256(TX + b"4").hexdigest().upper()
        waiting = asyncio.create_task(follower.outcome(name, 5))
        await asyncio.sleep(0)
        node.make(4)
        node.push(4)
        assert (await waiting).height == 4
        assert (await follower.outcome(name, 5)).height == 4
        assert (await follower.find(name)).height == 4
        with pytest.raises(TimedOut, match="was in no block"):
            await follower.outcome(HASH, 0.01)

    run(work)


def test_what_was_missed_is_fetched_from_the_chain() -> None:
    async def work(node: Node, follower: Follower, heard: list[BlockEvents]) -> None:
        found = [one.height async for one in follower.since(Position(1, 2))]
        assert found == [1, 2, 3]
        assert [one async for one in follower.since(Position(9, 0))] == []

    run(work)


def test_waiting_for_a_block_ends_with_the_time() -> None:
    async def work(node: Node, follower: Follower, heard: list[BlockEvents]) -> None:
        await follower.next_block(0.01)
        waiting = asyncio.create_task(follower.next_block(5))
        await asyncio.sleep(0)
        node.make(4)
        node.push(4)
        await asyncio.wait_for(waiting, 2)

    run(work)
