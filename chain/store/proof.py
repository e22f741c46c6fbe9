"""Reading the stored tree: proofs, and its root checked from the rows alone.

Everything here reads rows of one view, so it may run beside the thread that commits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

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
    BUCKET,
    EMPTY_ROOT,
    INNER,
    LEAF_BYTES,
    NOTHING,
    PAGE,
    PATH_BITS,
    REBUILD,
    Page,
    ReadRow,
    bucket_hash,
    bucket_row,
    page_row,
    parse_page,
)
from chain.store.view import PastView, StateView

_ROOT: Final = 1


@dataclass(frozen=True, slots=True)
class _Place:
    """A node of the plain trie: an index in a page."""

    page: Page
    index: int
    number: int  # node number of the page
    depth: int  # depth of the page

    @property
    def kind(self) -> int:
        """What is there."""
        return self.page.kinds[self.index]

    @property
    def digest(self) -> bytes:
        """Hash of the subtree."""
        return self.page.nodes[self.index] or EMPTY_ROOT

    @property
    def node(self) -> tuple[int, int]:
        """Node number and depth of the place itself."""
        level = self.index.bit_length() - 1
        return (self.number << level) | (self.index ^ (1 << level)), self.depth + level

    def child(self, side: int) -> _Place:
        """The place below an inner node, left (0) or right (1)."""
        return _Place(self.page, 2 * self.index + side, self.number, self.depth)


@dataclass(frozen=True, slots=True)
class _Branch:
    """A subtree beside the way down."""

    place: _Place
    is_left: bool


class ProofTree:
    """The tree whose rows ``read`` finds. Rows that do not fit together raise StoreDamaged."""

    __slots__ = ("_read",)

    def __init__(self, read: ReadRow) -> None:
        self._read = read

    def existence(self, path: bytes, value: bytes) -> Existence | None:
        """The leaf of ``path`` and its way to the root; ``None`` if it has none."""
        branches, leaves = self._walk(path)
        if path not in _paths(leaves):
            return None
        steps = [Step(branch.place.digest, branch.is_left) for branch in branches]
        while len(leaves) > LEAF_BYTES:
            left, right = _halves(leaves)
            if path < right[:32]:
                steps.append(Step(bucket_hash(right), False))
                leaves = left
            else:
                steps.append(Step(bucket_hash(left), True))
                leaves = right
        return Existence(path, value, tuple(reversed(steps)))

    def neighbours(self, path: bytes) -> tuple[bytes | None, bytes | None]:
        """The paths of the leaves before and after ``path``, which has none itself."""
        branches, leaves = self._walk(path)
        paths = _paths(leaves)
        before = [other for other in paths if other < path]
        after = [other for other in paths if other > path]
        left = before[-1] if before else None
        right = after[0] if after else None
        for branch in reversed(branches):
            if branch.is_left and left is None:
                left = self._extreme(branch.place, last=True)
            elif not branch.is_left and right is None:
                right = self._extreme(branch.place, last=False)
        return left, right

    def check(self) -> bytes:
        """Root of the tree, every page and bucket compared with what its parent notes."""
        place = self._root()
        if place is None:
            return EMPTY_ROOT
        todo = [place]
        while todo:
            at = todo.pop()
            if at.kind == INNER:
                todo += [at.child(0), at.child(1)]
            elif at.kind == PAGE:
                todo.append(self._below(at))
            elif at.kind == BUCKET:
                self._leaves(at)
        return place.digest

    def _walk(self, path: bytes) -> tuple[list[_Branch], bytes]:
        """Go down by the bits of ``path``.

        Returns the subtrees passed by, root side first, and the leaves of the bucket at the end.
        Where the way ends because only the other side exists, that side counts as passed by.
        """
        branches: list[_Branch] = []
        place = self._root()
        bits = int.from_bytes(path, "big")
        while place is not None:
            kind = place.kind
            if kind == PAGE:
                place = self._below(place)
            elif kind == BUCKET:
                return branches, self._leaves(place)
            elif kind == NOTHING:
                break
            else:
                side = bits >> (PATH_BITS - 1 - place.node[1]) & 1
                beside = place.child(1 - side)
                if beside.kind != NOTHING:
                    branches.append(_Branch(beside, side == 1))
                place = place.child(side)
        return branches, b""

    def _extreme(self, place: _Place, *, last: bool) -> bytes:
        """The first or last path below ``place``."""
        side = 1 if last else 0
        while place.kind != BUCKET:
            if place.kind == PAGE:
                place = self._below(place)
            else:
                child = place.child(side)
                place = child if child.kind != NOTHING else place.child(1 - side)
        paths = _paths(self._leaves(place))
        return paths[-1] if last else paths[0]

    def _root(self) -> _Place | None:
        row = self._read(page_row(_ROOT, 0))
        return None if row is None else _Place(parse_page(row, page_row(_ROOT, 0)), 1, _ROOT, 0)

    def _below(self, place: _Place) -> _Place:
        """The top of the page that ``place`` names."""
        number, depth = place.node
        row = self._read(page_row(number, depth))
        if row is None:
            raise StoreDamaged(f"tree page {number:x}", "missing", REBUILD)
        page = parse_page(row, page_row(number, depth))
        if page.nodes[1] != place.digest:
            raise StoreDamaged(f"tree page {number:x}", "not the hash its parent notes", REBUILD)
        return _Place(page, 1, number, depth)

    def _leaves(self, place: _Place) -> bytes:
        """The bucket that ``place`` names."""
        number, depth = place.node
        row = self._read(bucket_row(number, depth))
        if not row or len(row) % LEAF_BYTES:
            raise StoreDamaged(f"tree bucket {number:x}", "missing or cut", REBUILD)
        if bucket_hash(row) != place.digest:
            raise StoreDamaged(f"tree bucket {number:x}", "not the hash its parent notes", REBUILD)
        return row


def _paths(leaves: bytes) -> list[bytes]:
    return [leaves[at : at + 32] for at in range(0, len(leaves), LEAF_BYTES)]


def _halves(leaves: bytes) -> tuple[bytes, bytes]:
    """Two or more leaves, split where their paths first differ."""
    paths = [int.from_bytes(path, "big") for path in _paths(leaves)]
    bit = (paths[0] ^ paths[-1]).bit_length() - 1
    count = sum(1 for path in paths if not path >> bit & 1)
    return leaves[: count * LEAF_BYTES], leaves[count * LEAF_BYTES :]


def prove(
    view: StateView | PastView,
    key: bytes,
    read: ReadRow | None = None,
    key_of: ReadRow | None = None,
) -> bytes:
    """A ``CommitmentProof`` for ``key`` in the state of ``view``.

    ``read`` finds the tree's rows and ``key_of`` the key of a path, where the view does not have
    them.

    Raises: StoreError for an empty tree: ICS-23 cannot show that nothing is in it.
    """
    tree = ProofTree(read or _row_reader(view))
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


def _row_reader(view: StateView | PastView) -> ReadRow:
    """Tree rows as they were at the height of ``view``."""
    if isinstance(view, StateView):
        return view.snapshot.get
    old, current = view.old.tree, view.view.snapshot.get
    return lambda name: old[name] if name in old else current(name)
