"""The RPC over WebSocket: every method, and subscriptions.

A client has one reader, one worker that answers in order, and one writer. Nothing waits for a
client that does not read: its pushes are counted and it is dropped.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final

import msgspec
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from chain.index.query import QUERY_MAX, QueryError, parse
from chain.index.query import Query as Wanted
from chain.node import gojson
from chain.node.bus import Subscriber
from chain.node.gojson import JsonError
from chain.node.origins import FOREIGN, is_control, is_foreign
from chain.node.params import ParamError
from chain.node.rpc import Id, Request, Rpc, error, parse_error, read_one, read_params, success

SUBSCRIPTIONS_MAX: Final = 5
CLIENTS_MAX: Final = 99  # CometBFT's limit is 100, of which its indexer is one
#: messages that may wait to be written to one client, and their bytes
WRITES_MAX: Final = 1_000
WRITE_BYTES_MAX: Final = 64 * 1024 * 1024
#: requests of one client that may wait
REQUESTS_MAX: Final = 100
#: seconds in which a client must take a message
WRITE_SECONDS: Final = 20.0
_BURST: Final = 50  # pushes between which other clients get their turn
_GOING_AWAY: Final = 1001
_POLICY: Final = 1008
_SLOW: Final = "client is not pulling messages fast enough"


class Subscription(msgspec.Struct, frozen=True):
    """One query of one client: its request's id and its text as sent."""

    id: Id
    sent: str
    query: Wanted


class SocketDoor:
    """Serves clients of ``/websocket``."""

    def __init__(self, rpc: Rpc, origins: Sequence[str] = ()) -> None:
        self._rpc = rpc
        self.origins = tuple(origins)
        self.subscribed = 0  # clients that hold a subscription

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one client to its end."""
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        self._rpc.node.metrics.sockets.inc()
        client = _Client(self, self._rpc, socket)
        try:
            await client.run()
        finally:
            self._rpc.node.metrics.sockets.dec()


class _Client:
    """One connection."""

    def __init__(self, door: SocketDoor, rpc: Rpc, socket: WebSocket) -> None:
        self._door = door
        self._rpc = rpc
        self._socket = socket
        self._requests: asyncio.Queue[bytes] = asyncio.Queue(REQUESTS_MAX)
        self._writes: asyncio.Queue[bytes] = asyncio.Queue()
        self._write_bytes = 0
        self._subscriptions: dict[str, Subscription] = {}
        self._dropped = False

    async def run(self) -> None:
        """Read, answer and write until one of these ends."""
        work: list[Callable[[], Coroutine[Any, Any, None]]] = [
            self._read,
            self._serve,
            self._write,
            self._push,
        ]
        tasks = [asyncio.create_task(one()) for one in work]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        except (WebSocketDisconnect, TimeoutError):
            pass
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._leave()
            await self._hang_up()

    async def _hang_up(self) -> None:
        if self._socket.application_state is WebSocketState.CONNECTED:
            try:
                code, reason = (_POLICY, _SLOW) if self._dropped else (_GOING_AWAY, None)
                await asyncio.wait_for(self._socket.close(code, reason), 1)
            except (RuntimeError, TimeoutError, WebSocketDisconnect):
                return

    # --- tasks ----------------------------------------------------------------------------------

    async def _read(self) -> None:
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            raw = message.get("bytes")
            text = message.get("text")
            await self._requests.put(raw if raw is not None else (text or "").encode())

    async def _serve(self) -> None:
        while True:
            raw = await self._requests.get()
            try:
                request = read_one(raw)
            except JsonError as failure:
                text = str(failure)
                self._send(parse_error("unexpected EOF" if text == gojson.END else text))
                continue
            if request.id is not None:
                self._send(await self._answer(request, request.id))

    async def _write(self) -> None:
        while True:
            raw = await self._writes.get()
            async with asyncio.timeout(WRITE_SECONDS):
                await self._socket.send_text(raw.decode())
            self._write_bytes -= len(raw)

    async def _push(self) -> None:
        loop = asyncio.get_running_loop()
        subscriber = Subscriber(loop)
        bus = self._rpc.node.bus
        bus.add(subscriber)
        try:
            while (record := await subscriber.queue.get()) is not None:
                subscriber.taken(record)
                for number, push in enumerate(bus.shaped(record) if self._subscriptions else ()):
                    for one in list(self._subscriptions.values()):
                        if one.query.matches(push.tags) and not self._fits(push.about(one)):
                            self._drop()
                            return
                    if number % _BURST == _BURST - 1:
                        await asyncio.sleep(0)
            self._drop()
        finally:
            bus.remove(subscriber)

    # --- writing --------------------------------------------------------------------------------

    def _send(self, raw: bytes) -> None:
        self._write_bytes += len(raw)
        self._writes.put_nowait(raw)

    def _fits(self, raw: bytes) -> bool:
        """Queue a push unless the client is too far behind."""
        if self._writes.qsize() >= WRITES_MAX or self._write_bytes > WRITE_BYTES_MAX:
            return False
        self._send(raw)
        return True

    def _drop(self) -> None:
        """End the subscriptions of a client that is too slow; the connection ends with them."""
        self._dropped = True
        self._rpc.node.metrics.dropped.inc()

    # --- requests -------------------------------------------------------------------------------

    async def _answer(self, request: Request, request_id: Id) -> bytes:
        method = self._rpc.find(request.method, socket=True)
        if method is None:
            return error(request_id, -32601, "Method not found")
        if is_control(method.name) and is_foreign(self._socket.headers, self._door.origins):
            return error(request_id, -32600, "Invalid Request", f"{method.name} {FOREIGN}")
        try:
            values = read_params(method, request.params)
            if method.name == "subscribe":
                return self._subscribe(request_id, *values)
            if method.name == "unsubscribe":
                return self._unsubscribe(request_id, *values)
            if method.name == "unsubscribe_all":
                return self._unsubscribe_all(request_id)
        except (ParamError, QueryError) as failure:
            return error(request_id, -32603, "Internal error", str(failure))
        return (await self._rpc.call(method, request_id, values)).raw

    def _subscribe(self, request_id: Id, text: str) -> bytes:
        if not self._subscriptions and self._door.subscribed >= CLIENTS_MAX:
            raise QueryError(f"max_subscription_clients {CLIENTS_MAX + 1} reached")
        if len(self._subscriptions) >= SUBSCRIPTIONS_MAX:
            raise QueryError(f"max_subscriptions_per_client {SUBSCRIPTIONS_MAX} reached")
        if len(text.encode()) > QUERY_MAX:
            raise QueryError("maximum query length exceeded")
        query = _parsed(text)
        if query.text in self._subscriptions:
            raise QueryError("already subscribed")
        if not self._subscriptions:
            self._door.subscribed += 1
        self._subscriptions[query.text] = Subscription(request_id, text, query)
        return success(request_id, {})

    def _unsubscribe(self, request_id: Id, text: str) -> bytes:
        if self._subscriptions.pop(_parsed(text).text, None) is None:
            raise QueryError("subscription not found")
        if not self._subscriptions:
            self._door.subscribed -= 1
        return success(request_id, {})

    def _unsubscribe_all(self, request_id: Id) -> bytes:
        if not self._subscriptions:
            raise QueryError("subscription not found")
        self._leave()
        return success(request_id, {})

    def _leave(self) -> None:
        if self._subscriptions:
            self._subscriptions.clear()
            self._door.subscribed -= 1


def _parsed(text: str) -> Wanted:
    try:
        return parse(text)
    except QueryError as failure:
        raise QueryError(f"failed to parse query: {failure}") from None
