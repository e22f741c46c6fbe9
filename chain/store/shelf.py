"""The top of the tree between two runs: a file that may be lost, and a journal that may not.

Every batch that changes the tree has a journal row with the hashes of its buckets. Now and then,
and when a store is closed, the whole top is laid aside in a file, and the rows before it go with
the next batch. An opened store reads the file and what was changed since; if the file is missing,
torn or not of this history, the top is made from all buckets, which is slower (a second for a
million keys) and gives the same. Whatever is read must lead to the root that the store names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final

import msgspec

from chain.store.buckets import BUCKET_FAMILY, REBUILD, node_of, row_name
from chain.store.errors import StoreDamaged
from chain.store.keys import JOURNAL, Meta
from chain.store.top import Top
from chain.store.tree import top_of_rows, top_with
from chain.store.types import Backend
from chain.store.view import prefixed_range

_MAGIC: Final = b"msgchain tree 1\n"
_HEAD: Final = len(_MAGIC) + 32 + 4
#: Changed buckets after which the top is laid aside: so many, or this share of all of them.
_CHANGES_MIN: Final = 4_000
_CHANGES_SHARE: Final = 4

_REMOVED: Final = 0x80


class _Head(msgspec.Struct, array_like=True, frozen=True):
    """What stands in front of the arrays."""

    journal: int  # the last row that is in it
    root: bytes
    buckets: int
    kinds: int
    slots: int
    deep: dict[bytes, tuple[int, bytes]]


def journal_row(changes: Iterable[tuple[int, bytes | None]]) -> bytes:
    """Changed buckets as a row: each name behind its length, then the hash; none if removed."""
    parts: list[bytes] = []
    for node, digest in changes:
        name = row_name(node)
        if digest is None:
            parts += (bytes((len(name) | _REMOVED,)), name)
        else:
            parts += (bytes((len(name),)), name, digest)
    return b"".join(parts)


def journal_changes(row: bytes) -> Iterator[tuple[int, bytes | None]]:
    """The changed buckets of a row."""
    at = 0
    while at < len(row):
        size = row[at] & ~_REMOVED
        name = row[at + 1 : at + 1 + size]
        removed = row[at] & _REMOVED
        at += 1 + size
        yield node_of(name), None if removed else row[at : at + 32]
        at += 0 if removed else 32


class Shelf:
    """What lies beside the data of ``backend``, and how much was changed since."""

    __slots__ = ("_backend", "_changes", "_kept", "_laid")

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._changes = 0  # changed buckets in the journal since the file
        self._laid = -1  # the last row that is in the file; -1: no file that is of use
        self._kept = 0  # rows up to this one are deleted already

    def load(self, meta: Meta) -> Top:
        """The top of the tree as committed. Raises: StoreDamaged."""
        top = self._restored(meta)
        if top is None:
            self._laid = -1
            top = top_of_rows(
                prefixed_range(self._backend, BUCKET_FAMILY, None, None, reverse=False)
            )
            if top.root() != meta.root:
                raise StoreDamaged(
                    f"{self._backend.place}, tree",
                    "its hashes do not lead to the app hash",
                    REBUILD,
                )
            self.lay(top, meta)
        return top

    def _restored(self, meta: Meta) -> Top | None:
        raw = self._backend.shelved() if self._backend.shelves else None
        found = None if raw is None else _parsed(raw)
        if found is None:
            return None
        top, laid = found
        rows = [
            (int.from_bytes(name[1:], "big"), row)
            for name, row in prefixed_range(self._backend, JOURNAL, None, None, reverse=False)
        ]
        self._kept = rows[0][0] - 1 if rows else meta.journal
        since = [row for number, row in rows if number > laid]
        if laid + len(since) != meta.journal:
            return None
        self._changes = 0
        self._laid = laid
        for row in since:
            changes = list(journal_changes(row))
            self._changes += len(changes)
            top_with(top, changes)
        return top if top.root() == meta.root else None

    def note(
        self,
        puts: dict[bytes, bytes | None],
        changes: Iterable[tuple[int, bytes | None]],
        last: int,
    ) -> int:
        """Add the journal row of a batch to it, take out what the file has; the row's number."""
        if not self._backend.shelves:
            return last
        row = journal_row(changes)
        if not row:
            return last
        puts[_name(last + 1)] = row
        self._changes += len(row) // 36
        for number in range(self._kept + 1, self._laid + 1):
            puts[_name(number)] = None
        return last + 1

    def keep_up(self, top: Top, meta: Meta) -> None:
        """Lay the top aside if much was changed since. To be called after the batch was written."""
        self._kept = max(self._kept, self._laid)
        if self._changes > max(_CHANGES_MIN, top.buckets // _CHANGES_SHARE):
            self.lay(top, meta)

    def lay(self, top: Top, meta: Meta) -> None:
        """Lay the top aside, unless the file is as new."""
        if not self._backend.shelves or self._laid == meta.journal:
            return
        deep = {row_name(node): value for node, value in top.deep.items()}
        head = _Head(meta.journal, meta.root, top.buckets, len(top.kinds), len(top.slots), deep)
        packed = msgspec.msgpack.encode(head)
        digest = sha256(packed)
        digest.update(top.kinds)
        digest.update(top.slots)
        size = len(packed).to_bytes(4, "big")
        self._backend.shelve((_MAGIC, digest.digest(), size, packed, top.kinds, top.slots))
        self._laid, self._changes = meta.journal, 0

    def clear(self) -> None:
        """Throw the file away: the tree is about to be made anew."""
        self._backend.shelve(())
        self._laid, self._changes, self._kept = -1, 0, 0


def _name(number: int) -> bytes:
    return JOURNAL + number.to_bytes(8, "big")


def _parsed(raw: bytes) -> tuple[Top, int] | None:
    """A top and the last journal row in it, ``None`` for bytes that are torn or not one."""
    if not raw.startswith(_MAGIC) or len(raw) < _HEAD:
        return None
    if sha256(memoryview(raw)[_HEAD:]).digest() != raw[len(_MAGIC) : len(_MAGIC) + 32]:
        return None
    kinds = _HEAD + int.from_bytes(raw[_HEAD - 4 : _HEAD], "big")
    try:
        head = msgspec.msgpack.decode(raw[_HEAD:kinds], type=_Head)
    except msgspec.MsgspecError:
        return None
    slots = kinds + head.kinds
    if len(raw) != slots + head.slots:
        return None
    deep = {node_of(name): value for name, value in head.deep.items()}
    view = memoryview(raw)
    top = Top.restored(head.buckets, bytearray(view[kinds:slots]), bytearray(view[slots:]), deep)
    return top, head.journal
