"""The server: Starlette and uvicorn around a node, from its start to a clean end."""

from __future__ import annotations

import asyncio
import errno
import importlib
import logging
import signal
import socket
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, cast

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from chain import serving
from chain.node.http import BODY_MAX, HttpDoor
from chain.node.process import settle
from chain.node.rpc import Rpc
from chain.node.service import Node
from chain.node.shortcut import ShortcutProtocol
from chain.node.socket import SocketDoor

LOG: Final = logging.getLogger("msgchain.server")
_PING_SECONDS: Final = 27.0
_PONG_SECONDS: Final = 3.0
_STOP_SECONDS: Final = 3
_BACKLOG: Final = 2_048
_SOCKET_MODULE: Final = "uvicorn.protocols.websockets.websockets_sansio_impl"
#: seconds after the start when there is time for what was not needed yet
_IDLE_AFTER: Final = 1.0


class PortInUse(Exception):
    """The address cannot be had; ``here`` is whether it is one of this machine."""

    def __init__(self, text: str, *, here: bool = True) -> None:
        super().__init__(text)
        self.here = here


def listen(host: str, port: int) -> socket.socket:
    """A listening socket. Raises: PortInUse, OSError."""
    found = bound(host, port)
    found.listen(_BACKLOG)
    return found


def bound(host: str, port: int) -> socket.socket:
    """A socket that has an address and does not listen yet. Raises: PortInUse, OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # with its protocol named, asyncio sends small answers at once (TCP_NODELAY)
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
    except OSError as error:
        found.close()
        here = not isinstance(error, socket.gaierror) and error.errno != errno.EADDRNOTAVAIL
        raise PortInUse(f"{host}:{port}: {error.strerror}", here=here) from None
    return found


def application(
    node: Node, rpc: Rpc, *, origins: Sequence[str] = (), routes: Sequence[BaseRoute] = ()
) -> Starlette:
    """The node's web application; ``routes`` come before the RPC's own."""
    return _application(node, rpc, HttpDoor(rpc, origins), origins, routes)


def _application(
    node: Node, rpc: Rpc, door: HttpDoor, origins: Sequence[str], routes: Sequence[BaseRoute]
) -> Starlette:

    async def metrics(request: Request) -> Response:
        return Response(node.metrics.text(), media_type="text/plain; version=0.0.4")

    return Starlette(
        routes=[
            *routes,
            WebSocketRoute("/websocket", SocketDoor(rpc, origins)),
            Route("/websocket", _no_upgrade),
            Route("/metrics", metrics),
            Route("/{path:path}", door),
        ]
    )


async def _no_upgrade(request: Request) -> Response:
    headers = {
        "Sec-Websocket-Version": "13",
        "X-Content-Type-Options": "nosniff",
        "X-Server-Time": str(int(time.time())),
    }
    return Response("Bad Request\n", 400, headers, "text/plain; charset=utf-8")


class Server:
    """Serves one node on a socket until a signal, ``stop``, or a failure of the chain."""

    def __init__(
        self,
        node: Node,
        listening: socket.socket,
        *,
        origins: Sequence[str] = (),
        routes: Sequence[BaseRoute] = (),
    ) -> None:
        self.node = node
        self.rpc = Rpc(node)
        self._socket = listening
        door = HttpDoor(self.rpc, origins)
        short = not origins and not routes
        config = uvicorn.Config(
            _application(node, self.rpc, door, origins, routes),
            http=cast(type[asyncio.Protocol], partial(ShortcutProtocol, door if short else None)),
            ws=cast(type[asyncio.Protocol], _socket_protocol),
            loop="asyncio",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=serving.IDLE_SECONDS,
            limit_concurrency=serving.CONNECTIONS_MAX,
            timeout_graceful_shutdown=_STOP_SECONDS,
            ws_max_size=BODY_MAX,
            ws_ping_interval=_PING_SECONDS,
            ws_ping_timeout=_PONG_SECONDS,
            ws_per_message_deflate=False,
        )
        serving.log_news_alone()
        self._server = serving.Server(config)
        self._loop: asyncio.AbstractEventLoop | None = None
        #: called when the end begins, while the node still answers
        self.on_end: Callable[[], None] = _nothing

    def run(self) -> None:
        """Start the node, serve, and end both."""
        serving.raise_file_limit(serving.CONNECTIONS_MAX)
        asyncio.run(self._run())

    async def _run(self) -> None:
        loop = self._loop = asyncio.get_running_loop()
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(name, self.stop)
        self.node.on_failure = self.stop
        host, port = self._socket.getsockname()[:2]
        self.node.rpc_address = f"tcp://{host}:{port}"
        try:
            self.node.start()
            loop.call_later(_IDLE_AFTER, loop.run_in_executor, None, self._load_the_rest)
            await self._server.serve([self._socket])
        finally:
            self.rpc.close()
            self.node.stop()
            self.node.close()
            self._socket.close()

    def _load_the_rest(self) -> None:
        """Import what the first query and the first WebSocket need, so that these need not wait,
        and clear up."""
        len(self.node.app.queries.services)
        importlib.import_module(_SOCKET_MODULE)
        settle()

    def stop(self) -> None:
        """End serving soon; from any thread."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._end)

    def _end(self) -> None:
        LOG.info("stopping")
        self.on_end()
        self._server.should_exit = True


def _nothing() -> None:
    return None


def _socket_protocol(**given: Any) -> Any:
    """uvicorn's protocol for WebSocket, imported when the first client wants one."""
    module = importlib.import_module(_SOCKET_MODULE)
    return module.WebSocketsSansIOProtocol(**given)
