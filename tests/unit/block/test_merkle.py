"""RFC 6962 trees and their proofs."""

import hashlib

import msgspec
import pytest

from chain.block import merkle

ITEMS = [bytes([i]) * i for i in range(40)]


def split_root(items):
    """RFC 6962 as it is written: split at the largest power of two below the size."""
    if not items:
        return hashlib.sha256(b"").digest()
    if len(items) == 1:
        return merkle.leaf_hash(items[0])
    half = 1
    while half * 2 < len(items):
        half *= 2
    return merkle.inner_hash(split_root(items[:half]), split_root(items[half:]))


@pytest.mark.parametrize("size", range(34))
def test_root_is_the_rfcs(size):
    assert merkle.root(ITEMS[:size]) == split_root(ITEMS[:size])


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13, 33])
def test_every_item_proves_and_no_other(size):
    items = ITEMS[:size]
    root = merkle.root(items)
    for index in range(size):
        proof = merkle.prove(items, index)
        assert merkle.verify(proof, root, items[index])
        assert not merkle.verify(proof, root, b"other")
        assert not merkle.verify(proof, bytes(32), items[index])
        longer = msgspec.structs.replace(proof, aunts=(*proof.aunts, bytes(32)))
        assert not merkle.verify(longer, root, items[index])
        if proof.aunts:
            shorter = msgspec.structs.replace(proof, aunts=proof.aunts[1:])
            assert not merkle.verify(shorter, root, items[index])
        outside = msgspec.structs.replace(proof, index=size)
        assert not merkle.verify(outside, root, items[index])


def test_items_outside_have_no_proof():
    with pytest.raises(IndexError):
        merkle.prove(ITEMS[:3], 3)
