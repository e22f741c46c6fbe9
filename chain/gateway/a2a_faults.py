"""What the chain and the node refuse, as A2A's errors."""

from __future__ import annotations

import logging
from typing import Final

from a2a.utils.errors import A2AError, InternalError, UnsupportedOperationError

from chain.client.jsonrpc import RpcFailed, Unreachable
from chain.client.transport import ChainError, QueryRefused, TimedOut
from chain.gateway.a2a_callers import fault_of

LOG: Final = logging.getLogger("msgchain.a2a")
_ECHO_MAX: Final = 100


def short(text: str) -> str:
    """A client's own words as an answer repeats them: the beginning of what is long."""
    return text if len(text) <= _ECHO_MAX else f"{text[:_ECHO_MAX]}…"


class faults:  # noqa: N801
    """Turns what the chain and the node refuse into A2A's errors."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, A2AError) or error is None:
            return
        if isinstance(error, QueryRefused):
            raise UnsupportedOperationError(error.log) from None
        if isinstance(error, ChainError):
            raise fault_of(error) from None
        if isinstance(error, TimedOut):
            raise InternalError(str(error)) from None
        if isinstance(error, (Unreachable, RpcFailed)):
            raise InternalError("the node does not answer") from None
        if isinstance(error, Exception):
            LOG.error("an A2A request failed", exc_info=error)
            raise InternalError("the gateway failed; its log says why") from None
