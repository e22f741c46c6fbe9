"""Public keys as values, and private keys that sign."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Protocol

import msgspec

from chain.crypto import addresses, ed25519, mldsa, secp256k1

ML_DSA_87: Final = "ml_dsa_87"
SECP256K1: Final = "secp256k1"
ED25519: Final = "ed25519"
MULTISIG: Final = "multisig"  # bytes: the amino encoding, see ``chain.crypto.multisig``


class PubKey(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A public key: its type (``ml_dsa_87``, ``secp256k1``, ``ed25519``, ``multisig``) and its
    bytes.
    """

    type: str
    key: bytes

    def canonical(self) -> bytes:
        """Canonical bytes of the account the key belongs to."""
        return _canonical(self.type, self.key)

    def address(self, prefix: str = addresses.DEFAULT_PREFIX) -> str:
        """Address text of the account the key belongs to."""
        return addresses.humanize(_canonical(self.type, self.key), prefix)


@lru_cache(maxsize=1 << 14)
def _canonical(kind: str, key: bytes) -> bytes:
    if kind == ML_DSA_87:
        return addresses.native_canonical(key)
    if kind == SECP256K1:
        return addresses.secp256k1_canonical(key)
    if kind in (ED25519, MULTISIG):
        return addresses.sha256_canonical(key)
    raise addresses.AddressError(f"unknown public key type {kind}")


class PrivateKey(Protocol):
    """What wallets hold."""

    @property
    def pubkey(self) -> PubKey:
        """The public half."""
        ...

    def sign(self, message: bytes, context: bytes = b"") -> bytes:
        """Sign; only ML-DSA looks at the context."""
        ...


class MlDsa87Key:
    """A native account's key, from a 32-byte seed. Signs deterministically, so that a seed gives
    one chain (CH-15).
    """

    __slots__ = ("_key", "pubkey", "seed")

    def __init__(self, seed: bytes) -> None:
        self.seed = seed
        self._key = mldsa.SigningKey(seed)
        self.pubkey = PubKey(ML_DSA_87, self._key.public_key)

    def sign(self, message: bytes, context: bytes = b"") -> bytes:
        """Sign without randomness."""
        return self._key.sign(message, context)

    def sign_randomised(self, message: bytes, context: bytes = b"") -> bytes:
        """Sign with fresh randomness, which is the default of FIPS 204."""
        return self._key.sign_randomised(message, context)

    @property
    def address(self) -> str:
        """Native address text."""
        return self.pubkey.address()


class Secp256k1Key:
    """A wallet's key, from its 32-byte secret."""

    __slots__ = ("_key", "pubkey", "secret")

    def __init__(self, secret: bytes) -> None:
        self.secret = secret
        self._key = secp256k1.SigningKey(secret)
        self.pubkey = PubKey(SECP256K1, self._key.public_key)

    def sign(self, message: bytes, context: bytes = b"") -> bytes:
        """Sign SHA-256 of the message (RFC 6979, low s, 64 bytes). There is no context."""
        return self._key.sign(message)

    @property
    def address(self) -> str:
        """Bech32 account address."""
        return self.pubkey.address()


class Ed25519Key:
    """A validator's key, from a 32-byte seed."""

    __slots__ = ("_key", "pubkey", "seed")

    def __init__(self, seed: bytes) -> None:
        self.seed = seed
        self._key = ed25519.SigningKey(seed)
        self.pubkey = PubKey(ED25519, self._key.public_key)

    def sign(self, message: bytes, context: bytes = b"") -> bytes:
        """Sign (RFC 8032). There is no context."""
        return self._key.sign(message)

    @property
    def validator_address(self) -> bytes:
        """CometBFT's 20-byte address of the key."""
        return addresses.sha256_canonical(self.pubkey.key)
