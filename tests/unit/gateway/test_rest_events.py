"""The hub of pushes: who hears what, and what happens to who does not read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from types import SimpleNamespace
from typing import Any

import pytest

from chain.block.types import Event
from chain.client.jsonrpc import Unreachable
from chain.gateway import rest_events
from chain.gateway.events import BlockEvents, Happened, Position
from chain.gateway.rest_events import BACKLOG_MAX, Hub

A2A = "msg1a2a"


class Follower:
    """Blocks that are told by hand."""

    def __init__(self) -> None:
        self.listeners: list[Callable[[BlockEvents], None]] = []
        self.blocks: list[BlockEvents] = []
        self.end = Position(0, 0)

    def listen(self, listener: Callable[[BlockEvents], None]) -> None:
        self.listeners.append(listener)

    def when_gone_back(self, listener: Callable[[], None]) -> None:
        """This one never does."""

    def make(self, *receivers: str) -> None:
        height = len(self.blocks) + 1
        events = [
            Event(
                "wasm-a2a_message_sent",
                [("_contract_address", A2A), ("sender", "alice"), ("receiver", one)],
            )
            for one in receivers
        ]
        happened = [Happened(Position(height, n), "", one) for n, one in enumerate(events, 1)]
        block = BlockEvents(height, f"H{height}", 0, {}, happened)
        self.blocks.append(block)
        self.end = block.end
        for listener in self.listeners:
            listener(block)

    async def since(self, after: Position) -> AsyncIterator[BlockEvents]:
        for block in self.blocks[max(after.height, 1) - 1 :]:
            yield block

    async def next_block(self, seconds: float) -> None:
        self.make("bob")


def hub(reads: Any = None) -> tuple[Hub, Follower]:
    follower = Follower()
    core: Any = SimpleNamespace(contracts=SimpleNamespace(a2a=A2A), reads=reads, follower=follower)
    return Hub(core), follower


def test_each_client_hears_what_concerns_its_agent() -> None:
    async def play() -> None:
        made, follower = hub()
        bob: asyncio.Queue[Any] = asyncio.Queue()
        carol: asyncio.Queue[Any] = asyncio.Queue()
        follower.make("bob")
        made.join("bob", bob)
        made.join("carol", carol)
        follower.make("bob", "dave", "bob")
        found = await asyncio.wait_for(bob.get(), 2)
        assert [str(one.at) for one in found] == ["2-1", "2-3"]
        assert carol.empty()
        made.leave("bob", bob)
        follower.make("bob", "carol")
        await asyncio.wait_for(carol.get(), 2)
        assert bob.empty()

    asyncio.run(play())


def test_who_does_not_read_is_let_go_and_little_is_kept() -> None:
    async def play() -> None:
        made, follower = hub()
        slow: asyncio.Queue[Any] = asyncio.Queue()
        made.join("bob", slow)
        for _ in range(BACKLOG_MAX + 50):
            follower.make("bob")
        await asyncio.sleep(0.5)
        assert slow.qsize() == BACKLOG_MAX + 1
        last = [slow.get_nowait() for _ in range(slow.qsize())][-1]
        assert last is None

    asyncio.run(play())


def test_what_cannot_be_made_out_ends_the_clients_who_then_come_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def play() -> None:
        made, follower = hub()

        async def fails(block: BlockEvents) -> None:
            raise Unreachable("gone")

        monkeypatch.setattr(made.updates, "of", fails)
        queue: asyncio.Queue[Any] = asyncio.Queue()
        made.join("bob", queue)
        follower.make("bob")
        assert await asyncio.wait_for(queue.get(), 2) is None

    asyncio.run(play())


def test_polls_go_on_from_where_the_last_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    async def play() -> None:
        made, follower = hub()
        for _ in range(3):
            follower.make("bob", "carol")
        page = await made.poll("bob", Position(0, 0), 2, 0)
        assert (len(page["events"]), page["last_event_id"]) == (2, "2-1")
        page = await made.poll("bob", Position(2, 1), 2, 0)
        assert (len(page["events"]), page["last_event_id"]) == (1, "3-2")
        page = await made.poll("bob", Position(3, 2), 2, 0)
        assert (page["events"], page["last_event_id"]) == ([], "3-2")
        page = await made.poll("bob", Position(3, 2), 2, 5)
        assert (len(page["events"]), page["last_event_id"]) == (1, "4-1")
        monkeypatch.setattr(rest_events, "POLL_BLOCKS_MAX", 1)
        page = await made.poll("dave", Position(0, 0), 2, 5)
        assert (page["events"], page["last_event_id"]) == ([], "1-999999999")

    asyncio.run(play())
