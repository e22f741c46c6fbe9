"""A short way for what a node is asked most: one POST to ``/`` that came whole in one piece.

It is answered without ASGI between, which takes three times as long as most calls. Everything else,
from a request in two pieces to a WebSocket, goes the usual way through uvicorn.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from typing import Any, Final

from chain.node.http import HttpDoor, Reply
from chain.serving import BoundedProtocol

LOG: Final = logging.getLogger("msgchain.server")
_HEAD: Final = re.compile(
    rb"POST / HTTP/1\.1(\r\n(?:[!#-'*+\-.^_`|~0-9A-Za-z]+:[^\r\n\x00]*\r\n)+)\r\n"
)
_LENGTH: Final = re.compile(rb"\ncontent-length:[ \t]*([0-9]{1,7})[ \t]*\r", re.IGNORECASE)
#: what asks for more than an answer
_MORE: Final = re.compile(
    rb"\n(?:transfer-encoding|content-encoding|expect|upgrade|origin|connection:[^\r]*(?:close|upgrade))",
    re.IGNORECASE,
)
_JSON: Final = b"content-type: application/json\r\n"
_CACHE: Final = b"cache-control: public, max-age=86400\r\n"


def body_of(data: bytes) -> bytes | None:
    """The body of a request that is plain and whole; None for anything else."""
    head = _HEAD.match(data)
    if head is None:
        return None
    headers = head[1]
    lengths = _LENGTH.findall(headers)
    if len(lengths) != 1 or _MORE.search(headers) is not None:
        return None
    body = data[head.end() :]
    return body if body and len(body) == int(lengths[0]) else None


class ShortcutProtocol(BoundedProtocol):
    """HTTP/1.1 with the short way, if there is a door for it."""

    def __init__(self, door: HttpDoor | None, **given: Any) -> None:
        super().__init__(**given)
        self._door = door
        self._between = True  # no request is half read
        self._ending = False
        self._running: asyncio.Task[None] | None = None
        self._held: list[bytes] = []  # what came while one was answered

    def data_received(self, data: bytes) -> None:
        """Take the short way if it is open."""
        if self._running is not None:
            self._held.append(data)
            self.flow.pause_reading()
            return
        door = self._door
        if (
            door is not None
            and self._between
            and (self.cycle is None or self.cycle.response_complete)
            and not self._is_full()
        ):
            body = body_of(data)
            if body is not None:
                self._unset_keepalive_if_required()
                task = self._running = self.loop.create_task(self._answer(door, body))
                self.tasks.add(task)
                task.add_done_callback(self.tasks.discard)
                return
        super().data_received(data)

    def _is_full(self) -> bool:
        limit = self.limit_concurrency
        return limit is not None and max(len(self.connections), len(self.tasks)) >= limit

    def on_message_begin(self) -> None:
        """A request goes the usual way."""
        self._between = False
        super().on_message_begin()

    def on_message_complete(self) -> None:
        """It is read."""
        self._between = True
        super().on_message_complete()

    def shutdown(self) -> None:
        """End after the answer that is being made."""
        if self._running is None:
            super().shutdown()
        else:
            self._ending = True

    async def _answer(self, door: HttpDoor, body: bytes) -> None:
        try:
            reply = await door.reply(body)
        except Exception:
            LOG.exception("request failed")
            self.transport.close()
            return
        if not self.transport.is_closing():
            self.transport.write(self._head(reply) + reply.raw)
            await self.flow.drain()
        self._running = None
        self.server_state.total_requests += 1
        if self._ending:
            self.transport.close()
        if self.transport.is_closing():
            return
        self.wait_for_request()
        self.flow.resume_reading()
        if self._held:
            held = b"".join(self._held)
            self._held.clear()
            self.data_received(held)

    def _head(self, reply: Reply) -> bytes:
        parts = [b"HTTP/1.1 200 OK\r\n" if reply.status == 200 else b"HTTP/1.1 400 Bad Request\r\n"]
        parts += [
            name + b": " + value + b"\r\n" for name, value in self.server_state.default_headers
        ]
        if reply.raw:
            parts.append(_JSON)
        if reply.cacheable:
            parts.append(_CACHE)
        parts.append(b"content-length: %d\r\n" % len(reply.raw))
        parts.append(b"x-server-time: %d\r\n\r\n" % int(time.time()))
        return b"".join(parts)
