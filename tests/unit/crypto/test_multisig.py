"""Threshold keys: their amino bytes and compact bit arrays."""

import pytest

from chain.crypto import multisig
from chain.crypto.keys import Ed25519Key, MlDsa87Key, PubKey, Secp256k1Key
from chain.crypto.multisig import MultisigError

MEMBERS = [Secp256k1Key(bytes([i]) * 32).pubkey for i in (1, 2, 3)]


def test_members_read_back():
    key = multisig.public_key(2, [*MEMBERS, Ed25519Key(bytes(32)).pubkey])
    assert multisig.members(key) == (2, (*MEMBERS, Ed25519Key(bytes(32)).pubkey))
    nested = multisig.public_key(1, [key])
    assert multisig.members(nested) == (1, (key,))
    assert len(key.canonical()) == 20


def test_order_of_members_matters():
    there = multisig.public_key(2, MEMBERS)
    assert there.address() != multisig.public_key(2, MEMBERS[::-1]).address()


def test_native_keys_cannot_be_members():
    with pytest.raises(MultisigError, match="cannot be members"):
        multisig.public_key(1, [MlDsa87Key(bytes(32)).pubkey])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x22\xc1\xf7\xe2\x08",
        b"\x22\xc1\xf7\xe2\x12\x05abc",
        b"\x22\xc1\xf7\xe2\x1a\x00",
        b"\x22\xc1\xf7\xe2\x12\x04abcd",
        b"\x22\xc1\xf7\xe2\x12\x06\xeb\x5a\xe9\x87\x02a",
    ],
)
def test_other_bytes_are_no_threshold_key(data):
    with pytest.raises(MultisigError):
        multisig.members(PubKey("multisig", data))


@pytest.mark.parametrize("size", [1, 3, 7, 8, 9, 16, 17])
def test_bit_arrays_read_back(size):
    chosen = tuple(range(0, size, 2))
    assert multisig.bits(*multisig.bit_array(size, chosen)) == (size, chosen)


def test_impossible_bit_arrays_are_refused():
    assert multisig.bits(0, b"") == (0, ())
    for extra, elements in ((8, b"\x00"), (3, b"")):
        with pytest.raises(MultisigError, match="bit array"):
            multisig.bits(extra, elements)
