"""Addresses: three text forms, one canonical form each (CH-7).

=========  =============================================  ======================  ===============
form       text                                           canonical bytes         who has it
=========  =============================================  ======================  ===============
native     ``msg1`` + 40 hex digits + 8 hex of checksum   20 + 4 of the checksum  ML-DSA-87 keys
account    bech32 of 20 bytes                             20                      wallets, modules
contract   bech32 of 32 bytes                             32                      contracts
=========  =============================================  ======================  ===============

Every account has exactly one text. What is not one of these texts is refused, upper case too, with
wasmd's words where wasmd has words for it. The results are pure functions of the text, so they are
remembered.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Final

from chain.crypto import bech32

DEFAULT_PREFIX: Final = "msg"
NOT_NORMALIZED: Final = "address not normalized"
_NATIVE_DIGITS: Final = 48
_HEX: Final = frozenset("0123456789abcdef")
_MAX_SALT: Final = 64
_REMEMBERED: Final = 1 << 16


class AddressError(Exception):
    """The text or the bytes are not an address; the message says why, in wasmd's words."""


class WrongPrefix(AddressError):
    """Good bech32 of another chain."""

    def __init__(self, expected: str, found: str) -> None:
        super().__init__(f"invalid Bech32 prefix; expected {expected}, got {found}")
        self.expected = expected
        self.found = found


@lru_cache(maxsize=_REMEMBERED)
def validate(text: str, prefix: str = DEFAULT_PREFIX) -> bytes:
    """Canonical bytes of an address text. Raises: AddressError when it is not one in its only form
    (CH-7, ADDR-1).
    """
    if not text.strip(" \t\n\v\f\r\x85\xa0"):
        raise AddressError("empty address string is not allowed")
    if _looks_native(text, prefix):
        return _native_bytes(text, prefix)
    try:
        found, data = bech32.decode(text)
    except bech32.Bech32Error as error:
        raise AddressError(f"decoding bech32 failed: {error}") from None
    if found != prefix:
        raise WrongPrefix(prefix, found)
    if not data:
        raise AddressError("addresses cannot be empty: unknown address")
    if len(data) > 255:
        raise AddressError(f"address max length is 255, got {len(data)}: unknown address")
    if len(data) not in (20, 32):
        raise AddressError(
            f"address length must be 20 or 32 bytes, got {len(data)}: unknown address"
        )
    if text != text.lower():
        raise AddressError(NOT_NORMALIZED)
    return data


def _looks_native(text: str, prefix: str) -> bool:
    start = len(prefix) + 1
    if len(text) != start + _NATIVE_DIGITS or not text.isascii():
        return False
    if text[:start].lower() != prefix + "1":
        return False
    return _HEX.issuperset(text[start:].lower())


def _native_bytes(text: str, prefix: str) -> bytes:
    if text != text.lower():
        raise AddressError(NOT_NORMALIZED)
    data = bytes.fromhex(text[len(prefix) + 1 :])
    checksum = hashlib.sha256(data[:20]).digest()[:4]
    if checksum != data[20:]:
        raise AddressError(
            "decoding native address failed: invalid checksum "
            f"(expected {checksum.hex()} got {data[20:].hex()})"
        )
    return data


def is_address(text: str, prefix: str = DEFAULT_PREFIX) -> bool:
    """Whether ``validate`` accepts the text."""
    try:
        validate(text, prefix)
    except AddressError:
        return False
    return True


@lru_cache(maxsize=_REMEMBERED)
def humanize(canonical: bytes, prefix: str = DEFAULT_PREFIX) -> str:
    """The text of canonical bytes. Raises: AddressError when they are no address."""
    if len(canonical) in (20, 32):
        return bech32.encode(prefix, canonical)
    if len(canonical) == 24:
        checksum = hashlib.sha256(canonical[:20]).digest()[:4]
        if checksum != canonical[20:]:
            raise AddressError(
                "native address checksum does not match "
                f"(expected {checksum.hex()} got {canonical[20:].hex()})"
            )
        return f"{prefix}1{canonical.hex()}"
    if not canonical:
        raise AddressError("addresses cannot be empty: unknown address")
    if len(canonical) > 255:
        raise AddressError(f"address max length is 255, got {len(canonical)}: unknown address")
    raise AddressError(
        f"address length must be 20, 24 or 32 bytes, got {len(canonical)}: unknown address"
    )


def native_canonical(public_key: bytes) -> bytes:
    """Canonical bytes of an ML-DSA-87 key: 20 bytes of SHA3-512 and their checksum."""
    body = hashlib.sha3_512(public_key).digest()[:20]
    return body + hashlib.sha256(body).digest()[:4]


def native_address(public_key: bytes, prefix: str = DEFAULT_PREFIX) -> str:
    """Native address text of an ML-DSA-87 public key."""
    return f"{prefix}1{native_canonical(public_key).hex()}"


def _ripemd160(data: bytes) -> bytes:
    return hashlib.new("ripemd160", data).digest()


@lru_cache(maxsize=_REMEMBERED)
def secp256k1_canonical(public_key: bytes) -> bytes:
    """Canonical bytes of a compressed secp256k1 key: RIPEMD-160 of SHA-256."""
    return _ripemd160(hashlib.sha256(public_key).digest())


def sha256_canonical(data: bytes) -> bytes:
    """First 20 bytes of SHA-256: addresses of Ed25519 keys, amino multisigs, modules and
    validators.
    """
    return hashlib.sha256(data).digest()[:20]


@lru_cache(maxsize=1024)
def module_address(name: str, prefix: str = DEFAULT_PREFIX) -> str:
    """Address of a module account: the first 20 bytes of SHA-256 over its name."""
    return bech32.encode(prefix, sha256_canonical(name.encode()))


def address_hash(kind: str, key: bytes) -> bytes:
    """ADR-028: SHA-256 over SHA-256 of the kind and the key."""
    return hashlib.sha256(hashlib.sha256(kind.encode()).digest() + key).digest()


def contract_canonical(code_id: int, instance_id: int) -> bytes:
    """Canonical bytes of a contract from its code id and the chain's instance counter."""
    return address_hash(
        "module", b"wasm\x00" + code_id.to_bytes(8, "big") + instance_id.to_bytes(8, "big")
    )


def contract_address(code_id: int, instance_id: int, prefix: str = DEFAULT_PREFIX) -> str:
    """Address text of a contract from its code id and the chain's instance counter."""
    return bech32.encode(prefix, contract_canonical(code_id, instance_id))


def predictable_canonical(checksum: bytes, creator: bytes, salt: bytes, msg: bytes = b"") -> bytes:
    """Canonical bytes of an ``instantiate2`` contract; ``msg`` only counts when it was fixed.

    Raises: AddressError for a checksum, creator or salt of impossible length.
    """
    if len(checksum) != 32:
        raise AddressError("invalid checksum")
    if not 1 <= len(creator) <= 255:
        raise AddressError("invalid creator")
    if not 1 <= len(salt) <= _MAX_SALT:
        raise AddressError("invalid salt")
    key = b"wasm\x00"
    for part in (checksum, creator, salt, msg):
        key += len(part).to_bytes(8, "big") + part
    return address_hash("module", key)


def predictable_address(
    checksum: bytes, creator: bytes, salt: bytes, msg: bytes = b"", prefix: str = DEFAULT_PREFIX
) -> str:
    """Address text of an ``instantiate2`` contract; ``creator`` is canonical bytes."""
    return bech32.encode(prefix, predictable_canonical(checksum, creator, salt, msg))
