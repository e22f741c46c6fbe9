"""The A2A door as an ASGI application: who asks, which agent, and what the SDK leaves to us.

It bounds bodies, takes ``A2A-Version`` from the query as well, echoes the extensions that are in
use, and keeps connections alive while a block is awaited: clients give up after five silent
seconds, so an answer that takes longer begins with blanks, and a stream with comments.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections import OrderedDict
from typing import Final
from urllib.parse import parse_qs

from a2a.extensions.common import HTTP_EXTENSION_HEADER, get_requested_extensions
from a2a.server.routes import create_jsonrpc_routes, create_rest_routes
from sse_starlette.sse import EventSourceResponse
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import Message, Receive, Scope, Send

from chain.client.jsonrpc import RpcFailed, Unreachable
from chain.gateway.a2a_callers import SCOPE_KEY, ContextBuilder
from chain.gateway.a2a_cards import ServedCard, jwk
from chain.gateway.a2a_gate import OWN_AGENT, A2aSettings, Gate
from chain.gateway.a2a_handler import LedgerHandler
from chain.gateway.a2a_playground import Playground
from chain.gateway.core import Core

BODY_MAX: Final = 1_048_576
BODY_SECONDS: Final = 30.0
QUIET_SECONDS: Final = 2.0
CARD_PATHS: Final = ("/.well-known/agent-card.json", "/.well-known/agent.json")
_KEYS_PATH: Final = "/.well-known/jwks.json"
_AGENT_PATH: Final = re.compile(r"/agents/([a-z0-9._-]{1,64})(/.*)?")
_VERSION: Final = b"a2a-version"
_STREAMS: Final = (
    "SendStreamingMessage",
    "SubscribeToTask",
    "message/stream",
    "tasks/resubscribe",
)
_APPS_KEPT: Final = 500
_SSE: Final = "text/event-stream"


class A2aApp:
    """Serves all agents of a chain. ``start`` and ``stop`` belong to the event loop that serves;
    the first request starts it if nobody did."""

    def __init__(self, core: Core, settings: A2aSettings) -> None:
        logging.getLogger("a2a").setLevel(logging.CRITICAL)  # it logs every refused request
        EventSourceResponse.DEFAULT_PING_INTERVAL = int(QUIET_SECONDS)
        self.gate = Gate(core, settings)
        self._apps: OrderedDict[str, tuple[ServedCard, Starlette]] = OrderedDict()
        self._playground: Playground | None = None
        self._started = False

    def start(self) -> None:
        """Begin: blocks, callbacks, own accounts, own agent."""
        if self._started:
            return
        self._started = True
        self.gate.start()
        if self.gate.settings.secret is not None and self.gate.settings.own_agent:
            self._playground = Playground(
                self.gate.core.rpc,
                self.gate.core.contracts,
                self.gate.root,
                OWN_AGENT,
                self.gate.settings.address,
            )
            self.gate.when_ready(self._playground.start)

    async def stop(self) -> None:
        """End everything."""
        if self._playground is not None:
            self._playground.stop()
        await self.gate.stop()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        self.start()
        request = Request(scope, receive)
        try:
            await self._serve(request, send)
        except ClientDisconnect:
            return
        except (Unreachable, RpcFailed):
            answer = _error(503, "UNAVAILABLE", "the node does not answer")
            await answer(scope, receive, send)

    async def _serve(self, request: Request, send: Send) -> None:
        scope, receive = request.scope, request.receive
        path = request.url.path
        match = _AGENT_PATH.fullmatch(path)
        agent_id, rest = (OWN_AGENT, path) if match is None else (match[1], match[2] or "/")
        answer: Response | None = None
        body = b""
        if path == "/agents":
            answer = await self._agents(request)
        elif match is None and path == _KEYS_PATH:
            answer = JSONResponse({"keys": [jwk(self.gate.cards.key_id, self.gate.cards.pubkey)]})
        else:
            try:
                body = await _body(request)
            except _TooLarge:
                answer = _too_large(rest)
            except TimeoutError:
                answer = _error(408, "DEADLINE_EXCEEDED", "the body did not come in time")
        card = None if answer is not None else await self._card(agent_id)
        if answer is None and card is None:
            answer = _error(404, "NOT_FOUND", f"there is no active agent {agent_id}")
        elif answer is None and card is not None and request.method in ("GET", "HEAD"):
            if rest in CARD_PATHS:
                answer = card.answer(request)
            elif rest == _KEYS_PATH:
                answer = JSONResponse(card.jwks)
        if answer is not None or card is None:
            await (answer or _error(404, "NOT_FOUND", "nothing is here"))(scope, receive, send)
            return
        caller = self.gate.callers.find({k.lower(): v for k, v in request.headers.items()})
        if caller is None:
            refused = _error(401, "UNAUTHENTICATED", "the API key is wrong or was revoked")
            refused.headers["WWW-Authenticate"] = "Bearer"
            await refused(scope, receive, send)
            return
        inner = {**scope, "path": rest, "raw_path": rest.encode(), "root_path": ""}
        inner[SCOPE_KEY] = caller
        inner["headers"] = _with_version(scope)
        echo = _echo(request, card)
        await _Keeper(self._app(agent_id, card), inner, body, echo).run(receive, send)

    async def _card(self, agent_id: str) -> ServedCard | None:
        address = ""
        if agent_id == OWN_AGENT:
            await self.gate.settled(QUIET_SECONDS)
        return await self.gate.card(agent_id, address)

    def _app(self, agent_id: str, card: ServedCard) -> Starlette:
        """The SDK's routes for an agent, as its card is now."""
        kept = self._apps.get(agent_id)
        if kept is not None and kept[0] is card:
            return kept[1]
        handler = LedgerHandler(self.gate, agent_id, card)
        builder = ContextBuilder()
        app = Starlette(
            routes=[
                *create_jsonrpc_routes(
                    handler, rpc_url="/", context_builder=builder, enable_v0_3_compat=True
                ),
                *create_rest_routes(handler, context_builder=builder, enable_v0_3_compat=True),
            ]
        )
        app.router.redirect_slashes = False
        self._apps[agent_id] = (card, app)
        if len(self._apps) > _APPS_KEPT:
            self._apps.popitem(last=False)
        return app

    async def _agents(self, request: Request) -> Response:
        """A page of the agents and where their cards are."""
        after = request.query_params.get("start_after")
        to = self.gate.core.contracts
        page = await self.gate.ledger.ask(to.registry, "list_agents", start_after=after, limit=100)
        found = [
            {
                "agentId": one["agent_id"],
                "name": one["name"] or one["agent_id"],
                "card": f"{self.gate.cards.address_of(one['agent_id'])}{CARD_PATHS[0]}",
            }
            for one in page["agents"]
            if one["status"] == "active"
        ]
        return JSONResponse({"agents": found, "next": page["next"]})


class _TooLarge(Exception):
    """More bytes than a request may have."""


async def _body(request: Request) -> bytes:
    body = bytearray()
    async with asyncio.timeout(BODY_SECONDS):
        async for piece in request.stream():
            body += piece
            if len(body) > BODY_MAX:
                raise _TooLarge
    return bytes(body)


def _too_large(path: str) -> Response:
    text = f"a request has at most {BODY_MAX} bytes"
    if path != "/":
        return _error(413, "INVALID_ARGUMENT", text)
    failed = {"code": -32600, "message": text}
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": failed})


def _error(code: int, status: str, text: str) -> JSONResponse:
    return JSONResponse({"error": {"code": code, "status": status, "message": text}}, code)


def _with_version(scope: Scope) -> list[tuple[bytes, bytes]]:
    """The headers, with the version of the query where the header is missing."""
    headers = list(scope["headers"])
    if not any(name == _VERSION and value for name, value in headers):
        found = parse_qs(scope["query_string"].decode("latin-1")).get("A2A-Version")
        if found:
            headers = [one for one in headers if one[0] != _VERSION]
            headers.append((_VERSION, found[0].encode("latin-1")))
    return headers


def _echo(request: Request, card: ServedCard) -> str:
    """The extensions that were asked for and are declared."""
    asked = get_requested_extensions(request.headers.getlist(HTTP_EXTENSION_HEADER))
    declared = {one.uri for one in card.proto.capabilities.extensions}
    return ", ".join(sorted(set(asked) & declared))


class _Keeper:
    """Runs an application and keeps the client's patience while it waits for a block."""

    def __init__(self, app: Starlette, scope: Scope, body: bytes, echo: str) -> None:
        self._app = app
        self._scope = scope
        self._body = body
        self._stream = _streams(scope, body)
        self._headers = [(b"a2a-extensions", echo.encode("latin-1"))] if echo else []
        self._begun = False
        self._dropped = False
        self._late = False

    async def run(self, receive: Receive, send: Send) -> None:
        """Answer."""
        sent_body = False

        async def inner_receive() -> Message:
            nonlocal sent_body
            if not sent_body:
                sent_body = True
                return {"type": "http.request", "body": self._body, "more_body": False}
            return await receive()

        started = asyncio.Event()
        lock = asyncio.Lock()

        async def inner_send(message: Message) -> None:
            started.set()
            async with lock:
                await self._forward(message, send)

        patience = asyncio.create_task(self._wait(started, lock, send))
        try:
            await self._app(self._scope, inner_receive, inner_send)
        finally:
            patience.cancel()
            await asyncio.gather(patience, return_exceptions=True)

    async def _wait(self, started: asyncio.Event, lock: asyncio.Lock, send: Send) -> None:
        """Send something every few seconds until the application begins to answer."""
        if self._scope["method"] != "POST" and not self._stream:
            return
        kind = _SSE if self._stream else "application/json"
        while True:
            try:
                async with asyncio.timeout(QUIET_SECONDS):
                    await started.wait()
                return
            except TimeoutError:
                pass
            async with lock:
                if started.is_set():
                    return
                if not self._begun:
                    self._begun = self._late = True
                    headers = [(b"content-type", kind.encode()), (b"cache-control", b"no-store")]
                    await send(
                        {
                            "type": "http.response.start",
                            "status": 200,
                            "headers": headers + self._headers,
                        }
                    )
                blank = b": wait\n\n" if self._stream else b" "
                await send({"type": "http.response.body", "body": blank, "more_body": True})

    async def _forward(self, message: Message, send: Send) -> None:
        if message["type"] == "http.response.start":
            if not self._late:
                message = {**message, "headers": [*message["headers"], *self._headers]}
                await send(message)
                return
            kind = dict(message["headers"]).get(b"content-type", b"").decode()
            self._dropped = self._stream and not kind.startswith(_SSE)
            if message["status"] != 200 and not self._stream:
                raise ConnectionAbortedError("the answer is an error, and success was begun")
            return
        if self._late and self._dropped and message.get("body"):
            kind = b"" if b'"jsonrpc"' in message["body"] else b"event: error\n"
            message = {**message, "body": kind + b"data: " + message["body"] + b"\n\n"}
        await send(message)


def _streams(scope: Scope, body: bytes) -> bool:
    """Whether the answer will be a stream of events."""
    path = scope["path"]
    if path != "/":
        return bool(path.endswith((":stream", ":subscribe")))
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and found.get("method") in _STREAMS


def a2a_app(core: Core, settings: A2aSettings) -> A2aApp:
    """The A2A door of a gateway."""
    return A2aApp(core, settings)
