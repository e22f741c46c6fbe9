"""The Merkle tree over hashed keys, updated in batches and stored in pages.

Shape. The path of a key is ``sha256(key)``. The tree is path-compressed and binary: an inner node
stands where the paths below it first differ, and has two children always, so it is a function of
the set of entries alone. ``leaf = sha256(00 | path | sha256(leaf value))``, ``node = sha256(01 |
left | right)``, the root of an empty tree is ``sha256(b"")``. A prefix of bits with one child has
the hash of that child, which is how compression is computed here: as a fold over the plain trie.

Storage. A *bucket* is a row with up to ``BUCKET_LEAVES`` leaves in order of path, 64 bytes each
(path, leaf hash). A *page* covers five levels of the trie at a depth divisible by five and names
the buckets and pages below it: one code byte each, then one hash each. Where buckets end and
pages begin depends on history (buckets split and never merge); hashes do not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from struct import Struct
from typing import Any, Final

from chain.store.errors import StoreDamaged

EMPTY_ROOT: Final = sha256(b"").digest()
#: A bucket with more leaves than this splits.
BUCKET_LEAVES: Final = 6
#: Levels of the trie in a page.
PAGE_LEVELS: Final = 5

_SLOTS: Final = 1 << PAGE_LEVELS  # nodes at the bottom level of a page; heap indices 32 to 63
PATH_BITS: Final = 256
LEAF_BYTES: Final = 64

#: First byte of the row keys of pages and buckets.
PAGE_FAMILY: Final = b"p"
BUCKET_FAMILY: Final = b"b"
#: What repairs a damaged tree whose state is whole.
REBUILD: Final = "msgchain repair --tree"

# What a node of a page is.
NOTHING: Final = 0
INNER: Final = 1
BUCKET: Final = 2
PAGE: Final = 3
#: In the code byte of a row: the entry is a page. The other bits are the heap index.
_PAGE_CODE: Final = 0x40
_INDEX_MASK: Final = 0x3F

#: Row of a tree: key to bytes, ``None`` if absent.
ReadRow = Callable[[bytes], bytes | None]
#: Changes of a batch: path to leaf hash, ``None`` for a removed leaf.
Changes = Mapping[bytes, bytes | None]


def leaf_value(value: bytes) -> bytes:
    """What a leaf proves for ``value``: the value itself, but never empty, as ICS-23 demands.

    A value of zero bytes only, the empty one included, gets one zero byte more; so the rule can
    be undone.
    """
    return value if value.strip(b"\x00") else value + b"\x00"


def leaf_hash(path: bytes, value: bytes) -> bytes:
    """Hash of the leaf of ``path`` for a state ``value``."""
    return sha256(
        b"\x00" + path + sha256(value if value.strip(b"\x00") else value + b"\x00").digest()
    ).digest()


def page_row(node: int, depth: int) -> bytes:
    """Row key of the page at ``node``: a prefix of ``depth`` bits behind a leading one bit."""
    return PAGE_FAMILY + node.to_bytes((depth >> 3) + 1, "big")


def bucket_row(node: int, depth: int) -> bytes:
    """Row key of the bucket at ``node``."""
    return BUCKET_FAMILY + node.to_bytes((depth >> 3) + 1, "big")


class Page:
    """A page in memory: heap of hashes (index 1 is the page itself), kinds of nodes, its row."""

    __slots__ = ("codes", "kinds", "nodes", "row")

    def __init__(self) -> None:
        self.nodes: list[bytes | None] = [None] * (2 * _SLOTS)
        self.kinds = bytearray(2 * _SLOTS)
        self.codes: list[int] | None = []  # entries in the order of the row; None: to be made anew
        self.row: bytes | None = None

    def copy(self) -> Page:
        """A page to change while this one stays as committed."""
        page = Page.__new__(Page)
        page.nodes = self.nodes.copy()
        page.kinds = self.kinds.copy()
        page.codes = self.codes
        page.row = self.row
        return page

    def fold(self, touched: list[int]) -> None:
        """Compute anew the inner nodes above the ``touched`` indices."""
        nodes = self.nodes
        if len(touched) == 1:
            index = touched[0] >> 1
            while index:
                left, right = nodes[2 * index], nodes[2 * index + 1]
                if left is not None and right is not None:
                    nodes[index] = sha256(b"\x01" + left + right).digest()
                else:
                    self._fold_single(index)
                index >>= 1
            return
        above = bytearray(_SLOTS)
        for index in touched:
            above[index >> 1] = 1
        for index in range(_SLOTS - 1, 0, -1):
            if above[index]:
                above[index >> 1] = 1
                left, right = nodes[2 * index], nodes[2 * index + 1]
                if left is not None and right is not None:
                    nodes[index] = sha256(b"\x01" + left + right).digest()
                else:
                    self._fold_single(index)

    def _fold_single(self, index: int) -> None:
        """A node with fewer than two children has the hash of the one, or is nothing."""
        child = self.nodes[2 * index] or self.nodes[2 * index + 1]
        self.nodes[index] = child
        if child is None:
            self.kinds[index] = NOTHING

    def pack(self) -> bytes:
        """The row: code bytes, then hashes."""
        codes = self.codes
        if codes is None:
            kinds = self.kinds
            codes = self.codes = [
                index | _PAGE_CODE if kinds[index] == PAGE else index
                for index in range(1, 2 * _SLOTS)
                if kinds[index] >= BUCKET
            ]
        nodes = self.nodes
        row = b"".join([bytes(codes), *[nodes[code & _INDEX_MASK] for code in codes]])  # type: ignore[list-item]  # entries have hashes
        self.row = row
        return row


_HASHES: Final = [Struct("32s" * count) for count in range(2 * _SLOTS)]


def parse_page(row: bytes, name: bytes) -> Page:
    """A page from its row, inner hashes computed. Raises: StoreDamaged."""
    count, rest = divmod(len(row), 33)
    if rest or not 0 < count < 2 * _SLOTS:
        raise StoreDamaged(f"tree page {name.hex()}", f"{len(row)} bytes")
    page = Page()
    nodes, kinds = page.nodes, page.kinds
    codes = page.codes = list(row[:count])
    page.row = row
    for code, digest in zip(codes, _HASHES[count].unpack_from(row, count), strict=True):
        index = code & _INDEX_MASK
        nodes[index] = digest
        kinds[index] = PAGE if code & _PAGE_CODE else BUCKET
    for index in range(_SLOTS - 1, 0, -1):
        left, right = nodes[2 * index], nodes[2 * index + 1]
        if left is None:
            if right is None:
                continue
            nodes[index] = right
        elif right is None:
            nodes[index] = left
        else:
            nodes[index] = sha256(b"\x01" + left + right).digest()
        kinds[index] = INNER
    return page


_BUCKETS: Final = [Struct(">" + "Q24x32s" * count) for count in range(65)]


def bucket_hash(row: bytes) -> bytes:
    """Hash of the subtree that a bucket is, from its leaves in order of path.

    Two neighbours split at the highest bit in which they differ, so the larger ``a ^ b`` is
    nearer to the root; splits that are still open lie on a stack, larger ones below.
    """
    count = len(row) >> 6
    if count == 1:
        return row[32:]
    if count >= len(_BUCKETS):
        return _long_bucket_hash(row)
    fields: tuple[Any, ...] = _BUCKETS[count].unpack(row)
    if count == 2:
        return sha256(b"\x01" + fields[1] + fields[3]).digest()
    before: int = fields[0]
    done: bytes = fields[1]
    hashes: list[bytes] = []
    splits: list[int] = []
    for index in range(2, 2 * count, 2):
        path = fields[index]
        split = before ^ path
        if not split:
            return _long_bucket_hash(row)
        while splits and splits[-1] < split:
            splits.pop()
            done = sha256(b"\x01" + hashes.pop() + done).digest()
        hashes.append(done)
        splits.append(split)
        done = fields[index + 1]
        before = path
    while hashes:
        done = sha256(b"\x01" + hashes.pop() + done).digest()
    return done


def _long_bucket_hash(row: bytes) -> bytes:
    """The same over whole paths: for paths that agree in their first eight bytes."""
    done = row[32:64]
    hashes: list[bytes] = []
    splits: list[int] = []
    before = int.from_bytes(row[:32], "big")
    for offset in range(LEAF_BYTES, len(row), LEAF_BYTES):
        path = int.from_bytes(row[offset : offset + 32], "big")
        split = before ^ path
        while splits and splits[-1] < split:
            splits.pop()
            done = sha256(b"\x01" + hashes.pop() + done).digest()
        hashes.append(done)
        splits.append(split)
        done = row[offset + 32 : offset + 64]
        before = path
    while hashes:
        done = sha256(b"\x01" + hashes.pop() + done).digest()
    return done


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


def merged_bucket(row: bytes, paths: list[bytes], leaves: list[bytes | None]) -> bytes:
    """The bucket with many changes put in."""
    merged: dict[bytes, bytes | None] = {
        row[at : at + 32]: row[at + 32 : at + LEAF_BYTES] for at in range(0, len(row), LEAF_BYTES)
    }
    merged.update(zip(paths, leaves, strict=True))
    return b"".join([path + leaf for path, leaf in sorted(merged.items()) if leaf is not None])


def first_with_bit(row: bytes, depth: int) -> int:
    """Offset of the first leaf whose path has the bit at ``depth`` set; leaves before have it
    clear.
    """
    byte, mask = depth >> 3, 0x80 >> (depth & 7)
    for at in range(0, len(row), LEAF_BYTES):
        if row[at + byte] & mask:
            return at
    return len(row)
