"""A key space in memory, for the test chain and for tests."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from itertools import islice
from threading import Lock

from sortedcontainers import SortedList

from chain.store.errors import StoreError
from chain.store.types import MISSING, Missing, Writes

#: Keys taken from the sorted view under the lock: few at first (a page reads ten), more for a
#: long walk.
_CHUNK_FIRST = 16
_CHUNK_MAX = 512


class MemoryBackend:
    """A dict with a sorted view that is made when somebody iterates.

    A snapshot costs nothing until the next write, which then notes the old values of what it
    changes for it. A snapshot that nobody holds any more costs nothing either.
    """

    __slots__ = ("_closed", "_data", "_latest", "_lock", "_sorted")

    def __init__(self) -> None:
        self._data: dict[bytes, bytes] = {}
        self._sorted: SortedList[bytes] | None = None
        self._latest: weakref.ref[MemorySnapshot] | None = None
        self._lock = (
            Lock()
        )  # the sorted view is changed by writes and walked by readers of other threads
        self._closed = False

    @property
    def place(self) -> str:
        """Always "memory"."""
        return "memory"

    def get(self, key: bytes) -> bytes | None:
        """The value of ``key`` now, ``None`` if absent."""
        return self._data.get(key)

    def range(
        self, start: bytes | None, end: bytes | None, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """Entries as of now; later writes do not show."""
        return self.snapshot().range(start, end, reverse)

    def write(self, puts: Writes, sync: bool) -> None:
        """Apply ``puts``; ``sync`` means nothing here."""
        if self._closed:
            raise StoreError("write to a closed memory store")
        data = self._data
        with self._lock:
            reader = self._latest() if self._latest is not None else None
            if reader is not None:
                # Before anything changes: a reader of another thread then finds either the data
                # or this note.
                reader.supersede({key: data.get(key) for key in puts})
            in_order = self._sorted
            for key, value in puts.items():
                if value is None:
                    if data.pop(key, None) is not None and in_order is not None:
                        in_order.remove(key)
                    continue
                if in_order is not None and key not in data:
                    in_order.add(key)
                data[key] = value

    def snapshot(self) -> MemorySnapshot:
        """An immutable view of now."""
        with self._lock:
            current = self._latest() if self._latest is not None else None
            if current is None:
                current = MemorySnapshot(self)
                self._latest = weakref.ref(current)
            return current

    def witness(self, height: int) -> None:
        """Nothing to note: memory does not lose its end."""

    def witnessed(self) -> int:
        """Always 0."""
        return 0

    @property
    def shelves(self) -> bool:
        """Nothing outlives the object, so there is nothing to lay aside for later."""
        return False

    def shelve(self, parts: Sequence[bytes | bytearray]) -> None:
        """Nothing."""

    def shelved(self) -> bytes | None:
        """Nothing."""
        return None

    def close(self) -> None:
        """Refuse writes from now on; the data goes with the object."""
        self._closed = True

    def _chunk(
        self, view: MemorySnapshot, low: bytes | None, high: bytes | None, reverse: bool, size: int
    ) -> tuple[list[tuple[bytes, bytes]], bool, bytes | None]:
        """Up to ``size`` live keys of a range with what ``view`` holds for them and between them.

        Returns entries, whether that was all, and the last key looked at. ``low`` included,
        ``high`` excluded.
        """
        with self._lock:
            in_order = self._sorted
            if in_order is None:
                in_order = self._sorted = SortedList(self._data)
            keys = list(islice(in_order.irange(low, high, (True, False), reverse), size))
            done = len(keys) < size
            if not view.superseded:
                data = self._data
                return [(key, data[key]) for key in keys], done, keys[-1] if keys else None
            last = None if done else keys[-1]
            changed = (
                key
                for key in view.changed_keys()
                if (low is None or key >= low)
                and (high is None or key < high)
                and (last is None or (key >= last if reverse else key <= last))
            )
            keys = sorted({*keys, *changed}, reverse=reverse)
            found = [(key, value) for key in keys if (value := view.get(key)) is not None]
            return found, done, keys[-1] if keys else None


class MemorySnapshot:
    """What a memory backend held at one moment.

    While nothing was written since, it reads the live dict. After a write it holds the old values
    of that write and a link to the next snapshot, and so on to the live one.
    """

    __slots__ = ("__weakref__", "_backend", "_data", "_next", "_old")

    def __init__(self, backend: MemoryBackend) -> None:
        self._backend = backend
        self._data = backend._data
        self._old: dict[bytes, bytes | None] | None = None
        self._next: MemorySnapshot | None = None

    @property
    def superseded(self) -> bool:
        """Whether the backend was written since."""
        return self._old is not None

    def supersede(self, old: dict[bytes, bytes | None]) -> None:
        """Keep ``old``, what a write is about to change; called by the backend under its lock."""
        following = MemorySnapshot(self._backend)
        self._next = following
        self._old = old
        self._backend._latest = weakref.ref(following)

    def get(self, key: bytes) -> bytes | None:
        """The value of ``key`` at the moment of the snapshot."""
        view: MemorySnapshot = self
        while True:
            old = view._old
            if old is None:
                value = view._data.get(key)
                if view._old is None:  # no write came between the two reads
                    return value
                continue
            noted: bytes | Missing | None = old.get(key, MISSING)
            if not isinstance(noted, Missing):
                return noted
            view = view._next  # type: ignore[assignment]  # set before ``_old``

    def range(
        self, start: bytes | None, end: bytes | None, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """Entries at the moment of the snapshot."""
        if start is not None and end is not None and start >= end:
            return
        size = _CHUNK_FIRST
        while True:
            entries, done, last = self._backend._chunk(self, start, end, reverse, size)
            yield from entries
            if done or last is None:
                return
            if reverse:
                end = last
            else:
                start = last + b"\x00"
            size = min(size * 4, _CHUNK_MAX)

    def changed_keys(self) -> Iterator[bytes]:
        """Keys written since the snapshot, with repetitions."""
        view: MemorySnapshot | None = self
        while view is not None and view._old is not None:
            yield from view._old
            view = view._next
