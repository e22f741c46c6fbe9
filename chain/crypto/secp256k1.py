"""ECDSA over secp256k1 as the SDK uses it: SHA-256, RFC 6979, 64 bytes r and s, low s only."""

from __future__ import annotations

import hashlib
from typing import Final

import coincurve

PUBLIC_KEY_BYTES: Final = 33
SIGNATURE_BYTES: Final = 64
ORDER: Final = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
_HALF_ORDER: Final = (ORDER >> 1).to_bytes(32, "big")


class SigningKey:
    """A private key from its 32-byte secret."""

    __slots__ = ("_key", "public_key")

    def __init__(self, secret: bytes) -> None:
        if len(secret) != 32:
            raise ValueError("a secp256k1 secret has 32 bytes")
        self._key = coincurve.PrivateKey(secret)
        self.public_key: bytes = self._key.public_key.format(compressed=True)

    def sign(self, message: bytes) -> bytes:
        """Sign SHA-256 of the message."""
        return self.sign_digest(hashlib.sha256(message).digest())

    def sign_digest(self, digest: bytes) -> bytes:
        """Sign 32 bytes as they are."""
        signature: bytes = self._key.sign_recoverable(digest, hasher=None)[:64]
        return signature


def _der(signature: bytes) -> bytes:
    body = b""
    for number in (signature[:32], signature[32:]):
        digits = number.lstrip(b"\x00") or b"\x00"
        if digits[0] & 0x80:
            digits = b"\x00" + digits
        body += b"\x02" + len(digits).to_bytes(1, "big") + digits
    return b"\x30" + len(body).to_bytes(1, "big") + body


def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the signature is the key's over SHA-256 of the message. Never raises for
    bad bytes.
    """
    return verify_digest(public_key, hashlib.sha256(message).digest(), signature)


def verify_digest(public_key: bytes, digest: bytes, signature: bytes) -> bool:
    """Whether the signature is the key's over these 32 bytes; high s, zero and other lengths are
    refused.
    """
    if len(public_key) != PUBLIC_KEY_BYTES or len(signature) != SIGNATURE_BYTES:
        return False
    if signature[32:] > _HALF_ORDER or len(digest) != 32:
        return False
    try:
        return bool(coincurve.PublicKey(public_key).verify(_der(signature), digest, hasher=None))
    except ValueError:
        return False


def recover(digest: bytes, signature: bytes, recovery: int) -> bytes:
    """The compressed key that made a recoverable signature. Raises: ValueError when
    there is none.
    """
    if len(signature) != SIGNATURE_BYTES or recovery not in (0, 1, 2, 3):
        raise ValueError("not a recoverable signature")
    try:
        key = coincurve.PublicKey.from_signature_and_message(
            signature + bytes([recovery]), digest, hasher=None
        )
    except Exception as error:  # coincurve raises bare Exception for points that are not there
        raise ValueError("no key made this signature") from error
    compressed: bytes = key.format(compressed=True)
    return compressed


def uncompress(public_key: bytes) -> bytes:
    """The 65-byte form of a key. Raises: ValueError for bytes that are no point."""
    full: bytes = coincurve.PublicKey(public_key).format(compressed=False)
    return full
