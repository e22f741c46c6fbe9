"""The native form: canonical, signed over everything, one value with the other forms."""

import msgspec
import pytest

from chain.crypto.keys import MlDsa87Key, PubKey, Secp256k1Key
from chain.crypto.verify import verify
from chain.errors import AppError
from chain.tx import messages as m
from chain.tx import native
from chain.tx.builder import build_native, coins, exact, native_body, sign_native
from chain.tx.codec import decode_tx
from chain.tx.native import Body, SignerInfo
from chain.tx.signing import sign_bytes, signature_jobs
from chain.tx.value import MODE_NATIVE, NATIVE, required_signers

AGENT = MlDsa87Key(b"\x01" * 32)
OWNER = Secp256k1Key(b"\x02" * 32)
CALL = m.MsgExecuteContract(AGENT.address, "msg1contract", b'{"ping":{}}', coins("5umsg"))


def signed(messages=(CALL,), keys=(AGENT,), **options):
    defaults = {
        "chain_id": "msg-chain-1",
        "account_numbers": [7] * len(keys),
        "sequences": [3] * len(keys),
        "gas_limit": 200_000,
        "fee": coins("200000000000000amsg"),
    }
    return build_native(messages, keys, **{**defaults, **options})


def refusal(raw):
    with pytest.raises(AppError) as caught:
        decode_tx(raw)
    assert (caught.value.codespace, caught.value.code) == ("sdk", 2)
    return caught.value.log


def reencoded(**changes):
    """A transaction whose body has changed fields, envelope intact."""
    body = native.Body(
        native.VERSION, "msg-chain-1", exact((CALL,)), (SignerInfo(AGENT.address, None, 0),), 1, ()
    )
    return native.encode_envelope(
        native.encode_body(msgspec.structs.replace(body, **changes)), [b"signature"]
    )


def test_all_fields_arrive():
    raw = signed(memo="mémo", timeout_height=99, fee_payer=AGENT.address)
    tx = decode_tx(raw)
    assert raw[0] & 0xF0 == 0x90
    assert (tx.form, tx.chain_id, tx.gas_limit, tx.memo) == (NATIVE, "msg-chain-1", 200_000, "mémo")
    assert (tx.timeout_height, tx.fee_payer, tx.memo_size) == (99, AGENT.address, 5)
    assert tx.messages == (CALL,)
    assert tx.fee == coins("200000000000000amsg")
    (signer,) = tx.signers
    assert (signer.address, signer.sequence, signer.mode) == (AGENT.address, 3, MODE_NATIVE)
    assert signer.pubkey == AGENT.pubkey
    assert tx.raw == raw
    assert len(tx.hash) == 32


def test_signature_holds_for_its_account_only():
    tx = decode_tx(signed())
    (job,) = signature_jobs(tx, 0, AGENT.pubkey, 7, "msg-chain-1")
    assert verify(job)
    (job,) = signature_jobs(tx, 0, AGENT.pubkey, 8, "msg-chain-1")
    assert not verify(job)


def test_every_field_is_signed():
    kept = sign_bytes(decode_tx(signed()), 0, 7, "msg-chain-1")
    for change in (
        {"chain_id": "other"},
        {"sequences": [4]},
        {"gas_limit": 1},
        {"fee": ()},
        {"memo": "x"},
        {"timeout_height": 1},
        {"fee_payer": AGENT.address},
        {"send_keys": False},
        {"messages": (CALL, CALL)},
    ):
        assert sign_bytes(decode_tx(signed(**change)), 0, 7, "msg-chain-1") != kept


def test_several_signers_have_their_places():
    tx = decode_tx(signed(keys=(AGENT, OWNER), account_numbers=[7, 8], sequences=[3, 0]))
    assert [signer.address for signer in tx.signers] == [AGENT.address, OWNER.address]
    for index, (key, number) in enumerate(((AGENT, 7), (OWNER, 8))):
        (job,) = signature_jobs(tx, index, key.pubkey, number, "msg-chain-1")
        assert verify(job)
    assert sign_bytes(tx, 0, 7, "") != sign_bytes(tx, 1, 7, "")


def test_signers_can_sign_apart():
    infos = [SignerInfo(key.pubkey.address(), key.pubkey, 0) for key in (AGENT, OWNER)]
    body = native_body((CALL,), infos, chain_id="c", gas_limit=1)
    parts = [sign_native(body, index, 5, key) for index, key in enumerate((AGENT, OWNER))]
    raw = native.encode_envelope(body, parts)
    together = signed(
        keys=(AGENT, OWNER),
        account_numbers=[5, 5],
        sequences=[0, 0],
        chain_id="c",
        gas_limit=1,
        fee=(),
    )
    assert raw == together


def test_a_known_key_need_not_travel():
    raw = signed(send_keys=False)
    assert decode_tx(raw).signers[0].pubkey is None
    assert len(signed()) - len(raw) > 2592


@pytest.mark.parametrize("extra", [b"", b"\xc0", b"\x00"])
def test_bytes_that_encode_differently_are_refused(extra):
    raw = signed()
    body = decode_tx(raw).body
    long_form = b"\xdc" + len(body).to_bytes(2, "big")  # array 16 instead of a fixed array
    assert refusal(long_form + raw[1:]) in (
        "native transaction is not canonical: tx parse error",
        "invalid native transaction: tx parse error",
    )
    if extra:
        assert "tx parse error" in refusal(raw + extra)


def test_integers_in_long_form_are_refused():
    raw = native.encode_envelope(b"", [])
    assert raw == b"\x92\xc4\x00\x90"
    assert refusal(b"\xdc\x00\x02\xc4\x00\x90") == "invalid native transaction: tx parse error"
    body = native.encode_body(Body(1, "c", (), (SignerInfo("a", None, 5),), 1, (), "", "", 0))
    place = body.index(b"\x93\xa1a\xc0\x05") + 4
    long_five = body[:place] + b"\xcc\x05" + body[place + 1 :]
    envelope = native.encode_envelope(long_five, [b"s"])
    assert refusal(envelope) == "native transaction is not canonical: tx parse error"
    assert decode_tx(native.encode_envelope(body, [b"s"])).signers[0].sequence == 5


@pytest.mark.parametrize("text", ["05", "-5", "+5", "5.0", "", " 5", "٥", "1" * 79])
def test_amounts_have_one_text(text):
    assert refusal(reencoded_amount(text)) == "invalid native transaction: tx parse error"


def reencoded_amount(text):
    raw = reencoded(fee=exact(coins("7amsg")))
    body = decode_tx(raw).body
    old = b"\xa17"
    new = msgspec.msgpack.encode(text)
    return native.encode_envelope(body.replace(b"\xa4amsg" + old, b"\xa4amsg" + new), [b"s"])


def test_other_versions_are_refused():
    assert refusal(reencoded(version=2)).startswith("native transaction version 2 is not known")


def test_a_signer_named_twice_is_refused():
    info = SignerInfo("a", None, 0)
    assert refusal(reencoded(signers=(info, info))).startswith("signer a is named twice")


@pytest.mark.parametrize(
    "key",
    [
        PubKey("ml_dsa_87", b"short"),
        PubKey("secp256k1", bytes(32)),
        PubKey("ed25519", bytes(32)),
        PubKey("x", b""),
    ],
)
def test_other_keys_are_refused(key):
    info = SignerInfo("a", key, 0)
    assert "is not a native key" in refusal(reencoded(signers=(info,)))


@pytest.mark.parametrize(
    "raw",
    [
        b"\x90",
        b"\x92",
        b"\x92\xc4\x00\x90",
        b"\x91\xc4\x00",
        b"\x93\xc4\x00\x90\x00",
        b"\xdd\xff\xff\xff\xff",
        b"\x91" * 5000,
        b"\x92\xc4\x01\x91\x90",
    ],
)
def test_damaged_bytes_are_refused(raw):
    assert "native transaction" in refusal(raw)


def test_negative_numbers_are_refused():
    body = native.encode_body(Body(1, "c", (), (SignerInfo("a", None, 5),), 1, (), "", "", 0))
    place = body.index(b"\x93\xa1a\xc0\x05") + 4
    negative = body[:place] + b"\xff" + body[place + 1 :]
    assert "invalid native" in refusal(native.encode_envelope(negative, [b"s"]))


def test_missing_and_surplus_signatures_decode_for_the_application_to_refuse():
    body = decode_tx(signed()).body
    assert decode_tx(native.encode_envelope(body, [])).signers[0].signature == b""
    assert len(decode_tx(native.encode_envelope(body, [b"a", b"b"])).signatures) == 2


def test_signers_follow_from_messages_and_payer():
    other = m.MsgSend("x", "y", ())
    tx = decode_tx(signed(messages=(CALL, other, CALL), fee_payer="p"))
    assert required_signers(tx) == (AGENT.address, "x", "p")
    assert tx.payer == "p"


def test_encoder_refuses_unknown_values():
    with pytest.raises(TypeError, match="cannot encode"):
        native.write_amount(object())
