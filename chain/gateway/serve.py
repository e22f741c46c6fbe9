"""The process: one event loop, one ``Core``, a server for each door."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

import msgspec
import uvicorn

from chain import serving
from chain.gateway.core import Core

LOG: Final = logging.getLogger("msgchain.gateway")
#: bytes of one WebSocket message
FRAME_MAX: Final = 16 * 1024
_PING_SECONDS: Final = 20.0
_STOP_SECONDS: Final = 3


class CannotListen(Exception):
    """A port that a door opens itself was taken."""


class Door(msgspec.Struct, frozen=True):
    """An ASGI application, the socket that it listens on, and what begins and ends with it."""

    name: str
    app: Any
    socket: Any
    start: Callable[[], None] | None = None
    stop: Callable[[], Awaitable[None]] | None = None


def _server(door: Door) -> serving.Server:
    config = uvicorn.Config(
        door.app,
        http=serving.BoundedProtocol,
        ws="websockets-sansio",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=serving.IDLE_SECONDS,
        limit_concurrency=serving.CONNECTIONS_MAX,
        timeout_graceful_shutdown=_STOP_SECONDS,
        ws_max_size=FRAME_MAX,
        ws_ping_interval=_PING_SECONDS,
        ws_ping_timeout=_PING_SECONDS,
        ws_per_message_deflate=False,
    )
    return serving.Server(config)


async def run(
    core: Core,
    doors: Sequence[Door],
    *,
    parent: bool = False,
    ready: Callable[[], None] | None = None,
) -> None:
    """Serve until a signal; with ``parent`` also until standard input ends, as it does when the
    process that started this one dies. ``ready`` is called when a signal ends it cleanly and all
    ports are there. Raises: CannotListen."""
    serving.raise_file_limit(len(doors) * serving.CONNECTIONS_MAX)
    serving.log_news_alone()
    servers = [_server(door) for door in doors]
    loop = asyncio.get_running_loop()

    def stop() -> None:
        logging.disable(logging.WARNING)  # a node that ends as well is no news now
        for server in servers:
            server.should_exit = True

    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stop)
    if parent:
        loop.add_reader(sys.stdin.fileno(), _heard, stop)
    core.start()
    try:
        for door in doors:
            if door.start is not None:
                door.start()
        if ready is not None:
            ready()
        served = zip(servers, doors, strict=True)
        await asyncio.gather(*(server.serve([door.socket]) for server, door in served))
    finally:
        for door in doors:
            if door.stop is not None:
                await door.stop()
        await core.stop()


def _heard(stop: Any) -> None:
    if not os.read(sys.stdin.fileno(), 1_024):
        asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
        stop()
