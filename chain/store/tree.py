"""Updating the Merkle tree: one batch of sorted paths, each bucket and node touched once.

``chain.store.buckets`` says what the rows are. A ``Tree`` holds what is above the buckets
(``chain.store.top``) and recently used rows in memory; ``stage`` computes what a batch changes
without changing what is committed, so it can be repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from threading import Lock
from typing import Final

from chain.store.buckets import (
    BUCKET_LEAVES,
    BUCKET_LEAVES_MAX,
    LEAF_BYTES,
    REBUILD,
    Changes,
    ReadRow,
    bucket_hash,
    changed_bucket,
    first_with_bit,
    merged_bucket,
    node_of,
    row_name,
)
from chain.store.errors import StoreDamaged
from chain.store.top import BUCKET, Top

#: Memory for rows of the tree.
CACHE_BYTES: Final = 96 << 20
_ROW_OVERHEAD: Final = 170  # dict entry, number and header of the row
_ROW_MAX: Final = BUCKET_LEAVES_MAX * LEAF_BYTES
_ROW_SPLIT: Final = BUCKET_LEAVES * LEAF_BYTES


class Tree:
    """The tree whose rows ``read`` finds and whose top ``load`` gives, and the batch staged on it.

    One thread stages; ``committed_top`` may be asked for by any.
    """

    __slots__ = ("_limit", "_load", "_lock", "_new", "_old", "_pending", "_read", "_room", "_top")

    def __init__(
        self, read: ReadRow, load: Callable[[], Top], *, cache_bytes: int = CACHE_BYTES
    ) -> None:
        self._read = read
        self._load = load
        self._lock = Lock()
        self._top: Top | None = None  # read when it is needed
        # Rows by node in two generations; the older one is dropped as a whole.
        self._new: dict[int, bytes] = {}
        self._old: dict[int, bytes] = {}
        self._limit = self._room = cache_bytes // 2
        self._pending: dict[int, bytes | None] = {}

    @property
    def opened(self) -> bool:
        """Whether the top is in memory."""
        return self._top is not None

    @property
    def top(self) -> Top:
        """What is above the buckets, with what is staged."""
        return self._opened()

    def adopt(self, top: Top) -> None:
        """Go on from ``top``, whose rows are there."""
        self.reset()
        self._top = top

    def root(self) -> bytes:
        """Root of the committed tree."""
        with self._lock:
            self._discard()
            return self._opened().root()

    def committed_top(self) -> Top:
        """A copy of what is above the committed buckets."""
        with self._lock:
            return self._opened().copy()

    def stage(self, changes: Changes) -> bytes:
        """Root with ``changes`` applied to the committed tree; replaces what was staged.

        Effect: ``rows()`` and ``journal()`` describe the batch; nothing committed changes until
        ``settle``.
        """
        with self._lock:
            self._discard()
            return self._stage(self._opened(), changes)

    def rows(self) -> dict[bytes, bytes | None]:
        """The staged rows to write."""
        return {row_name(node): row for node, row in self._pending.items()}

    def staged(self) -> Iterator[tuple[int, bytes | None]]:
        """The buckets that the staged batch changes, and their hashes."""
        pending = self._pending
        gone = [node for node, row in pending.items() if row is None]
        there = [node for node, row in pending.items() if row is not None] if gone else pending
        yield from zip(there, self._opened().digests(there), strict=True)
        for node in gone:
            yield node, None

    def settle(self) -> None:
        """The staged rows were written: they are the committed tree now."""
        with self._lock:
            new, old, room = self._new, self._old, 0
            for node, row in self._pending.items():
                if row is None:
                    new.pop(node, None)
                    old.pop(node, None)
                else:
                    new[node] = row
                    room += len(row)
            self._room -= room + _ROW_OVERHEAD * len(self._pending)
            if self._room <= 0:
                self._rotate()
            if self._top is not None:
                self._top.settle()
            self._pending = {}

    def reset(self) -> None:
        """Forget what is held and staged: the rows changed underneath."""
        with self._lock:
            self._top = None
            self._new, self._old, self._room = {}, {}, self._limit
            self._pending = {}

    # --- rows -----------------------------------------------------------------------------------

    def _opened(self) -> Top:
        if self._top is None:
            self._top = self._load()
        return self._top

    def _discard(self) -> None:
        """Forget what is staged."""
        if self._top is not None:
            self._top.revert()
        self._pending = {}

    def _row(self, node: int) -> bytes:
        """A committed row that is not in the newer generation. Raises: StoreDamaged if missing."""
        row = self._old.get(node)
        if row is None:
            row = checked_row(self._read(row_name(node)), node)
        self._new[node] = row
        self._room -= len(row) + _ROW_OVERHEAD
        if self._room <= 0:
            self._rotate()
        return row

    def _rotate(self) -> None:
        self._old, self._new, self._room = self._new, {}, self._limit

    # --- a batch --------------------------------------------------------------------------------

    def _stage(self, top: Top, changes: Changes) -> bytes:
        paths = sorted(changes)
        places = [int.from_bytes(path[:4], "big") for path in paths]
        find, put, pending = top.find, top.put, self._pending
        touched: list[int] = []
        same: list[int] = []  # buckets that stay, and their new hashes
        hashes: list[bytes] = []
        at, count = 0, len(paths)
        while at < count:
            path = paths[at]
            node, depth, kind = find(path, places[at])
            row: bytes | None = b""
            if kind:
                row = self._new.get(node)
                if row is None:
                    row = self._row(node)
            end = at + 1
            if end < count and (places[end] ^ places[at]) >> 32 - min(depth, 32) == 0:
                end = _end_of_run(paths, at, depth)
            if end - at == 1:
                new = changed_bucket(row or b"", path, changes[path])
            else:
                new = merged_bucket(row or b"", paths[at:end], changes)
            at = end
            if len(new) > _ROW_SPLIT:
                if kind:
                    pending[node] = None
                    put(node, None)
                self._spread(top, new, node, depth, touched)
            elif new:
                pending[node] = new
                if kind:
                    same.append(node)
                    hashes.append(bucket_hash(new))
                else:
                    put(node, bucket_hash(new))
                    touched.append(node)
            elif kind:
                pending[node] = None
                put(node, None)
                touched.append(node)
        top.replace(same, hashes)
        top.fold(touched + same)
        return top.root()

    def _spread(self, top: Top, row: bytes, node: int, depth: int, touched: list[int]) -> None:
        """Put the leaves of ``row`` into buckets at and below ``node``."""
        if len(row) <= _ROW_SPLIT:
            self._pending[node] = row
            top.put(node, bucket_hash(row))
            touched.append(node)
            return
        middle = first_with_bit(row, depth)
        for side, part in ((0, row[:middle]), (1, row[middle:])):
            if part:
                self._spread(top, part, 2 * node + side, depth + 1, touched)


def _end_of_run(paths: list[bytes], at: int, depth: int) -> int:
    """Index of the first path, from ``at`` on, that differs from it before ``depth``."""
    shift = 256 - depth
    prefix = int.from_bytes(paths[at], "big") >> shift
    at += 1
    while at < len(paths) and int.from_bytes(paths[at], "big") >> shift == prefix:
        at += 1
    return at


def checked_row(row: bytes | None, node: int) -> bytes:
    """A row that must be there. Raises: StoreDamaged."""
    if not row or len(row) % LEAF_BYTES or len(row) > _ROW_MAX:
        raise StoreDamaged(f"tree bucket {row_name(node).hex()}", "missing or cut", REBUILD)
    return row


def top_of_rows(rows: Iterable[tuple[bytes, bytes]]) -> Top:
    """The top over all bucket rows."""

    def hashed() -> Iterator[tuple[int, bytes]]:
        for name, row in rows:
            node = node_of(name)
            yield node, bucket_hash(checked_row(row, node))

    return Top.of(hashed())


def same_buckets(top: Top, rows: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether ``rows`` are the buckets that ``top`` has hashes of, and all of them."""
    count = 0
    for name, row in rows:
        node = node_of(name)
        if top.kind(node) != BUCKET or top.digest(node) != bucket_hash(checked_row(row, node)):
            return False
        count += 1
    return count == top.buckets


def top_with(top: Top, changes: Iterable[tuple[int, bytes | None]]) -> Top:
    """``top`` with buckets changed, as a journal has them."""
    touched: dict[int, None] = {}
    for node, digest in changes:
        if digest is not None or top.kind(node) == BUCKET:
            top.put(node, digest)
        touched[node] = None
    top.fold(list(touched))
    top.settle()
    return top
