"""Rows of the Merkle tree: buckets of leaves, pages of buckets, and how their hashes fold.

Shape. The path of a key is ``sha256(key)``. The tree is path-compressed and binary: an inner node
stands where the paths below it first differ, and has two children always, so it is a function of
the set of entries alone. ``leaf = sha256(00 | path | sha256(leaf value))``, ``node = sha256(01 |
left | right)``, the root of an empty tree is ``sha256(b"")``.

Storage. A prefix of bits is numbered by those bits behind a leading one bit.

| row | key | value |
|---|---|---|
| bucket | ``b``, node number | up to ``BUCKET_LEAVES`` leaves in order: path, leaf hash |
| page | ``p``, node number | hash, then a code byte, then a hash for each bucket below it |
| nested page | ``q``, node number | the same, named by another page |

A page knows the nodes of the five levels below it by their heap index (1 is the page itself),
which is the code of an entry; ``NESTED`` in it says that the entry is a page. Nodes above the
pages have no rows: they are computed when a tree is opened. Where buckets and pages end depends on
history (they split and never merge); hashes do not, because a prefix with one child has the hash
of that child.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from struct import Struct
from typing import Any, Final

from chain.store.errors import StoreDamaged

EMPTY_ROOT: Final = sha256(b"").digest()
#: A bucket with more leaves, or a page with more entries, splits.
BUCKET_LEAVES: Final = 6
PAGE_ENTRIES: Final = 4

PAGE_LEVELS: Final = 5
LEAF_BYTES: Final = 64
NESTED: Final = 0x40
_INDEX_MASK: Final = 0x3F

#: First byte of the row keys.
PAGE_FAMILY: Final = b"p"
NESTED_FAMILY: Final = b"q"
BUCKET_FAMILY: Final = b"b"
#: What repairs a damaged tree whose state is whole.
REBUILD: Final = "msgchain repair --tree"

#: Row of a tree: key to bytes, ``None`` if absent.
ReadRow = Callable[[bytes], bytes | None]
#: All page rows, nested ones left out.
ScanPages = Callable[[], Iterator[tuple[bytes, bytes]]]
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


def row_name(family: bytes, node: int) -> bytes:
    """Row key of ``node``; rows of one depth lie side by side in order of path."""
    return family + node.to_bytes((node.bit_length() + 7) >> 3, "big")


# --- what an entry's code says ------------------------------------------------------------------


def _position(code: int) -> int:
    """Left end of an entry among the 32 places at the bottom of its page."""
    index = code & _INDEX_MASK
    level = max(index.bit_length() - 1, 0)
    return (index ^ (1 << level)) << (PAGE_LEVELS - level) if index else 0


def _lower(code: int) -> int:
    """The code in the page that is one level deeper."""
    index = code & _INDEX_MASK
    above = 1 << max(index.bit_length() - 2, 0)
    return (code & NESTED) | above | (index & (above - 1))


_POSITIONS: Final = bytes(_position(code) for code in range(256))
_LOWERED: Final = bytes(_lower(code) for code in range(256))


def positions_of(codes: bytes) -> bytes:
    """Left ends of entries; they rise."""
    return codes.translate(_POSITIONS)


def lowered(codes: bytes) -> bytes:
    """Codes of entries for the half page that they go to when a page splits."""
    return codes.translate(_LOWERED)


def level_of(code: int) -> int:
    """Levels between a page and an entry of it."""
    return (code & _INDEX_MASK).bit_length() - 1


def place_of(path: bytes, depth: int) -> int:
    """The five bits of ``path`` behind ``depth``: a place at the bottom of a page."""
    at = depth >> 3
    two = path[at] << 8 | (path[at + 1] if at < 31 else 0)
    return two >> (11 - (depth & 7)) & 31


def find_entry(codes: bytes, place: int) -> tuple[int, int]:
    """Where ``place`` belongs in a page.

    Returns the index of the entry that covers it and -1; or the index where a new entry goes, and
    the code of that
    entry: the highest node above ``place`` that has nothing below it.
    """
    positions = codes.translate(_POSITIONS)
    at = bisect_right(positions, place) - 1
    alike = 0  # bits that the place shares with an entry beside it
    if at >= 0:
        bits = PAGE_LEVELS - (positions[at] ^ place).bit_length()
        if bits >= (codes[at] & _INDEX_MASK).bit_length() - 1:
            return at, -1
        alike = bits + 1
    if at + 1 < len(codes):
        alike = max(alike, PAGE_LEVELS + 1 - (positions[at + 1] ^ place).bit_length())
    return at + 1, (1 << alike) | (place >> (PAGE_LEVELS - alike))


_ABOVE_ALL: Final = 1 << 256

# --- folding ------------------------------------------------------------------------------------


def fold(places: Sequence[int], digests: Sequence[bytes]) -> bytes:
    """Hash over subtrees at rising ``places``.

    Two neighbours part at the highest bit in which they differ, so the larger ``a ^ b`` is nearer
    to the
    root; partings that are still open lie on a stack, larger ones below.
    """
    count = len(digests)
    done = digests[0]
    if count == 2:
        return sha256(b"\x01" + done + digests[1]).digest()
    if count == 3:
        left, middle, right = places
        if left ^ middle > middle ^ right:
            below = sha256(b"\x01" + digests[1] + digests[2]).digest()
            return sha256(b"\x01" + done + below).digest()
        below = sha256(b"\x01" + done + digests[1]).digest()
        return sha256(b"\x01" + below + digests[2]).digest()
    if count == 4:
        first, second, third, fourth = places
        parting = second ^ third
        if parting > first ^ second and parting > third ^ fourth:
            below = sha256(b"\x01" + done + digests[1]).digest()
            beside = sha256(b"\x01" + digests[2] + digests[3]).digest()
            return sha256(b"\x01" + below + beside).digest()
    open_digests: list[bytes] = []
    partings = [_ABOVE_ALL]
    before = places[0]
    for place, digest in zip(places[1:], digests[1:], strict=True):
        parting = before ^ place
        before = place
        while partings[-1] < parting:
            partings.pop()
            done = sha256(b"\x01" + open_digests.pop() + done).digest()
        open_digests.append(done)
        partings.append(parting)
        done = digest
    while open_digests:
        done = sha256(b"\x01" + open_digests.pop() + done).digest()
    return done


_BUCKETS: Final = [Struct(">" + "Q24x32s" * count) for count in range(BUCKET_LEAVES + 1)]
_HASHES: Final = [Struct("32s" * count) for count in range(33)]


def bucket_hash(row: bytes) -> bytes:
    """Hash of the subtree that a bucket is."""
    count = len(row) >> 6
    if count == 1:
        return row[32:]
    if count <= BUCKET_LEAVES:
        fields: tuple[Any, ...] = _BUCKETS[count].unpack(row)
        places = fields[::2]
        # Eight bytes tell paths apart unless somebody searched for keys that are alike.
        if count == 2 or len({*places}) == count:
            return fold(places, fields[1::2])
    starts = range(0, len(row), LEAF_BYTES)
    return fold(
        [int.from_bytes(row[at : at + 32], "big") for at in starts],
        [row[at + 32 : at + LEAF_BYTES] for at in starts],
    )


def page_hash(codes: bytes, digests: bytes) -> bytes:
    """Hash of the subtree that a page is, from its entries."""
    count = len(codes)
    if count == 1:
        return digests
    return fold(codes.translate(_POSITIONS), _HASHES[count].unpack(digests))


# --- rows ---------------------------------------------------------------------------------------


def page_parts(row: bytes, name: bytes) -> tuple[bytes, bytes]:
    """Codes and hashes of a page row. Raises: StoreDamaged."""
    count, rest = divmod(len(row) - 32, 33)
    if rest or not 0 < count <= 32:
        raise StoreDamaged(f"tree page {name.hex()}", f"{len(row)} bytes", REBUILD)
    return row[32 : 32 + count], row[32 + count :]


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
