"""What a gRPC handler may look at: one committed view and the plain queries over it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from chain.app.execution import Execution
from chain.app.queries.failure import Failure
from chain.block.types import TxResult
from chain.crypto.addresses import AddressError, humanize, validate
from chain.store.types import Reader

if TYPE_CHECKING:
    from chain.app.queries.service import Queries

#: bytes at which a page of results ends
PAGE_BYTES: Final = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Desk:
    """One query's scope. ``height`` is the height that is asked, never 0."""

    queries: Queries
    execution: Execution
    view: Reader
    height: int
    time: int
    simulate: Callable[[bytes], TxResult]

    @property
    def prefix(self) -> str:
        """The chain's address prefix."""
        return self.execution.prefix

    def canonical(self, address: str) -> bytes:
        """Canonical bytes of an address. Raises: Failure as an unwrapped error."""
        try:
            return validate(address, self.prefix)
        except AddressError as error:
            raise Failure.plain(str(error)) from None

    def argument(self, address: str) -> bytes:
        """The same where the service wraps the error itself."""
        try:
            return validate(address, self.prefix)
        except AddressError as error:
            raise Failure.argument(f"invalid address: {error}") from None

    def text(self, canonical: bytes) -> str:
        """The text of canonical bytes."""
        return humanize(canonical, self.prefix)


#: a service's method: request bytes to response bytes; raises Failure
Service = Callable[[Desk, bytes], bytes]
