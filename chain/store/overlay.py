"""Pending writes over a reader: one dict, one undo journal, ranges that merge both.

A transaction, a message and a submessage are each a checkpoint of the same overlay, not a layer
of their own: reads cost one dict lookup at any depth, keeping a layer costs nothing, dropping it
costs one step per write made in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sortedcontainers import SortedList

from chain.store.errors import IteratorStale, StoreError
from chain.store.types import MISSING, Missing, Reader

#: What the journal notes for a write: the key, and what ``writes`` held for it before.
_Entry = tuple[bytes, "bytes | Missing | None"]


class _Opened(NamedTuple):
    """The moment an iterator was opened: checkpoint, count of rollbacks, last journal entry."""

    position: int
    epoch: int
    last: _Entry | None


class Overlay:
    """Writes over ``base``, which must not change while the overlay lives.

    A range is a snapshot: it shows the state of the moment it was opened, whatever is written
    meanwhile (recorded from wasmd: a key set or changed behind or ahead of an open iterator does
    not show in it). It stays usable until the overlay is rolled back to a checkpoint older than
    the iterator; then it raises ``IteratorStale``.
    """

    __slots__ = ("_base_get", "_epoch", "_known", "_sorted", "_start", "base", "journal", "writes")

    def __init__(self, base: Reader) -> None:
        self.base = base
        #: key to value, ``None`` for deleted; who writes to it does as ``set`` does
        self.writes: dict[bytes, bytes | None] = {}
        #: what each write replaced, in order; the same list as long as the overlay lives
        self.journal: list[_Entry] = []
        self._base_get = base.get
        self._start = 0  # number of journal entries forgotten by ``settle``
        self._epoch = 0  # counts rollbacks that changed something, for open iterators
        self._sorted: SortedList[bytes] | None = None
        self._known = 0  # the sorted view knows the keys written before this checkpoint

    def get(self, key: bytes) -> bytes | None:
        """The value of ``key`` as last written, else as ``base`` has it; ``None`` if absent."""
        value = self.writes.get(key, MISSING)
        if value is MISSING:
            return self._base_get(key)
        return value  # type: ignore[return-value]  # not MISSING, so bytes or None

    def set(self, key: bytes, value: bytes) -> None:
        """Write ``value``; a ``Derived`` value keeps its mark."""
        writes = self.writes
        self.journal.append((key, writes.get(key, MISSING)))
        writes[key] = value

    def remove(self, key: bytes) -> None:
        """Delete ``key``; nothing happens if it is absent."""
        writes = self.writes
        self.journal.append((key, writes.get(key, MISSING)))
        writes[key] = None

    def checkpoint(self) -> int:
        """A point to roll back to. Points nest; one that is not needed any more is simply
        forgotten.
        """
        return self._start + len(self.journal)

    def rollback(self, checkpoint: int) -> None:
        """Undo every write since ``checkpoint``, one step per write.

        Raises: StoreError for a point that does not lie before now, or before the last ``settle``.
        """
        journal = self.journal
        keep = checkpoint - self._start
        if not 0 <= keep <= len(journal):
            raise StoreError(f"no checkpoint {checkpoint}: it was rolled back or settled")
        if keep == len(journal):
            return
        writes = self.writes
        in_order = self._sorted
        for index in range(len(journal) - 1, keep - 1, -1):
            key, old = journal[index]
            if old is MISSING:
                del writes[key]
                if in_order is not None:
                    in_order.discard(key)
            else:
                writes[key] = old  # type: ignore[assignment]  # not MISSING
        del journal[keep:]
        self._known = min(self._known, checkpoint)
        self._epoch += 1

    def writes_at(self, checkpoint: int) -> dict[bytes, bytes | None]:
        """A copy of ``writes`` as it was at a checkpoint, without going back to it. Raises:
        StoreError.
        """
        keep = checkpoint - self._start
        if not 0 <= keep <= len(self.journal):
            raise StoreError(f"no checkpoint {checkpoint}: it was rolled back or settled")
        past = dict(self.writes)
        for key, old in reversed(self.journal[keep:]):
            if old is MISSING:
                del past[key]
            else:
                past[key] = old  # type: ignore[assignment]  # not MISSING
        return past

    def settle(self) -> None:
        """Forget how to undo what was written so far, to free memory; earlier checkpoints are
        refused from now on.

        Iterators that are open over earlier writes become stale.
        """
        if self._sorted is not None:
            self._in_order()
        self._start += len(self.journal)
        self.journal.clear()
        self._epoch += 1

    def range(
        self, start: bytes | None, end: bytes | None, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """Entries of base and writes merged, deletions hidden, as of now; see ``Reader.range``
        for the bounds.
        """
        if start is not None and end is not None and start >= end:
            return iter(())
        entries = self.base.range(start, end, reverse)
        self._in_order()
        journal = self.journal
        opened = _Opened(self._start + len(journal), self._epoch, journal[-1] if journal else None)
        return self._merge(entries, self._keys(start, end, reverse), (start, end, reverse), opened)

    def _merge(
        self,
        entries: Iterator[tuple[bytes, bytes]],
        keys: Iterator[bytes],
        bounds: tuple[bytes | None, bytes | None, bool],
        opened: _Opened,
    ) -> Iterator[tuple[bytes, bytes]]:
        """Walk both sorted streams; look at the journal when something was written meanwhile."""
        past: dict[bytes, bytes | Missing | None] = {}  # what ``writes`` held then, if changed
        reverse = bounds[2]
        position, epoch = opened.position, opened.epoch
        cursor: bytes | None = None
        entry = next(entries, None)
        key = None
        stepped = True  # the last key was used, take the next one
        while True:
            if self._start + len(self.journal) != position or self._epoch != epoch:
                self._note_past(past, opened)
                position, epoch = self._start + len(self.journal), self._epoch
                keys = self._keys(*bounds, cursor)
                stepped = True
            if stepped:
                key = next(keys, None)
                stepped = False
            if entry is not None and (
                key is None or (entry[0] > key if reverse else entry[0] < key)
            ):
                cursor = entry[0]
                yield entry
                entry = next(entries, None)
                continue
            if key is None:
                return
            below: bytes | None = None
            if entry is not None and entry[0] == key:
                below = entry[1]
                entry = next(entries, None)
            value = past[key] if key in past else self.writes[key]
            if value is MISSING:
                value = below
            cursor = key
            stepped = True
            if value is not None:
                yield key, value  # type: ignore[misc]  # not MISSING, so bytes

    def _in_order(self) -> SortedList[bytes]:
        """The sorted view of the written keys, with those written since it was used last."""
        in_order, now = self._sorted, self.checkpoint()
        if in_order is None:
            in_order = self._sorted = SortedList(self.writes)
        elif self._known < now:
            recent = self.journal[self._known - self._start :]
            in_order.update([key for key, old in recent if old is MISSING])
        self._known = now
        return in_order

    def _keys(
        self, start: bytes | None, end: bytes | None, reverse: bool, cursor: bytes | None = None
    ) -> Iterator[bytes]:
        """Written keys of the range in order, those beyond ``cursor`` only."""
        in_order = self._in_order()
        include = (True, False)
        if cursor is not None:
            if reverse:
                end = cursor
            else:
                start, include = cursor, (False, False)
        keys: Iterator[bytes] = in_order.irange(start, end, include, reverse)
        return keys

    def _note_past(self, past: dict[bytes, bytes | Missing | None], opened: _Opened) -> None:
        """Collect from the journal what keys written since ``opened`` held before."""
        journal = self.journal
        index = opened.position - self._start
        last = journal[index - 1] if 0 < index <= len(journal) else None
        if not 0 <= index <= len(journal) or (index > 0 and last is not opened.last):
            raise IteratorStale("the overlay was rolled back or settled while an iterator was open")
        for key, old in journal[index:]:
            past.setdefault(key, old)
