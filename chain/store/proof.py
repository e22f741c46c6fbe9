"""Proofs out of the tree at one height.

A ``ProofTree`` has a top of its own and reads rows of one snapshot, so it may be used beside the
thread that commits.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Final

from chain.store.buckets import (
    REBUILD,
    ReadRow,
    bucket_hash,
    fold,
    paths_of,
    row_name,
)
from chain.store.errors import StoreDamaged, StoreError
from chain.store.ics23 import (
    Existence,
    Step,
    encode_absence,
    encode_existence,
    proof_path,
    proof_value,
)
from chain.store.keys import AUTHENTICATED_BYTE
from chain.store.top import BUCKET, Top
from chain.store.tree import Tree, checked_row
from chain.store.view import PastView, StateView, past_view
from chain.store.whole import leaf_changes

#: Heights whose trees are held for more proofs: each has a copy of the top.
_HELD: Final = 3
#: They are let go of so many heights later: a held snapshot keeps deleted rows on the disk.
_HELD_HEIGHTS: Final = 100


class ProofTree:
    """The tree under ``top`` whose rows are in ``changed``, or else found by ``read``.

    Rows that do not fit together raise StoreDamaged.
    """

    __slots__ = ("_changed", "_read", "_top")

    def __init__(
        self,
        top: Top,
        read: ReadRow,
        changed: Mapping[bytes, bytes | None] = {},  # never changed
    ) -> None:
        self._top = top
        self._read = read
        self._changed = changed

    def existence(self, path: bytes, value: bytes) -> Existence | None:
        """The leaf of ``path`` and its way to the root; ``None`` if it has none."""
        node, row = self._bucket_of(path)
        paths = paths_of(row)
        if path not in paths:
            return None
        places = [int.from_bytes(other, "big") for other in paths]
        leaves = [row[at + 32 : at + 64] for at in range(0, len(row), 64)]
        steps = _steps(places, leaves, paths.index(path))
        steps.reverse()
        top = self._top
        while node > 1:
            if top.kind(node ^ 1):
                steps.append(Step(top.digest(node ^ 1), bool(node & 1)))
            node >>= 1
        return Existence(path, value, tuple(steps))

    def neighbours(self, path: bytes) -> tuple[bytes | None, bytes | None]:
        """The paths of the leaves before and after ``path``, which has none itself."""
        node, row = self._bucket_of(path)
        paths = paths_of(row)
        at = bisect_left(paths, path)
        left = paths[at - 1] if at else self._edge(node, before=True)
        right = paths[at] if at < len(paths) else self._edge(node, before=False)
        return left, right

    def _bucket_of(self, path: bytes) -> tuple[int, bytes]:
        """The node that is, or would be, the bucket of ``path``; its row."""
        node, _, kind = self._top.find(path, int.from_bytes(path[:4], "big"))
        return node, self._row(node) if kind == BUCKET else b""

    def _edge(self, node: int, *, before: bool) -> bytes | None:
        """The last path of the bucket before ``node``, or the first of the one after it."""
        beside = self._top.beside(node, before=before)
        return None if beside is None else paths_of(self._row(beside))[-1 if before else 0]

    def _row(self, node: int) -> bytes:
        name = row_name(node)
        row = checked_row(self._changed[name] if name in self._changed else self._read(name), node)
        if bucket_hash(row) != self._top.digest(node):
            raise StoreDamaged(f"tree bucket {name.hex()}", "not the hash above it", REBUILD)
        return row


class ProofTrees:
    """The trees of the heights that were last asked for."""

    __slots__ = ("_held", "_making", "_turn", "lock")

    def __init__(self) -> None:
        #: held where the committed tree and the view change together
        self.lock = Lock()
        self._making = Lock()
        self._turn = 0
        self._held: dict[int, tuple[StateView | PastView, ProofTree]] = {}

    def at(
        self, height: int, make: Callable[[int], tuple[StateView | PastView, ProofTree]]
    ) -> tuple[StateView | PastView, ProofTree]:
        """State and tree of a height; one thread makes one."""
        found = self._held.get(height)
        if found is None:
            with self._making:
                found = self._held.get(height)
                if found is None:
                    turn = self._turn
                    found = make(height)
                    if turn == self._turn:
                        kept = list(self._held.items())[1 - _HELD :]
                        self._held = dict([*kept, (height, found)])
        return found

    def forget(self, height: int | None = None) -> None:
        """Let go of trees that are old at ``height``; of all, if heights mean other states now."""
        if height is None:
            self._turn += 1
            self._held = {}
        elif self._held:
            self._held = {
                at: found for at, found in self._held.items() if at > height - _HELD_HEIGHTS
            }


def tree_at(
    now: StateView, top: Top, height: int, oldest: int, place: str
) -> tuple[StateView | PastView, ProofTree]:
    """State and tree at a height: those of ``now``, and back by what was changed since.

    ``top``: that of ``now``, which this may change. Raises: HeightNotKept, StoreDamaged.
    """
    view = past_view(now, height, oldest)
    if not isinstance(view, PastView):
        return view, ProofTree(top, now.snapshot.get)
    old = view.old.state
    back = Tree(now.snapshot.get, lambda: top, cache_bytes=0)
    if back.stage(leaf_changes(old, {key: now.raw(key) for key in old}, {})) != view.root:
        raise StoreDamaged(f"{place}, undo records", f"they do not lead to height {height}")
    return view, ProofTree(back.top, now.snapshot.get, back.rows())


def _steps(places: Sequence[int], digests: Sequence[bytes], index: int) -> list[Step]:
    """Steps from the top of a run of subtrees to the one at ``index``."""
    steps: list[Step] = []
    low, high = 0, len(digests)
    while high - low > 1:
        bit = (places[low] ^ places[high - 1]).bit_length() - 1
        middle = low + 1
        while not places[middle] >> bit & 1:
            middle += 1
        if index < middle:
            steps.append(Step(fold(places[middle:high], digests[middle:high]), False))
            high = middle
        else:
            steps.append(Step(fold(places[low:middle], digests[low:middle]), True))
            low = middle
    return steps


def prove(view: StateView | PastView, key: bytes, tree: ProofTree, key_of: ReadRow) -> bytes:
    """A ``CommitmentProof`` for ``key`` in the state of ``view``; ``key_of`` finds the key of a
    path.

    Raises: StoreError for an empty tree: ICS-23 cannot show that nothing is in it.
    """
    path = proof_path(key)
    raw = view.raw(key)
    if raw is not None and raw[0] == AUTHENTICATED_BYTE:
        proof = tree.existence(path, proof_value(raw[1:]))
        if proof is None:
            raise StoreDamaged("tree", f"key {key.hex()} is in the state only", REBUILD)
        return encode_existence(proof)
    left, right = tree.neighbours(path)
    if left is None and right is None:
        raise StoreError("the tree is empty: there is nothing to prove absence with")
    sides = []
    for beside in (left, right):
        other = None if beside is None else key_of(beside)
        sides.append(_neighbour(tree, view, beside, other))
    return encode_absence(path, *sides)


def _neighbour(
    tree: ProofTree, view: StateView | PastView, path: bytes | None, key: bytes | None
) -> Existence | None:
    """Existence of the leaf at ``path``, which is that of ``key``."""
    if path is None:
        return None
    value = None if key is None else view.get(key)
    proof = None if value is None else tree.existence(path, proof_value(value))
    if proof is None:
        raise StoreDamaged("tree", f"no state key has the path {path.hex()}", REBUILD)
    return proof
