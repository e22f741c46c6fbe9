"""Cosmos threshold keys (``LegacyAminoPubKey``): several secp256k1 keys and how many of them must
sign.

The key's bytes are the amino encoding, which also gives the address.
"""

from __future__ import annotations

from typing import Final

from chain import protowire
from chain.crypto.keys import ED25519, MULTISIG, SECP256K1, PubKey
from chain.protowire import varint

_PREFIX: Final = bytes.fromhex("22c1f7e2")
_MEMBER_PREFIX: Final = {
    SECP256K1: bytes.fromhex("eb5ae987"),
    ED25519: bytes.fromhex("1624de64"),
}
_MEMBER_OF: Final = {prefix: kind for kind, prefix in _MEMBER_PREFIX.items()}


class MultisigError(Exception):
    """Bytes or members that are no threshold key."""


def public_key(threshold: int, members: list[PubKey]) -> PubKey:
    """The threshold key over the members, in this order. Raises: MultisigError for members amino
    has no name for.
    """
    out = _PREFIX
    if threshold:
        out += b"\x08" + varint(threshold)
    for member in members:
        if member.type == MULTISIG:
            encoded = member.key
        else:
            prefix = _MEMBER_PREFIX.get(member.type)
            if prefix is None:
                raise MultisigError(f"{member.type} keys cannot be members")
            encoded = prefix + varint(len(member.key)) + member.key
        out += b"\x12" + varint(len(encoded)) + encoded
    return PubKey(MULTISIG, out)


def members(key: PubKey) -> tuple[int, tuple[PubKey, ...]]:
    """The threshold and the members of a threshold key. Raises: MultisigError."""
    data = key.key
    if key.type != MULTISIG or data[:4] != _PREFIX:
        raise MultisigError("not a threshold key")
    at = 4
    threshold = 0
    found = []
    while at < len(data):
        tag = data[at]
        value, at = _read_varint(data, at + 1)
        if tag == 0x08:
            threshold = value
        elif tag == 0x12 and at + value <= len(data):
            found.append(_member(data[at : at + value]))
            at += value
        else:
            raise MultisigError("not a threshold key")
    return threshold, tuple(found)


def _member(encoded: bytes) -> PubKey:
    if encoded[:4] == _PREFIX:
        return PubKey(MULTISIG, encoded)
    kind = _MEMBER_OF.get(encoded[:4])
    if kind is None:
        raise MultisigError("a member of unknown type")
    length, at = _read_varint(encoded, 4)
    if len(encoded) - at != length:
        raise MultisigError("a member of wrong length")
    return PubKey(kind, encoded[at:])


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    try:
        return protowire.read_varint(data, at, len(data))
    except protowire.WireError:
        raise MultisigError("not a threshold key") from None


def bits(extra: int, elements: bytes) -> tuple[int, tuple[int, ...]]:
    """How many members a compact bit array counts, and which are set."""
    size = len(elements) * 8 if extra == 0 else (len(elements) - 1) * 8 + extra
    if size < 0 or extra > 7:
        raise MultisigError("not a bit array")
    return size, tuple([i for i in range(size) if elements[i >> 3] >> (7 - (i & 7)) & 1])


def bit_array(size: int, chosen: tuple[int, ...]) -> tuple[int, bytes]:
    """The compact bit array (extra bits, elements) of ``size`` members with the chosen ones set."""
    elements = bytearray(-(-size // 8))
    for index in chosen:
        elements[index >> 3] |= 1 << (7 - (index & 7))
    return size % 8, bytes(elements)
