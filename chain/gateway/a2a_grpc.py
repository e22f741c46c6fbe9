"""The A2A door over gRPC: the operations of the other bindings, with the same handler behind them.

One port serves all agents: ``tenant`` of a request names the agent, and a request without one is
for the gateway's own. Metadata is what headers are elsewhere.
"""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any, Final, NoReturn
from urllib.parse import unquote

os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # it says on standard error what it also raises

import grpc
from a2a.auth.user import User
from a2a.extensions.common import HTTP_EXTENSION_HEADER, get_requested_extensions
from a2a.server.context import ServerCallContext
from a2a.server.request_handlers.grpc_handler import GrpcHandler, GrpcServerCallContextBuilder
from a2a.types import TaskState, a2a_pb2
from a2a.utils.grpc_status import status_to_grpc
from google.protobuf.any_pb2 import Any as Packed
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status

from chain.client.jsonrpc import RpcFailed, Unreachable
from chain.client.transport import QueryRefused
from chain.errors import InvariantViolation
from chain.gateway.a2a_callers import SCOPE_KEY, Caller, user_of
from chain.gateway.a2a_gate import OWN_AGENT
from chain.gateway.a2a_handler import LedgerHandler
from chain.gateway.a2a_http import (
    BODY_MAX,
    NO_CONTRACTS,
    NO_NODE,
    WRITE_SECONDS,
    WRONG_KEY,
    A2aApp,
    echo,
    no_agent,
)
from chain.gateway.a2a_rules import SENDS, Asked, fault_in
from chain.gateway.serve import CannotListen
from chain.serving import CONNECTIONS_MAX, IDLE_SECONDS

_SERVICE: Final = a2a_pb2.DESCRIPTOR.services_by_name["A2AService"]
_STOP_SECONDS: Final = 1.0
_OPTIONS: Final = (
    ("grpc.max_receive_message_length", BODY_MAX),
    ("grpc.max_connection_idle_ms", IDLE_SECONDS * 1_000),
    ("grpc.so_reuseport", 0),
)
Context = grpc.aio.ServicerContext[Any, Any]


class GrpcDoor:
    """Serves an A2A door's agents on ``address``, such as ``127.0.0.1:8082``."""

    def __init__(self, app: A2aApp, address: str) -> None:
        self._app = app
        self._address = address
        self._server: grpc.aio.Server | None = None
        self._starting: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin, in the event loop that serves. Raises: CannotListen."""
        server = grpc.aio.server(maximum_concurrent_rpcs=CONNECTIONS_MAX, options=_OPTIONS)
        handlers = {one.name: self._method(one) for one in _SERVICE.methods}
        service = grpc.method_handlers_generic_handler(_SERVICE.full_name, handlers)
        server.add_generic_rpc_handlers((service,))
        try:
            server.add_insecure_port(self._address)
        except RuntimeError:
            raise CannotListen(f"gRPC cannot listen on {self._address}: it was taken") from None
        self._server = server
        self._starting = asyncio.create_task(server.start())

    async def stop(self) -> None:
        """End, with the streams that are open."""
        if self._server is not None and self._starting is not None:
            await self._starting
            await self._server.stop(_STOP_SECONDS)

    def _method(self, method: Any) -> grpc.RpcMethodHandler[Any, Any]:
        """The handler of an operation; it takes bytes, so that what is not a message is refused
        in A2A's way."""
        kind = GetMessageClass(method.input_type)
        serve = self._serve(method.name, kind, streams=method.server_streaming)
        if method.server_streaming:
            return grpc.unary_stream_rpc_method_handler(serve, None, _bytes)
        return grpc.unary_unary_rpc_method_handler(serve, None, _bytes)

    def _serve(
        self, name: str, kind: type[Message], *, streams: bool
    ) -> Callable[[bytes, Context], Awaitable[Any]]:
        async def serve(raw: bytes, context: Context) -> Any:
            try:
                request = kind.FromString(raw)
            except DecodeError:
                text = "the request is not the message of this operation"
                await _refuse(context, grpc.StatusCode.INVALID_ARGUMENT, text)
            try:
                operate = getattr(await self._admitted(name, request, context), name)
                if not streams:
                    return await operate(request, context)
                async with aclosing(operate(request, context)) as events:
                    async for event in events:
                        async with asyncio.timeout(WRITE_SECONDS):
                            await context.write(event)
            except (Unreachable, RpcFailed):
                await _refuse(context, grpc.StatusCode.UNAVAILABLE, NO_NODE)
            except QueryRefused:
                await _refuse(context, grpc.StatusCode.UNAVAILABLE, NO_CONTRACTS)
            except TimeoutError:
                text = "the client does not read"
                await _refuse(context, grpc.StatusCode.DEADLINE_EXCEEDED, text)

        return serve

    async def _admitted(self, name: str, request: Any, context: Context) -> GrpcHandler:
        """The agent that a request is for; refuses what may not be asked."""
        self._app.start()
        headers = _headers(context)
        caller = self._app.gate.callers.find(headers)
        place = unquote(context.peer()).partition(":")[2].rpartition(":")[0].strip("[]")
        if wait := self._app.take(caller, place):
            await _too_many(context, wait)
        agent_id = request.tenant or OWN_AGENT
        card = await self._app.card(agent_id)
        if card is None:
            await _refuse(context, grpc.StatusCode.NOT_FOUND, no_agent(agent_id))
        if caller is None:
            await _refuse(context, grpc.StatusCode.UNAUTHENTICATED, WRONG_KEY)
        ledger = LedgerHandler(self._app.gate, agent_id, card)
        handler = GrpcHandler(ledger, _Builder(caller, headers))
        asked = Asked(False, False, name, _params(name, request))
        fault = fault_in(asked, headers.get("a2a-version", ""))
        if fault is not None:
            await handler.abort_context(fault, context)
        if name in SENDS and (wait := self._app.take_message(caller, place)):
            await _too_many(context, wait)
        if extensions := echo([headers.get(HTTP_EXTENSION_HEADER.lower(), "")], card):
            await context.send_initial_metadata((("a2a-extensions", extensions),))
        return handler


class _Builder(GrpcServerCallContextBuilder):
    """The context of a request whose caller is known."""

    def __init__(self, caller: Caller, headers: dict[str, str]) -> None:
        self._caller = caller
        self._headers = headers

    def build(self, context: Context) -> ServerCallContext:
        """The context."""
        user: User = user_of(self._caller)
        wanted = [self._headers.get(HTTP_EXTENSION_HEADER.lower(), "")]
        return ServerCallContext(
            user=user,
            state={SCOPE_KEY: self._caller, "headers": self._headers},
            requested_extensions=get_requested_extensions(wanted),
        )


def _bytes(message: Message) -> bytes:
    return message.SerializeToString()


def _headers(context: Context) -> dict[str, str]:
    """Metadata as headers; a name that comes again continues its list."""
    found: dict[str, str] = {}
    for name, value in context.invocation_metadata() or ():
        if isinstance(value, str):
            found[name] = f"{found[name]},{value}" if name in found else value
    return found


def _params(name: str, request: Any) -> dict[str, Any]:
    """What the rules of all bindings look at."""
    if name in SENDS:
        return {"message": {"role": request.message.role or None}}
    known = TaskState.values()
    if name == "ListTasks" and request.status not in known:
        return {"status": str(request.status)}
    return {}


async def _too_many(context: Context, wait: float) -> NoReturn:
    retry, packed = RetryInfo(), Packed()
    retry.retry_delay.FromNanoseconds(math.ceil(wait * 1e9))
    packed.Pack(retry)
    text = "too many requests; wait as long as RetryInfo says"
    await _refuse(context, grpc.StatusCode.RESOURCE_EXHAUSTED, text, packed)


async def _refuse(context: Context, code: grpc.StatusCode, text: str, *details: Packed) -> NoReturn:
    """End a call. Raises: always, what gRPC ends calls with."""
    status = status_to_grpc(Status(code=code.value[0], message=text, details=details))
    await context.abort(code, text, tuple(status.trailing_metadata))
    raise InvariantViolation("a call went on that was ended")
