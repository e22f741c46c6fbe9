"""RFC 6962 Merkle trees over SHA-256, and proofs that something is in one."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

import msgspec

EMPTY: Final = hashlib.sha256(b"").digest()
_sha256: Final = hashlib.sha256


class Proof(msgspec.Struct, frozen=True, array_like=True):
    """That the leaf at ``index`` of ``total`` is in a tree: the hashes beside the way
    up, lowest first.
    """

    total: int
    index: int
    leaf_hash: bytes
    aunts: tuple[bytes, ...]


def leaf_hash(data: bytes) -> bytes:
    """Hash of a leaf."""
    return hashlib.sha256(b"\x00" + data).digest()


def inner_hash(left: bytes, right: bytes) -> bytes:
    """Hash of a node with two children."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def root(items: Sequence[bytes | memoryview]) -> bytes:
    """Root over the items; SHA-256 of nothing when there are none.

    Pairs level by level; an odd last node moves up as it is, which is the same tree as RFC 6962's
    split.
    """
    if not items:
        return EMPTY
    level = [_sha256(b"\x00" + item).digest() for item in items]
    while len(level) > 1:
        level = _next_level(level)
    return level[0]


def _next_level(level: list[bytes]) -> list[bytes]:
    above = [
        _sha256(b"\x01" + level[i] + level[i + 1]).digest() for i in range(0, len(level) - 1, 2)
    ]
    if len(level) & 1:
        above.append(level[-1])
    return above


def prove(items: Sequence[bytes], index: int) -> Proof:
    """The proof of the item at ``index``. Raises: IndexError."""
    if not 0 <= index < len(items):
        raise IndexError(f"no item {index} in {len(items)}")
    level = [leaf_hash(item) for item in items]
    leaf = level[index]
    aunts = []
    at = index
    while len(level) > 1:
        sibling = at ^ 1
        if sibling < len(level):
            aunts.append(level[sibling])
        level = _next_level(level)
        at >>= 1
    return Proof(len(items), index, leaf, tuple(aunts))


def verify(proof: Proof, expected_root: bytes, item: bytes) -> bool:
    """Whether the proof shows the item under the root."""
    if not 0 <= proof.index < proof.total or leaf_hash(item) != proof.leaf_hash:
        return False
    current = proof.leaf_hash
    at, width = proof.index, proof.total
    aunts = list(proof.aunts)
    while width > 1:
        sibling = at ^ 1
        if sibling < width:
            if not aunts:
                return False
            other = aunts.pop(0)
            current = inner_hash(other, current) if at & 1 else inner_hash(current, other)
        at >>= 1
        width = (width + 1) >> 1
    return not aunts and current == expected_root
