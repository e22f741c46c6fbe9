"""The words of the store: readers, backends, and the mark of derived values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Protocol

#: Writes of a block or a layer: key to value, ``None`` for a deleted key.
Writes = Mapping[bytes, bytes | None]


class Derived(bytes):
    """A value that stays outside the Merkle tree because it can be computed from others (index
    entries, counts).

    It travels through overlays as it is; the state store looks at the type when a block is staged.
    """

    __slots__ = ()


class Missing:
    """Type of ``MISSING``."""

    __slots__ = ()


#: "Not in this dict", where ``None`` already says "deleted".
MISSING: Final = Missing()


class Reader(Protocol):
    """Ordered bytes to bytes, read only."""

    def get(self, key: bytes) -> bytes | None:
        """The value of ``key``, ``None`` if absent."""

    def range(
        self, start: bytes | None, end: bytes | None, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """Entries from ``start`` (included) to ``end`` (excluded) in byte order; ``None`` is no
        bound.

        ``reverse`` turns the order round, not the bounds. ``start`` at or above ``end`` is an
        empty range.
        """


class Backend(Reader, Protocol):
    """A key space with atomic batches."""

    @property
    def place(self) -> str:
        """Where the data is, for error texts: a folder, or "memory"."""

    def write(self, puts: Writes, sync: bool) -> None:
        """Apply all of ``puts`` or nothing; with ``sync`` they survive a power loss once this
        returns.
        """

    def snapshot(self) -> Reader:
        """An immutable view of now; safe to use from other threads."""

    def witness(self, height: int) -> None:
        """Note beside the data that ``height`` was written and synced."""

    def witnessed(self) -> int:
        """The height last noted, 0 if none: data of a lower height has lost something."""

    @property
    def shelves(self) -> bool:
        """Whether ``shelve`` keeps anything."""

    def shelve(self, parts: Sequence[bytes | bytearray]) -> None:
        """Lay aside, beside the data, what can be computed again: it may be lost or be old later.
        No parts: throw away what lies there."""

    def shelved(self) -> bytes | None:
        """What was laid aside."""

    def close(self) -> None:
        """Give the resources back; a second call does nothing."""
