"""Refusals of signatures that leave nothing to check, with their texts."""

import msgspec
import pytest

from chain.crypto import multisig
from chain.crypto.keys import Secp256k1Key
from chain.errors import AppError
from chain.tx import messages as m
from chain.tx.builder import build_cosmos_direct
from chain.tx.codec import decode_tx
from chain.tx.signing import sign_bytes, signature_jobs, signatures_in_events
from chain.tx.value import MODE_ABSENT, MODE_AMINO, MODE_MULTI, MultiPart

KEYS = [Secp256k1Key(bytes([i]) * 32) for i in (1, 2, 3)]
PUBKEY = multisig.public_key(2, [key.pubkey for key in KEYS])
TX = decode_tx(
    build_cosmos_direct(
        [m.MsgSend(KEYS[0].address, "b", ())],
        [KEYS[0]],
        chain_id="c",
        account_numbers=[4],
        sequences=[1],
        gas_limit=1,
    )
)


def with_mode(mode, multi=None):
    signer = msgspec.structs.replace(TX.signers[0], mode=mode, multi=multi)
    return msgspec.structs.replace(TX, signers=(signer,))


def text(call):
    with pytest.raises(AppError) as caught:
        call()
    assert (caught.value.codespace, caught.value.code) == ("sdk", 4)
    return caught.value.log


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        (0, "unsupported sign mode SIGN_MODE_UNSPECIFIED"),
        (2, "unsuppored sign mode SIGN_MODE_TEXTUAL"),
        (3, f"fee payer {KEYS[0].address} cannot sign with SIGN_MODE_DIRECT_AUX: unauthorized"),
        (191, "unsupported sign mode SIGN_MODE_EIP_191"),
        (99, "unsupported sign mode 99"),
        (MODE_ABSENT, "unexpected ModeInfo data type <nil>"),
        (MODE_MULTI, "unexpected ModeInfo data type <nil>"),
    ],
)
def test_other_modes_are_refused(mode, reason):
    assert text(lambda: sign_bytes(with_mode(mode), 0, 4, "c")) == (
        "signature verification failed; please verify account number (4) and chain-id (c): "
        f"({reason}): unauthorized"
    )


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        (MultiPart(2, (0, 1), (1, 1), (b"a", b"b")), "bit array size is incorrect, expecting: 3"),
        (MultiPart(3, (0,), (1,), (b"a",)), "signature size is incorrect 1"),
        (MultiPart(3, (0, 1), (1, 1), (b"a",) * 4), "signature size is incorrect 4"),
        (MultiPart(3, (0,), (1, 1), (b"a", b"b")), "not enough signatures set, have 1, expected 2"),
        (MultiPart(3, (0, 1, 2), (1, 1), (b"a", b"b")), "signature size is incorrect 2"),
        (MultiPart(3, (0, 1), (1,), (b"a", b"b")), "signature size is incorrect 2"),
        (MultiPart(3, (0, 1), (1, 2), (b"a", b"b")), "unsuppored sign mode SIGN_MODE_TEXTUAL"),
    ],
)
def test_threshold_signatures_that_do_not_fit_are_refused(part, reason):
    tx = with_mode(MODE_MULTI, part)
    assert f"({reason}): unauthorized" in text(lambda: signature_jobs(tx, 0, PUBKEY, 4, "c"))


def test_a_threshold_of_zero_is_refused():
    key = multisig.public_key(0, [key.pubkey for key in KEYS])
    tx = with_mode(MODE_MULTI, MultiPart(3, (), (), ()))
    log = text(lambda: signature_jobs(tx, 0, key, 4, "c"))
    assert log.startswith("signature verification failed; please verify account number (4)")


def test_nested_threshold_keys_are_refused():
    key = multisig.public_key(1, [PUBKEY])
    tx = with_mode(MODE_MULTI, MultiPart(1, (0,), (1,), (b"a",)))
    assert "(nested threshold keys)" in text(lambda: signature_jobs(tx, 0, key, 4, "c"))


def test_members_may_sign_in_different_modes():
    part = MultiPart(3, (0, 2), (1, MODE_AMINO), (b"a", b"b"))
    tx = with_mode(MODE_MULTI, part)
    direct, amino = signature_jobs(tx, 0, PUBKEY, 4, "c")
    assert direct.message[0] == 0x0A
    assert amino.message.startswith(b"{")
    assert [direct.pubkey, amino.pubkey] == [KEYS[0].pubkey, KEYS[2].pubkey]
    assert signatures_in_events(tx, 0) == (b"a", b"b", TX.signatures[0])
