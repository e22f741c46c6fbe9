"""Words, root secrets and sealed payloads, against fixed vectors."""

import base64
import hashlib
import json
from pathlib import Path

import pytest
from pqcrypto.kem import ml_kem_1024 as second

from chain.crypto import hd, mlkem, seal
from chain.crypto.hd import MnemonicError
from chain.crypto.root import RootSecret
from chain.crypto.seal import SealError

VECTORS = json.loads((Path(__file__).parents[3] / "fixtures/crypto/vectors.json").read_text())
WORDS = "abandon " * 11 + "about"
ROOT = RootSecret(bytes.fromhex(VECTORS["root"]["secret"]))
OPENING = ROOT.encryption_key()


def test_words_give_the_seed_of_bip_39():
    seed = hd.to_seed(WORDS, "TREZOR")
    assert seed.hex().startswith("c55257c360c07c72029aebc1b53c05ed0362ada38ead3e3e9efa3708e5349553")
    assert hd.to_words(bytes(16)) == WORDS
    assert hd.wallet_key("  abandon " + WORDS[8:]).address.startswith("msg19rl4cm2")


def test_derivation_is_bip_32_test_vector_1():
    seed = bytes.fromhex("000102030405060708090a0b0c0d0e0f")
    assert hd.derive(seed, "m").hex() == (
        "e8f32e723decf4051aefac8e2c93c9c5b214313817cdb01a1494b917c8436b35"
    )
    assert hd.derive(seed, "m/0'/1/2'/2/1000000000").hex() == (
        "471b76e389e528d6de6d816857e012c5455051cad6660850e58372a6c3e6e7c8"
    )


@pytest.mark.parametrize("path", ["", "44'/118'", "m/x", "m/-1", "m/2147483648", "m/1''", "m//1"])
def test_paths_that_are_none_are_refused(path):
    with pytest.raises(MnemonicError, match="not a derivation path"):
        hd.derive(bytes(64), path)


def test_words_with_a_wrong_checksum_are_refused():
    with pytest.raises(MnemonicError, match="BIP-39"):
        hd.to_seed("abandon " * 12)
    with pytest.raises(MnemonicError, match="entropy"):
        hd.to_words(bytes(15))


def test_one_root_gives_one_agent():
    vector = VECTORS["root"]
    signing = ROOT.signing_key()
    assert signing.address == vector["signing_address"]
    assert hashlib.sha256(signing.pubkey.key).hexdigest() == vector["signing_key_sha256"]
    assert hashlib.sha256(OPENING.public_key).hexdigest() == vector["encryption_key_sha256"]
    assert ROOT.card_key().pubkey.key.hex() == vector["card_key"]


def test_labels_and_roots_separate_keys():
    assert ROOT.derive(b"a", 32) != ROOT.derive(b"b", 32)
    assert ROOT.derive(b"a", 32) != RootSecret(bytes(32)).derive(b"a", 32)
    with pytest.raises(ValueError, match="at least 32"):
        RootSecret(bytes(31))


def test_recorded_payload_opens():
    vector = VECTORS["sealed"]
    payload = base64.b64decode(vector["payload"])
    content = seal.unseal(OPENING, payload, vector["context"].encode())
    assert content.decode() == vector["content"]


def test_sealing_is_fresh_each_time():
    first, other = (seal.seal(OPENING.public_key, b"same") for _ in range(2))
    assert first != other
    assert len(first) == seal.OVERHEAD + 4
    assert seal.unseal(OPENING, first) == seal.unseal(OPENING, other) == b"same"


@pytest.mark.parametrize("place", [0, 7, 8, 800, 1575, 1576, -1])
def test_a_changed_payload_does_not_open(place):
    payload = bytearray(seal.seal(OPENING.public_key, b"content", b"context"))
    payload[place] ^= 1
    with pytest.raises(SealError):
        seal.unseal(OPENING, bytes(payload), b"context")


def test_another_context_or_key_does_not_open():
    payload = seal.seal(OPENING.public_key, b"content", b"a to b")
    with pytest.raises(SealError):
        seal.unseal(OPENING, payload, b"b to a")
    with pytest.raises(SealError):
        seal.unseal(RootSecret(bytes(32)).encryption_key(), payload, b"a to b")
    with pytest.raises(SealError, match="not a sealed payload"):
        seal.unseal(OPENING, payload[:100])


def test_ml_kem_agrees_with_a_second_implementation():
    public, secret = second.keygen()
    shared, ciphertext = mlkem.encapsulate(public)
    assert second.decaps(secret, ciphertext) == shared
    ours = second.encaps(OPENING.public_key)
    assert OPENING.decapsulate(max(ours, key=len)) == min(ours, key=len)


def test_ml_kem_lengths_are_checked():
    with pytest.raises(ValueError, match="1568"):
        OPENING.decapsulate(b"short")
    with pytest.raises(ValueError, match="1568"):
        mlkem.encapsulate(b"short")
    with pytest.raises(ValueError, match="64 bytes"):
        mlkem.DecapsulationKey(bytes(32))
