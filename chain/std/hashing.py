"""Hashes for contracts. CosmWasm contracts link a crate for this; here the host has it."""

from __future__ import annotations

import hashlib


def sha256(data: bytes) -> bytes:
    """The SHA-256 digest, 32 bytes."""
    return hashlib.sha256(data).digest()
