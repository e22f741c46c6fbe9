"""Sealed payloads (TK-8): ML-KEM-1024 for the key, AES-256-GCM for the content.

::

    sealed = "MSGSEAL1" · ML-KEM ciphertext (1568) · AES-256-GCM content and tag

Key and nonce follow by HKDF-SHA-256 from the shared secret, bound to the ciphertext; a shared
secret is used once, so the nonce needs no place of its own. ``context`` (who to whom, about what)
is authenticated and not sent.
"""

from __future__ import annotations

from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256, Hash
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from chain.crypto.mlkem import CIPHERTEXT_BYTES, DecapsulationKey, encapsulate

MAGIC: Final = b"MSGSEAL1"
_TAG_BYTES: Final = 16
OVERHEAD: Final = len(MAGIC) + CIPHERTEXT_BYTES + _TAG_BYTES
_LABEL: Final = b"msgchain/seal/v1"


class SealError(Exception):
    """The bytes are not sealed for this key and context, or were changed."""


def is_sealed(payload: bytes) -> bool:
    """Whether the bytes look sealed; only the key can tell."""
    return len(payload) >= OVERHEAD and payload.startswith(MAGIC)


def seal(public_key: bytes, content: bytes, context: bytes = b"") -> bytes:
    """Encrypt content for whoever holds the ML-KEM-1024 key. Raises: ValueError for
    bytes that are no key.
    """
    shared, ciphertext = encapsulate(public_key)
    return _seal(shared, ciphertext, content, context)


def _seal(shared: bytes, ciphertext: bytes, content: bytes, context: bytes) -> bytes:
    key, nonce = _key_and_nonce(shared, ciphertext)
    return MAGIC + ciphertext + AESGCM(key).encrypt(nonce, content, MAGIC + context)


def unseal(key: DecapsulationKey, payload: bytes, context: bytes = b"") -> bytes:
    """The content of a sealed payload. Raises: SealError."""
    if not is_sealed(payload):
        raise SealError("not a sealed payload")
    ciphertext = payload[len(MAGIC) : len(MAGIC) + CIPHERTEXT_BYTES]
    shared = key.decapsulate(ciphertext)
    content_key, nonce = _key_and_nonce(shared, ciphertext)
    try:
        return AESGCM(content_key).decrypt(
            nonce, payload[len(MAGIC) + CIPHERTEXT_BYTES :], MAGIC + context
        )
    except InvalidTag:
        raise SealError("not sealed for this key and context, or changed") from None


def _key_and_nonce(shared: bytes, ciphertext: bytes) -> tuple[bytes, bytes]:
    digest = Hash(SHA256())
    digest.update(ciphertext)
    out = HKDF(SHA256(), 44, salt=digest.finalize(), info=_LABEL).derive(shared)
    return out[:32], out[32:]
