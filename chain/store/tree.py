"""Updating the Merkle tree: one batch of sorted paths, each page and bucket touched once.

``chain.store.pages`` says what the rows are. A ``Tree`` holds recently used rows in memory,
bounded; ``stage`` computes what a batch changes without changing what is committed, so it can be
repeated.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Final, Generic, TypeVar

from chain.store.errors import StoreDamaged
from chain.store.pages import (
    BUCKET,
    BUCKET_LEAVES,
    EMPTY_ROOT,
    INNER,
    LEAF_BYTES,
    NOTHING,
    PAGE,
    PAGE_FAMILY,
    PAGE_LEVELS,
    PATH_BITS,
    REBUILD,
    Changes,
    Page,
    ReadRow,
    bucket_hash,
    bucket_row,
    changed_bucket,
    first_with_bit,
    merged_bucket,
    page_row,
    parse_page,
)

_SLOTS: Final = 1 << PAGE_LEVELS
_ROOT: Final = 1  # node number: the path's prefix behind a leading one bit
#: Memory for tree rows: parsed pages by count (about 3 kB each), buckets by bytes.
CACHE_PAGES: Final = 12_000
CACHE_BUCKET_BYTES: Final = 64 << 20
_BUCKET_OVERHEAD: Final = 160  # dict entry, node number and object header of a cached bucket

_V = TypeVar("_V")


class RowCache(Generic[_V]):
    """Values by node number, bounded: two generations, the older one is dropped as a whole."""

    __slots__ = ("_limit", "_new", "_old", "_room")

    def __init__(self, limit: int) -> None:
        self._limit = limit // 2
        self._room = self._limit
        self._new: dict[int, _V] = {}
        self._old: dict[int, _V] = {}

    def get(self, node: int) -> _V | None:
        """The value of ``node`` if it is still here."""
        value = self._new.get(node)
        return self._old.get(node) if value is None else value

    def put(self, node: int, value: _V, size: int) -> None:
        """Keep ``value``; ``size`` in the unit of the limit."""
        self._new[node] = value
        self._room -= size
        if self._room <= 0:
            self._old = self._new
            self._new = {}
            self._room = self._limit

    def drop(self, node: int) -> None:
        """Forget ``node``."""
        self._new.pop(node, None)
        self._old.pop(node, None)

    def clear(self) -> None:
        """Forget all."""
        self._new, self._old, self._room = {}, {}, self._limit


class Tree:
    """The tree whose rows ``read`` finds, and the batch staged upon it."""

    __slots__ = ("_buckets", "_leaves", "_pages", "_paths", "_pending", "_raw", "_read", "undo")

    def __init__(
        self,
        read: ReadRow,
        *,
        cache_pages: int = CACHE_PAGES,
        cache_bucket_bytes: int = CACHE_BUCKET_BYTES,
    ) -> None:
        self._read = read
        self._pages: RowCache[Page] = RowCache(cache_pages)
        self._buckets: RowCache[bytes] = RowCache(cache_bucket_bytes)
        self._paths: list[int] = []  # the batch: paths in order, as numbers
        self._raw: list[bytes] = []  # and as bytes
        self._leaves: list[bytes | None] = []
        #: what ``stage`` changed: row key to node number and new value
        self._pending: dict[bytes, tuple[int, Page | bytes | None]] = {}
        #: rows before the staged batch, for the undo record: row key to old row
        self.undo: dict[bytes, bytes | None] = {}

    def root(self) -> bytes:
        """Root hash of the committed tree."""
        page = self._page(_ROOT, page_row(_ROOT, 0))
        return EMPTY_ROOT if page is None else page.nodes[1] or EMPTY_ROOT

    def stage(self, changes: Changes) -> bytes:
        """Root hash with ``changes`` applied to the committed tree; replaces what was staged.

        Effect: ``undo`` and ``rows()`` describe the batch; nothing committed changes until
        ``settle``.
        """
        self._pending = {}
        self.undo = {}
        raw = sorted(changes)
        if not raw:
            return self.root()
        self._raw = raw
        number = int.from_bytes
        self._paths = [number(path, "big") for path in raw]
        self._leaves = [changes[path] for path in raw]
        root = self._update_page(_ROOT, 0, 0, len(raw))
        self._raw, self._paths, self._leaves = [], [], []
        return EMPTY_ROOT if root is None else root

    def rows(self) -> dict[bytes, bytes | None]:
        """The staged rows to write."""
        return {
            name: value.row if isinstance(value, Page) else value
            for name, (_, value) in self._pending.items()
        }

    def settle(self) -> None:
        """The staged rows were written: they are the committed tree now."""
        for name, (node, value) in self._pending.items():
            if isinstance(value, Page):
                self._pages.put(node, value, 1)
            elif value is not None:
                self._buckets.put(node, value, len(value) + _BUCKET_OVERHEAD)
            elif name.startswith(PAGE_FAMILY):
                self._pages.drop(node)
            else:
                self._buckets.drop(node)
        self._pending = {}
        self.undo = {}

    def reset(self) -> None:
        """Forget what is cached and staged: the rows changed underneath."""
        self._pages.clear()
        self._buckets.clear()
        self._pending = {}
        self.undo = {}

    # --- one batch ------------------------------------------------------------------------------

    def _page(self, node: int, name: bytes) -> Page | None:
        """The committed page, not to be changed."""
        page = self._pages.get(node)
        if page is None:
            row = self._read(name)
            if row is None:
                return None
            page = parse_page(row, name)
            self._pages.put(node, page, 1)
        return page

    def _update_page(self, node: int, depth: int, low: int, high: int) -> bytes | None:
        """Apply changes ``low`` to ``high`` below the page at ``node``.

        Returns its new hash, ``None`` if nothing is left below it.
        """
        name = page_row(node, depth)
        committed = self._page(node, name)
        if committed is None:
            page = Page()
            self.undo[name] = None
        else:
            page = committed.copy()
            self.undo[name] = committed.row
        nodes, kinds = page.nodes, page.kinds
        paths = self._paths
        shift = PATH_BITS - PAGE_LEVELS - depth  # bits of a path below this page
        touched: list[int] = []
        while low < high:
            path = paths[low]
            bottom = _SLOTS | ((path >> shift if shift >= 0 else path << -shift) & (_SLOTS - 1))
            level = 0
            index = 1
            while kinds[index] == INNER:
                level += 1
                index = bottom >> (PAGE_LEVELS - level)
            child = (node << level) | (index ^ (1 << level))
            end = low + 1
            if end < high:
                end = self._end_of_run(child, depth + level, end, high)
            if kinds[index] == PAGE:
                digest = nodes[index] = self._update_page(child, depth + PAGE_LEVELS, low, end)
                if digest is None:
                    kinds[index] = NOTHING
                    page.codes = None
            else:
                self._update_bucket(page, index, (child, depth + level), low, end)
            touched.append(index)
            low = end
        page.fold(touched)
        if nodes[1] is None:
            self._pending[name] = (node, None)
        else:
            page.pack()
            self._pending[name] = (node, page)
        return nodes[1]

    def _end_of_run(self, node: int, depth: int, low: int, high: int) -> int:
        """Index of the first change that is not below ``node``."""
        following = node + 1
        if following >> (depth + 1):
            return high
        return bisect_left(
            self._paths, (following ^ (1 << depth)) << (PATH_BITS - depth), low, high
        )

    def _update_bucket(
        self, page: Page, index: int, place: tuple[int, int], low: int, high: int
    ) -> None:
        """Apply changes to the bucket, or the empty place, at ``index`` of ``page``; split it if
        full.

        ``place`` is its node number and depth.
        """
        node, depth = place
        name = bucket_row(node, depth)
        row = b""
        if page.kinds[index] == BUCKET:
            found = self._buckets.get(node)
            if found is None:
                found = self._read(name)
                if found is None or not found or len(found) & 63:
                    raise StoreDamaged(f"tree bucket {name.hex()}", "missing or cut", REBUILD)
            row = found
        if high - low == 1:
            new = changed_bucket(row, self._raw[low], self._leaves[low])
        else:
            new = merged_bucket(row, self._raw[low:high], self._leaves[low:high])
        if new == row:
            return
        if row:
            self.undo[name] = row
            self._pending[name] = (node, None)
        if len(new) > BUCKET_LEAVES * LEAF_BYTES:
            self._split(page, index, place, new)
        else:
            self._put_bucket(page, index, place, new)

    def _put_bucket(self, page: Page, index: int, place: tuple[int, int], row: bytes) -> None:
        """Put ``row`` at ``index``; an empty one leaves nothing there."""
        kind = BUCKET if row else NOTHING
        if kind != page.kinds[index]:
            page.kinds[index] = kind
            page.codes = None
        if not row:
            page.nodes[index] = None
            return
        page.nodes[index] = bucket_hash(row)
        name = bucket_row(*place)
        self._pending[name] = (place[0], row)
        self.undo.setdefault(name, None)

    def _split(self, page: Page, index: int, place: tuple[int, int], row: bytes) -> None:
        """Put the leaves of ``row`` below ``index`` as two subtrees, or as a page at the bottom
        level.
        """
        node, depth = place
        page.codes = None
        if index >= _SLOTS:
            below = Page()
            self._split(below, 1, place, row)
            below.pack()
            name = page_row(node, depth)
            self._pending[name] = (node, below)
            self.undo.setdefault(name, None)
            page.kinds[index] = PAGE
            page.nodes[index] = below.nodes[1]
            return
        page.kinds[index] = INNER
        middle = first_with_bit(row, depth)
        for side, part in ((0, row[:middle]), (1, row[middle:])):
            child = (2 * node + side, depth + 1)
            if len(part) > BUCKET_LEAVES * LEAF_BYTES:
                self._split(page, 2 * index + side, child, part)
            else:
                self._put_bucket(page, 2 * index + side, child, part)
        page.fold([2 * index])
