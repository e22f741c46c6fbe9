"""ML-DSA-87 (FIPS 204). Verification and deterministic signing by PyCryptodome, randomised signing
by OpenSSL.

PyCryptodome verifies about a quarter faster than OpenSSL here and releases the GIL, and is the only
one of the two that signs deterministically. ``benchmarks/signatures.py`` measures both; the tests
check them against each other and against a third implementation.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from chain.crypto import no_cffi  # isort: skip  # before PyCryptodome
from Crypto.PublicKey import MLDSA
from Crypto.Signature import mldsa as _scheme
from cryptography.hazmat.primitives.asymmetric import mldsa as _openssl

__all__ = ["SigningKey", "no_cffi", "verify"]

SEED_BYTES: Final = 32
PUBLIC_KEY_BYTES: Final = 2592
SIGNATURE_BYTES: Final = 4627
_PARAMETERS: Final = MLDSA.ML_DSA_87


class SigningKey:
    """A private key from its 32-byte seed."""

    __slots__ = ("_key", "_seed", "public_key")

    def __init__(self, seed: bytes) -> None:
        if len(seed) != SEED_BYTES:
            raise ValueError("an ML-DSA seed has 32 bytes")
        self._seed = seed
        self._key = MLDSA.construct(param_set=_PARAMETERS, seed=seed)
        self.public_key: bytes = self._key.pk

    def sign(self, message: bytes, context: bytes = b"") -> bytes:
        """Sign deterministically."""
        signature: bytes = _scheme.new(self._key, context, deterministic=True).sign(message)
        return signature

    def sign_randomised(self, message: bytes, context: bytes = b"") -> bytes:
        """Sign with fresh randomness, through OpenSSL."""
        key = _openssl.MLDSA87PrivateKey.from_seed_bytes(self._seed)
        return key.sign(message, context)


@lru_cache(maxsize=256)
def _public(public_key: bytes) -> MLDSA.MLDSAKey:
    return MLDSA.construct(param_set=_PARAMETERS, pk=public_key)


def verify(public_key: bytes, message: bytes, signature: bytes, context: bytes = b"") -> bool:
    """Whether the signature is the key's over message and context. Never raises for bad bytes."""
    if len(public_key) != PUBLIC_KEY_BYTES or len(signature) != SIGNATURE_BYTES:
        return False
    try:
        _scheme.new(_public(public_key), context).verify(message, signature)
    except ValueError:
        return False
    return True
