"""The ABCI socket server: threads, frames, replies in the order of the requests.

CometBFT opens four connections that are not labelled, so each serves all methods. When the App
fails in a call that consensus needs, the error goes out as an exception, is logged with its
traceback, and the process ends: CometBFT ends with it, and a supervisor starts both again.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from chain.abci.answers import IDLE_SECONDS, Answers
from chain.abci.handler import Handler
from chain.abci.homes import UNIX_PATH_MAX
from chain.abci.wire import Request, Response, method_of
from chain.gas import OutOfGas

log: Final = logging.getLogger("msgchain.abci")

#: CometBFT's own bound on a frame is 2^31 - 1; a block is at most 100 MB.
FRAME_BYTES_MAX: Final = 256 * 1024 * 1024
_RECEIVE: Final = 1 << 18
_VARINT_BYTES: Final = 10
#: what CometBFT has to read the exception before the process ends
_LAST_WORDS_SECONDS: Final = 0.2


class FrameError(Exception):
    """Bytes that are no frame."""


class Frames:
    """Cuts a stream of bytes into frames, however it arrives."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The frames that ``data`` completes. Raises: FrameError."""
        self._buffer += data
        found: list[bytes] = []
        start = 0
        while True:
            head = self._length(start)
            if head is None:
                break
            size, body = head
            if len(self._buffer) - body < size:
                break
            found.append(bytes(self._buffer[body : body + size]))
            start = body + size
        del self._buffer[:start]
        return found

    def _length(self, start: int) -> tuple[int, int] | None:
        size = 0
        for place in range(_VARINT_BYTES):
            at = start + place
            if at >= len(self._buffer):
                return None
            byte = self._buffer[at]
            size |= (byte & 0x7F) << (7 * place)
            if size > FRAME_BYTES_MAX:
                raise FrameError(f"a frame of {size} bytes, at most {FRAME_BYTES_MAX} are read")
            if byte < 0x80:
                return size, at + 1
        raise FrameError("a length of more than ten bytes")


class Server:
    """Listens on ``unix://PATH`` or ``tcp://HOST:PORT``; one thread a connection.

    ``on_failure`` is called after the App failed; the command ends the process there.
    """

    def __init__(
        self, address: str, handler: Handler, on_failure: Callable[[], None] = lambda: os._exit(1)
    ) -> None:
        self._handler = handler
        self._on_failure = on_failure
        self._open: set[socket.socket] = set()
        self._guard = threading.Lock()
        self._closing = False
        self._broken = ""
        self._socket, self._path = _listen(address)

    @property
    def port(self) -> int:
        """The TCP port that was bound."""
        return int(self._socket.getsockname()[1])

    def start(self) -> threading.Thread:
        """Serve in a thread of its own."""
        thread = threading.Thread(target=self.serve, name="abci-accept", daemon=True)
        thread.start()
        return thread

    def serve(self) -> None:
        """Accept connections until ``close``."""
        while not self._closing:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with self._guard:
                self._open.add(connection)
            threading.Thread(
                target=self._converse, args=(connection,), name="abci", daemon=True
            ).start()

    def close(self) -> None:
        """Stop listening and hang up."""
        self._closing = True
        with self._guard:
            ends = [self._socket, *self._open]
        for end in ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                log.debug("already shut")
            end.close()
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def _converse(self, connection: socket.socket) -> None:
        frames, answers = Frames(), Answers(self._handler, self._reply)
        try:
            while True:
                data = _receive(connection, IDLE_SECONDS if answers.waiting else None)
                if data is None:
                    answers.settle()
                elif data:
                    answers.take([_request(raw) for raw in frames.feed(data)])
                else:
                    break
                if ready := answers.ready():
                    connection.sendall(ready)
        except FrameError as error:
            log.warning("connection dropped: %s", error)
        except OSError:
            log.debug("connection lost")
        finally:
            with self._guard:
                self._open.discard(connection)
            connection.close()

    def _reply(self, method: str, request: Any) -> Any:
        if not self._broken:
            try:
                return self._handler.answer(method, request)
            except (Exception, OutOfGas) as error:
                log.exception("the application failed in %s; the process ends", method)
                self._broken = f"{method}: {error}"
                threading.Timer(_LAST_WORDS_SECONDS, self._on_failure).start()
        reply: Any = Response()
        reply.exception.error = self._broken
        return reply


def _receive(connection: socket.socket, seconds: float | None) -> bytes | None:
    """What comes next, empty at the end; None when nothing came in so many seconds."""
    if seconds is None:
        return connection.recv(_RECEIVE)
    connection.settimeout(seconds)
    try:
        return connection.recv(_RECEIVE)
    except TimeoutError:
        return None
    finally:
        connection.settimeout(None)


def _request(raw: bytes) -> tuple[str, Any]:
    try:
        request = Request.FromString(raw)
        return method_of(request), request
    except Exception as error:
        raise FrameError(f"not an ABCI request: {error}") from None


def _listen(address: str) -> tuple[socket.socket, Path | None]:
    scheme, _, place = address.partition("://")
    if scheme == "unix":
        if len(os.fsencode(place)) > UNIX_PATH_MAX:
            raise ValueError(f"{address}: a unix socket's path has at most {UNIX_PATH_MAX} bytes")
        path = Path(place)
        path.unlink(missing_ok=True)
        end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        end.bind(place)
        path.chmod(0o600)  # the protocol has no authentication
        end.listen(64)
        return end, path
    host, _, port = place.rpartition(":")
    if scheme != "tcp" or not port.isdigit():
        raise ValueError(f"{address}: an address is unix://PATH or tcp://HOST:PORT")
    end = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    end.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    end.bind((host, int(port)))
    end.listen(64)
    return end, None
