"""The A2A door as an ASGI application: who asks, which agent, and what the SDK leaves to us.

It bounds bodies, takes ``A2A-Version`` from the query as well, echoes the extensions that are in
use, and keeps connections alive while a block is awaited: clients give up after five silent
seconds, so an answer that takes longer begins with blanks, and a stream with comments.
"""

from __future__ import annotations

import asyncio
import logging
import math
import re
from collections import OrderedDict
from typing import Any, Final
from urllib.parse import parse_qs

from a2a.extensions.common import HTTP_EXTENSION_HEADER, get_requested_extensions
from a2a.server.routes import create_jsonrpc_routes, create_rest_routes
from sse_starlette.sse import EventSourceResponse
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import Message, Receive, Scope, Send

from chain.client.jsonrpc import RpcFailed, Unreachable
from chain.client.transport import QueryRefused
from chain.gateway.a2a_callers import SCOPE_KEY, Caller, ContextBuilder
from chain.gateway.a2a_cards import ServedCard, jwk
from chain.gateway.a2a_faults import short
from chain.gateway.a2a_gate import OWN_AGENT, A2aSettings, Gate
from chain.gateway.a2a_handler import LedgerHandler
from chain.gateway.a2a_playground import Playground
from chain.gateway.a2a_rules import SENDS, Asked, fault_in, read
from chain.gateway.core import Core
from chain.gateway.limits import Buckets

BODY_MAX: Final = 1_048_576
BODY_SECONDS: Final = 30.0
QUIET_SECONDS: Final = 2.0
CARD_PATHS: Final = ("/.well-known/agent-card.json", "/.well-known/agent.json")
_KEYS_PATH: Final = "/.well-known/jwks.json"
_AGENT_PATH: Final = re.compile(r"/agents/([a-z0-9._-]{1,64})(/.*)?")
_VERSION: Final = b"a2a-version"
_OLD: Final = "0."
#: seconds in which a client must take what it is sent
WRITE_SECONDS: Final = 30.0
NO_NODE: Final = "the node does not answer"
#: the registry is asked for every request, so what it refuses is no client's doing
NO_CONTRACTS: Final = (
    "the chain lacks the contracts of this gateway; its option --contract names them"
)
WRONG_KEY: Final = "the API key is wrong or was revoked"
#: bursts of one caller, in those of the Agent API: A2A programs ask a lot at once, and then wait
_BURST: Final = 5
_APPS_KEPT: Final = 500
#: JSON-RPC's code for a server that has too much to do
_BUSY: Final = -32000
_SSE: Final = "text/event-stream"
_WHERE: Final = f"agents are listed at /agents, each with its card at {CARD_PATHS[0]}"


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
        limits = core.limits
        self._requests = Buckets(limits.requests, _BURST * limits.requests_burst)
        self._messages = Buckets(limits.messages, _BURST * limits.messages_burst)

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
        except (ClientDisconnect, ConnectionAbortedError):
            return
        except (Unreachable, RpcFailed):
            answer = _error(503, "UNAVAILABLE", NO_NODE)
            await answer(scope, receive, send)
        except QueryRefused:
            answer = _error(503, "UNAVAILABLE", NO_CONTRACTS)
            await answer(scope, receive, send)

    async def _serve(self, request: Request, send: Send) -> None:
        scope, receive = request.scope, request.receive
        path = request.url.path
        match = _AGENT_PATH.fullmatch(path)
        agent_id, rest = (OWN_AGENT, path) if match is None else (match[1], match[2] or "/")
        caller = self.gate.callers.find({k.lower(): v for k, v in request.headers.items()})
        answer: Response | None = None
        if wait := self.take(caller, _place(request)):
            answer = _too_many(wait, rpc=request.method == "POST" and rest == "/")
        elif path == "/agents":
            answer = await self._agents(request)
        elif match is None and path == _KEYS_PATH:
            answer = JSONResponse({"keys": [jwk(self.gate.cards.key_id, self.gate.cards.pubkey)]})
        if answer is not None:
            await answer(scope, receive, send)
            return
        card = await self.card(agent_id)
        if card is None:
            answer = _error(404, "NOT_FOUND", no_agent(agent_id))
        elif request.method in ("GET", "HEAD") and rest in (*CARD_PATHS, _KEYS_PATH):
            old = rest == CARD_PATHS[1] or _version(scope).startswith(_OLD)
            answer = JSONResponse(card.jwks)
            if rest != _KEYS_PATH:
                answer = card.answer(request, old=old)
        elif caller is None:
            answer = _error(401, "UNAUTHENTICATED", WRONG_KEY)
            answer.headers["WWW-Authenticate"] = "Bearer"
        else:
            app = self._app(agent_id, card)
            answer = await self._operate(request, send, rest, caller, app=app, card=card)
        if answer is not None:
            await answer(scope, receive, send)

    async def _operate(
        self,
        request: Request,
        send: Send,
        rest: str,
        caller: Caller,
        *,
        app: Starlette,
        card: ServedCard,
    ) -> Response | None:
        """Do an operation; an answer where it is refused before."""
        scope = request.scope
        try:
            body = await _body(request)
        except _TooLarge:
            return _too_large(rest)
        except TimeoutError:
            return _error(408, "DEADLINE_EXCEEDED", "the body did not come in time")
        asked = read(request, rest, body)
        if isinstance(asked, Response):
            return asked
        headers = _with_version(scope)
        fault = fault_in(asked, _version(scope))
        if fault is not None:
            return asked.refused(fault)
        if asked.operation in SENDS and (wait := self.take_message(caller, _place(request))):
            return _too_many(wait, rpc=asked.rpc, number=asked.number)
        inner = {**scope, "path": rest, "raw_path": rest.encode(), "root_path": ""}
        inner[SCOPE_KEY] = caller
        inner["headers"] = headers
        shown = echo(request.headers.getlist(HTTP_EXTENSION_HEADER), card)
        await _Keeper(app, inner, body, asked, shown).run(request.receive, send)
        return None

    def take(self, caller: Caller | None, place: str) -> float:
        """Take a token for a request: an agent's, or one of the place it comes from. 0, or the
        seconds to wait."""
        return self._requests.take(caller.address if caller is not None and caller.known else place)

    def take_message(self, caller: Caller, place: str) -> float:
        """Take a token for a message: 0, or the seconds to wait."""
        if caller.known:
            return self.gate.core.messages.take(caller.address)
        return self._messages.take(place)

    async def card(self, agent_id: str) -> ServedCard | None:
        """The card of an active agent, waiting a while for the gateway's own to begin."""
        if agent_id == OWN_AGENT:
            await self.gate.settled(QUIET_SECONDS)
        return await self.gate.card(agent_id)

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
            ],
            exception_handlers={HTTPException: _no_route},
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


def no_agent(agent_id: str) -> str:
    """What a request for an agent that is not there is told."""
    return f"there is no active agent {short(agent_id)}"


def _place(request: Request) -> str:
    """Where a request comes from."""
    return request.client.host if request.client is not None else ""


def _too_many(wait: float, *, rpc: bool, number: Any = None) -> Response:
    text = "too many requests; wait as long as Retry-After says"
    answer = _error(429, "RESOURCE_EXHAUSTED", text)
    if rpc:
        failed = {"code": _BUSY, "message": text}
        answer = JSONResponse({"jsonrpc": "2.0", "id": number, "error": failed}, 429)
    answer.headers["Retry-After"] = str(math.ceil(wait))
    return answer


async def _no_route(request: Request, error: Exception) -> Response:
    """What the SDK has no path or method for."""
    code = error.status_code if isinstance(error, HTTPException) else 500
    headers = error.headers or {} if isinstance(error, HTTPException) else {}
    allowed = headers.get("Allow", "another method")
    known = {404: ("NOT_FOUND", "nothing is here"), 405: ("UNIMPLEMENTED", f"this takes {allowed}")}
    status, text = known.get(code, ("UNKNOWN", "this cannot be done"))
    answer = _error(code, status, f"{text}; {_WHERE}")
    answer.headers.update(headers)
    return answer


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


def _version(scope: Scope) -> str:
    """The version that a request names, empty for none."""
    return dict(_with_version(scope)).get(_VERSION, b"").decode("latin-1")


def echo(wanted: list[str], card: ServedCard) -> str:
    """The extensions that were asked for and are declared, given the headers that ask."""
    asked = get_requested_extensions(wanted)
    declared = {one.uri for one in card.proto.capabilities.extensions}
    return ", ".join(sorted(set(asked) & declared))


class _Keeper:
    """Runs an application and keeps the client's patience while it waits for a block."""

    def __init__(self, app: Starlette, scope: Scope, body: bytes, asked: Asked, echo: str) -> None:
        self._app = app
        self._scope = scope
        self._body = body
        self._stream = asked.streams
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
                try:
                    async with asyncio.timeout(WRITE_SECONDS):
                        await self._forward(message, send)
                except TimeoutError:
                    raise ConnectionAbortedError("the client does not read") from None

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


def a2a_app(core: Core, settings: A2aSettings) -> A2aApp:
    """The A2A door of a gateway."""
    return A2aApp(core, settings)
