"""What is remembered of transactions changes nothing but time."""

from __future__ import annotations

import hashlib

import pytest

from chain.app.known import Memory
from chain.crypto.keys import Secp256k1Key
from chain.errors import AppError
from chain.tx.builder import build_native
from chain.tx.messages import MsgSend

KEY = Secp256k1Key(bytes(range(1, 33)))


def _transaction(sequence: int) -> bytes:
    address = KEY.pubkey.address()
    return build_native(
        [MsgSend(address, address, ())],
        [KEY],
        chain_id="known",
        account_numbers=[0],
        sequences=[sequence],
        gas_limit=1,
        fee=(),
    )


def test_the_hash_is_the_same_before_and_after_decoding() -> None:
    memory = Memory()
    raw = _transaction(0)
    digest = hashlib.sha256(raw).digest()
    assert memory.hash_of(raw) == digest
    assert memory.find(raw).tx.hash == digest
    assert memory.hash_of(bytes(bytearray(raw))) == digest
    assert memory.hash_of(raw + b"\x00") == hashlib.sha256(raw + b"\x00").digest()


def test_what_is_forgotten_is_decoded_again() -> None:
    raws = [_transaction(sequence) for sequence in range(4)]
    memory = Memory(limit=2 * len(raws[0]))
    found = [memory.find(raw) for raw in raws]
    assert memory.find(raws[3]) is found[3]
    again = memory.find(raws[0])
    assert again is not found[0]
    assert again.tx == found[0].tx


def test_bytes_that_are_no_transaction_are_refused_each_time() -> None:
    memory = Memory()
    for _ in range(2):
        with pytest.raises(AppError):
            memory.find(b"\x00")
    assert memory.hash_of(b"\x00") == hashlib.sha256(b"\x00").digest()
