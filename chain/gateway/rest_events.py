"""Pushes over WebSocket: ``/agent/v1/events/subscribe?a2a_address=…``.

A client says ``{"type": "subscribe", "topics": […]}`` and hears of what concerns its agent, each
with an id. Who comes back names the last id it saw (``last_event_id``) and hears of all that came
after, from any gateway, once. Nothing waits for a client that does not read: when too much waits
for it, its connection ends, and it comes back with its last id.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any, Final

import msgspec
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from chain.client.jsonrpc import RpcFailed, Unreachable
from chain.client.transport import ChainError, TimedOut
from chain.gateway.core import Core
from chain.gateway.events import BlockEvents, Position, position_of
from chain.gateway.keys import ApiKey
from chain.gateway.rest_updates import TOPICS, Update, Updates

#: updates that may wait for one client
BACKLOG_MAX: Final = 1_000
#: clients at once, and of one agent
CLIENTS_MAX: Final = 3_000
CLIENTS_OF_AGENT_MAX: Final = 1_500
#: blocks that a client may have missed; beyond, it reads its inbox
REPLAY_BLOCKS_MAX: Final = 100_000
#: blocks that one poll looks through; the next goes on from there
POLL_BLOCKS_MAX: Final = 2_000
_LAST: Final = 999_999_999
#: seconds in which a client must show its key and subscribe
HELLO_SECONDS: Final = 10.0
_WRITE_SECONDS: Final = 20.0
#: between two looks whether a key was revoked
_LOOK_SECONDS: Final = 2.0
#: frames that cannot be read before the connection ends
_BAD_MAX: Final = 5
_NORMAL: Final = 1000
_POLICY: Final = 1008
_INTERNAL: Final = 1011
_TRY_LATER: Final = 1013


class _Asked(msgspec.Struct, frozen=True):
    """What a client may say."""

    type: str
    topics: tuple[str, ...] = TOPICS
    last_event_id: str | None = None
    api_key: str | None = None


class _End(Exception):
    """The connection ends with this code and reason."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class Hub:
    """All clients of this gateway, and what the last block has for them."""

    def __init__(self, core: Core) -> None:
        self.core = core
        self.updates = Updates(core.contracts.a2a, core.reads)
        self.clients = 0
        self.of_agent: dict[str, int] = {}
        self._queues: dict[str, set[asyncio.Queue[list[Update] | None]]] = {}
        self._blocks: asyncio.Queue[BlockEvents] = asyncio.Queue()
        self._worker: asyncio.Task[None] | None = None
        core.follower.listen(self._new_block)
        core.follower.when_gone_back(self.updates.forget)

    def join(self, address: str, queue: asyncio.Queue[list[Update] | None]) -> None:
        """Hand what concerns an address to a queue from the next block on."""
        if self._worker is None:
            self._worker = asyncio.create_task(self._hand_out())
        self._queues.setdefault(address, set()).add(queue)

    def leave(self, address: str, queue: asyncio.Queue[list[Update] | None]) -> None:
        """Hand it no more."""
        found = self._queues.get(address, set())
        found.discard(queue)
        if not found:
            self._queues.pop(address, None)

    def _new_block(self, block: BlockEvents) -> None:
        if self._worker is not None:
            self._blocks.put_nowait(block)

    async def _hand_out(self) -> None:
        while True:
            block = await self._blocks.get()
            if self._queues:
                await self._offer(block)

    async def _offer(self, block: BlockEvents) -> None:
        try:
            updates = await self.updates.of(block)
            followers = await self._followers(updates)
        except (Unreachable, RpcFailed, ChainError):
            self._drop_all()  # they come back with their last ids, and miss nothing
            return
        for_address: dict[str, list[Update]] = {}
        for update in updates:
            for party in update.parties | followers.get(update.at, frozenset()):
                if party in self._queues:
                    for_address.setdefault(party, []).append(update)
        for address, found in for_address.items():
            for queue in self._queues[address]:
                if queue.qsize() < BACKLOG_MAX:
                    queue.put_nowait(found)
                elif queue.qsize() == BACKLOG_MAX:
                    queue.put_nowait(None)

    async def _followers(self, updates: list[Update]) -> dict[Position, frozenset[str]]:
        """Who of those that listen follows the topic of an update."""
        found = {}
        for update in updates:
            if update.published is not None:
                listening = list(self._queues)
                asked = (self.updates.concerns(update, one) for one in listening)
                heard = zip(listening, await asyncio.gather(*asked), strict=True)
                found[update.at] = frozenset(one for one, hears in heard if hears)
        return found

    def _drop_all(self) -> None:
        for queues in self._queues.values():
            for queue in queues:
                queue.put_nowait(None)

    async def missed(self, address: str, after: Position, until: Position) -> AsyncIterator[Update]:
        """What concerns an address after one position and up to another."""
        if until <= after:
            return
        async for block in self.core.follower.since(after):
            if block.height > until.height:
                return
            for one in await self.updates.of(block):
                if after < one.at <= until and await self.updates.concerns(one, address):
                    yield one

    async def poll(self, address: str, after: Position, limit: int, wait: float) -> dict[str, Any]:
        """The next updates after a position; ``last_event_id`` is where to go on from."""
        follower = self.core.follower
        until = asyncio.get_running_loop().time() + wait
        while True:
            end = min(follower.end, Position(after.height + POLL_BLOCKS_MAX, _LAST))
            found: list[msgspec.Raw] = []
            async for update in self.missed(address, after, end):
                found.append(msgspec.Raw(update.frame))
                if len(found) == limit:
                    return {"events": found, "last_event_id": str(update.at)}
            left = until - asyncio.get_running_loop().time()
            behind = end < follower.end
            after = max(after, end)
            if found or left <= 0 or behind:
                return {"events": found, "last_event_id": str(after)}
            await follower.next_block(left)


class EventsDoor:
    """Serves WebSocket clients."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one client to its end."""
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        client = _Client(self._hub, socket)
        try:
            await client.run()
        except _End as end:
            await _close(socket, end.code, end.reason)
        except (WebSocketDisconnect, TimeoutError):
            await _close(socket, _POLICY, "not reading")
        except (Unreachable, RpcFailed, TimedOut, ChainError):
            await _close(socket, _TRY_LATER, "the node does not answer now")


async def _close(socket: WebSocket, code: int, reason: str) -> None:
    if socket.application_state is WebSocketState.CONNECTED:
        with contextlib.suppress(RuntimeError, TimeoutError, WebSocketDisconnect):
            await asyncio.wait_for(socket.close(code, reason), 1)


class _Client:
    """One connection."""

    def __init__(self, hub: Hub, socket: WebSocket) -> None:
        self._hub = hub
        self._core = hub.core
        self._socket = socket
        query = socket.query_params
        self._address = query.get("a2a_address", "")
        self._last = query.get("last_event_id")
        self._token = socket.headers.get("x-api-key") or query.get("api_key") or ""
        self._topics: frozenset[str] = frozenset()
        self._bad = 0

    async def run(self) -> None:
        """Greet, catch up, and push until the client leaves. Raises: _End."""
        hub = self._hub
        if hub.clients >= CLIENTS_MAX:
            raise _End(_TRY_LATER, "too many clients")
        hub.clients += 1
        try:
            agent = await self._hello()
            count = hub.of_agent.get(agent.address, 0)
            if count >= CLIENTS_OF_AGENT_MAX:
                raise _End(_TRY_LATER, "too many clients of this agent")
            hub.of_agent[agent.address] = count + 1
            try:
                await self._serve(agent)
            finally:
                hub.of_agent[agent.address] -= 1
                if not hub.of_agent[agent.address]:
                    del hub.of_agent[agent.address]
        finally:
            hub.clients -= 1

    async def _hello(self) -> ApiKey:
        """The agent, as soon as it has shown its key and said what it wants."""
        try:
            async with asyncio.timeout(HELLO_SECONDS):
                asked = await self._said()
                while asked is None or asked.type != "subscribe":
                    asked = await self._said()
        except TimeoutError:
            raise _End(_POLICY, "no subscription in time") from None
        agent = self._core.api_keys.find(asked.api_key or self._token)
        self._token = asked.api_key or self._token
        if agent is None or self._address not in ("", agent.address):
            if self._core.strangers.take():
                await asyncio.sleep(1)
            raise _End(_POLICY, "unauthorized: a valid API key of this a2a_address is needed")
        self._address = agent.address
        self._take(asked)
        self._last = asked.last_event_id or self._last
        return agent

    def _take(self, asked: _Asked) -> None:
        unknown = [one for one in asked.topics if one not in TOPICS]
        if unknown:
            raise _End(_POLICY, f"the topics are {', '.join(TOPICS)}")
        self._topics = frozenset(asked.topics)

    async def _said(self) -> _Asked | None:
        """What the client says; None for what cannot be read."""
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(int(message.get("code") or _NORMAL))
        raw = message.get("bytes")
        try:
            return msgspec.json.decode(raw or message.get("text") or "", type=_Asked)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            self._bad += 1
            if self._bad >= _BAD_MAX:
                raise _End(_POLICY, "too many frames that are no messages") from None
            await self._say("error", code="bad_frame", message='write {"type": "subscribe"}')
            return None

    async def _say(self, kind: str, **fields: Any) -> None:
        await self._write(msgspec.json.encode({"type": kind, **fields}))

    async def _write(self, raw: bytes) -> None:
        async with asyncio.timeout(_WRITE_SECONDS):
            await self._socket.send_text(raw.decode())

    # --- serving --------------------------------------------------------------------------------

    async def _serve(self, agent: ApiKey) -> None:
        await self._core.follower.ready()
        after = self._after()
        queue: asyncio.Queue[list[Update] | None] = asyncio.Queue()
        self._hub.join(self._address, queue)
        tasks = [
            asyncio.create_task(self._listen()),
            asyncio.create_task(self._push(queue, after)),
            asyncio.create_task(self._check(agent)),
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._hub.leave(self._address, queue)

    def _after(self) -> Position:
        """Where to begin: after the last id, or now."""
        end = self._core.follower.end
        if self._last is None:
            return end
        try:
            found = position_of(self._last)
        except ValueError as error:
            raise _End(_POLICY, f"last_event_id: {error}") from None
        if end.height - found.height > REPLAY_BLOCKS_MAX:
            raise _End(_POLICY, "too long ago: read the inbox and begin anew")
        return found

    async def _listen(self) -> None:
        """Take later subscriptions; end with the client."""
        while True:
            asked = await self._said()
            if asked is None:
                continue
            if asked.type == "subscribe":
                self._take(asked)
                await self._say("subscribed", topics=sorted(self._topics))
            elif asked.type == "ping":
                await self._say("pong")
            else:
                await self._say("error", code="bad_frame", message="the types: subscribe, ping")

    async def _push(self, queue: asyncio.Queue[list[Update] | None], after: Position) -> None:
        hub = self._hub
        end = self._core.follower.end
        shown = str(after if self._last is not None else end)
        await self._say("subscribed", topics=sorted(self._topics), last_event_id=shown)
        async for update in hub.missed(self._address, after, end):
            await self._tell(update)
        sent = max(after, end)
        while (updates := await queue.get()) is not None:
            for update in updates:
                if update.at > sent:
                    await self._tell(update)
                    sent = update.at
        raise _End(_POLICY, "not reading fast enough: come back with your last event id")

    async def _tell(self, update: Update) -> None:
        if update.topic in self._topics:
            await self._write(update.frame)

    async def _check(self, agent: ApiKey) -> None:
        """End when the key is revoked."""
        while self._core.api_keys.find(self._token) is not None:
            await asyncio.sleep(_LOOK_SECONDS)
        raise _End(_POLICY, "unauthorized: the API key was revoked")
