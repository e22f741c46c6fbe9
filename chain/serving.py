"""What the doors of nodes, gateways and pages share: a server that its owner stops, requests whose
heads are bounded in bytes and in time, and a log of what is news.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import resource
from collections.abc import Iterator
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

#: connections of one door at once; more are answered with 503
CONNECTIONS_MAX: Final = 4_000
#: seconds a connection may be silent before its first request and between two, and in which the
#: head of a request must be there
IDLE_SECONDS: Final = 75
#: bytes of a request's first line and headers
HEAD_MAX: Final = 65_536
#: files of a process beside its connections
_FILES: Final = 200
#: what uvicorn's log says of requests that are none, which their clients are told
_OF_CLIENTS: Final = (
    "Invalid HTTP request received.",
    "Invalid UTF-8",
    "Unsupported upgrade request.",
)
_TOO_LONG: Final = f"the head of a request has at most {HEAD_MAX} bytes\n".encode()
_REFUSED: Final = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: text/plain\r\n"
    b"content-length: %d\r\nconnection: close\r\n\r\n%s" % (len(_TOO_LONG), _TOO_LONG)
)


class Server(uvicorn.Server):
    """uvicorn that leaves signals to its owner, so that a stop is an end and not a kill."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take no signals."""
        yield


class BoundedProtocol(HttpToolsProtocol):
    """HTTP/1.1 that ends a connection which never asks anything, whose request does not begin
    for real in time, or begins for ever."""

    _reading_head = False
    _head_bytes = 0
    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the clock of a new connection."""
        super().connection_made(transport)
        self.wait_for_request()

    def wait_for_request(self) -> None:
        """Start the clock of a silent connection."""
        self.timeout_keep_alive_task = self.loop.call_later(
            self.timeout_keep_alive, self.timeout_keep_alive_handler
        )

    def data_received(self, data: bytes) -> None:
        """Read on, but no head without end."""
        super().data_received(data)
        if self.parser is None or self.transport.is_closing():
            return
        if self._reading_head:
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_MAX:
                self.transport.write(_REFUSED)
                self.transport.close()
                return
        elif self._is_busy():
            return
        if self._patience is None:
            self._patience = self.loop.call_later(self.timeout_keep_alive, self._give_up)

    def _is_busy(self) -> bool:
        """Whether something else than a request is awaited, or another clock runs for that."""
        if self.timeout_keep_alive_task is not None:
            return True
        if self.cycle is not None and not self.cycle.response_complete:
            return True
        return self.transport.get_protocol() is not self  # a WebSocket now

    def on_message_begin(self) -> None:
        """The first byte of a request came."""
        self._reading_head = True
        self._head_bytes = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """The head of a request is there."""
        self._reading_head = False
        self._end_patience()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        self._end_patience()
        super().connection_lost(exc)

    def _end_patience(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _give_up(self) -> None:
        self._patience = None
        if not self.transport.is_closing():
            self.transport.close()


def raise_file_limit(connections: int) -> None:
    """A socket is a file, and many systems allow 1,024 of them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + _FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))


def log_news_alone() -> None:
    """Keep out of the server's log what a client alone did wrong, and that a stop ended what was
    still answered."""
    logging.getLogger("uvicorn.error").addFilter(_is_news)


def _is_news(record: logging.LogRecord) -> bool:
    if record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError):
        return False
    return not record.getMessage().startswith(_OF_CLIENTS)
