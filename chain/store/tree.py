"""Updating the Merkle tree: one batch of sorted paths, each page and bucket touched once.

``chain.store.pages`` says what the rows are. A ``Tree`` holds the upper nodes and recently used
rows in
memory; ``stage`` computes what a batch changes without changing what is committed, so it can be
repeated.
"""

from __future__ import annotations

from typing import Final

from chain.store.errors import StoreDamaged
from chain.store.pages import (
    BUCKET_FAMILY,
    BUCKET_LEAVES,
    LEAF_BYTES,
    NESTED,
    NESTED_FAMILY,
    PAGE_ENTRIES,
    PAGE_FAMILY,
    PAGE_LEVELS,
    REBUILD,
    Changes,
    ReadRow,
    ScanPages,
    bucket_hash,
    changed_bucket,
    find_entry,
    first_with_bit,
    level_of,
    lowered,
    merged_bucket,
    page_hash,
    page_parts,
    place_of,
    positions_of,
    row_name,
)
from chain.store.top import DEPTH_MAX, PAGE, Top

#: Memory for rows of the tree.
CACHE_BYTES: Final = 96 << 20
_ROW_OVERHEAD: Final = 170  # dict entry and headers of the two byte strings

#: Codes and hashes of a page.
_Parts = tuple[bytes, bytes]


class Tree:
    """The tree whose rows ``read`` finds and ``scan`` lists, and the batch staged upon it."""

    __slots__ = (
        "_changes",
        "_limit",
        "_new",
        "_old",
        "_paths",
        "_pending",
        "_read",
        "_room",
        "_scan",
        "_top",
        "undo",
    )

    def __init__(self, read: ReadRow, scan: ScanPages, *, cache_bytes: int = CACHE_BYTES) -> None:
        self._read = read
        self._scan = scan
        self._top: Top | None = None  # read when it is needed
        # Rows by name in two generations; the older one is dropped as a whole.
        self._new: dict[bytes, bytes] = {}
        self._old: dict[bytes, bytes] = {}
        self._limit = self._room = cache_bytes // 2
        self._paths: list[bytes] = []  # the batch
        self._changes: Changes = {}
        self._pending: dict[bytes, bytes | None] = {}
        #: rows before the staged batch, for the undo record: row key to old row
        self.undo: dict[bytes, bytes | None] = {}

    def root(self) -> bytes:
        """Root of the committed tree."""
        self._discard()
        return self._opened().root()

    def stage(self, changes: Changes) -> bytes:
        """Root with ``changes`` applied to the committed tree; replaces what was staged.

        Effect: ``undo`` and ``rows()`` describe the batch; nothing committed changes until
        ``settle``.
        """
        self._discard()
        top = self._opened()
        paths = self._paths = sorted(changes)
        self._changes = changes
        touched: list[int] = []
        at, count = 0, len(paths)
        while at < count:
            path = paths[at]
            node, depth = top.find(path)
            end = at + 1
            if end < count:
                end = self._end_of_run(at, depth, count)
            if top.kinds[node] != PAGE:
                name = row_name(PAGE_FAMILY, node)
                self.undo[name] = None
                parts = self._changed_page((b"", b""), node, depth, (at, end))
                self._put_page(node, depth, parts, touched)
            elif end - at > 1 or not self._change_one(top, node, depth, path):
                name = row_name(PAGE_FAMILY, node)
                row = self.undo[name] = self._row(name)
                parts = self._changed_page(page_parts(row, name), node, depth, (at, end))
                self._put_page(node, depth, parts, touched)
            else:
                touched.append(node)
            at = end
        top.fold(touched)
        return top.root()

    def rows(self) -> dict[bytes, bytes | None]:
        """The staged rows to write."""
        return self._pending

    def settle(self) -> None:
        """The staged rows were written: they are the committed tree now."""
        new, old = self._new, self._old
        for name, row in self._pending.items():
            if row is None:
                new.pop(name, None)
                old.pop(name, None)
            else:
                new[name] = row
                self._room -= len(row) + _ROW_OVERHEAD
        if self._room <= 0:
            self._rotate()
        if self._top is not None:
            self._top.settle()
        self._pending = {}
        self.undo = {}

    def reset(self) -> None:
        """Forget what is held and staged: the rows changed underneath."""
        self._top = None
        self._new, self._old, self._room = {}, {}, self._limit
        self._pending = {}
        self.undo = {}

    # --- rows -----------------------------------------------------------------------------------

    def _opened(self) -> Top:
        if self._top is None:
            self._top = Top()
            self._top.load(self._scan())
        return self._top

    def _discard(self) -> None:
        """Forget what is staged."""
        if self._top is not None:
            self._top.revert()
        self._pending = {}
        self.undo = {}

    def _row(self, name: bytes) -> bytes:
        """A committed row. Raises: StoreDamaged if it is missing."""
        row = self._new.get(name)
        if row is not None:
            return row
        row = self._old.get(name)
        if row is None:
            row = self._read(name)
            if not row:
                raise StoreDamaged(f"tree row {name.hex()}", "missing", REBUILD)
        self._new[name] = row
        self._room -= len(row) + _ROW_OVERHEAD
        if self._room <= 0:
            self._rotate()
        return row

    def _rotate(self) -> None:
        self._old, self._new, self._room = self._new, {}, self._limit

    def _end_of_run(self, at: int, depth: int, limit: int) -> int:
        """Index of the first path, from ``at`` on, that differs from it before ``depth``."""
        paths = self._paths
        shift = 256 - depth
        prefix = int.from_bytes(paths[at], "big") >> shift
        at += 1
        while at < limit and int.from_bytes(paths[at], "big") >> shift == prefix:
            at += 1
        return at

    def _change_one(self, top: Top, node: int, depth: int, path: bytes) -> bool:
        """The usual case at once: one change to a bucket that is there and stays as it is.

        False if it is another case; then nothing was done.
        """
        name = row_name(PAGE_FAMILY, node)
        row = self._row(name)
        count = len(row) // 33  # 32 + 33 * entries
        codes = row[32 : 32 + count]
        index, missing = find_entry(codes, place_of(path, depth))
        if missing >= 0 or codes[index] & NESTED:
            return False
        code = codes[index]
        level = code.bit_length() - 1
        bucket_name = row_name(BUCKET_FAMILY, node << level | code ^ (1 << level))
        bucket = self._row(bucket_name)
        new = changed_bucket(bucket, path, self._changes[path])
        if not 0 < len(new) <= BUCKET_LEAVES * LEAF_BYTES:
            return False
        at = 32 + count + 32 * index
        digests = row[32 + count : at] + bucket_hash(new) + row[at + 32 :]
        digest = page_hash(codes, digests)
        self.undo[name] = row
        self.undo[bucket_name] = bucket
        self._pending[name] = digest + codes + digests
        self._pending[bucket_name] = new
        top.put(node, digest)
        return True

    # --- a page ---------------------------------------------------------------------------------

    def _changed_page(
        self, parts: _Parts, node: int, depth: int, changes: tuple[int, int]
    ) -> _Parts:
        """The entries of a page after the paths ``changes`` (from, to) of the batch."""
        codes, digests = parts
        paths = self._paths
        at, limit = changes
        while at < limit:
            index, code = find_entry(codes, place_of(paths[at], depth))
            old = 0 if code >= 0 else 1  # entries replaced
            if old:
                code = codes[index]
            level = level_of(code)
            end = at + 1
            if end < limit:
                end = self._end_of_run(at, depth + level, limit)
            child = node << level | (code & ~NESTED) ^ (1 << level)
            if code & NESTED:
                entries = self._changed_nested(child, depth + level, code, (at, end))
            else:
                entries = self._changed_bucket(child, depth + level, code, (at, end), bool(old))
            if len(entries) == 1:
                code, digest = entries[0]
                if not old:
                    codes = codes[:index] + bytes((code,)) + codes[index:]
                elif codes[index] != code:
                    codes = codes[:index] + bytes((code,)) + codes[index + 1 :]
                digests = digests[: 32 * index] + digest + digests[32 * (index + old) :]
            else:
                new_codes = bytes([code for code, _ in entries])
                codes = codes[:index] + new_codes + codes[index + old :]
                digests = b"".join(
                    (
                        digests[: 32 * index],
                        *[digest for _, digest in entries],
                        digests[32 * (index + old) :],
                    )
                )
            at = end
        return codes, digests

    def _put_page(self, node: int, depth: int, parts: _Parts, touched: list[int]) -> None:
        """Write a page at ``node``, or two below it if it has too many entries or nested ones."""
        codes, digests = parts
        name = row_name(PAGE_FAMILY, node)
        top = self._opened()
        count = len(codes)
        if depth >= DEPTH_MAX or not count or (count <= PAGE_ENTRIES and max(codes) < NESTED):
            if count:
                digest = page_hash(codes, digests)
                self._pending[name] = digest + codes + digests
                self.undo.setdefault(name, None)
                top.put(node, digest)
            else:
                self._drop(name)
                top.put(node, None)
            touched.append(node)
            return
        self._drop(name)
        top.put(node, None)
        middle = sum(1 for position in positions_of(codes) if position < 16)
        halves = (
            (2 * node, lowered(codes[:middle]), digests[: 32 * middle]),
            (2 * node + 1, lowered(codes[middle:]), digests[32 * middle :]),
        )
        for half, half_codes, half_digests in halves:
            if half_codes == bytes((NESTED | 1,)):
                self._put_page(half, depth + 1, self._taken_nested(half), touched)
            elif half_codes:
                self._put_page(half, depth + 1, (half_codes, half_digests), touched)

    def _drop(self, name: bytes) -> None:
        """A row that is not there any more; one that never was leaves no trace."""
        if self.undo.get(name) is None:
            self.undo.pop(name, None)
            self._pending.pop(name, None)
        else:
            self._pending[name] = None

    # --- what a page names ----------------------------------------------------------------------

    def _changed_nested(
        self, node: int, depth: int, code: int, changes: tuple[int, int]
    ) -> list[tuple[int, bytes]]:
        """The entry for a nested page after ``changes``; none if it is empty."""
        name = row_name(NESTED_FAMILY, node)
        row = self._row(name)
        self.undo[name] = row
        codes, digests = self._changed_page(page_parts(row, name), node, depth, changes)
        if not codes:
            self._pending[name] = None
            return []
        digest = page_hash(codes, digests)
        self._pending[name] = digest + codes + digests
        return [(code, digest)]

    def _taken_nested(self, node: int) -> _Parts:
        """Entries of a nested page that becomes one of its own."""
        name = row_name(NESTED_FAMILY, node)
        row = self._pending.get(name)
        if row is None:
            row = self._row(name)
            self.undo[name] = row
        self._drop(name)
        return page_parts(row, name)

    def _changed_bucket(
        self, node: int, depth: int, code: int, changes: tuple[int, int], there: bool
    ) -> list[tuple[int, bytes]]:
        """The entries for a bucket after ``changes``: none, one, or several if it split."""
        name = row_name(BUCKET_FAMILY, node)
        row = self._row(name) if there else b""
        at, end = changes
        if end - at == 1:
            path = self._paths[at]
            new = changed_bucket(row, path, self._changes[path])
        else:
            new = merged_bucket(row, self._paths[at:end], self._changes)
        if there:
            self.undo[name] = row
        if len(new) <= BUCKET_LEAVES * LEAF_BYTES:
            if not new:
                self._drop(name)
                return []
            self._pending[name] = new
            self.undo.setdefault(name, None)
            return [(code, bucket_hash(new))]
        self._drop(name)
        entries: list[tuple[int, bytes]] = []
        self._spread(new, node, depth, code, entries)
        return entries

    def _spread(
        self, row: bytes, node: int, depth: int, code: int, entries: list[tuple[int, bytes]]
    ) -> None:
        """Put the leaves of ``row`` into buckets at and below ``node``; adds their entries."""
        if len(row) <= BUCKET_LEAVES * LEAF_BYTES:
            name = row_name(BUCKET_FAMILY, node)
            self._pending[name] = row
            self.undo.setdefault(name, None)
            entries.append((code, bucket_hash(row)))
        elif level_of(code) == PAGE_LEVELS:
            below: list[tuple[int, bytes]] = []
            self._spread(row, node, depth, 1, below)
            codes = bytes([code for code, _ in below])
            digests = b"".join([digest for _, digest in below])
            digest = page_hash(codes, digests)
            name = row_name(NESTED_FAMILY, node)
            self._pending[name] = digest + codes + digests
            self.undo.setdefault(name, None)
            entries.append((code | NESTED, digest))
        else:
            middle = first_with_bit(row, depth)
            for side, part in ((0, row[:middle]), (1, row[middle:])):
                if part:
                    self._spread(part, 2 * node + side, depth + 1, 2 * code + side, entries)
