"""ICS-23: the recorded vectors, and what the verifier refuses."""

from __future__ import annotations

import re
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from chain.store import Derived, MemoryBackend, StateStore, StoreError, ics23
from chain.store.ics23 import proof_value, verify_membership, verify_non_membership
from chain.store.keys import DERIVED_KEY

# Made by an independent implementation and accepted by @confio/ics23 0.6.8 with smtSpec.
STATE = {b"balances/alice": b"100", b"balances/bob": b"7", b"config": b"{}"}
ROOT = bytes.fromhex("489129895f5b7ce39c8ccb24a10475aafcca047e523e10ae63e6c38c8bc85cf2")
ALICE = bytes.fromhex(
    "0a5d0a20303767ee8977add3b87adbb3aec3c08691324092fb49162bf4f24be56e89b1ee12033130301a0b080110"
    "00180120002a0100222708011201011a20e7807f395032caa733cb8132a369a1f34a40ce18351b32efe436532ac6"
    "f26a17"
)
BOB = bytes.fromhex(
    "0a84010a20d7e0d24df3997755717a741eb739fb0e54747bd3bc2915eeb606240fdbd69a9c1201371a0b08011000"
    "180120002a010022270801122101ffc11710fcf0f56c83f5b7e9effb3045bb3d97d203ce1ee9f7818599a99f38a9"
    "1a0022270801122101103b50941332d36f80305e99d2eee0093d1cb9014eb88e2167ba778afead17ac1a00"
)
CONFIG = bytes.fromhex(
    "0a20b79606fb3afea5bd1609ed40b622142f1c98125abcfe89a76a661b0e8e34391012027b7d1a0b080110001801"
    "20002a0100222708011201011a20329397658033a87ad2de5b4bedb133f06e3b2ed2ffefee4b90b80b933bdfd8c1"
    "22270801122101103b50941332d36f80305e99d2eee0093d1cb9014eb88e2167ba778afead17ac1a00"
)
ABSENT_PATH = bytes.fromhex("5ad38304b535c2987dbd24657c1a11b884984ff600d9f389deb0d4e634fee792")
ABSENT = (
    bytes.fromhex("1289020a20") + ABSENT_PATH + b"\x12\x5d" + ALICE[2:] + b"\x1a\x85\x01" + CONFIG
)


def store_of(state):
    store = StateStore(MemoryBackend())
    store.stage(1, state)
    store.commit()
    return store


@pytest.fixture(name="store")
def _store():
    return store_of(STATE)


def test_root_of_the_vector(store):
    assert store.app_hash == ROOT


@pytest.mark.parametrize(
    ("key", "proof"),
    [
        (b"balances/alice", ALICE),
        (b"balances/bob", BOB),
        (b"config", b"\x0a\x85\x01" + CONFIG),
        (b"absent", ABSENT),
    ],
)
def test_proofs_of_the_vector(store, key, proof):
    assert store.prove(key, 1) == proof


def test_the_verifier_accepts_the_vector():
    assert verify_membership(ROOT, b"balances/alice", b"100", ALICE)
    assert verify_membership(ROOT, b"balances/bob", b"7", BOB)
    assert verify_non_membership(ROOT, b"absent", ABSENT)


def test_a_proof_is_for_one_key_value_root_and_kind():
    assert not verify_membership(ROOT, b"balances/alice", b"101", ALICE)
    assert not verify_membership(ROOT, b"balances/bob", b"100", ALICE)
    assert not verify_membership(bytes(32), b"balances/alice", b"100", ALICE)
    assert not verify_membership(ROOT, b"absent", b"", ABSENT)
    assert not verify_non_membership(ROOT, b"balances/alice", ALICE)
    assert not verify_non_membership(ROOT, b"balances/bob", ABSENT)


@pytest.mark.parametrize("proof", [ALICE, BOB, ABSENT], ids=["alice", "bob", "absent"])
def test_every_flipped_bit_and_every_cut_is_refused(proof):
    key = {ALICE: b"balances/alice", BOB: b"balances/bob", ABSENT: b"absent"}[proof]
    value = STATE.get(key)

    def accepted(changed):
        if value is None:
            return verify_non_membership(ROOT, key, changed)
        return verify_membership(ROOT, key, value, changed)

    assert accepted(proof)
    for bit in range(8 * len(proof)):
        changed = bytearray(proof)
        changed[bit >> 3] ^= 1 << (bit & 7)
        assert not accepted(bytes(changed)), bit
    assert not any(accepted(proof[:end]) for end in range(len(proof)))
    assert not accepted(proof + b"\x00")


def test_neighbours_must_be_adjacent(store):
    """A proof that leaves out a leaf between its two does not show absence of that leaf."""
    alice, bob = ALICE[2:], BOB[3:]
    config_path = sha256(b"config").digest()
    forged = b"\x0a\x20" + config_path + b"\x12\x5d" + alice + b"\x1a\x84\x01" + bob
    proof = b"\x12" + bytes((len(forged) & 0x7F | 0x80, len(forged) >> 7)) + forged
    assert not verify_non_membership(ROOT, b"config", proof)


def test_a_single_neighbour_must_be_at_the_edge():
    path = sha256(b"config").digest()
    body = b"\x0a\x20" + path + b"\x12\x5d" + ALICE[2:]
    assert not verify_non_membership(
        ROOT, b"config", b"\x12" + bytes((len(body) & 0x7F | 0x80, len(body) >> 7)) + body
    )


@pytest.mark.parametrize("value", [b"", b"\x00", b"\x00\x00", b"\x00a", b"a\x00", b"a"])
def test_every_value_can_be_proven_and_none_stands_for_another(value):
    store = store_of({b"key": value, b"other": b"x"})
    proof = store.prove(b"key", 1)
    for other in (b"", b"\x00", b"\x00\x00", b"\x00\x00\x00", b"\x00a", b"a\x00", b"a"):
        assert verify_membership(store.app_hash, b"key", other, proof) == (other == value)
    assert proof_value(value)


def test_an_empty_tree_proves_nothing():
    with pytest.raises(StoreError, match="empty"):
        StateStore(MemoryBackend()).prove(b"key", 0)


def test_derived_values_are_absent_and_their_hash_is_present():
    store = store_of({b"index": Derived(b"x"), b"key": b"v"})
    assert verify_non_membership(store.app_hash, b"index", store.prove(b"index", 1))
    rolling = store.view.get(DERIVED_KEY)
    assert verify_membership(store.app_hash, DERIVED_KEY, rolling, store.prove(DERIVED_KEY, 1))


def test_the_verifier_needs_nothing_of_the_project():
    source = Path(ics23.__file__).read_text(encoding="utf-8")
    imports = re.findall(r"^(?:import|from) (\S+)", source, re.MULTILINE)
    assert imports
    assert all(name.split(".")[0] in sys.stdlib_module_names for name in imports)
