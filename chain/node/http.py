"""The RPC over HTTP: POST with one request or a batch, GET with arguments in the query."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from html import escape
from typing import Final
from urllib.parse import parse_qsl

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from chain.node.gojson import JsonError
from chain.node.origins import ANY, FOREIGN, NOT_A_LINK, is_control, is_foreign
from chain.node.params import ParamError, from_uri
from chain.node.rpc import URI_ID, Answer, Rpc, error, parse_error, read_many

BODY_MAX: Final = 1_000_000
#: bytes of a body that are read at all
DRAIN_MAX: Final = 32_000_000
BATCH_MAX: Final = 10
#: seconds in which a request's body must come
BODY_SECONDS: Final = 30.0
_CACHE: Final = {"Cache-Control": "public, max-age=86400"}
_JSON: Final = "application/json"
_PLAIN: Final = {"X-Content-Type-Options": "nosniff"}


class BodyTooLarge(Exception):
    """More bytes than a request may have."""


class BodyTooSlow(Exception):
    """The body did not come in time."""


class Reply(msgspec.Struct, frozen=True):
    """A JSON body, or an empty one for notifications, and whether a cache may keep it."""

    raw: bytes
    status: int = 200
    cacheable: bool = False


async def read_body(request: Request, limit: int = BODY_MAX) -> bytes:
    """The whole body; of one that is too large the rest is read and forgotten, so that the client
    hears why. Raises: BodyTooLarge, BodyTooSlow, ClientDisconnect.
    """
    body = bytearray()
    size = 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for piece in request.stream():
                size += len(piece)
                if size <= limit:
                    body += piece
                elif size > DRAIN_MAX:
                    raise BodyTooLarge
    except TimeoutError:
        raise BodyTooSlow from None
    if size > limit:
        raise BodyTooLarge
    return bytes(body)


class HttpDoor:
    """An ASGI application for ``/`` and ``/<method>``.

    ``origins``: web pages that may call, ``*`` for all; none by default.
    """

    def __init__(self, rpc: Rpc, origins: Sequence[str] = ()) -> None:
        self._rpc = rpc
        self._origins = tuple(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        try:
            response = await self._answer(request)
        except ClientDisconnect:
            return
        response.headers["X-Server-Time"] = str(int(time.time()))
        self._allow_origin(request, response)
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        if self._origins and request.method == "OPTIONS":
            wanted = request.headers.get("access-control-request-method")
            if wanted is not None and "origin" in request.headers:
                return self._preflight(request, wanted)
        path = request.url.path
        try:
            body = await read_body(request)
        except BodyTooLarge:
            return _refused("error reading request body: http: request body too large")
        except BodyTooSlow:
            return _refused("error reading request body: i/o timeout")
        if path == "/":
            return await self._posted(request, body)
        name = path.removeprefix("/")
        method = self._rpc.find(name)
        if method is None:
            if self._rpc.find(name, socket=True) is not None:
                return _json(error(URI_ID, -32601, "Method not found"), 404)
            return Response("404 page not found\n", 404, _PLAIN, "text/plain; charset=utf-8")
        return await self._called(request, name, body)

    async def reply(self, body: bytes, *, foreign: bool = False) -> Reply:
        """The answer to what was posted to ``/``; ``foreign``: by a page that may not call
        controls."""
        try:
            requests = read_many(body)
        except JsonError as failure:
            return Reply(parse_error(str(failure)), 400)
        if len(requests) > BATCH_MAX:
            text = f"batch request exceeds maximum ({BATCH_MAX}) allowed number of requests"
            return Reply(error(None, -32600, "Invalid Request", text))
        answers: list[Answer] = []
        for one in requests:
            if foreign and is_control(one.method) and one.id is not None:
                text = f"{one.method} {FOREIGN}"
                answers.append(Answer(error(one.id, -32600, "Invalid Request", text)))
                continue
            answer = await self._rpc.answer(one)
            if answer is not None:
                answers.append(answer)
        if not answers:
            return Reply(b"")
        raw = answers[0].raw
        if len(answers) > 1:
            raw = b"[" + b",".join([answer.raw for answer in answers]) + b"]"
        return Reply(raw, cacheable=all(answer.cacheable for answer in answers))

    async def _posted(self, request: Request, body: bytes) -> Response:
        if not body:
            return Response(self._listing(request), media_type=None, headers=_HTML)
        found = await self.reply(body, foreign=is_foreign(request.headers, self._origins))
        if not found.raw:
            return Response(status_code=200)
        return _json(found.raw, found.status, cache=found.cacheable)

    async def _called(self, request: Request, name: str, body: bytes) -> Response:
        if is_control(name):
            return _json(error(URI_ID, -32600, "Invalid Request", f"{name} {NOT_A_LINK}"), 405)
        method = self._rpc.methods[name]
        sent = _arguments(request, body)
        try:
            values = from_uri(method.params, lambda key: sent.get(key, ""))
        except ParamError as failure:
            return _json(error(URI_ID, -32602, "Invalid params", str(failure)), 400)
        answer = await self._rpc.call(method, URI_ID, values)
        if answer.failed:
            return _json(answer.raw, 400)
        return _json(answer.raw, cache=answer.cacheable)

    def _listing(self, request: Request) -> bytes:
        """The methods as a page of links."""
        host = escape(request.headers.get("host", "127.0.0.1"))
        lines = [
            "<html><body><br>Available endpoints:<br><br>Endpoints that require arguments:<br>"
        ]
        for name in sorted(self._rpc.methods):
            if is_control(name):
                continue
            names = [param.name for param in self._rpc.methods[name].params]
            link = f"//{host}/{name}?" + "&".join(f"{one}=_" for one in names)
            lines.append(f'<a href="{link}">{link}</a></br>')
        return "".join([*lines, "</body></html>"]).encode()

    def _preflight(self, request: Request, wanted: str) -> Response:
        headers = {"Vary": "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"}
        origin = self._allowed(request)
        if origin and wanted in ("HEAD", "GET", "POST"):
            headers["Access-Control-Allow-Origin"] = origin
            headers["Access-Control-Allow-Methods"] = wanted
            asked = request.headers.get("access-control-request-headers")
            if asked:
                headers["Access-Control-Allow-Headers"] = asked
        return Response(status_code=204, headers=headers)

    def _allowed(self, request: Request) -> str:
        origin = request.headers.get("origin", "")
        if ANY in self._origins:
            return ANY if origin else ""
        return origin if origin in self._origins else ""

    def _allow_origin(self, request: Request, response: Response) -> None:
        if not self._origins or "vary" in response.headers:
            return
        response.headers["Vary"] = "Origin"
        origin = self._allowed(request)
        if origin:
            response.headers["Access-Control-Allow-Origin"] = origin


_HTML: Final = {"Content-Type": "text/html"}


def _arguments(request: Request, body: bytes) -> Mapping[str, str]:
    """Arguments of the query and of a form, the first of each name that is not empty."""
    pairs = parse_qsl(request.url.query, keep_blank_values=True)
    if request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        pairs += parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True)
    found: dict[str, str] = {}
    for name, value in pairs:
        if not found.get(name):
            found[name] = value
    return found


def _json(raw: bytes, status: int = 200, *, cache: bool = False) -> Response:
    return Response(raw, status, _CACHE if cache else None, _JSON)


def _refused(text: str) -> Response:
    return _json(error(None, -32600, "Invalid Request", text), 400)
