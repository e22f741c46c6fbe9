"""Transactions that were decoded before, and which of their signatures were proven.

A transaction is looked at when it comes, when its block is checked, when it runs and each time it
waits for another block; its bytes are decoded and its signatures verified once. Both are pure
functions of exact bytes, so nothing that is remembered or forgotten here can change a result.
"""

from __future__ import annotations

import hashlib
from typing import Final, NamedTuple

from chain.crypto.keys import PubKey
from chain.tx.codec import decode_tx
from chain.tx.value import Tx

#: bytes of transactions in each of two generations, with what decoding adds to a small one
GENERATION_BYTES: Final = 16 << 20
_DECODED_BYTES: Final = 2_000


class Proof(NamedTuple):
    """A signature that was verified: under which key, of which account, on which chain."""

    key: PubKey
    number: int
    chain_id: str


class Known:
    """A transaction, the proofs of its signers in order (empty while nothing was proven), and
    whether it passed the checks that need no state.
    """

    __slots__ = ("proofs", "sound", "tx")

    def __init__(self, tx: Tx) -> None:
        self.tx = tx
        self.proofs: tuple[Proof, ...] = ()
        self.sound = False


class Memory:
    """What was decoded lately, by exact bytes. Several threads may use it: each step is one
    operation on a dict, and what is lost is decoded again.
    """

    __slots__ = ("_limit", "_old", "_room", "_young")

    def __init__(self, limit: int = GENERATION_BYTES) -> None:
        self._limit = self._room = limit
        self._young: dict[bytes, Known] = {}
        self._old: dict[bytes, Known] = {}

    def hash_of(self, raw: bytes) -> bytes:
        """SHA-256 of a transaction's bytes, from where it was decoded if it was."""
        known = self._young.get(raw) or self._old.get(raw)
        return hashlib.sha256(raw).digest() if known is None else known.tx.hash

    def find(self, raw: bytes) -> Known:
        """The transaction of these bytes. Raises: AppError sdk/2."""
        known = self._young.get(raw) or self._old.get(raw)
        if known is not None:
            return known
        known = Known(decode_tx(raw))
        self._young[known.tx.raw] = known
        self._room -= len(raw) + _DECODED_BYTES
        if self._room <= 0:
            self._old, self._young, self._room = self._young, {}, self._limit
        return known
