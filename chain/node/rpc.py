"""JSON-RPC without a transport: requests out of bytes, calls, answers into bytes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import msgspec

from chain.errors import AppError
from chain.node import gojson, info, txs
from chain.node.gojson import JsonError
from chain.node.methods import Method, Methods, RpcError, params
from chain.node.params import ParamError, defaults, from_json
from chain.node.service import Node, NodeFailed

LOG: Final = logging.getLogger("msgchain.rpc")
URI_ID: Final = -1
_INT_MIN: Final = -(1 << 63)
_GO_REQUEST: Final = (
    'struct { JSONRPC string "json:\\"jsonrpc\\""; ID interface {} "json:\\"id,omitempty\\""; '
    'Method string "json:\\"method\\""; Params json.RawMessage "json:\\"params\\"" }'
)
_QUERY_THREADS: Final = 4
_WAITING_THREADS: Final = 64
_MEMBERS: Final = ("jsonrpc", "id", "method", "params")
#: subscriptions are answered by the socket itself
SOCKET_TABLE: Final = (
    Method("subscribe", params(query="string"), lambda *_: None, socket=True),
    Method("unsubscribe", params(query="string"), lambda *_: None, socket=True),
    Method("unsubscribe_all", (), lambda *_: None, socket=True),
)

Id = int | str


class Request(msgspec.Struct, frozen=True):
    """One call. Without an id it is a notification, which nobody answers."""

    id: Id | None
    method: str
    params: bytes | None


class _Plain(msgspec.Struct, forbid_unknown_fields=True):
    """A request as nearly all are: four members, each of its kind."""

    jsonrpc: str | None = None
    id: Id | None = None
    method: str | None = None
    params: msgspec.Raw | None = None


class Answer(msgspec.Struct, frozen=True):
    """One answer, and whether a cache may keep it."""

    raw: bytes
    cacheable: bool = False
    failed: bool = False


_PLAIN: Final = msgspec.json.Decoder(_Plain)


def success(request_id: Id, result: object) -> bytes:
    """An answer with a result."""
    return gojson.encode({"jsonrpc": "2.0", "id": request_id, "result": result})


def error(request_id: Id | None, code: int, message: str, data: str = "") -> bytes:
    """An answer with an error; an empty ``data`` is left out, as is the id of no request."""
    body: dict[str, Any] = {"jsonrpc": "2.0"}
    if request_id is not None:
        body["id"] = request_id
    body["error"] = {"code": code, "message": message, **({"data": data} if data else {})}
    return gojson.encode(body)


def parse_error(text: str) -> bytes:
    """The answer to what is no request."""
    message = "Parse error. Invalid JSON"
    return error(None, -32700, message, f"error unmarshaling request: {text}")


def read_one(raw: bytes) -> Request:
    """One request from JSON. Raises: JsonError."""
    gojson.check(raw)
    kind = gojson.kind_of(raw)
    if kind == "null":
        return Request(None, "", None)
    if kind != "object":
        raise JsonError(f"json: cannot unmarshal {kind} into Go value of type {_GO_REQUEST}")
    found: dict[str, bytes] = {}
    for name, value in gojson.members(raw).items():
        key = name if name in _MEMBERS else name.lower()
        if key in _MEMBERS:
            found[key] = value.strip(b" \t\r\n")
    for name in ("jsonrpc", "method"):
        kind = gojson.kind_of(found.get(name, b"null"))
        if kind not in ("string", "null"):
            raise JsonError(
                f"json: cannot unmarshal {kind} into Go struct field .{name} of type string"
            )
    method = gojson.value(found.get("method", b"null")) or ""
    return Request(_id(found.get("id", b"null")), method, found.get("params"))


def _id(raw: bytes) -> Id | None:
    value = gojson.value(raw)
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        kinds = {bool: "bool", list: "[]interface {}", dict: "map[string]interface {}"}
        raise JsonError(
            f"json-rpc ID ({gojson.shown(value)}) is of unknown type ({kinds[type(value)]})"
        )
    whole = int(value)
    return whole if -_INT_MIN > whole >= _INT_MIN else _INT_MIN


def read_many(raw: bytes) -> list[Request]:
    """The requests of a body: one, or a batch, which one bad item spoils. Raises: JsonError."""
    try:
        found = _PLAIN.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _read_any(raw)
    number = found.id
    if isinstance(number, int) and not _INT_MIN <= number < -_INT_MIN:
        number = _INT_MIN
    params = found.params
    return [Request(number, found.method or "", None if params is None else bytes(params))]


def _read_any(raw: bytes) -> list[Request]:
    """The same for a body of any form."""
    gojson.check(raw)
    kind = gojson.kind_of(raw)
    if kind == "null":
        return []
    if kind != "array":
        return [read_one(raw)]
    try:
        return [read_one(item) for item in gojson.items(raw)]
    except JsonError:
        raise JsonError(
            f"json: cannot unmarshal array into Go value of type {_GO_REQUEST}"
        ) from None


class Rpc:
    """The calls of one node. Queries run in threads of their own, transactions in order."""

    def __init__(self, node: Node) -> None:
        self.node = node
        unsafe = txs.UNSAFE if node.options.unsafe else ()
        self.methods = Methods(node, (*info.TABLE, *txs.TABLE, *unsafe, *SOCKET_TABLE))
        self._queries = ThreadPoolExecutor(_QUERY_THREADS, thread_name_prefix="query")
        self._ordered = ThreadPoolExecutor(1, thread_name_prefix="check")
        self._waiting = ThreadPoolExecutor(_WAITING_THREADS, thread_name_prefix="wait")

    def close(self) -> None:
        """Let the threads end."""
        for pool in (self._queries, self._ordered, self._waiting):
            pool.shutdown(wait=False, cancel_futures=True)

    def find(self, name: str, *, socket: bool = False) -> Method | None:
        """A method by name, if it may be called this way."""
        try:
            method = self.methods[name]
        except KeyError:
            return None
        return None if method.socket and not socket else method

    async def call(self, method: Method, request_id: Id, values: Sequence[Any]) -> Answer:
        """Run a method. Never raises for what a client or a handler did wrong."""
        self.node.metrics.called(method.name)
        pool = self._ordered if method.ordered else self._queries
        if method.waits:
            pool = self._waiting
        cacheable = method.cacheable(values)
        work: Callable[[], bytes] = lambda: success(  # noqa: E731
            request_id, method.handler(self.node, *values)
        )
        try:
            if method.quick or (method.light is not None and method.light(self.node, values)):
                return Answer(work(), cacheable)
            raw = await asyncio.get_running_loop().run_in_executor(pool, work)
            return Answer(raw, cacheable)
        except RpcError as failure:
            raw = error(request_id, failure.code, failure.message, failure.text)
        except AppError as failure:
            raw = error(request_id, -32603, "Internal error", failure.log)
        except NodeFailed as failure:
            raw = error(request_id, -32603, "Internal error", str(failure))
        except Exception:
            LOG.exception("%s failed", method.name)
            raw = error(request_id, -32603, "Internal error", "the node failed; see its log")
        return Answer(raw, cacheable, failed=True)

    async def answer(self, request: Request) -> Answer | None:
        """The answer to a request over HTTP, None for a notification."""
        if request.id is None:
            return None
        method = self.find(request.method)
        if method is None:
            return Answer(error(request.id, -32601, "Method not found"))
        try:
            values = read_params(method, request.params)
        except ParamError as failure:
            return Answer(error(request.id, -32602, "Invalid params", str(failure)))
        return await self.call(method, request.id, values)


def read_params(method: Method, raw: bytes | None) -> list[Any]:
    """A request's parameters for a method. Raises: ParamError.

    A method without parameters takes an empty array or object, and unknown names.
    """
    return defaults(method.params) if raw is None else from_json(method.params, raw)
