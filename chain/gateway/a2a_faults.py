"""What the chain and the node refuse, as A2A's errors."""

from __future__ import annotations

import logging
from typing import Final

from a2a.utils.errors import A2AError, InternalError, UnsupportedOperationError

from chain.client.jsonrpc import RpcFailed, Unreachable
from chain.client.transport import ChainError, QueryRefused, TimedOut

LOG: Final = logging.getLogger("msgchain.a2a")


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
            raise InternalError(error.log) from None
        if isinstance(error, (Unreachable, RpcFailed, TimedOut)):
            raise InternalError("the node does not answer") from None
        if isinstance(error, Exception):
            LOG.error("an A2A request failed", exc_info=error)
            raise InternalError("the gateway failed; its log says why") from None
