"""A2A over gRPC: what the SDK's client needs, and a client without it, for any bytes and
metadata."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import grpc
import httpx
from a2a.client import A2ACardResolver
from a2a.types import AgentCard, a2a_pb2
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message_factory import GetMessageClass
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

GRPC = "GRPC"
SERVICE = a2a_pb2.DESCRIPTOR.services_by_name["A2AService"]
SECONDS = 180


def grpc_in(output: str) -> str:
    """The address that a started process says."""
    found = re.search(r"A2A gRPC +(\S+)", output)
    assert found, output
    return found[1]


class GrpcAnswer(NamedTuple):
    """What came back: the status, and the results before it."""

    code: grpc.StatusCode
    text: str
    results: list[dict[str, Any]]
    reason: str
    retry: float
    initial: dict[str, Any]

    @property
    def result(self) -> dict[str, Any]:
        """The one result."""
        assert self.code == grpc.StatusCode.OK, self
        (found,) = self.results
        return found


class GrpcRaw:
    """One door; ``tenant`` is the agent."""

    def __init__(self, address: str, tenant: str = "") -> None:
        self.channel = grpc.insecure_channel(address)
        self.tenant = tenant

    def close(self) -> None:
        self.channel.close()

    def call(self, operation: str, raw: bytes, metadata: dict[str, str]) -> Any:
        """The call of an operation: iterable, whatever it answers with."""
        method = SERVICE.methods_by_name[operation]
        read = GetMessageClass(method.output_type).FromString
        place = f"/{SERVICE.full_name}/{operation}"
        call = self.channel.unary_stream(place, response_deserializer=read)
        return call(raw, metadata=tuple(metadata.items()), timeout=SECONDS)

    def events(self, operation: str, params: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """A stream's events as they come."""
        for one in self.call(operation, self.bytes_of(operation, params), {"a2a-version": "1.0"}):
            yield MessageToDict(one)

    def bytes_of(self, operation: str, params: dict[str, Any]) -> bytes:
        """The message of an operation."""
        kind = GetMessageClass(SERVICE.methods_by_name[operation].input_type)
        return ParseDict({"tenant": self.tenant, **params}, kind()).SerializeToString()

    def ask(
        self,
        operation: str,
        params: dict[str, Any] | None = None,
        *,
        raw: bytes | None = None,
        metadata: dict[str, str] | None = None,
    ) -> GrpcAnswer:
        """One operation to its end, streams too."""
        body = self.bytes_of(operation, params or {}) if raw is None else raw
        call = self.call(operation, body, {"a2a-version": "1.0", **(metadata or {})})
        results: list[dict[str, Any]] = []
        with suppress(grpc.RpcError):
            results.extend(MessageToDict(one) for one in call)
        reason, retry = "", 0.0
        trailing = dict(call.trailing_metadata() or ())
        for packed in Status.FromString(trailing.get("grpc-status-details-bin", b"")).details:
            info, wait = ErrorInfo(), RetryInfo()
            if packed.Unpack(info):
                assert info.domain == "a2a-protocol.org"
                reason = info.reason
            elif packed.Unpack(wait):
                retry = wait.retry_delay.ToNanoseconds() / 1e9
        initial = dict(call.initial_metadata() or ())
        return GrpcAnswer(call.code(), call.details(), results, reason, retry, initial)


async def card_with_grpc(http: httpx.AsyncClient, url: str) -> AgentCard:
    """A card, with the gateway's gRPC where the agent's own card does not name it."""
    card = await A2ACardResolver(http, url).get_agent_card()
    root, _, agent_id = url.partition("/agents/")
    own = await A2ACardResolver(http, root).get_agent_card()
    face = next(one for one in own.supported_interfaces if one.protocol_binding == "GRPC")
    if agent_id and face.protocol_binding not in str(card.supported_interfaces):
        face.tenant = agent_id
        card.supported_interfaces.append(face)
    return card


class Shown:
    """Says with every call what an HTTP client says in its headers."""

    def __init__(self, headers: dict[str, str]) -> None:
        self._more = [(name.lower(), value) for name, value in headers.items()]

    async def call(self, go_on: Any, details: Any, request: Any) -> Any:
        metadata = grpc.aio.Metadata(*(details.metadata or ()), *self._more)
        return await go_on(details._replace(metadata=metadata), request)


class ShownOnce(Shown, grpc.aio.UnaryUnaryClientInterceptor):
    intercept_unary_unary = Shown.call


class ShownStreaming(Shown, grpc.aio.UnaryStreamClientInterceptor):
    intercept_unary_stream = Shown.call


def grpc_channel(headers: dict[str, str], url: str) -> grpc.aio.Channel:
    shown = [ShownOnce(headers), ShownStreaming(headers)]
    return grpc.aio.insecure_channel(url, interceptors=shown)
