"""The Cosmos form beyond the recordings: strictness in corners, leniency where the SDK has it."""

import pytest

from chain.crypto import multisig
from chain.crypto.keys import MlDsa87Key, Secp256k1Key
from chain.crypto.verify import verify
from chain.errors import AppError
from chain.protowire import any_field, bytes_field, int_field, message_field, text_field, varint
from chain.tx import messages as m
from chain.tx.builder import (
    build_cosmos_amino,
    build_cosmos_direct,
    build_cosmos_multisig,
    build_simulation,
    coins,
    cosmos_auth_info,
    cosmos_body,
    cosmos_raw,
)
from chain.tx.codec import decode_tx
from chain.tx.signing import key_count, refused, sign_bytes, signature_jobs
from chain.tx.value import MODE_ABSENT, MODE_MULTI, MODE_UNSPECIFIED

KEY = Secp256k1Key(b"\x01" * 32)
OTHER = Secp256k1Key(b"\x02" * 32)
SEND = m.MsgSend(KEY.address, OTHER.address, coins("5umsg"))
AUTH = cosmos_auth_info([KEY.pubkey], [0], gas_limit=1, fee=coins("1umsg"))
ALL = (
    SEND,
    m.MsgMultiSend(
        (m.Transfer("a", coins("2u")),), (m.Transfer("b", coins("1u")), m.Transfer("c", ()))
    ),
    m.MsgStoreCode("a", b"msgchain:x@00", m.AccessConfig(4, ("b", "c"))),
    m.MsgStoreCode("a", b"code"),
    m.MsgInstantiateContract("a", "", 1, "label", b"{}", coins("1u")),
    m.MsgInstantiateContract2("a", "b", 1, "label", b"{}", (), b"salt", True),
    m.MsgExecuteContract("a", "c", b'{"b":1,"a":[1.50,"<&>"]}', ()),
    m.MsgMigrateContract("a", "c", 2, b"{}"),
    m.MsgUpdateAdmin("a", "c", "n"),
    m.MsgClearAdmin("a", "c"),
    m.MsgUpdateContractLabel("a", "c", "l"),
    m.MsgUpdateParams("a", {"x": 1, "y": "2", "z": ("q",)}),
    m.MsgMint("a", "b", coins("1u")),
    m.MsgUpdateValidators("a", (m.ValidatorChange("ed25519", bytes(32), 10, "p"),)),
)


def refusal(raw):
    with pytest.raises(AppError) as caught:
        decode_tx(raw)
    assert (caught.value.codespace, caught.value.code) == ("sdk", 2)
    return caught.value.log.removesuffix(": tx parse error")


def with_body(body):
    return cosmos_raw(body, AUTH, [b"s"])


def with_message(value, url=m.MsgSend.TYPE_URL):
    return with_body(any_field(1, url, value))


def test_every_message_arrives():
    tx = decode_tx(with_body(cosmos_body(ALL, "memo", 5)))
    assert tx.messages == ALL
    assert (tx.memo, tx.timeout_height) == ("memo", 5)


OPTIONS = {"chain_id": "c", "account_numbers": [9], "sequences": [2], "gas_limit": 1}


@pytest.mark.parametrize("build", [build_cosmos_direct, build_cosmos_amino])
@pytest.mark.parametrize(
    "message", [x for x in ALL if not isinstance(x, (m.MsgUpdateParams, m.MsgUpdateValidators))]
)
def test_built_transactions_verify(build, message):
    tx = decode_tx(build([message], [KEY], fee=coins("1umsg"), memo="<é>", **OPTIONS))
    (job,) = signature_jobs(tx, 0, KEY.pubkey, 9, "c")
    assert verify(job)
    for number, chain in ((8, "c"), (9, "d")):
        (job,) = signature_jobs(tx, 0, KEY.pubkey, number, chain)
        assert not verify(job)


def test_messages_without_amino_form_are_refused_as_unverified():
    raw = build_cosmos_direct([ALL[-1]], [KEY], **OPTIONS)
    mode = raw.replace(b"\x12\x04\n\x02\x08\x01", b"\x12\x04\n\x02\x08\x7f")
    with pytest.raises(AppError, match="please verify account number") as caught:
        sign_bytes(decode_tx(mode), 0, 9, "c")
    assert caught.value.code == 4


def test_native_keys_may_sign_cosmos_transactions():
    key = MlDsa87Key(bytes(32))
    tx = decode_tx(build_cosmos_direct([SEND], [key], **OPTIONS))
    assert tx.signers[0].pubkey == key.pubkey
    (job,) = signature_jobs(tx, 0, key.pubkey, 9, "c")
    assert verify(job)


def threshold_case(chosen):
    keys = [Secp256k1Key(bytes([i]) * 32) for i in (1, 2, 3)]
    pubkey = multisig.public_key(2, [key.pubkey for key in keys])
    raw = build_cosmos_multisig(
        [m.MsgSend(pubkey.address(), "b", ())],
        pubkey,
        {index: keys[index] for index in chosen},
        chain_id="c",
        account_number=4,
        sequence=1,
        gas_limit=1,
    )
    return pubkey, decode_tx(raw)


@pytest.mark.parametrize("chosen", [(0, 1), (0, 2), (1, 2), (0, 1, 2)])
def test_threshold_keys_verify(chosen):
    pubkey, tx = threshold_case(chosen)
    signer = tx.signers[0]
    assert (signer.mode, signer.pubkey, signer.multi.members) == (MODE_MULTI, pubkey, chosen)
    jobs = signature_jobs(tx, 0, pubkey, 4, "c")
    assert len(jobs) == len(chosen)
    assert all(verify(job) for job in jobs)
    assert key_count(pubkey) == 3
    assert key_count(None) == key_count(KEY.pubkey) == 1


def test_too_few_members_are_refused():
    pubkey, tx = threshold_case((1,))
    with pytest.raises(AppError) as caught:
        signature_jobs(tx, 0, pubkey, 4, "c")
    assert caught.value.log == refused(tx, 0, 4, "c").log


def test_a_single_signature_is_none_of_a_threshold_key():
    pubkey, _ = threshold_case((0, 1))
    tx = decode_tx(build_cosmos_direct([SEND], [KEY], **OPTIONS))
    with pytest.raises(AppError, match="expected multi-signature data"):
        signature_jobs(tx, 0, pubkey, 4, "c")
    _, multi = threshold_case((0, 1))
    with pytest.raises(AppError, match="signature verification failed"):
        signature_jobs(multi, 0, KEY.pubkey, 4, "c")


def test_simulation_bytes_decode():
    tx = decode_tx(build_simulation([SEND], [KEY.pubkey], [3], "memo"))
    assert tx.signatures == (b"",)
    assert (tx.signers[0].mode, tx.signers[0].sequence, tx.has_fee) == (MODE_UNSPECIFIED, 3, True)
    assert (tx.fee, tx.gas_limit) == ((), 0)


def test_absent_parts_are_visible():
    body = cosmos_body([SEND])
    tx = decode_tx(cosmos_raw(body, b"", []))
    assert (tx.has_fee, tx.signers, tx.signatures) == (False, (), ())
    tx = decode_tx(cosmos_raw(body, message_field(1, b""), [b"s"]))
    assert (tx.signers[0].mode, tx.signers[0].pubkey) == (MODE_ABSENT, None)
    tx = decode_tx(cosmos_raw(body, message_field(1, message_field(2, b"")), [b"s"]))
    assert tx.signers[0].mode == MODE_ABSENT


def test_last_scalar_wins_and_messages_merge():
    body = cosmos_body([SEND], "one") + text_field(2, "two")
    fee = message_field(2, int_field(2, 5)) + message_field(2, text_field(3, "p"))
    tx = decode_tx(cosmos_raw(body, AUTH + fee, [b"s"]))
    assert (tx.memo, tx.gas_limit, tx.fee_payer, tx.fee) == ("two", 5, "p", coins("1umsg"))


def test_the_later_mode_of_a_signer_wins():
    both = message_field(2, message_field(2, b"") + message_field(1, int_field(1, 127)))
    tx = decode_tx(cosmos_raw(cosmos_body([SEND]), message_field(1, both), [b"s"]))
    assert tx.signers[0].mode == 127


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (
            b"\x08\x01",
            'Mismatched "*types.MsgSend": {TagNum: 1, GotWireType: "varint" != WantWireType: "bytes"}',
        ),
        (b"\x20\x01", 'errUnknownField "*types.MsgSend": {TagNum: 4, WireType:"varint"}'),
        (b"\x21" + bytes(8), 'errUnknownField "*types.MsgSend": {TagNum: 4, WireType:"fixed64"}'),
        (b"\x0a", 'could not consume field value for tagNum: 1, wireType: "bytes"; unexpected EOF'),
        (
            b"\x0a\x05a",
            'could not consume field value for tagNum: 1, wireType: "bytes"; unexpected EOF',
        ),
        (
            b"\x0a" + b"\xff" * 10,
            'could not consume field value for tagNum: 1, wireType: "bytes"; proto:\xa0variable length integer overflow',
        ),
        (b"\x00", "invalid length"),
        (b"\x80", "invalid length"),
        (
            b"\x1a\x02\x08\x01",
            'Mismatched "*types.Coin": {TagNum: 1, GotWireType: "varint" != WantWireType: "bytes"}',
        ),
    ],
)
def test_strict_walk_refuses(value, text):
    assert refusal(with_message(value)) == text


def test_packed_scalars_where_one_is_wanted_are_refused():
    body = cosmos_body([SEND]) + bytes_field(3, b"\x01")
    assert refusal(with_body(body)) == "proto: wrong wireType = 2 for field TimeoutHeight"
    pinned = text_field(1, "a") + bytes_field(2, b"\x01\x02") + varint(2 << 3) + b"\x01"
    tx = decode_tx(with_message(pinned, "/cosmwasm.wasm.v1.MsgPinCodes"))
    assert tx.messages[0].authority == "a"
    assert m.type_url(tx.messages[0]) == "/cosmwasm.wasm.v1.MsgPinCodes"


@pytest.mark.parametrize(
    "extra",
    [
        varint(1024 << 3) + b"\x05",
        varint(1024 << 3 | 1) + bytes(8),
        varint(1024 << 3 | 5) + bytes(4),
        varint(1024 << 3 | 2) + b"\x02ab",
        varint(1024 << 3 | 3) + b"\x08\x01" + varint(1024 << 3 | 4),
    ],
)
def test_non_critical_fields_pass_in_body_and_messages_only(extra):
    assert decode_tx(with_body(cosmos_body([SEND]) + extra)).messages == (SEND,)
    refusal(cosmos_raw(cosmos_body([SEND]), AUTH + extra, [b"s"]))


@pytest.mark.parametrize(
    ("extra", "text"),
    [
        (varint(1024 << 3 | 6), "proto:\xa0cannot parse reserved wire type"),
        (varint(1024 << 3 | 4), "proto:\xa0mismatching end group marker"),
        (varint(1024 << 3 | 3) + varint(8 << 3 | 4), "proto:\xa0mismatching end group marker"),
        (varint(1024 << 3 | 3), "unexpected EOF"),
        (varint(1024 << 3 | 1) + b"1234", "unexpected EOF"),
    ],
)
def test_damaged_non_critical_fields_are_refused(extra, text):
    assert refusal(with_body(cosmos_body([SEND]) + extra)).endswith(text)


def test_groups_without_end_do_not_exhaust_the_stack():
    bomb = varint(1024 << 3 | 3) * 5000
    assert "recursion depth" in refusal(with_body(cosmos_body([SEND]) + bomb))


def test_nested_modes_do_not_exhaust_the_stack():
    info = b""
    for _ in range(300):
        info = message_field(2, message_field(2, info))
    assert refusal(cosmos_raw(b"", message_field(1, info), [])) == "recursion limit reached"


@pytest.mark.parametrize("text", ["1.5", "abc", "08", "0b2", "1_", "_1", "1__0", "0x", "-", "٥"])
def test_amounts_that_go_cannot_read_are_refused(text):
    value = text_field(1, "a") + message_field(3, text_field(2, text))
    assert refusal(with_message(value)).startswith("math/big: cannot unmarshal")


def test_bad_parameters_are_refused():
    value = text_field(1, "a") + bytes_field(2, b"[1]")
    assert "parameters" in refusal(with_message(value, m.MsgUpdateParams.TYPE_URL))


def test_native_members_of_threshold_keys_are_refused():
    member = any_field(2, "/msgchain.crypto.v1.MlDsa87PubKey", bytes_field(1, b"k"))
    key = any_field(1, "/cosmos.crypto.multisig.LegacyAminoPubKey", int_field(1, 1) + member)
    raw = cosmos_raw(cosmos_body([SEND]), message_field(1, key), [b"s"])
    assert refusal(raw) == "ml_dsa_87 keys cannot be members"


def test_keys_must_be_keys():
    key = any_field(1, m.MsgSend.TYPE_URL, b"")
    raw = cosmos_raw(cosmos_body([SEND]), message_field(1, key), [b"s"])
    assert refusal(raw) == (
        "no concrete type registered for type URL /cosmos.bank.v1beta1.MsgSend "
        "against interface *types.PubKey"
    )


def test_unreadable_multi_signatures_give_no_parts():
    pubkey, tx = threshold_case((0, 1))
    for signature in (b"\x0a\x05a", b"\x12\x01a", b"\xff"):
        damaged = decode_tx(cosmos_raw(tx.body, tx.auth_info, [signature]))
        assert damaged.signers[0].multi.signatures == ()
        with pytest.raises(AppError):
            signature_jobs(damaged, 0, pubkey, 4, "c")
