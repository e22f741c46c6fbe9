"""One root secret, one agent (TK-8): its signing, encryption and card keys follow from it by
labelled derivation.

HKDF-SHA-512 (RFC 5869) with a fixed salt; each key has its own label, so that none tells anything
about another. Whoever holds the root can show that all three public keys are the same agent's.
"""

from __future__ import annotations

from typing import Final

from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from chain.crypto.keys import Ed25519Key, MlDsa87Key
from chain.crypto.mlkem import DecapsulationKey

MIN_BYTES: Final = 32
_SALT: Final = b"msgchain root v1"
_SIGNING: Final = b"msgchain/ml-dsa-87"
_ENCRYPTION: Final = b"msgchain/ml-kem-1024"
_CARD: Final = b"msgchain/ed25519"


class RootSecret:
    """A root secret of at least 32 bytes and the keys under it."""

    __slots__ = ("_secret",)

    def __init__(self, secret: bytes) -> None:
        if len(secret) < MIN_BYTES:
            raise ValueError("a root secret has at least 32 bytes")
        self._secret = secret

    def derive(self, label: bytes, length: int) -> bytes:
        """Bytes for a label."""
        return HKDF(SHA512(), length, salt=_SALT, info=label).derive(self._secret)

    def signing_key(self) -> MlDsa87Key:
        """The native account's key."""
        return MlDsa87Key(self.derive(_SIGNING, 32))

    def encryption_key(self) -> DecapsulationKey:
        """The key that sealed payloads are opened with."""
        return DecapsulationKey(self.derive(_ENCRYPTION, 64))

    def card_key(self) -> Ed25519Key:
        """The key that signs agent cards."""
        return Ed25519Key(self.derive(_CARD, 32))
