"""The key space of a state store: one byte of family, then the key.

| family | key | value |
|---|---|---|
| ``m`` | nothing | ``Meta`` as MessagePack |
| ``s`` | state key | one byte of kind (0 authenticated, 1 derived), then the value |
| ``b`` | tree bucket: node number | see ``chain.store.buckets`` |
| ``j`` | number, 8 bytes | buckets that a batch changed, see ``chain.store.shelf`` |
| ``k`` | path of an authenticated key | the key, to show the neighbours of one that is absent |
| ``u`` | height, 8 bytes | ``Undo`` as MessagePack: what the block at this height changed |
| ``r`` | row key of the caller | the caller's |
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

import msgspec

META: Final = b"m"
STATE: Final = b"s"
PATH: Final = b"k"
JOURNAL: Final = b"j"
UNDO: Final = b"u"
ROW: Final = b"r"

AUTHENTICATED: Final = b"\x00"
DERIVED: Final = b"\x01"
#: The same as numbers, as indexing a value gives them.
AUTHENTICATED_BYTE: Final = 0
DERIVED_BYTE: Final = 1

#: State key of the rolling hash over derived writes. Nobody else may write it.
DERIVED_KEY: Final = b"\x00derived"
#: Version of this layout; an older one is brought up to it when a store is opened, a newer one
#: refused.
LAYOUT: Final = 2
#: Families of rows that are made from the state, in any layout so far.
MADE: Final = (b"b", b"j", b"k", b"p", b"q", b"u")


class Meta(msgspec.Struct, array_like=True, frozen=True):
    """Where a store stands."""

    layout: int
    height: int
    root: bytes
    #: lowest height whose state can be read
    oldest: int
    #: whether the tree rows belong to this state
    authenticated: bool
    #: number of the last journal row
    journal: int = 0


class Undo(msgspec.Struct, array_like=True, frozen=True):
    """What one block changed, as it was before; ``None`` for what was not there."""

    height: int  # before the block; 0 for an empty store
    root: bytes
    state: dict[bytes, bytes | None]  # by state key, values with their kind
    rows: dict[bytes, bytes | None]  # by row key of the caller


encode = msgspec.msgpack.Encoder().encode
decode_meta = msgspec.msgpack.Decoder(Meta).decode
decode_undo = msgspec.msgpack.Decoder(Undo).decode


def undo_key(height: int) -> bytes:
    """Row key of the undo record of ``height``."""
    return UNDO + height.to_bytes(8, "big")


def rolled(before: bytes | None, changes: dict[bytes, bytes | None]) -> bytes:
    """The rolling hash after a block whose derived writes are ``changes``.

    ``sha256(before | sha256(entries))``, 32 zero bytes before the first; an entry, in order of
    keys, is the key behind its length in four bytes, then 00 for a deletion, or 01 and the value
    behind its length.
    """
    parts: list[bytes] = []
    for key in sorted(changes):
        value = changes[key]
        if value is None:
            parts += (len(key).to_bytes(4, "big"), key, b"\x00")
        else:
            parts += (
                len(key).to_bytes(4, "big"),
                key,
                b"\x01",
                len(value).to_bytes(4, "big"),
                value,
            )
    return sha256((before or bytes(32)) + sha256(b"".join(parts)).digest()).digest()
