"""The upper part of the Merkle tree: hashes of all nodes above the pages, in memory.

A heap in one bytearray, 32 bytes a node, so that two children lie side by side: 4 MB for a million
keys. It has no
rows; it is computed from the hashes of the pages when a tree is opened.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Final

from chain.store.pages import EMPTY_ROOT

NOTHING: Final = 0
INNER: Final = 1
PAGE: Final = 2
#: Pages below this depth do not split any more (64 MB of hashes if somebody searched for paths
#: that are alike); they nest instead.
DEPTH_MAX: Final = 20
_PATH_BITS: Final = 32  # bits of a path that are looked at here


class Top:
    """Kinds and hashes of nodes by number. ``log`` notes what was put, for ``revert``."""

    __slots__ = ("_depth", "_hint", "digests", "kinds", "log")

    def __init__(self) -> None:
        self._depth = 0
        self._hint = 0
        self.kinds = bytearray(2)
        self.digests = bytearray(64)
        #: pages put since ``settle``: node, kind and hash before
        self.log: list[tuple[int, int, bytes]] = []

    def root(self) -> bytes:
        """Root of the tree."""
        return bytes(self.digests[32:64]) if self.kinds[1] else EMPTY_ROOT

    def digest(self, node: int) -> bytes:
        """Hash of a node that is there."""
        return bytes(self.digests[node << 5 : (node << 5) + 32])

    def load(self, pages: Iterable[tuple[bytes, bytes]]) -> None:
        """Start from the page rows of a tree."""
        self.__init__()  # type: ignore[misc]
        touched = []
        for name, row in pages:
            node = int.from_bytes(name[1:], "big")
            self.put(node, row[:32])
            touched.append(node)
        self.fold(touched)
        self.log.clear()

    def find(self, path: bytes) -> tuple[int, int]:
        """The node that is the page for ``path``, or would be, and its depth."""
        bits = int.from_bytes(path[:4], "big")
        kinds = self.kinds
        depth = self._hint
        node = 1 << depth | bits >> (_PATH_BITS - depth)
        kind = kinds[node]
        if kind == INNER:
            while kind == INNER:
                depth += 1
                node = 1 << depth | bits >> (_PATH_BITS - depth)
                kind = kinds[node]
            self._hint = depth
        elif kind == NOTHING and depth:
            above = kinds[node >> 1]
            while above != INNER and depth:
                node >>= 1
                depth -= 1
                if above == PAGE:
                    break
                above = kinds[node >> 1]
            self._hint = depth
        return node, depth

    def put(self, node: int, digest: bytes | None) -> None:
        """A page with this hash stands at ``node`` now, or nothing; ``fold`` must follow."""
        if node >= len(self.kinds):
            self._grow(node.bit_length() - 1)
        kinds, digests = self.kinds, self.digests
        at = node << 5
        self.log.append((node, kinds[node], bytes(digests[at : at + 32])))
        if digest is None:
            kinds[node] = NOTHING
        else:
            kinds[node] = PAGE
            digests[at : at + 32] = digest

    def fold(self, touched: list[int]) -> None:
        """Compute the nodes above ``touched``, level by level; each is an inner node or nothing."""
        levels: dict[int, list[int]] = {}
        for node in touched:
            levels.setdefault(node.bit_length() - 1, []).append(node)
        kinds, digests = self.kinds, self.digests
        nodes: list[int] = []
        for depth in range(max(levels, default=0), 0, -1):
            here = levels.get(depth)
            if here is not None:
                nodes = sorted(nodes + here)
            parents: list[int] = []
            parent = 0
            for node in nodes:
                if node >> 1 == parent:
                    continue
                parent = node >> 1
                parents.append(parent)
                at = parent << 5
                two = digests[at << 1 : (at << 1) + 64]
                if kinds[2 * parent]:
                    kinds[parent] = INNER
                    if kinds[2 * parent + 1]:
                        digests[at : at + 32] = sha256(b"\x01" + two).digest()
                    else:
                        digests[at : at + 32] = two[:32]
                elif kinds[2 * parent + 1]:
                    kinds[parent] = INNER
                    digests[at : at + 32] = two[32:]
                else:
                    kinds[parent] = NOTHING
            nodes = parents

    def settle(self) -> None:
        """Keep what was changed."""
        self.log.clear()

    def revert(self) -> None:
        """Take back what was changed since ``settle``."""
        if not self.log:
            return
        kinds, digests = self.kinds, self.digests
        for node, kind, digest in reversed(self.log):
            kinds[node] = kind
            digests[node << 5 : (node << 5) + 32] = digest
        self.fold(
            [node for node, *_ in self.log if kinds[node] == PAGE or kinds[node >> 1] == INNER]
        )
        self.log.clear()
        self._hint = 0

    def beside(self, node: int, *, before: bool) -> int | None:
        """The page next to ``node`` in order of path, on the way to the left or the right."""
        side = 1 if before else 0
        while node > 1:
            if node & 1 == side and self.kinds[node ^ 1] != NOTHING:
                node ^= 1
                while self.kinds[node] == INNER:
                    node = 2 * node + side
                    if self.kinds[node] == NOTHING:
                        node ^= 1
                return node
            node >>= 1
        return None

    def _grow(self, depth: int) -> None:
        self.kinds.extend(bytes((2 << depth) - len(self.kinds)))
        self.digests.extend(bytes((64 << depth) - len(self.digests)))
        self._depth = depth
