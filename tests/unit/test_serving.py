"""What every door does with connections that ask nothing, or begin to ask and never end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import uvicorn
from websockets.asyncio.client import connect

from chain import serving
from chain.node.server import listen

#: seconds of patience in these tests
PATIENCE = 0.3
HEAD = b"GET / HTTP/1.1\r\nHost: x\r\n"


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answers everything; a WebSocket hears one word when it sends one."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        await receive()
        await send({"type": "websocket.send", "text": "here"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"good"})


def served(work: Callable[[int], Awaitable[Any]]) -> Any:
    """What ``work`` finds at a server's port."""

    async def run() -> Any:
        config = uvicorn.Config(
            app,
            http=serving.BoundedProtocol,
            ws="websockets-sansio",
            lifespan="off",
            log_config=None,
            timeout_keep_alive=PATIENCE,  # type: ignore[arg-type]
        )
        serving.log_news_alone()
        server = serving.Server(config)
        with listen("127.0.0.1", 0) as listening:
            port = listening.getsockname()[1]
            task = asyncio.create_task(server.serve([listening]))
            try:
                return await work(port)
            finally:
                server.should_exit = True
                await task

    return asyncio.run(run())


def told(*pieces: bytes) -> bytes:
    """All that a server says to these pieces until it ends the connection."""

    async def work(port: int) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(PATIENCE / 10)
        async with asyncio.timeout(20):
            answer = await reader.read()
        writer.close()
        return answer

    found: bytes = served(work)
    return found


@pytest.mark.parametrize(
    "pieces",
    [
        (HEAD, b"X: " + b"a" * serving.HEAD_MAX),
        (HEAD, *[b"X: a\r\n" * 10_000] * 2),
        (b"GET /" + b"a" * serving.HEAD_MAX,),
    ],
)
def test_a_head_without_end_is_refused(pieces: tuple[bytes, ...]) -> None:
    assert told(*pieces).startswith(b"HTTP/1.1 431 ")


@pytest.mark.parametrize("pieces", [(), (b"\r\n",), (b"G",), (HEAD, b"X: a\r\n", b"Y: b\r\n")])
def test_who_never_asks_is_not_waited_for(pieces: tuple[bytes, ...]) -> None:
    assert told(*pieces) == b""


def test_a_request_in_pieces_and_one_after_it_are_answered() -> None:
    both = told(b"\r\n", HEAD[:9], HEAD[9:], b"\r\n", HEAD + b"\r\n")
    assert both.count(b"HTTP/1.1 200 OK") == 2


def test_a_websocket_may_be_silent_for_longer() -> None:
    async def work(port: int) -> str:
        async with connect(f"ws://127.0.0.1:{port}/") as socket:
            await asyncio.sleep(3 * PATIENCE)
            await socket.send("still")
            return str(await socket.recv())

    assert served(work) == "here"


def test_what_clients_did_wrong_is_not_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert told(b"\x16\x03\x01no http\r\n\r\n").startswith(b"HTTP/1.1 400 ")
        told(HEAD + b"Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n")
    assert caplog.messages == []
