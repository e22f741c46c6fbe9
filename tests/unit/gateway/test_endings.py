"""What a gateway had begun when its node went away, or when it was stopped, ends in silence."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve

from chain.client.jsonrpc import Unreachable
from chain.gateway.a2a_gate import Gate
from chain.gateway.link import Link, _Pipe
from chain.gateway.reads import Reads


def complaints(work: Callable[[], Coroutine[Any, Any, None]]) -> list[str]:
    """What the event loop says of failures that nobody looked at."""
    found: list[str] = []

    async def run() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, told: found.append(str(told)))
        await work()
        await asyncio.sleep(0)
        gc.collect()
        await asyncio.sleep(0)

    asyncio.run(run())
    return found


class Node:
    """Answers nothing, and is gone when it is told to be."""

    def __init__(self) -> None:
        self.gone = asyncio.Event()

    async def smart(self, contract: str, query: bytes) -> bytes:
        await self.gone.wait()
        raise Unreachable("received 1012 (service restart)")


class Follower:
    connected = True

    def listen(self, hear: object) -> None:
        return


def test_a_question_whose_asker_went_before_the_node_did() -> None:
    async def work() -> None:
        node: Any = Node()
        follower: Any = Follower()
        reads = Reads(node, follower)
        asker = asyncio.create_task(reads.smart("contract", b"{}"))
        await asyncio.sleep(0)
        asker.cancel()
        await asyncio.gather(asker, return_exceptions=True)
        node.gone.set()
        await asyncio.sleep(0.01)

    assert complaints(work) == []


def test_questions_on_their_way_when_the_node_ends_the_connection() -> None:
    async def answer(socket: ServerConnection) -> None:
        await socket.recv()
        await socket.close(1012)

    async def work() -> None:
        async with serve(answer, "127.0.0.1", 0) as node:
            link = Link(f"http://127.0.0.1:{node.sockets[0].getsockname()[1]}", sockets=2)
            asked = [asyncio.create_task(link.call("status")) for _ in range(40)]
            answers = await asyncio.gather(*asked, return_exceptions=True)
            assert {type(one) for one in answers} == {Unreachable}
            await link.close()

    assert complaints(work) == []


def test_an_answer_that_failed_before_its_question_was_sent() -> None:
    class Socket:
        """Ends between a question and its sending."""

        async def send(self, body: str) -> None:
            await asyncio.sleep(0.01)
            raise OSError("gone")

        def __aiter__(self) -> Socket:
            return self

        async def __anext__(self) -> str:
            await asyncio.sleep(0.001)
            raise OSError("gone")

    async def work() -> None:
        socket: Any = Socket()
        with pytest.raises(Unreachable):
            await _Pipe(socket, "http://node").ask("status", {})

    assert complaints(work) == []


def test_work_beside_that_fails_is_told_in_a_line(caplog: pytest.LogCaptureFixture) -> None:
    async def fail() -> None:
        raise Unreachable("the node is away")

    async def work() -> None:
        gate = object.__new__(Gate)
        gate._jobs = set()
        gate._spawn(fail())
        await asyncio.sleep(0.01)
        assert gate._jobs == set()

    with caplog.at_level(logging.WARNING, "msgchain.a2a"):
        assert complaints(work) == []
    (record,) = caplog.records
    assert record.reason == "the node is away"  # type: ignore[attr-defined]
    assert record.exc_info is None
