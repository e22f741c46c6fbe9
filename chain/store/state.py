"""Committed state: values, their Merkle tree, history and the caller's rows, one synced batch per
block.

    stage(height, writes) -> root     computes, writes nothing, may be repeated
    commit(rows)                      one batch: state, tree, undo record, where the store stands,
    rows

A crash leaves the last block or the one before it, never a part of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import islice
from typing import Final

from chain.store.buckets import BUCKET_FAMILY, EMPTY_ROOT, REBUILD
from chain.store.errors import HeightNotKept, StoreDamaged, StoreError
from chain.store.keys import (
    AUTHENTICATED,
    DERIVED,
    DERIVED_BYTE,
    DERIVED_KEY,
    LAYOUT,
    MADE,
    META,
    ROW,
    STATE,
    UNDO,
    Meta,
    Undo,
    decode_meta,
    encode,
    rolled,
    undo_key,
)
from chain.store.proof import ProofTree, ProofTrees, prove, tree_at
from chain.store.shelf import Shelf
from chain.store.staged import Staged
from chain.store.top import Top
from chain.store.tree import Tree, same_buckets
from chain.store.types import Backend, Derived, Reader, Writes
from chain.store.view import PastView, StateView, past_view, prefixed_range, read_undo
from chain.store.whole import batches, chunks, grow, leaf_changes, loose_tree, root_of

KEEP_HEIGHTS: Final = 100
#: Undo records deleted in one commit when the store keeps fewer heights than before.
_PRUNE_MAX: Final = 1_000


class StateStore:
    """State over ``backend``, which it owns from now on.

    ``keep_heights``: how many heights before the last can be read, proven and rolled back to.
    ``authenticate=False`` makes commits nearly free: no tree is kept, ``stage`` returns ``b""``,
    and ``app_hash`` builds the tree in memory when it is read, from then on by what changed.

    One thread stages and commits; views may be read by any.

    Raises: StoreDamaged if rows are there but not what says where the store stands, or if the
    backend lost blocks.
    """

    def __init__(
        self,
        backend: Backend,
        *,
        keep_heights: int = KEEP_HEIGHTS,
        authenticate: bool = True,
    ) -> None:
        self.backend = backend
        self._keep = keep_heights
        self._authenticate = authenticate
        self._staged: Staged | None = None
        self._past: dict[int, StateView | PastView] = {}
        self._loose: dict[bytes, bytes] = {}  # rows of the tree of a store without authentication
        self._dirty: dict[bytes, bytes | None] | None = None  # its leaves to update; None: no tree
        try:
            meta = self._read_meta()
        except StoreError:
            backend.close()
            raise
        self._meta = meta
        self._shelf = Shelf(backend)
        self._tree = (
            Tree(backend.get, lambda: self._shelf.load(self._meta))
            if authenticate
            else loose_tree(self._loose)
        )
        self._proofs = ProofTrees()
        self._view = StateView(backend.snapshot(), meta.height, meta.root, ({}, {}))
        if meta.layout != LAYOUT:
            self._bring_up(meta)
        elif authenticate and meta.height and not meta.authenticated:
            self.rebuild_tree()

    # --- where the store stands -----------------------------------------------------------------

    def _read_meta(self) -> Meta:
        backend = self.backend
        record = backend.get(META)
        if record is None:
            if next(iter(backend.range(None, None)), None) is not None or backend.witnessed():
                raise StoreDamaged(backend.place, "there is data, but no record of the height")
            return Meta(LAYOUT, 0, EMPTY_ROOT, 0, self._authenticate)
        try:
            meta = decode_meta(record)
        except ValueError as error:
            raise StoreDamaged(backend.place, f"record of the height: {error}") from error
        if not 1 <= meta.layout <= LAYOUT:
            raise StoreError(
                f"{backend.place} has layout {meta.layout}, this program knows 1 to {LAYOUT}; "
                "open it with a newer one"
            )
        lost = backend.witnessed()
        if lost > meta.height:
            raise StoreDamaged(
                backend.place, f"height {lost} was committed, but the files end at {meta.height}"
            )
        return meta

    @property
    def height(self) -> int:
        """The last committed height, 0 before the first."""
        return self._view.height

    @property
    def oldest(self) -> int:
        """The lowest height that can be read."""
        return self._meta.oldest

    @property
    def app_hash(self) -> bytes:
        """Root of the tree at ``height``."""
        if self._authenticate:
            return self._view.root
        return self._loose_root()

    @property
    def view(self) -> StateView:
        """State at ``height``; another object after each commit."""
        return self._view

    def view_at(self, height: int) -> Reader:
        """State at an older height. Raises: HeightNotKept."""
        return self._view_at(height)

    def _view_at(self, height: int) -> StateView | PastView:
        view, past = self._view, self._past
        if height == view.height:
            return view
        found = past.get(height)
        if found is None:
            found = past_view(view, height, self._meta.oldest)
            past[height] = found  # a dict of its own after each commit
        return found

    # --- a block --------------------------------------------------------------------------------

    def stage(self, height: int, writes: Writes) -> bytes:
        """The root after ``writes`` (``Overlay.writes``), to be committed as ``height``.

        Writes nothing, replaces what was staged. Values that do not change anything are left out.
        A height may be left out (a devnet that jumps), never repeated.
        Raises: StoreError for a height that does not follow, or a write to a reserved key.
        """
        before = self._view.height
        if height <= before:
            raise StoreError(f"height {height} does not follow {before}")
        if DERIVED_KEY in writes:
            raise StoreError(f"key {DERIVED_KEY!r} belongs to the store")
        staged = Staged(height)
        new_raw, old_raw = staged.raw, staged.old
        derived: dict[bytes, bytes | None] = {}
        raw_of = self._view.raw
        for key, value in writes.items():
            old = raw_of(key)
            if value is None:
                if old is None:
                    continue
                new = None
                if old[0] == DERIVED_BYTE:
                    derived[key] = None
            elif type(value) is Derived:
                new = DERIVED + value
                if new == old:
                    continue
                derived[key] = value
            else:
                new = AUTHENTICATED + value
                if new == old:
                    continue
                if old is not None and old[0] == DERIVED_BYTE:
                    derived[key] = None
            new_raw[key] = new
            old_raw[key] = old
        if derived:
            old = raw_of(DERIVED_KEY)
            old_raw[DERIVED_KEY] = old
            new_raw[DERIVED_KEY] = AUTHENTICATED + rolled(old and old[1:], derived)
        staged.puts = {STATE + key: raw for key, raw in new_raw.items()}
        if self._authenticate:
            staged.root = self._tree.stage(leaf_changes(new_raw, old_raw, staged.puts))
        self._staged = staged
        return staged.root

    def commit(self, rows: Mapping[bytes, bytes | None] = {}) -> None:  # never changed
        """Write the staged block and the caller's ``rows`` (None deletes) in one synced batch.

        Raises: StoreError if nothing is staged or the disk refuses; then nothing changed.
        """
        staged = self._staged
        if staged is None:
            raise StoreError("commit without a staged block")
        height = staged.height
        puts = dict(staged.puts)
        journal = self._meta.journal
        if self._authenticate:
            puts.update(self._tree.rows())
            journal = self._shelf.note(puts, self._tree.staged(), journal)
        for key, value in rows.items():
            puts[ROW + key] = value
        meta = self._advance(staged, rows, puts, journal)
        puts[META] = encode(meta)
        self.backend.write(puts, True)
        self.backend.witness(height)
        self._publish(staged, meta)

    def _advance(
        self,
        staged: Staged,
        rows: Mapping[bytes, bytes | None],
        puts: dict[bytes, bytes | None],
        journal: int,
    ) -> Meta:
        """Add the undo record and what is pruned to ``puts``; returns where it will stand."""
        before, height = self._meta, staged.height
        keep = self._keep
        if keep:
            read = self.backend.get
            old_rows = {key: read(ROW + key) for key in rows}
            undo = Undo(before.height, before.root, staged.old, old_rows)
            puts[undo_key(height)] = encode(undo)
        oldest = before.oldest if before.height else height
        if not keep and before.oldest == before.height:
            oldest = height
        elif height - keep >= oldest:
            oldest = self._prune(oldest, height - keep, puts)
        return Meta(LAYOUT, height, staged.root, oldest, self._authenticate, journal)

    def _prune(self, oldest: int, wanted: int, puts: dict[bytes, bytes | None]) -> int:
        """Delete undo records that only lead below ``wanted``; returns the new lowest height."""
        if wanted - oldest <= 1:  # one height more, as always
            puts.setdefault(undo_key(oldest), None)
            puts.setdefault(undo_key(wanted), None)
            return wanted
        low, high = undo_key(oldest)[1:], undo_key(wanted + 1)[1:]
        records = prefixed_range(self._view.snapshot, UNDO, low, high, False)
        names = [name for name, _ in islice(records, _PRUNE_MAX)]
        puts.update(dict.fromkeys(names))
        return wanted if len(names) < _PRUNE_MAX else int.from_bytes(names[-1][1:], "big")

    def _publish(self, staged: Staged, meta: Meta) -> None:
        """Show the new state to readers."""
        self._staged = None
        self._past = {}
        view = self._view.following(self.backend.snapshot(), meta.height, meta.root, staged.raw)
        with self._proofs.lock:  # top and view together
            if self._authenticate:
                self._tree.settle()
            self._meta = meta
            self._view = view
        self._proofs.forget(meta.height)
        if self._authenticate:
            self._shelf.keep_up(self._tree.top, meta)
        if self._dirty is not None:
            self._dirty.update(staged.raw)

    def rollback(self) -> None:
        """Go back one height: state, tree, rows and records exactly as they were.

        Raises: HeightNotKept if that height's undo record was pruned.
        """
        view, meta = self._view, self._meta
        record = self.backend.get(undo_key(view.height))
        if record is None:
            raise HeightNotKept(view.height - 1, meta.oldest, view.height)
        undo = read_undo(record, view.height)
        puts: dict[bytes, bytes | None] = {STATE + key: raw for key, raw in undo.state.items()}
        puts.update((ROW + key, value) for key, value in undo.rows.items())
        journal = meta.journal
        if self._authenticate:
            current = {key: view.raw(key) for key in undo.state}
            if self._tree.stage(leaf_changes(undo.state, current, puts)) != undo.root:
                raise StoreDamaged(
                    f"{self.backend.place}, undo record of height {view.height}",
                    "it does not lead to the app hash before",
                )
            puts.update(self._tree.rows())
            journal = self._shelf.note(puts, self._tree.staged(), journal)
        puts[undo_key(view.height)] = None
        oldest = min(meta.oldest, undo.height)
        back = Meta(LAYOUT, undo.height, undo.root, oldest, meta.authenticated, journal)
        puts[META] = encode(back)
        self.backend.witness(undo.height)  # first: it may lag, but never lead
        self.backend.write(puts, True)
        self._stand(back, settle=True)

    # --- the caller's rows ----------------------------------------------------------------------

    def row(self, key: bytes) -> bytes | None:
        """A row of the caller as committed."""
        return self._view.snapshot.get(ROW + key)

    def rows(
        self, start: bytes | None, end: bytes | None, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """Rows of the caller in byte order; see ``Reader.range``."""
        for key, value in prefixed_range(self._view.snapshot, ROW, start, end, reverse):
            yield key[1:], value

    # --- proofs ---------------------------------------------------------------------------------

    def prove(self, key: bytes, height: int) -> bytes:
        """An ICS-23 ``CommitmentProof`` that ``key`` is, or is not, in the tree at ``height``.

        A derived key is not in the tree. Raises: HeightNotKept; StoreError for an empty tree,
        which proves nothing.
        """
        if self._authenticate:
            view, tree = self._proofs.at(height, self._proof_tree)
            return prove(view, key, tree, view.key_of)
        view = self._view_at(height)
        rows: dict[bytes, bytes] = {}
        loose = loose_tree(rows)
        grow(loose, view.raw_range(), rows)
        keys = {sha256(other).digest(): other for other, _ in view.raw_range()}
        return prove(view, key, ProofTree(loose.committed_top(), rows.get), keys.get)

    def _proof_tree(self, height: int) -> tuple[StateView | PastView, ProofTree]:
        with self._proofs.lock:
            now, oldest, top = self._view, self._meta.oldest, self._tree.committed_top()
        return tree_at(now, top, height, oldest, self.backend.place)

    # --- the whole state ------------------------------------------------------------------------

    def export(self, height: int) -> Iterator[tuple[bytes, bytes, bool]]:
        """All of the state at ``height`` in order: key, value, whether it is derived."""
        for key, raw in self._view_at(height).raw_range():
            yield key, raw[1:], raw[0] == DERIVED_BYTE

    def import_state(
        self,
        height: int,
        entries: Iterable[tuple[bytes, bytes, bool]],
        rows: Mapping[bytes, bytes] = {},  # never changed
    ) -> bytes:
        """Fill an empty store with what ``export`` gave, and the caller's rows; returns the root.

        Written in several batches; the last one says where the store stands, so that an import
        that was cut off is seen as damage. Raises: StoreError if the store is not empty.
        """
        if self.height or next(iter(self.backend.range(None, None)), None) is not None:
            raise StoreError(
                f"{self.backend.place} is not empty: state is imported into a new store"
            )
        self._shelf.clear()
        self._tree.adopt(Top())
        write = self.backend.write
        root = EMPTY_ROOT
        for batch in batches(
            (key, (DERIVED if derived else AUTHENTICATED) + value)
            for key, value, derived in entries
        ):
            puts: dict[bytes, bytes | None] = {STATE + key: raw for key, raw in batch.items()}
            if self._authenticate:
                root = self._grow(batch, puts)
            write(puts, False)
        meta = Meta(LAYOUT, height, root if self._authenticate else b"", height, self._authenticate)
        write({META: encode(meta), **{ROW + key: value for key, value in rows.items()}}, True)
        self.backend.witness(height)
        self._stand(meta)
        if self._authenticate:
            self._shelf.lay(self._tree.top, meta)
        return self.app_hash

    def adopt(self, other: StateStore) -> None:
        """Become a copy of another store, whatever this one held, in one synced batch."""
        backend = self.backend
        puts: dict[bytes, bytes | None] = {key: None for key, _ in backend.range(None, None)}
        puts.update(other.backend.range(None, None))
        backend.witness(0)  # first: it may lag, but never lead
        self._shelf.clear()
        backend.write(puts, True)
        backend.witness(other.height)
        self._restart(self._read_meta())

    def rebuild_tree(self, expected: bytes | None = None) -> bytes:
        """Make the tree anew from the state; returns its root, which is then the app hash.

        History before now cannot be proven any more and is dropped. Raises: StoreDamaged if the
        root is not the ``expected`` one.
        """
        write, view = self.backend.write, self._view
        self._shelf.clear()
        for family in MADE:
            for names in chunks(prefixed_range(view.snapshot, family, None, None, False)):
                write(dict.fromkeys(names), False)
        self._tree.adopt(Top())
        root = EMPTY_ROOT
        for batch in batches(view.raw_range()):
            puts: dict[bytes, bytes | None] = {}
            root = self._grow(batch, puts)
            write(puts, False)
        if expected not in (None, root):
            raise StoreDamaged(
                f"{self.backend.place}, state", "its values do not lead to the app hash"
            )
        meta = Meta(LAYOUT, view.height, root, view.height, True)
        write({META: encode(meta)}, True)
        self._stand(meta)
        self._shelf.lay(self._tree.top, meta)
        return root

    def _bring_up(self, meta: Meta) -> None:
        """From an older layout to this one: the tree is made anew, older heights are dropped.

        Cut off, it begins again at the next opening. Raises: StoreDamaged if the state does not
        lead to the app hash that is written.
        """
        if self._authenticate:
            self.rebuild_tree(meta.root if meta.authenticated else None)
            return
        for names in chunks(prefixed_range(self._view.snapshot, UNDO, None, None, False)):
            self.backend.write(dict.fromkeys(names), False)
        now = Meta(LAYOUT, meta.height, meta.root, meta.height, False)
        self.backend.write({META: encode(now)}, True)
        self._restart(now)

    def check(self) -> None:
        """Compare state, tree and app hash. Raises: StoreDamaged naming what does not agree."""
        view = self._view
        if not self._authenticate:
            return
        rows = prefixed_range(view.snapshot, BUCKET_FAMILY, None, None, False)
        top = self._tree.committed_top()
        if top.root() != view.root or not same_buckets(top, rows):
            raise StoreDamaged(
                f"{self.backend.place}, tree", "its hashes do not lead to the app hash", REBUILD
            )
        if root_of(view.raw_range()) != view.root:
            raise StoreDamaged(
                f"{self.backend.place}, state", "its values do not lead to the app hash"
            )

    def _grow(self, batch: dict[bytes, bytes | None], puts: dict[bytes, bytes | None]) -> bytes:
        """Add new entries to the tree; rows go to ``puts``."""
        root = self._tree.stage(leaf_changes(batch, {}, puts))
        puts.update(self._tree.rows())
        self._tree.settle()
        return root

    def _restart(self, meta: Meta) -> None:
        """Stand where ``meta`` says, with nothing remembered."""
        self._tree.reset()
        self._stand(meta)

    def _stand(self, meta: Meta, *, settle: bool = False) -> None:
        """Stand where ``meta`` says, with the tree as it is, or as it was staged."""
        self._staged = None
        self._loose.clear()
        self._dirty = None
        with self._proofs.lock:
            if settle:
                self._tree.settle()
            self._proofs.forget()
            self._past = {}
            self._meta = meta
            self._view = StateView(self.backend.snapshot(), meta.height, meta.root, ({}, {}))

    def _loose_root(self) -> bytes:
        """Root of a store without authentication: built once from all entries, then by changes."""
        if self._dirty is None:
            self._loose.clear()
            self._tree.reset()
            grow(self._tree, self._view.raw_range(), self._loose)
        elif self._dirty:
            grow(self._tree, self._dirty.items(), self._loose)
        self._dirty = {}
        return self._tree.root()

    def close(self) -> None:
        """Close the backend."""
        if self._authenticate and self._tree.opened:
            self._tree.root()  # without what is staged
            self._shelf.lay(self._tree.top, self._meta)
        self.backend.close()
