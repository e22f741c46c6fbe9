"""ML-KEM-1024 (FIPS 203) through OpenSSL: a shared secret for whoever holds the key."""

from __future__ import annotations

from typing import Final

from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM1024PrivateKey, MLKEM1024PublicKey

SEED_BYTES: Final = 64
PUBLIC_KEY_BYTES: Final = 1568
CIPHERTEXT_BYTES: Final = 1568
SHARED_BYTES: Final = 32


class DecapsulationKey:
    """A private key from its 64-byte seed (d and z)."""

    __slots__ = ("_key", "public_key")

    def __init__(self, seed: bytes) -> None:
        if len(seed) != SEED_BYTES:
            raise ValueError("an ML-KEM seed has 64 bytes")
        self._key = MLKEM1024PrivateKey.from_seed_bytes(seed)
        self.public_key = self._key.public_key().public_bytes_raw()

    def decapsulate(self, ciphertext: bytes) -> bytes:
        """The shared secret of a ciphertext; a damaged one gives an unrelated secret, never an
        error.

        Raises: ValueError when the length is wrong.
        """
        if len(ciphertext) != CIPHERTEXT_BYTES:
            raise ValueError("an ML-KEM-1024 ciphertext has 1568 bytes")
        return self._key.decapsulate(ciphertext)


def encapsulate(public_key: bytes) -> tuple[bytes, bytes]:
    """A fresh (shared secret, ciphertext) for the key. Raises: ValueError for bytes that are no
    key.
    """
    if len(public_key) != PUBLIC_KEY_BYTES:
        raise ValueError("an ML-KEM-1024 public key has 1568 bytes")
    return MLKEM1024PublicKey.from_public_bytes(public_key).encapsulate()
