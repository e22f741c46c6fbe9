"""``deps.api``: addresses and signatures with their prices."""

from __future__ import annotations

import hashlib

import pytest
from app_world import native, wallet

from chain.crypto.keys import Ed25519Key
from chain.errors import ContractError, VmError
from chain.gas import GasMeter
from chain.vm.api import Api


@pytest.fixture
def meter():
    return GasMeter(10**6)


@pytest.fixture
def api(meter):
    return Api(meter, "msg")


@pytest.mark.parametrize("key", [native("a"), wallet("a")])
def test_addresses_go_there_and_back(api, meter, key):
    text = key.pubkey.address()
    assert api.addr_validate(text) == text
    assert meter.used == 9
    assert api.addr_humanize(api.addr_canonicalize(text)) == text
    assert meter.used == 9 + 4 + 5


@pytest.mark.parametrize("text", ["", "zz", "MSG1ABC", "x" * 256, 5])
def test_ADDR_1_everything_else_is_refused_for_four_gas(api, meter, text):
    with pytest.raises(ContractError) as caught:
        api.addr_validate(text)
    assert str(caught.value).startswith("Generic error: addr_validate errored: ")
    assert meter.used == 4


def test_upper_case_is_refused(api):
    with pytest.raises(ContractError, match="address not normalized"):
        api.addr_validate(wallet("a").address.upper())


@pytest.mark.parametrize("canonical", [b"", b"x" * 19, b"x" * 64, b"x" * 24])
def test_canonical_bytes_that_are_no_address(api, canonical):
    with pytest.raises(ContractError, match="addr_humanize errored"):
        api.addr_humanize(canonical)


def test_ADDR_3_longer_input_aborts_the_call(api):
    for act in (
        lambda: api.addr_validate("x" * 257),
        lambda: api.addr_canonicalize("x" * 257),
        lambda: api.addr_humanize(b"x" * 65),
    ):
        with pytest.raises(VmError):
            act()


def test_signatures(api):
    message = b"hello"
    key = wallet("s")
    digest = hashlib.sha256(message).digest()
    assert api.secp256k1_verify(digest, key.sign(message), key.pubkey.key)
    assert not api.secp256k1_verify(digest, key.sign(b"other"), key.pubkey.key)
    with pytest.raises(ContractError):
        api.secp256k1_verify(b"short", b"", b"")
    edwards = Ed25519Key(bytes(32))
    assert api.ed25519_verify(message, edwards.sign(message), edwards.pubkey.key)
    assert not api.ed25519_verify(message, b"", edwards.pubkey.key)
    pq = native("s")
    assert api.ml_dsa_verify(message, pq.sign(message), pq.pubkey.key)
    assert not api.ml_dsa_verify(message, pq.sign(message, b"ctx"), pq.pubkey.key)
    assert api.ml_dsa_verify(message, pq.sign(message, b"ctx"), pq.pubkey.key, b"ctx")


def test_long_content_is_priced_before_the_check(api, meter):
    api.ed25519_verify(b"m" * 1024, b"", b"")
    short = meter.used
    api.ed25519_verify(b"m" * (1024 + 640), b"", b"")
    assert meter.used - short == short + 10
