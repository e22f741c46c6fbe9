"""Rows of the Merkle tree: buckets of leaves, and how their hashes fold.

Shape. The path of a key is ``sha256(key)``. The tree is path-compressed and binary: an inner node
stands where the paths below it first differ, and has two children always, so it is a function of
the set of entries alone. ``leaf = sha256(00 | path | sha256(leaf value))``, ``node = sha256(01 |
left | right)``, the root of an empty tree is ``sha256(b"")``.

Storage. A prefix of bits is numbered by those bits behind a leading one bit. The row of a bucket
has the key ``b``, node number, and up to ``BUCKET_LEAVES`` leaves in order: path, leaf hash. They
are few: what LevelDB writes again when it merges its tables is a good part of what a key costs.
Everything above the buckets is in memory (``chain.store.top``). Where buckets end depends on
history (they split and never merge); hashes do not, because a prefix with one child has the hash
of that child.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from struct import Struct
from typing import Any, Final

EMPTY_ROOT: Final = sha256(b"").digest()
#: A bucket with more leaves splits when it is changed.
BUCKET_LEAVES: Final = 4
#: Buckets of older programs have up to so many.
BUCKET_LEAVES_MAX: Final = 6
LEAF_BYTES: Final = 64
#: First byte of the row keys.
BUCKET_FAMILY: Final = b"b"
#: What repairs a damaged tree whose state is whole.
REBUILD: Final = "msgchain repair --tree"

#: Row of a tree: key to bytes, ``None`` if absent.
ReadRow = Callable[[bytes], bytes | None]
#: Changes of a batch: path to leaf hash, ``None`` for a removed leaf.
Changes = Mapping[bytes, bytes | None]


def leaf_hash(path: bytes, value: bytes) -> bytes:
    """Hash of the leaf of ``path`` for a state ``value``.

    The value of a leaf is never empty, as ICS-23 demands: one of zero bytes only, the empty one
    included, has one zero byte more (``chain.store.ics23.proof_value``).
    """
    return sha256(
        b"\x00" + path + sha256(value if value.strip(b"\x00") else value + b"\x00").digest()
    ).digest()


def row_name(node: int) -> bytes:
    """Row key of ``node``; rows of one depth lie side by side in order of path."""
    return BUCKET_FAMILY + node.to_bytes((node.bit_length() + 7) >> 3, "big")


def node_of(name: bytes) -> int:
    """The node whose row key is ``name``."""
    return int.from_bytes(name[1:], "big")


# --- folding ------------------------------------------------------------------------------------


def fold(places: Sequence[int], digests: Sequence[bytes]) -> bytes:
    """Hash over subtrees at rising ``places``, no two alike: they part at the highest bit in which
    the first and the last differ."""
    count = len(digests)
    if count == 1:
        return digests[0]
    if count == 2:
        return sha256(b"\x01" + digests[0] + digests[1]).digest()
    first, last = places[0], places[-1]
    if count == 3:
        one, two, three = digests
        middle = places[1]
        if first ^ middle > middle ^ last:
            return sha256(b"\x01" + one + sha256(b"\x01" + two + three).digest()).digest()
        return sha256(b"\x01" + sha256(b"\x01" + one + two).digest() + three).digest()
    if count == 4:
        middle = places[1] ^ places[2]
        if middle > first ^ places[1] and middle > places[2] ^ last:
            left = sha256(b"\x01" + digests[0] + digests[1]).digest()
            right = sha256(b"\x01" + digests[2] + digests[3]).digest()
            return sha256(b"\x01" + left + right).digest()
    bit = (first ^ last).bit_length() - 1
    at = bisect_left(places, last >> bit << bit)
    left, right = fold(places[:at], digests[:at]), fold(places[at:], digests[at:])
    return sha256(b"\x01" + left + right).digest()


_PLACES: Final = [Struct(">" + "Q56x" * count) for count in range(BUCKET_LEAVES_MAX + 1)]
_HASHES: Final = [Struct("32x32s" * count) for count in range(BUCKET_LEAVES_MAX + 1)]


def bucket_hash(row: bytes) -> bytes:
    """Hash of the subtree that a bucket is."""
    count = len(row) >> 6
    if count == 1:
        return row[32:]
    if count == 2:
        return sha256(b"\x01" + row[32:64] + row[96:]).digest()
    places: tuple[Any, ...] = _PLACES[count].unpack(row)
    if len({*places}) < count:  # eight bytes are alike: somebody searched for such keys
        places = tuple([int.from_bytes(path, "big") for path in paths_of(row)])
    return fold(places, _HASHES[count].unpack(row))


# --- rows ---------------------------------------------------------------------------------------


def changed_bucket(row: bytes, path: bytes, leaf: bytes | None) -> bytes:
    """The bucket with the leaf of ``path`` put in, replaced, or taken out (``None``)."""
    at = row.find(path)
    while at > 0 and at & (LEAF_BYTES - 1):  # bytes that only look like the path
        at = row.find(path, at + 1)
    if at >= 0:
        if leaf is None:
            return row[:at] + row[at + LEAF_BYTES :]
        return row[: at + 32] + leaf + row[at + LEAF_BYTES :]
    if leaf is None:
        return row
    at = 0
    while at < len(row) and row[at : at + 32] < path:
        at += LEAF_BYTES
    return row[:at] + path + leaf + row[at:]


def merged_bucket(row: bytes, paths: list[bytes], changes: Changes) -> bytes:
    """The bucket with many changes put in."""
    merged: dict[bytes, bytes | None] = {
        row[at : at + 32]: row[at + 32 : at + LEAF_BYTES] for at in range(0, len(row), LEAF_BYTES)
    }
    for path in paths:
        merged[path] = changes[path]
    return b"".join([path + leaf for path, leaf in sorted(merged.items()) if leaf is not None])


def first_with_bit(row: bytes, depth: int) -> int:
    """Offset of the first leaf whose path has the bit at ``depth`` set; leaves before do not."""
    byte, mask = depth >> 3, 0x80 >> (depth & 7)
    for at in range(0, len(row), LEAF_BYTES):
        if row[at + byte] & mask:
            return at
    return len(row)


def paths_of(row: bytes) -> list[bytes]:
    """The paths in a bucket."""
    return [row[at : at + 32] for at in range(0, len(row), LEAF_BYTES)]
