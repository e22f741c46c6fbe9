"""Reading the stored tree: proofs, and its root checked from the rows alone.

Everything here reads rows of one view, so it may run beside the thread that commits.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

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
from chain.store.pages import (
    BUCKET_FAMILY,
    LEAF_BYTES,
    NESTED,
    NESTED_FAMILY,
    PAGE_FAMILY,
    REBUILD,
    ReadRow,
    bucket_hash,
    find_entry,
    fold,
    level_of,
    page_hash,
    page_parts,
    place_of,
    positions_of,
    row_name,
)
from chain.store.top import PAGE, Top
from chain.store.view import PastView, StateView


@dataclass(frozen=True, slots=True)
class _Frame:
    """A page on the way down: its node, entries, and the entry taken (or where it would be)."""

    node: int
    codes: bytes
    digests: bytes
    index: int

    def steps(self) -> list[Step]:
        """Steps inside the page, root side first."""
        digests = [self.digests[at : at + 32] for at in range(0, len(self.digests), 32)]
        return _steps(positions_of(self.codes), digests, self.index)


class ProofTree:
    """The tree whose rows ``read`` finds, its ``pages`` listed once.

    Rows that do not fit together raise StoreDamaged.
    """

    __slots__ = ("_read", "_top")

    def __init__(self, read: ReadRow, pages: Iterable[tuple[bytes, bytes]]) -> None:
        self._read = read
        self._top = Top()
        self._top.load(pages)

    def existence(self, path: bytes, value: bytes) -> Existence | None:
        """The leaf of ``path`` and its way to the root; ``None`` if it has none."""
        node, frames, leaves = self._walk(path)
        paths = _paths(leaves)
        if path not in paths:
            return None
        steps = [step for frame in frames for step in frame.steps()]
        starts = range(0, len(leaves), LEAF_BYTES)
        steps += _steps(
            [int.from_bytes(other, "big") for other in paths],
            [leaves[at + 32 : at + LEAF_BYTES] for at in starts],
            paths.index(path),
        )
        steps.reverse()
        top = self._top
        while node > 1:
            if top.kinds[node ^ 1]:
                steps.append(Step(top.digest(node ^ 1), bool(node & 1)))
            node >>= 1
        return Existence(path, value, tuple(steps))

    def neighbours(self, path: bytes) -> tuple[bytes | None, bytes | None]:
        """The paths of the leaves before and after ``path``, which has none itself."""
        node, frames, leaves = self._walk(path)
        paths = _paths(leaves)
        at = bisect_left(paths, path)
        left = paths[at - 1] if at else None
        right = paths[at] if at < len(paths) else None
        for frame in reversed(frames):
            after = frame.index + 1 if leaves or frame is not frames[-1] else frame.index
            if left is None and frame.index:
                left = self._edge(frame, frame.index - 1, last=True)
            if right is None and after < len(frame.codes):
                right = self._edge(frame, after, last=False)
        return (
            self._page_edge(node, before=True) if left is None else left,
            self._page_edge(node, before=False) if right is None else right,
        )

    def check(self) -> bytes:
        """Root of the tree, every page and bucket compared with what names it."""
        top = self._top
        todo = [
            self._frame(PAGE_FAMILY, node, top.digest(node))
            for node in range(1, len(top.kinds))
            if top.kinds[node] == PAGE
        ]
        while todo:
            frame = todo.pop()
            for index, code in enumerate(frame.codes):
                if code & NESTED:
                    todo.append(self._nested(frame, index))
                else:
                    self._leaves(frame, index)
        return top.root()

    def _walk(self, path: bytes) -> tuple[int, list[_Frame], bytes]:
        """Go down by the bits of ``path``: the node of its page, pages, leaves of its bucket.

        Without a bucket the last frame's index is where its entry would be.
        """
        node, depth = self._top.find(path)
        frames: list[_Frame] = []
        if self._top.kinds[node] != PAGE:
            return node, frames, b""
        frame = self._frame(PAGE_FAMILY, node, self._top.digest(node))
        while True:
            index, missing = find_entry(frame.codes, place_of(path, depth))
            frame = _Frame(frame.node, frame.codes, frame.digests, index)
            frames.append(frame)
            if missing >= 0:
                return node, frames, b""
            code = frame.codes[index]
            if not code & NESTED:
                return node, frames, self._leaves(frame, index)
            depth += level_of(code)
            frame = self._nested(frame, index)

    def _edge(self, frame: _Frame, index: int, *, last: bool) -> bytes:
        """The first or last path below an entry."""
        while frame.codes[index] & NESTED:
            frame = self._nested(frame, index)
            index = len(frame.codes) - 1 if last else 0
        return _paths(self._leaves(frame, index))[-1 if last else 0]

    def _page_edge(self, node: int, *, before: bool) -> bytes | None:
        """The last path of the page before ``node``, or the first of the one after it."""
        beside = self._top.beside(node, before=before)
        if beside is None:
            return None
        frame = self._frame(PAGE_FAMILY, beside, self._top.digest(beside))
        return self._edge(frame, len(frame.codes) - 1 if before else 0, last=before)

    # --- rows, each compared with what names it ----------------------------------------------

    def _frame(self, family: bytes, node: int, digest: bytes) -> _Frame:
        name = row_name(family, node)
        row = self._read(name)
        if row is None:
            raise StoreDamaged(f"tree page {name.hex()}", "missing", REBUILD)
        codes, digests = page_parts(row, name)
        if row[:32] != digest or page_hash(codes, digests) != digest:
            raise StoreDamaged(f"tree page {name.hex()}", "its hash is not its content's", REBUILD)
        return _Frame(node, codes, digests, 0)

    def _nested(self, frame: _Frame, index: int) -> _Frame:
        digest = frame.digests[32 * index : 32 * index + 32]
        return self._frame(NESTED_FAMILY, _child(frame, index), digest)

    def _leaves(self, frame: _Frame, index: int) -> bytes:
        name = row_name(BUCKET_FAMILY, _child(frame, index))
        row = self._read(name)
        if not row or len(row) % LEAF_BYTES:
            raise StoreDamaged(f"tree bucket {name.hex()}", "missing or cut", REBUILD)
        if bucket_hash(row) != frame.digests[32 * index : 32 * index + 32]:
            raise StoreDamaged(f"tree bucket {name.hex()}", "not the hash its page has", REBUILD)
        return row


def _child(frame: _Frame, index: int) -> int:
    code = frame.codes[index]
    level = level_of(code)
    return frame.node << level | (code & ~NESTED) ^ (1 << level)


def _paths(leaves: bytes) -> list[bytes]:
    return [leaves[at : at + 32] for at in range(0, len(leaves), LEAF_BYTES)]


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


def prove(
    view: StateView | PastView,
    key: bytes,
    tree: ProofTree | None = None,
    key_of: ReadRow | None = None,
) -> bytes:
    """A ``CommitmentProof`` for ``key`` in the state of ``view``.

    ``tree`` and ``key_of``, which finds the key of a path, are for a store that does not hold them.

    Raises: StoreError for an empty tree: ICS-23 cannot show that nothing is in it.
    """
    if tree is None:
        held = view.proofs
        tree = held if isinstance(held, ProofTree) else ProofTree(view.tree_row, view.pages())
        view.proofs = tree
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
        other = None if beside is None else (key_of or view.key_of)(beside)
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
