"""Wallet keys from words: BIP-39 mnemonics and BIP-32 derivation on secp256k1, as
CosmJS and Keplr do it.
"""

from __future__ import annotations

import hashlib
import hmac
from functools import cache
from typing import Final

from mnemonic import Mnemonic

from chain.crypto.keys import Secp256k1Key
from chain.crypto.secp256k1 import ORDER, SigningKey

#: Cosmos accounts; the index comes behind it.
COSMOS_PATH: Final = "m/44'/118'/0'/0/"
_HARDENED: Final = 1 << 31


class MnemonicError(Exception):
    """Words that are no mnemonic, or a path that is none."""


@cache
def _words() -> Mnemonic:
    return Mnemonic("english")


def to_words(entropy: bytes) -> str:
    """The mnemonic of 16, 20, 24, 28 or 32 random bytes. Raises: MnemonicError."""
    if len(entropy) not in (16, 20, 24, 28, 32):
        raise MnemonicError("entropy has 16, 20, 24, 28 or 32 bytes")
    return _words().to_mnemonic(entropy)


def to_seed(words: str, password: str = "") -> bytes:
    """The 64-byte seed of a mnemonic. Raises: MnemonicError when a word or the checksum
    is wrong.
    """
    words = " ".join(words.split())
    if not _words().check(words):
        raise MnemonicError("not a BIP-39 mnemonic")
    return Mnemonic.to_seed(words, password)


def derive(seed: bytes, path: str) -> bytes:
    """The 32-byte secret at a BIP-32 path of a seed. Raises: MnemonicError for a path
    that is none.
    """
    digest = hmac.digest(b"Bitcoin seed", seed, hashlib.sha512)
    secret, chain_code = digest[:32], digest[32:]
    for index in _indices(path):
        if index >= _HARDENED:
            data = b"\x00" + secret
        else:
            data = SigningKey(secret).public_key
        digest = hmac.digest(chain_code, data + index.to_bytes(4, "big"), hashlib.sha512)
        child = (int.from_bytes(digest[:32], "big") + int.from_bytes(secret, "big")) % ORDER
        secret, chain_code = child.to_bytes(32, "big"), digest[32:]
    return secret


def _indices(path: str) -> list[int]:
    root, *steps = path.split("/")
    if root != "m":
        raise MnemonicError(f"not a derivation path: {path}")
    found = []
    for step in steps:
        digits = step.removesuffix("'")
        if not (digits.isascii() and digits.isdigit()) or int(digits[:11]) >= _HARDENED:
            raise MnemonicError(f"not a derivation path: {path}")
        found.append(int(digits) + (_HARDENED if step != digits else 0))
    return found


def wallet_key(words: str, index: int = 0, password: str = "") -> Secp256k1Key:
    """The account key at an index of a mnemonic. Raises: MnemonicError."""
    return Secp256k1Key(derive(to_seed(words, password), f"{COSMOS_PATH}{index}"))
