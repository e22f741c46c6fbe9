"""Reading committed state: the view of the last block, and views of older ones."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Final

from chain.store.errors import HeightNotKept, StoreDamaged
from chain.store.keys import PATH, STATE, UNDO, Undo, decode_undo, undo_key
from chain.store.overlay import Overlay
from chain.store.types import Reader

#: Entries of the read cache of one generation; two are held. Larger values are read anew.
CACHE_ENTRIES: Final = 40_000
CACHED_VALUE_BYTES: Final = 2_048
#: "Since" of an entry that says: changed, but not kept here.
NEVER: Final = 1 << 62

#: Key to the value with its kind, and the height since which it holds.
Cache = dict[bytes, tuple[bytes | None, int]]


def prefixed_range(
    reader: Reader, family: bytes, start: bytes | None, end: bytes | None, reverse: bool
) -> Iterator[tuple[bytes, bytes]]:
    """Entries of one family; keys keep their family byte."""
    low = family if start is None else family + start
    high = bytes((family[0] + 1,)) if end is None else family + end
    return reader.range(low, high, reverse)


class StateView:
    """State as committed at ``height``; never changes, any thread may read it.

    Views share a cache without a lock. A commit puts every key that it wrote into the cache, so an
    entry that is missing there was not written since, and a reader may add what it finds; an entry
    that is newer than a view is passed over. Single dict operations are atomic.
    """

    __slots__ = ("_cache", "_older", "_snapshot", "height", "root")

    def __init__(
        self, snapshot: Reader, height: int, root: bytes, caches: tuple[Cache, Cache]
    ) -> None:
        self._snapshot = snapshot
        self._cache, self._older = caches
        self.height = height
        #: app hash, empty for a store without a tree
        self.root = root

    @property
    def snapshot(self) -> Reader:
        """The whole key space at this height."""
        return self._snapshot

    def raw(self, key: bytes) -> bytes | None:
        """The value with its byte of kind."""
        height = self.height
        hit = self._cache.get(key)
        if hit is not None:
            if hit[1] <= height:
                return hit[0]
            return self._snapshot.get(STATE + key)
        hit = self._older.get(key)
        if hit is not None and hit[1] <= height:
            raw = hit[0]
        else:
            raw = self._snapshot.get(STATE + key)
        cache = self._cache
        if len(cache) < CACHE_ENTRIES and (raw is None or len(raw) <= CACHED_VALUE_BYTES):
            cache.setdefault(key, (raw, height))
        return raw

    def get(self, key: bytes) -> bytes | None:
        """The value of ``key``, ``None`` if absent."""
        hit = self._cache.get(key)
        raw = hit[0] if hit is not None and hit[1] <= self.height else self.raw(key)
        return None if raw is None else raw[1:]

    def range(
        self, start: bytes | None, end: bytes | None, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """Entries in byte order; see ``Reader.range``."""
        for key, raw in prefixed_range(self._snapshot, STATE, start, end, reverse):
            yield key[1:], raw[1:]

    def raw_range(self) -> Iterator[tuple[bytes, bytes]]:
        """All entries, values with their byte of kind."""
        for key, raw in prefixed_range(self._snapshot, STATE, None, None, False):
            yield key[1:], raw

    def key_of(self, path: bytes) -> bytes | None:
        """The authenticated key whose hash is ``path``; only in a store with a tree."""
        return self._snapshot.get(PATH + path)

    def following(
        self, snapshot: Reader, height: int, root: bytes, written: dict[bytes, bytes | None]
    ) -> StateView:
        """The view after a commit that wrote ``written`` (state keys to values with their kind)."""
        cache, older = self._cache, self._older
        if len(cache) + len(written) > CACHE_ENTRIES:
            older, cache = cache, {}
        for key, raw in written.items():
            if raw is None or len(raw) <= CACHED_VALUE_BYTES:
                cache[key] = (raw, height)
            else:
                cache[key] = (None, NEVER)
        return StateView(snapshot, height, root, (cache, older))


class PastView:
    """State at an older height: a newer view, and what changed since."""

    __slots__ = ("_overlay", "height", "old", "root", "view")

    def __init__(self, view: StateView, height: int, undos: list[Undo]) -> None:
        self.view = view
        self.height = height
        self.root = undos[0].root
        #: state values before the changes since
        self.old = merged(undos)
        self._overlay = Overlay(view)
        self._overlay.writes.update(
            (key, None if raw is None else raw[1:]) for key, raw in self.old.state.items()
        )

    def get(self, key: bytes) -> bytes | None:
        """The value of ``key`` at this height, ``None`` if absent."""
        return self._overlay.get(key)

    def range(
        self, start: bytes | None, end: bytes | None, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """Entries in byte order; see ``Reader.range``."""
        return self._overlay.range(start, end, reverse)

    def raw_range(self) -> Iterator[tuple[bytes, bytes]]:
        """All entries, values with their byte of kind."""
        for key, _ in self._overlay.range(None, None):
            raw = self.raw(key)
            if raw is not None:
                yield key, raw

    def raw(self, key: bytes) -> bytes | None:
        """The value with its byte of kind."""
        return self.old.state[key] if key in self.old.state else self.view.raw(key)

    def key_of(self, path: bytes) -> bytes | None:
        """The authenticated key whose hash is ``path``, also one that was deleted since."""
        key = self.view.key_of(path)
        if key is not None:
            return key
        return next((key for key in self.old.state if sha256(key).digest() == path), None)


def merged(undos: list[Undo]) -> Undo:
    """One record that undoes all of ``undos``, which are in order of height."""
    first = undos[0]
    state: dict[bytes, bytes | None] = {}
    for undo in reversed(undos):  # the oldest is put in last and wins
        state.update(undo.state)
    return Undo(first.height, first.root, state, {})


def past_view(view: StateView, height: int, oldest: int) -> StateView | PastView:
    """State at ``height``, read through ``view``. Raises: HeightNotKept."""
    if height == view.height:
        return view
    if not oldest <= height < view.height:
        raise HeightNotKept(height, oldest, view.height)
    undos: list[Undo] = []
    below = height
    for name, record in prefixed_range(
        view.snapshot, UNDO, undo_key(height + 1)[1:], None, reverse=False
    ):
        undo = read_undo(record, int.from_bytes(name[1:], "big"))
        if undo.height > below:  # pruned after the caller looked, or a row is gone
            raise HeightNotKept(height, undo.height, view.height)
        below = int.from_bytes(name[1:], "big")
        undos.append(undo)
    if below != view.height:
        raise HeightNotKept(height, view.height, view.height)
    return PastView(view, height, undos)


def read_undo(record: bytes, height: int) -> Undo:
    """An undo record from its row. Raises: StoreDamaged."""
    try:
        return decode_undo(record)
    except ValueError as error:
        raise StoreDamaged(f"undo record of height {height}", str(error)) from error
