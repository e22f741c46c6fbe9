"""The gRPC paths of Cosmos clients over ABCI queries: a table of services, one function a method.

A handler gets the ``Desk`` and the decoded request and gives the response message. Failures have
the codes and texts of the SDK's router. A driver that serves clients puts ``SERVICES`` into
``Queries.services``; others do without protobuf's classes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from google.protobuf.message import DecodeError

from chain.app.queries import grpc_auth, grpc_bank, grpc_node, grpc_wasm
from chain.app.queries.desk import Desk, Service
from chain.app.queries.failure import Failure
from chain.errors import AppError
from chain.tx.proto import message

Handler = Callable[[Desk, Any], Any]
#: methods whose request is not called ``Query…Request``
_OWN_NAMES: Final = ("Bech32Prefix", "AddressBytesToString", "AddressStringToBytes")


def service(request_name: str, handler: Handler) -> Service:
    """A method: decode the request, call the handler, encode its answer."""

    def answer(desk: Desk, data: bytes) -> bytes:
        try:
            request = message(request_name).FromString(data)
        except (DecodeError, UnicodeDecodeError):
            raise Failure.plain("unexpected EOF") from None
        try:
            raw: bytes = handler(desk, request).SerializeToString(deterministic=True)
        except AppError as error:
            raise Failure.of(error) from None
        return raw

    return answer


def services(package: str, name: str, handlers: Mapping[str, Handler]) -> dict[str, Service]:
    """The methods of a service by path."""
    prefix = "Query" if name == "Query" else ""
    return {
        f"/{package}.{name}/{method}": service(
            f"{package}.{'' if method in _OWN_NAMES else prefix}{method}Request", handler
        )
        for method, handler in handlers.items()
    }


SERVICES: Final[Mapping[str, Service]] = {
    **services("cosmos.auth.v1beta1", "Query", grpc_auth.HANDLERS),
    **services("cosmos.bank.v1beta1", "Query", grpc_bank.HANDLERS),
    **services("cosmwasm.wasm.v1", "Query", grpc_wasm.HANDLERS),
    **services("cosmos.tx.v1beta1", "Service", grpc_node.TX_HANDLERS),
    **services("cosmos.base.node.v1beta1", "Service", grpc_node.NODE_HANDLERS),
}
