"""The Agent API: ``/agent/v1/…`` of the guide's section 7, as its clients speak it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import Receive, Scope, Send

from chain.client import agent_calls as calls
from chain.client.transport import ChainError
from chain.crypto.keys import PrivateKey
from chain.errors import AppError
from chain.gateway.core import Core
from chain.gateway.events import position_of
from chain.gateway.keys import ApiKey
from chain.gateway.reads import question
from chain.gateway.rest_bodies import (
    BODY_MAX,
    CHANNEL_TYPES,
    LIMIT_MAX,
    MARKS,
    MESSAGE_TYPES,
    STATUSES,
    TX_MAX,
    CapabilityBody,
    ChannelBody,
    MarkBody,
    ReplyBody,
    SendBody,
    TxBody,
    decimal,
    needed,
    one_of,
    plain,
    read_json,
    read_query,
    unbase64,
    whole,
)
from chain.gateway.rest_events import EventsDoor, Hub
from chain.gateway.rest_faults import NO_CHANNEL, UNAUTHORIZED, Fault, fault_of
from chain.gateway.rest_messages import draft_reply, draft_send, message_of, send
from chain.gateway.rest_openapi import document
from chain.gateway.rest_page import PAGE
from chain.tx.codec import decode_tx
from chain.tx.value import DEV, required_signers

LOG: Final = logging.getLogger("msgchain.gateway")
#: seconds in which a request's body must come
BODY_SECONDS: Final = 30.0
WAIT_MAX: Final = 30
_HEADERS: Final = ((b"content-type", b"application/json"), (b"cache-control", b"no-store"))
_KEY_MAX: Final = 255
_EVENTS_DEFAULT: Final = 100

Handler = Callable[[Request, ApiKey], Awaitable[Any]]


async def read_body(request: Request, limit: int = BODY_MAX) -> bytes:
    """The whole body. Raises: Fault, ClientDisconnect."""
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for piece in request.stream():
                body += piece
                if len(body) > limit:
                    raise Fault(413, "too_large", f"a body has at most {limit} bytes")
    except TimeoutError:
        raise Fault(408, "too_slow", "the body did not come in time") from None
    return bytes(body)


class _Endpoint:
    """An ASGI application around a handler: limits, key, and failures as answers."""

    def __init__(self, core: Core, handlers: dict[str, Handler], *, message: bool) -> None:
        self._core = core
        self._handlers = handlers
        self._message = message

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        try:
            answer = await self._answer(request)
        except ClientDisconnect:
            return
        except Exception as error:
            answer = self._failed(request, error)
        if isinstance(answer, Response):
            answer.headers["Cache-Control"] = "no-store"
            await answer(scope, receive, send)
            return
        raw = answer if isinstance(answer, bytes) else plain(answer)
        headers = [*_HEADERS, (b"content-length", b"%d" % len(raw))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": raw})

    @staticmethod
    def _failed(request: Request, error: Exception) -> Response:
        try:
            return fault_of(error).response()
        except Exception as unknown:  # the last resort of a server
            LOG.error("failed", extra={"path": request.url.path}, exc_info=unknown)
            return Fault(500, "internal", "the gateway failed; its log says how").response()

    async def _answer(self, request: Request) -> Any:
        handler = self._handlers.get(request.method)
        if handler is None:
            allowed = ", ".join(self._handlers)
            response = Fault(405, "method_not_allowed", f"the methods are {allowed}").response()
            response.headers["Allow"] = allowed
            return response
        core = self._core
        agent = core.api_keys.find(_token(request))
        _limited((core.strangers if agent is None else core.requests).take())
        if agent is None:
            raise Fault(*UNAUTHORIZED)
        if self._message and request.method == "POST":
            _limited(core.messages.take(agent.address))
        return await handler(request, agent)


def _limited(wait: float) -> None:
    if wait:
        text = "too many requests; wait as long as Retry-After says"
        raise Fault(429, "rate_limited", text, retry_after=wait)


def _token(request: Request) -> str:
    for name, value in request.scope["headers"]:
        if name == b"x-api-key":
            return str(value.decode("latin-1"))
    return ""


def _query(request: Request) -> str:
    return str(request.scope["query_string"].decode("latin-1"))


class AgentApi:
    """The handlers."""

    def __init__(self, core: Core) -> None:
        self.core = core
        self.hub = Hub(core)

    def routes(self) -> list[BaseRoute]:
        """All routes of the Agent API."""
        a2a = "/agent/v1/a2a"
        return [
            self._route(f"{a2a}/send", message=True, POST=self.send),
            self._route(f"{a2a}/reply", message=True, POST=self.reply),
            self._route(f"{a2a}/mark", POST=self.mark),
            self._route(f"{a2a}/inbox", GET=self.inbox),
            self._route(f"{a2a}/sent", GET=self.sent),
            self._route(f"{a2a}/message", GET=self.message),
            self._route(
                f"{a2a}/channel", GET=self.channel, POST=self.open_channel, DELETE=self.close
            ),
            self._route(f"{a2a}/discover", GET=self.discover),
            self._route(
                f"{a2a}/capability", POST=self.add_capability, DELETE=self.remove_capability
            ),
            self._route("/agent/v1/me", GET=self.me),
            self._route("/agent/v1/tx", POST=self.tx),
            self._route("/agent/v1/events", GET=self.events),
            WebSocketRoute("/agent/v1/events/subscribe", EventsDoor(self.hub)),
        ]

    def _route(self, path: str, *, message: bool = False, **handlers: Handler) -> Route:
        return Route(path, _Endpoint(self.core, handlers, message=message))

    async def _signer(self, agent: ApiKey) -> PrivateKey:
        if not agent.signer:
            text = "this API key has no signing key here; send signed transactions to /agent/v1/tx"
            raise Fault(409, "no_signing_key", text)
        key = await self.core.keyring.key(agent.signer)
        if key.pubkey.address() != agent.address:
            raise Fault(409, "no_signing_key", "the gateway's key is not this agent's")
        return key

    # --- messages -------------------------------------------------------------------------------

    async def send(self, request: Request, agent: ApiKey) -> Any:
        """Send a message."""
        read_query(_query(request), ())
        body = read_json(await read_body(request), SendBody)
        one_of(body.message_type, MESSAGE_TYPES, "message_type")
        retried = _idempotency(request)
        key = await self._signer(agent)
        draft = await draft_send(self.core, agent, body)
        return await send(self.core, agent, key, draft, signed=body.signed, idempotency_key=retried)

    async def reply(self, request: Request, agent: ApiKey) -> Any:
        """Answer a message that was received."""
        read_query(_query(request), ())
        body = read_json(await read_body(request), ReplyBody)
        retried = _idempotency(request)
        key = await self._signer(agent)
        draft = await draft_reply(self.core, agent, body)
        return await send(self.core, agent, key, draft, signed=body.signed, idempotency_key=retried)

    async def mark(self, request: Request, agent: ApiKey) -> Any:
        """Say that a message arrived or was read, or take one back."""
        read_query(_query(request), ())
        body = read_json(await read_body(request), MarkBody)
        variant = one_of(body.status, MARKS, "status")
        key = await self._signer(agent)
        found = await message_of(self.core, agent, body.msg_id)
        mine = found["sender" if variant == "cancelled" else "receiver"]
        if mine != agent.address:
            raise Fault(404, "not_found", "this message is not yours to mark so")
        if found["status"] == variant:
            return _marked(body.msg_id, variant, None)
        name = "cancel_message" if variant == "cancelled" else f"mark_{variant}"
        call = calls.move_message(self.core.contracts, name, body.msg_id)
        outcome = await self.core.accounts.submit(key, [call])
        return _marked(body.msg_id, variant, outcome)

    async def inbox(self, request: Request, agent: ApiKey) -> Any:
        """What the agent received, newest first."""
        found = read_query(_query(request), ("address", "status", "limit", "start_after"))
        _own(found, agent)
        status = found.get("status")
        return await self._list(
            "list_messages",
            found,
            agent,
            status=None if status is None else one_of(status, STATUSES, "status"),
        )

    async def sent(self, request: Request, agent: ApiKey) -> Any:
        """What the agent sent, newest first."""
        found = read_query(_query(request), ("address", "limit", "start_after"))
        _own(found, agent)
        return await self._list("list_sent_messages", found, agent)

    async def _list(
        self, variant: str, found: dict[str, str], agent: ApiKey, **fields: Any
    ) -> bytes:
        limit = whole(found, "limit", 1, LIMIT_MAX, 30)
        asked = question(
            variant,
            address=agent.address,
            limit=limit,
            start_after=found.get("start_after"),
            **fields,
        )
        return await self.core.reads.smart(self.core.contracts.a2a, asked)

    async def message(self, request: Request, agent: ApiKey) -> Any:
        """One message that the agent sent or received."""
        found = read_query(_query(request), ("msg_id",))
        return {"message": await message_of(self.core, agent, needed(found, "msg_id"))}

    # --- channels -------------------------------------------------------------------------------

    async def channel(self, request: Request, agent: ApiKey) -> Any:
        """A channel of the agent's, by id or by the other side; without either, all of them."""
        names = ("channel_id", "participant", "limit", "start_after")
        found = read_query(_query(request), names)
        if "channel_id" in found:
            return {"channel": await self._channel(agent, needed(found, "channel_id"))}
        if "participant" in found:
            view = await self._live(agent, needed(found, "participant"))
            if view is None:
                raise Fault(*NO_CHANNEL)
            return {"channel": view}
        return await self._list("list_channels_of", found, agent)

    async def _channel(self, agent: ApiKey, channel_id: str) -> dict[str, Any]:
        asked = self.core.reads.ask(self.core.contracts.a2a, "get_channel", channel_id=channel_id)
        view = (await asked)["channel"]
        if view is None or agent.address not in (*view["participants"], view["owner"]):
            raise Fault(*NO_CHANNEL)
        return dict(view)

    async def _live(self, agent: ApiKey, participant: str) -> dict[str, Any] | None:
        """The pair's direct channel that is not closed."""
        pair = [agent.address, participant]
        page = await self.core.reads.ask(
            self.core.contracts.a2a, "list_channels", participants=pair, limit=1
        )
        live = [view for view in page["channels"] if view["status"] != "closed"]
        return live[0] if live else None

    async def open_channel(self, request: Request, agent: ApiKey) -> Any:
        """Open a channel, or answer the live one that a pair has already."""
        read_query(_query(request), ())
        body = read_json(await read_body(request), ChannelBody)
        kind = one_of(body.channel_type, CHANNEL_TYPES, "channel_type")
        if (kind == "direct") != (body.participant is not None):
            raise Fault(422, "bad_body", "a direct channel names a participant, others do not")
        metadata = None if body.metadata is None else unbase64(body.metadata, "metadata")
        key = await self._signer(agent)
        call = calls.call(
            self.core.contracts.a2a,
            "create_channel",
            channel_type=kind,
            participant=body.participant,
            metadata=None if metadata is None else calls.binary(metadata),
            members=list(body.members) or None,
        )
        try:
            outcome = await self.core.accounts.submit(key, [call])
        except ChainError as error:
            if "Channel already exists" not in error.log or body.participant is None:
                raise
            view = await self._live(agent, body.participant)
            if view is None:
                raise
            return _opened(view["channel_id"], kind, None)
        channel_id = outcome.attribute("a2a_channel_created", "channel_id")
        return _opened(channel_id, kind, outcome)

    async def close(self, request: Request, agent: ApiKey) -> Any:
        """Close a channel for good."""
        found = read_query(_query(request), ("channel_id",))
        channel_id = needed(found, "channel_id")
        key = await self._signer(agent)
        view = await self._channel(agent, channel_id)
        if view["status"] == "closed":
            return {"channel_id": channel_id, "status": "closed", **_where(None)}
        call = calls.close_channel(self.core.contracts, channel_id)
        outcome = await self.core.accounts.submit(key, [call])
        return {"channel_id": channel_id, "status": "closed", **_where(outcome)}

    # --- discovery ------------------------------------------------------------------------------

    async def discover(self, request: Request, agent: ApiKey) -> Any:
        """Active agents with a capability, cheapest first with ``max_price``."""
        names = ("capability", "max_price", "limit", "start_after")
        found = read_query(_query(request), names)
        asked = question(
            "find_agents_by_capability",
            capability=needed(found, "capability"),
            max_price=decimal(found, "max_price"),
            limit=whole(found, "limit", 1, LIMIT_MAX, 30),
            start_after=found.get("start_after"),
        )
        return await self.core.reads.smart(self.core.contracts.a2a, asked)

    async def add_capability(self, request: Request, agent: ApiKey) -> Any:
        """Declare a capability of the key's agent; again changes nothing."""
        read_query(_query(request), ())
        body = read_json(await read_body(request), CapabilityBody)
        return await self._capability(agent, body.agent_id, body.capability, add=True)

    async def remove_capability(self, request: Request, agent: ApiKey) -> Any:
        """Withdraw a capability; again changes nothing."""
        found = read_query(_query(request), ("agent_id", "capability"))
        agent_id, name = needed(found, "agent_id"), needed(found, "capability")
        return await self._capability(agent, agent_id, name, add=False)

    async def _capability(self, agent: ApiKey, agent_id: str, name: str, *, add: bool) -> Any:
        if agent_id != agent.agent_id:
            raise Fault(403, "forbidden", "this API key is another agent's")
        key = await self._signer(agent)
        call = calls.capability(self.core.contracts, agent_id, name, add=add)
        outcome = None
        try:
            outcome = await self.core.accounts.submit(key, [call])
        except ChainError as error:
            done = "Capability already registered" if add else "Capability not found"
            if done not in error.log:
                raise
        changed = outcome is not None
        shown = {"agent_id": agent_id, "capability": name, "changed": changed}
        return {**shown, **_where(outcome)}

    # --- the rest -------------------------------------------------------------------------------

    async def me(self, request: Request, agent: ApiKey) -> Any:
        """Who this key speaks for."""
        read_query(_query(request), ())
        return {
            "agent_id": agent.agent_id,
            "address": agent.address,
            "key_id": agent.id,
            "signs": bool(agent.signer),
            "chain_id": await self.core.link.chain_id(),
            "contract": self.core.contracts.a2a,
            "last_event_id": str(self.core.follower.end),
        }

    async def tx(self, request: Request, agent: ApiKey) -> Any:
        """Take a transaction that the agent signed elsewhere; again gives the same answer."""
        read_query(_query(request), ())
        raw = unbase64(read_json(await read_body(request, TX_MAX), TxBody).tx, "tx")
        try:
            decoded = decode_tx(raw)
        except AppError as error:
            raise Fault(422, "bad_tx", f"not a transaction: {error.log}") from None
        if decoded.form == DEV or set(required_signers(decoded)) != {agent.address}:
            raise Fault(403, "forbidden", "only this key's agent may have signed it")
        outcome = await self.core.accounts.broadcast(raw)
        ids = [one["msg_id"] for one in outcome.attributes("a2a_message_sent") if "msg_id" in one]
        return {**_where(outcome), "gas_used": outcome.gas_used, "msg_ids": ids}

    async def events(self, request: Request, agent: ApiKey) -> Any:
        """What concerns the agent since an event id; waits up to ``wait`` seconds for some."""
        found = read_query(_query(request), ("after", "limit", "wait"))
        limit = whole(found, "limit", 1, 1_000, _EVENTS_DEFAULT)
        wait = whole(found, "wait", 0, WAIT_MAX, 0)
        follower = self.core.follower
        await follower.ready()
        try:
            after = position_of(found["after"]) if "after" in found else follower.end
        except ValueError as error:
            raise Fault(422, "bad_query", f"after: {error}") from None
        return await self.hub.poll(agent.address, after, limit, wait)


def _where(outcome: Any) -> dict[str, Any]:
    if outcome is None:
        return {"tx_hash": None, "height": None}
    return {"tx_hash": outcome.hash, "height": outcome.height}


def _marked(msg_id: str, status: str, outcome: Any) -> dict[str, Any]:
    return {"msg_id": msg_id, "status": status, **_where(outcome)}


def _opened(channel_id: str, kind: str, outcome: Any) -> dict[str, Any]:
    shown = {"channel_id": channel_id, "channel_type": kind, "created": outcome is not None}
    return {**shown, **_where(outcome)}


def _own(found: dict[str, str], agent: ApiKey) -> None:
    if found.get("address", agent.address) != agent.address:
        raise Fault(403, "forbidden", "this API key reads its own agent's messages only")


def _idempotency(request: Request) -> str | None:
    key = request.headers.get("idempotency-key")
    if key is not None and not (0 < len(key) <= _KEY_MAX and key.isascii() and key.isprintable()):
        text = f"an Idempotency-Key has 1 to {_KEY_MAX} printable ASCII characters"
        raise Fault(422, "bad_key", text)
    return key


class Application:
    """The Agent API as an ASGI application: its own paths by a table, all else by Starlette."""

    def __init__(self, core: Core, routes: Sequence[BaseRoute] = ()) -> None:
        own = AgentApi(core).routes()
        self._table = {
            one.path: one.endpoint
            for one in own
            if isinstance(one, Route) and isinstance(one.endpoint, _Endpoint)
        }
        self._rest = Starlette(routes=[*routes, *own, *_public()])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or serve one socket."""
        found = self._table.get(scope["path"]) if scope["type"] == "http" else None
        await (self._rest if found is None else found)(scope, receive, send)


def _public() -> list[BaseRoute]:
    """What needs no key."""
    described = plain(document())

    async def openapi(request: Request) -> Response:
        return Response(described, media_type="application/json")

    async def page(request: Request) -> Response:
        policy = "default-src 'self'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
        return Response(PAGE, media_type="text/html", headers={"Content-Security-Policy": policy})

    async def nothing(request: Request) -> Response:
        return Fault(404, "not_found", "see /openapi.json, or / for a page").response()

    return [
        Route("/openapi.json", openapi),
        Route("/", page),
        Route("/{path:path}", nothing, methods=_EVERY),
    ]


def application(core: Core, *, routes: Sequence[BaseRoute] = ()) -> Application:
    """The Agent API; ``routes`` come before what needs no key."""
    return Application(core, routes)


_EVERY: Final = ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"]
