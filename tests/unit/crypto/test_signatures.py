"""Keys and signatures: each implementation against another one, and all that must be refused."""

import hashlib
import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import mldsa as openssl
from pqcrypto.sign import ml_dsa_87 as second

from chain.crypto import addresses, ed25519, mldsa, secp256k1
from chain.crypto.addresses import AddressError
from chain.crypto.keys import Ed25519Key, MlDsa87Key, PubKey, Secp256k1Key

VECTORS = json.loads((Path(__file__).parents[3] / "fixtures/crypto/vectors.json").read_text())
CONTEXT = b"msgchain/tx/v1"
SEED = bytes(range(32))
KEY = MlDsa87Key(SEED)
WALLET = Secp256k1Key(
    bytes.fromhex("c4a48e2fce1481cd3294b4490f6678090ea98d3d0e5cd984558ab0968741b104")
)


def test_ml_dsa_sizes_are_those_of_fips_204():
    assert len(KEY.pubkey.key) == mldsa.PUBLIC_KEY_BYTES == second.PUBLIC_KEY_SIZE == 2592
    assert len(KEY.sign(b"m")) == mldsa.SIGNATURE_BYTES == second.SIGNATURE_SIZE == 4627


def test_ml_dsa_is_deterministic_and_pinned():
    vector = VECTORS["ml_dsa_87"]
    key = MlDsa87Key(bytes.fromhex(vector["seed"]))
    made = key.sign(bytes.fromhex(vector["message"]), bytes.fromhex(vector["context"]))
    assert hashlib.sha256(made).hexdigest() == vector["signature_sha256"]
    assert key.address == vector["address"]


@pytest.mark.parametrize("context", [b"", CONTEXT, bytes(200)])
def test_three_ml_dsa_implementations_agree(context):
    message = b"agreed" * 99
    ours = KEY.sign(message, context)
    random = KEY.sign_randomised(message, context)
    openssl.MLDSA87PublicKey.from_public_bytes(KEY.pubkey.key).verify(ours, message, context)
    for signature in (ours, random):
        second.verify(KEY.pubkey.key, message, signature, context or None)  # raises if not
        assert mldsa.verify(KEY.pubkey.key, message, signature, context)
    public, secret = second.keygen()
    theirs = second.sign(secret, message, context or None)
    assert mldsa.verify(public, message, theirs, context)


def test_longest_context_is_255_bytes():
    signature = KEY.sign(b"m", bytes(255))
    openssl.MLDSA87PublicKey.from_public_bytes(KEY.pubkey.key).verify(signature, b"m", bytes(255))
    with pytest.raises(ValueError, match="context"):
        KEY.sign(b"m", bytes(256))
    assert not mldsa.verify(KEY.pubkey.key, b"m", signature, bytes(256))


def test_randomised_signatures_differ():
    assert KEY.sign_randomised(b"m") != KEY.sign_randomised(b"m")
    assert KEY.sign(b"m") == KEY.sign(b"m")


def test_context_separates_domains():
    signature = KEY.sign(b"m", CONTEXT)
    assert mldsa.verify(KEY.pubkey.key, b"m", signature, CONTEXT)
    for context in (b"", b"msgchain/tx/v2", CONTEXT + b"\x00"):
        assert not mldsa.verify(KEY.pubkey.key, b"m", signature, context)


def test_ml_dsa_refuses_other_bytes():
    signature = KEY.sign(b"m")
    assert not mldsa.verify(KEY.pubkey.key, b"n", signature)
    assert not mldsa.verify(KEY.pubkey.key, b"m", signature[:-1])
    assert not mldsa.verify(KEY.pubkey.key, b"m", signature + b"\x00")
    assert not mldsa.verify(KEY.pubkey.key[:-1], b"m", signature)
    assert not mldsa.verify(bytes(2592), b"m", signature)
    for place in (0, 63, 64, 2000, 4626):
        changed = bytearray(signature)
        changed[place] ^= 1
        assert not mldsa.verify(KEY.pubkey.key, b"m", bytes(changed))


def test_seeds_have_their_lengths():
    for make in (MlDsa87Key, Secp256k1Key, Ed25519Key):
        with pytest.raises(ValueError, match="32 bytes"):
            make(bytes(31))


def test_wallet_key_is_cosmjs_golden_vector():
    assert WALLET.pubkey.key.hex() == (
        "024f4e2ad99c34d60b9ba6283c9431a8418af8673212961f97a77b6377fcd05b62"
    )
    assert WALLET.address == "msg19rl4cm2hmr8afy4kldpxz3fka4jguq0a2r4ntm"


def test_secp256k1_refuses_high_s_and_other_lengths():
    signature = WALLET.sign(b"m")
    assert secp256k1.verify(WALLET.pubkey.key, b"m", signature)
    s = secp256k1.ORDER - int.from_bytes(signature[32:], "big")
    high = signature[:32] + s.to_bytes(32, "big")
    for bad in (high, signature + b"\x00", signature[:63], bytes(64), b"\xff" * 64, b""):
        assert not secp256k1.verify(WALLET.pubkey.key, b"m", bad)
    assert not secp256k1.verify(b"\x05" + WALLET.pubkey.key[1:], b"m", signature)
    assert not secp256k1.verify(WALLET.pubkey.key[:32], b"m", signature)
    assert not secp256k1.verify_digest(WALLET.pubkey.key, b"short", signature)


def test_secp256k1_recovers_its_key():
    digest = hashlib.sha256(b"m").digest()
    signature = WALLET.sign(b"m")
    recovered = {secp256k1.recover(digest, signature, parity) for parity in (0, 1)}
    assert WALLET.pubkey.key in recovered
    with pytest.raises(ValueError, match="not a recoverable"):
        secp256k1.recover(digest, signature, 4)
    with pytest.raises(ValueError, match="no key"):
        secp256k1.recover(digest, bytes(64), 0)
    full = secp256k1.uncompress(WALLET.pubkey.key)
    assert len(full) == 65
    assert full[1:33] == WALLET.pubkey.key[1:]


def test_ed25519_is_rfc_8032():
    key = Ed25519Key(
        bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    )
    assert key.pubkey.key.hex() == (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    )
    signature = key.sign(b"")
    assert signature.hex().startswith("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065")
    assert ed25519.verify(key.pubkey.key, b"", signature)
    assert not ed25519.verify(key.pubkey.key, b"x", signature)
    assert not ed25519.verify(key.pubkey.key[1:], b"", signature)
    assert len(key.validator_address) == 20


def test_keys_know_their_account():
    assert KEY.pubkey.canonical() == addresses.validate(KEY.address)
    assert len(WALLET.pubkey.canonical()) == 20
    with pytest.raises(AddressError, match="unknown public key type"):
        PubKey("rsa", b"").canonical()
