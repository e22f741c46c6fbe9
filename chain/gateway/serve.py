"""The process: one event loop, one ``Core``, a server for each door."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import resource
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, Final

import msgspec
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from chain.gateway.core import Core

LOG: Final = logging.getLogger("msgchain.gateway")
#: connections of one door at once; more are answered with 503
CONNECTIONS_MAX: Final = 4_000
#: seconds a connection may be silent before its first request and between two
IDLE_SECONDS: Final = 75
#: bytes of one WebSocket message
FRAME_MAX: Final = 16 * 1024
_PING_SECONDS: Final = 20.0
_STOP_SECONDS: Final = 3


class Door(msgspec.Struct, frozen=True):
    """An ASGI application, the socket that it listens on, and what begins and ends with it."""

    name: str
    app: Any
    socket: Any
    start: Callable[[], None] | None = None
    stop: Callable[[], Awaitable[None]] | None = None


class _Protocol(HttpToolsProtocol):
    """HTTP/1.1 that also ends a connection that never asks anything."""

    def connection_made(self, transport: Any) -> None:
        """Start the clock of a new connection."""
        super().connection_made(transport)
        self.timeout_keep_alive_task = self.loop.call_later(
            self.timeout_keep_alive, self.timeout_keep_alive_handler
        )


class _Server(uvicorn.Server):
    """uvicorn that leaves signals to us."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take no signals."""
        yield


def _server(door: Door) -> _Server:
    config = uvicorn.Config(
        door.app,
        http=_Protocol,
        ws="websockets-sansio",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=IDLE_SECONDS,
        limit_concurrency=CONNECTIONS_MAX,
        timeout_graceful_shutdown=_STOP_SECONDS,
        ws_max_size=FRAME_MAX,
        ws_ping_interval=_PING_SECONDS,
        ws_ping_timeout=_PING_SECONDS,
        ws_per_message_deflate=False,
    )
    return _Server(config)


async def run(core: Core, doors: Sequence[Door], *, parent: bool = False) -> None:
    """Serve until a signal; with ``parent`` also until standard input ends, as it does when the
    process that started this one dies."""
    _raise_file_limit()
    logging.getLogger("uvicorn.error").addFilter(_is_ours)
    servers = [_server(door) for door in doors]
    loop = asyncio.get_running_loop()

    def stop() -> None:
        for server in servers:
            server.should_exit = True

    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stop)
    if parent:
        loop.add_reader(sys.stdin.fileno(), _heard, stop)
    core.start()
    for door in doors:
        if door.start is not None:
            door.start()
    try:
        served = zip(servers, doors, strict=True)
        await asyncio.gather(*(server.serve([door.socket]) for server, door in served))
    finally:
        for door in doors:
            if door.stop is not None:
                await door.stop()
        await core.stop()


def _is_ours(record: logging.LogRecord) -> bool:
    """Whether the server's log should have it: not what a client alone did wrong."""
    return not record.getMessage().startswith("Invalid UTF-8")


def _heard(stop: Any) -> None:
    if not os.read(sys.stdin.fileno(), 1_024):
        asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
        stop()


def _raise_file_limit() -> None:
    """A socket is a file, and many systems allow 1,024 of them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * CONNECTIONS_MAX + 200
    if soft != resource.RLIM_INFINITY and soft < wanted:
        limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
