"""The upper part of the Merkle tree: the hash of every bucket and of every node above, in memory.

A heap in one bytearray: ``01``, the hash of the left child, that of the right child for each node,
which are the 65 bytes that its own hash is over; 34 MB for a million keys. Nodes that lie deeper
than the heap, because chance or somebody who searched for it made paths alike, are in a dict, so
that memory stays in proportion to the number of buckets.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Final

from chain.store.buckets import EMPTY_ROOT

NOTHING: Final = 0
BUCKET: Final = 1
#: An inner node with one child, which has that child's hash; or one to look at anew.
ONE: Final = 2
BOTH: Final = 3
_BITS: Final = 32  # bits of a path that tell its place in the heap
_SLOT: Final = 65
_EMPTY_SLOT: Final = b"\x01" + bytes(64)
_ABSENT: Final = (NOTHING, b"")


class Top:
    """Kinds and hashes of nodes by number. ``log`` notes what was put, for ``revert``."""

    __slots__ = ("_depth", "_hint", "buckets", "deep", "kinds", "log", "slots")

    def __init__(self, depth: int = 0) -> None:
        self._depth = 0
        self._hint = 0
        #: number of buckets
        self.buckets = 0
        self.kinds = bytearray(2)
        self.slots = bytearray(_EMPTY_SLOT)
        #: kind and hash of nodes below the heap
        self.deep: dict[int, tuple[int, bytes]] = {}
        #: buckets put since ``settle``: node, kind and hash before
        self.log: list[tuple[int, int, bytes]] = []
        if depth:
            self._grow(depth)

    @classmethod
    def of(cls, buckets: Iterable[tuple[int, bytes]]) -> Top:
        """The top over ``buckets``: nodes and their hashes."""
        found = list(buckets)
        top = cls(len(found).bit_length() if found else 0)
        for node, digest in found:
            top.put(node, digest)
        top.fold([node for node, _ in found])
        top.log.clear()
        return top

    @classmethod
    def restored(
        cls,
        buckets: int,
        kinds: bytearray,
        slots: bytearray,
        deep: dict[int, tuple[int, bytes]],
    ) -> Top:
        """A top out of the parts of another."""
        top = cls()
        top.buckets, top.kinds, top.slots, top.deep = buckets, kinds, slots, deep
        top._depth = len(kinds).bit_length() - 2
        return top

    def copy(self) -> Top:
        """The committed top, on its own: without what was put since ``settle``."""
        top = Top.restored(
            self.buckets, bytearray(self.kinds), bytearray(self.slots), dict(self.deep)
        )
        top.log = list(self.log)
        top.revert()
        return top

    # --- reading --------------------------------------------------------------------------------

    def root(self) -> bytes:
        """Root of the tree."""
        return bytes(self.slots[33:65]) if self.kinds[1] else EMPTY_ROOT

    def kind(self, node: int) -> int:
        """What stands at a node."""
        if node < len(self.kinds):
            return self.kinds[node]
        return self.deep.get(node, _ABSENT)[0]

    def digest(self, node: int) -> bytes:
        """Hash of a node that is there."""
        if node < len(self.kinds):
            at = _SLOT * (node >> 1) + 1 + ((node & 1) << 5)
            return bytes(self.slots[at : at + 32])
        return self.deep[node][1]

    def find(self, path: bytes, bits: int) -> tuple[int, int, int]:
        """The node that is the bucket for ``path``, or would be; its depth; its kind.

        ``bits``: the first four bytes of the path as a number.
        """
        kinds = self.kinds
        depth = self._hint
        node = 1 << depth | bits >> (_BITS - depth)
        kind = kinds[node]
        if kind == BUCKET:
            return node, depth, kind
        if kind:
            last = self._depth
            while kind > BUCKET:
                if depth == last:
                    return self._find_deep(path)
                depth += 1
                node = 1 << depth | bits >> (_BITS - depth)
                kind = kinds[node]
        else:
            while depth and kinds[node >> 1] <= BUCKET:
                node >>= 1
                depth -= 1
                kind = kinds[node]
                if kind:
                    break
        self._hint = depth
        return node, depth, kind

    def _find_deep(self, path: bytes) -> tuple[int, int, int]:
        number = 1 << 256 | int.from_bytes(path, "big")
        depth = self._depth
        kind = ONE
        node = 0
        while kind > BUCKET:
            depth += 1
            node = number >> (256 - depth)
            kind = self.deep.get(node, _ABSENT)[0]
        return node, depth, kind

    def beside(self, node: int, *, before: bool) -> int | None:
        """The bucket next to ``node`` in order of path, on the way to the left or the right."""
        side = 1 if before else 0
        while node > 1:
            if node & 1 == side and self.kind(node ^ 1):
                node ^= 1
                while self.kind(node) != BUCKET:
                    node = 2 * node + side
                    if not self.kind(node):
                        node ^= 1
                return node
            node >>= 1
        return None

    # --- writing --------------------------------------------------------------------------------

    def put(self, node: int, digest: bytes | None) -> None:
        """A bucket with this hash stands at ``node`` now, or nothing; ``fold`` must follow."""
        if node >= len(self.kinds) and node.bit_length() <= self.buckets.bit_length() + 1:
            self._grow(node.bit_length() - 1)
        if node >= len(self.kinds):
            kind, old = self.deep.get(node, _ABSENT)
            if digest is None:
                self.deep.pop(node, None)
            else:
                self.deep[node] = (BUCKET, digest)
        else:
            kinds, slots = self.kinds, self.slots
            kind = kinds[node]
            at = _SLOT * (node >> 1) + 1 + ((node & 1) << 5)
            old = bytes(slots[at : at + 32])
            if digest is None:
                kinds[node] = NOTHING
            else:
                kinds[node] = BUCKET
                slots[at : at + 32] = digest
        self.log.append((node, kind, old))
        if (kind == BUCKET) != (digest is not None):
            self.buckets += 1 if digest is not None else -1
            self._look_anew(node >> 1)

    def replace(self, nodes: list[int], digests: list[bytes]) -> None:
        """Buckets that stand at ``nodes`` have other hashes; ``fold`` must follow."""
        slots, deep, size = self.slots, self.deep, len(self.kinds)
        log = self.log.append
        for node, digest in zip(nodes, digests, strict=True):
            if node < size:
                at = 65 * (node >> 1) + 1 + ((node & 1) << 5)
                log((node, BUCKET, bytes(slots[at : at + 32])))
                slots[at : at + 32] = digest
            else:
                log((node, *deep[node]))
                deep[node] = (BUCKET, digest)

    def digests(self, nodes: Iterable[int]) -> list[bytes]:
        """The hashes of nodes that are there."""
        slots, deep, size = self.slots, self.deep, len(self.kinds)
        return [
            bytes(slots[(at := 65 * (node >> 1) + 1 + ((node & 1) << 5)) : at + 32])
            if node < size
            else deep[node][1]
            for node in nodes
        ]

    def fold(self, touched: list[int]) -> None:
        """Compute the nodes above ``touched``, level by level."""
        levels: dict[int, list[int]] = {}
        for node in touched:
            levels.setdefault(node.bit_length(), []).append(node)
        kinds = self.kinds
        nodes: list[int] = []
        with memoryview(self.slots) as slots:
            for length in range(max(levels, default=0), 1, -1):
                here = levels.get(length)
                if here is not None:
                    nodes = nodes + here
                parents = dict.fromkeys([node >> 1 for node in nodes])
                if length > self._depth + 1:
                    nodes = self._fold_deep(parents)
                    continue
                nodes, stopped = list(parents), False
                for parent in parents:
                    if kinds[parent] == BOTH:
                        at = 65 * parent
                        digest = sha256(slots[at : at + 65]).digest()
                        to = 65 * (parent >> 1) + 1 + ((parent & 1) << 5)
                        slots[to : to + 32] = digest
                    elif not self._fold_one(parent):
                        stopped = True
                if stopped:
                    nodes = [node for node in nodes if kinds[node] != BUCKET]

    def _fold_deep(self, parents: Iterable[int]) -> list[int]:
        """Compute nodes whose children are below the heap; those that are no buckets."""
        deep, kinds, slots, size = self.deep, self.kinds, self.slots, len(self.kinds)
        nodes = []
        for parent in parents:
            left, right = deep.get(2 * parent), deep.get(2 * parent + 1)
            kind = kinds[parent] if parent < size else deep.get(parent, _ABSENT)[0]
            if left and right and kind == BOTH:
                digest = sha256(b"\x01" + left[1] + right[1]).digest()
                if parent < size:
                    at = 65 * (parent >> 1) + 1 + ((parent & 1) << 5)
                    slots[at : at + 32] = digest
                else:
                    deep[parent] = (BOTH, digest)
            elif not self._fold_one(parent):
                continue
            nodes.append(parent)
        return nodes

    def _fold_one(self, node: int) -> bool:
        """Compute one node whose children may have come or gone; False for a bucket."""
        kind = self.kind(node)
        if kind == BUCKET:
            return False
        left, right = self.kind(2 * node), self.kind(2 * node + 1)
        now, digest = NOTHING, b""
        if left and right:
            now = BOTH
            both = self.digest(2 * node) + self.digest(2 * node + 1)
            digest = sha256(b"\x01" + both).digest()
        elif left or right:
            now, digest = ONE, self.digest(2 * node + (0 if left else 1))
        self._set(node, now, digest)
        if (kind == NOTHING) != (now == NOTHING):
            self._look_anew(node >> 1)
        return True

    def _set(self, node: int, kind: int, digest: bytes) -> None:
        if node < len(self.kinds):
            self.kinds[node] = kind
            if kind:
                at = _SLOT * (node >> 1) + 1 + ((node & 1) << 5)
                self.slots[at : at + 32] = digest
        elif kind:
            self.deep[node] = (kind, digest)
        else:
            self.deep.pop(node, None)

    def _look_anew(self, node: int) -> None:
        """A child of this node came or went."""
        if node < len(self.kinds) and self.kinds[node] == BOTH:
            self.kinds[node] = ONE

    def settle(self) -> None:
        """Keep what was changed."""
        self.log.clear()

    def revert(self) -> None:
        """Take back what was changed since ``settle``."""
        if not self.log:
            return
        nodes = [node for node, *_ in self.log]
        for node, kind, digest in reversed(self.log):
            now = self.kind(node) == BUCKET
            self._set(node, kind if kind == BUCKET else NOTHING, digest)
            if now != (kind == BUCKET):
                self.buckets += -1 if now else 1
            self._look_anew(node >> 1)
        self.log.clear()
        self.fold(nodes)
        self._hint = 0

    def _grow(self, depth: int) -> None:
        """Let the heap reach down to ``depth``."""
        self.kinds.extend(bytes((2 << depth) - len(self.kinds)))
        self.slots.extend(_EMPTY_SLOT * ((1 << depth) - len(self.slots) // _SLOT))
        self._depth = depth
        for node in [node for node in self.deep if node < len(self.kinds)]:
            kind, digest = self.deep.pop(node)
            self._set(node, kind, digest)
