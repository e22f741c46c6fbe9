"""``Prefix``: a part of a map's keys, and the ranges over it. Iteration is lazy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Final, Generic, TypeVar

from chain.std.deps import Storage
from chain.storage_plus.bound import Bound, Order, end_of, start_of
from chain.storage_plus.keys import after

K = TypeVar("K")
V = TypeVar("V")

CLEAR_BATCH: Final = 20  # keys collected before they are deleted (STOR-21)


class Prefix(Generic[K, V]):
    """All entries whose key starts with the same bytes.

    ``full`` gives the whole key bytes of a key below the prefix; ``key_of`` reads the key of a raw
    entry; ``read(storage)`` is a function that reads a whole entry.
    """

    __slots__ = ("_end", "_full", "_key_of", "_size", "raw", "read")

    def __init__(
        self,
        raw: bytes,
        full: Callable[[Any], bytes],
        key_of: Callable[[tuple[bytes, bytes]], K],
        read: Callable[[Storage], Callable[[tuple[bytes, bytes]], tuple[K, V]]],
    ) -> None:
        self.raw = raw
        self._end = after(raw)
        self._size = len(raw)
        self._full = full
        self._key_of = key_of
        self.read = read

    def _entries(
        self, storage: Storage, min: Bound | None, max: Bound | None, order: str
    ) -> Iterator[tuple[bytes, bytes]]:
        start = start_of(min, self.raw, self._full)
        end = end_of(max, self._end, self.raw, self._full)
        return storage.range(start, end, order)

    def range(
        self,
        storage: Storage,
        min: Bound | None = None,
        max: Bound | None = None,
        order: str = Order.ASCENDING,
    ) -> Iterator[tuple[K, V]]:
        """Entries between two bounds; ``min`` is the low one in both orders (STOR-16).

        A broken key or value raises when the iterator reaches it (STOR-19).
        """
        return map(self.read(storage), self._entries(storage, min, max, order))

    def keys(
        self,
        storage: Storage,
        min: Bound | None = None,
        max: Bound | None = None,
        order: str = Order.ASCENDING,
    ) -> Iterator[K]:
        """Keys between two bounds."""
        return map(self._key_of, self._entries(storage, min, max, order))

    def range_raw(
        self,
        storage: Storage,
        min: Bound | None = None,
        max: Bound | None = None,
        order: str = Order.ASCENDING,
    ) -> Iterator[tuple[bytes, bytes]]:
        """Entries as bytes, keys without the prefix."""
        size = self._size
        entries = self._entries(storage, min, max, order)
        return ((key[size:], value) for key, value in entries)

    def keys_raw(
        self,
        storage: Storage,
        min: Bound | None = None,
        max: Bound | None = None,
        order: str = Order.ASCENDING,
    ) -> Iterator[bytes]:
        """Keys as bytes, without the prefix."""
        size = self._size
        return (key[size:] for key, _ in self._entries(storage, min, max, order))

    def between(
        self, storage: Storage, start: bytes | None, end: bytes | None, order: str
    ) -> Iterator[tuple[K, V]]:
        """Entries between two whole keys, the first included, the second not."""
        return map(self.read(storage), storage.range(start, end, order))

    def is_empty(self, storage: Storage) -> bool:
        """Whether there is no entry."""
        for _ in storage.range(self.raw, self._end, Order.ASCENDING):
            return False
        return True

    def first(self, storage: Storage) -> tuple[K, V] | None:
        """The entry with the lowest key, or None."""
        for entry in self.range(storage):
            return entry
        return None

    def last(self, storage: Storage) -> tuple[K, V] | None:
        """The entry with the highest key, or None."""
        for entry in self.range(storage, order=Order.DESCENDING):
            return entry
        return None

    def clear(self, storage: Storage, limit: int | None = None) -> None:
        """Remove entries in key order, all of them or the first ``limit``."""
        left = limit
        while left is None or left > 0:
            batch = CLEAR_BATCH if left is None or left > CLEAR_BATCH else left
            found = [
                key for key, _ in islice(storage.range(self.raw, self._end, Order.ASCENDING), batch)
            ]
            for key in found:
                storage.remove(key)
            if len(found) < batch:
                return
            if left is not None:
                left -= batch
