"""Amino documents, against CosmJS's golden vectors."""

import pytest

from chain.crypto.keys import Secp256k1Key
from chain.errors import AppError
from chain.tx import messages as m
from chain.tx.amino import AminoError, amino_message, canonical_json, sign_document
from chain.tx.builder import build_cosmos_amino, build_cosmos_direct, coins
from chain.tx.codec import decode_tx
from chain.tx.signing import sign_bytes

KEY = Secp256k1Key(
    bytes.fromhex("c4a48e2fce1481cd3294b4490f6678090ea98d3d0e5cd984558ab0968741b104")
)
OPTIONS = {
    "chain_id": "msg-1",
    "account_numbers": [5],
    "sequences": [3],
    "gas_limit": 140002,
    "fee": coins("3501umsg"),
    "memo": "memo",
}
DOCUMENT = (
    '{"account_number":"5","chain_id":"msg-1","fee":{"amount":[{"amount":"3501","denom":"umsg"}],'
    '"gas":"140002"},"memo":"memo","msgs":[{"type":"wasm/MsgExecuteContract","value":{"contract":'
    '"msg1c","funds":[{"amount":"5","denom":"umsg"}],"msg":{"a":1,"b":"\\u003c\\u0026\\u003e"},'
    '"sender":"msg19rl4cm2hmr8afy4kldpxz3fka4jguq0a2r4ntm"}}],"sequence":"3"}'
)


def execute(msg):
    return m.MsgExecuteContract(KEY.address, "msg1c", msg, coins("5umsg"))


def test_document_and_signature_are_cosmjs():
    tx = decode_tx(build_cosmos_amino([execute(b'{"b":"<&>","a":1}')], [KEY], **OPTIONS))
    document = sign_document(tx, chain_id="msg-1", account_number=5, sequence=3)
    assert document.decode() == DOCUMENT
    assert tx.signatures[0].hex() == (
        "d615b4e12874317d5ed99656ab2131bc70381d80b564ab929b3ba861df0525e9"
        "7b8ca1d422a6eab4a56333bdb302df3560b05f49e8e1902ceb33770655e68170"
    )


def test_direct_signature_is_cosmjs():
    tx = decode_tx(build_cosmos_direct([execute(b'{"inc":{"n":1}}')], [KEY], **OPTIONS))
    assert tx.signatures[0].hex() == (
        "9f65448cd112fad7014179fbbfdf10288abd8546ed0c6ecf64195103506ecfab"
        "00dbcad0ad99404ecaf35905251662809879bca2264f3beae270e18e3723b865"
    )
    assert tx.hash.hex().upper() == (
        "5C89A35797287119EAF365B200CBA2841279C1974AE6E38C8D7877B684CC1B85"
    )


@pytest.mark.parametrize(
    "token", ["1", "1.50", "1e+21", "-0", "123456789012345678901234567890", "null", "true"]
)
def test_number_tokens_stay(token):
    value = amino_message(execute(b'{"n":' + token.encode() + b"}"))
    assert f'"n":{token}' in canonical_json(value)


def test_text_is_not_escaped_beyond_json():
    value = amino_message(execute('{"k":"é\\u2028\\n\\"你"}'.encode()))
    assert '"k":"é\u2028\\n\\"你"' in canonical_json(value)


@pytest.mark.parametrize("msg", [b"", b"{", b"NaN", b'{"a":Infinity}', b"[" * 100_000])
def test_messages_that_are_no_json_have_no_document(msg):
    with pytest.raises(AminoError):
        amino_message(execute(msg))
    tx = decode_tx(build_cosmos_direct([execute(msg)], [KEY], **OPTIONS))
    amino = decode_tx(tx.raw.replace(b"\x12\x04\n\x02\x08\x01", b"\x12\x04\n\x02\x08\x7f"))
    with pytest.raises(AppError, match=r"sequence \(3\)"):
        sign_bytes(amino, 0, 5, "msg-1")


def test_deep_messages_have_no_document():
    with pytest.raises(AminoError, match="deeply"):
        canonical_json(amino_message(execute(b"[" * 200 + b"]" * 200)))
    with pytest.raises(AminoError, match="no JSON form"):
        canonical_json(1.5)


def test_empty_fields_are_left_out_except_coins():
    assert amino_message(m.MsgSend("a", "", ()))["value"] == {"from_address": "a", "amount": []}
    store = amino_message(m.MsgStoreCode("a", b"x", m.AccessConfig(1)))["value"]
    assert store == {
        "sender": "a",
        "wasm_byte_code": "eA==",
        "instantiate_permission": {"permission": "Nobody"},
    }
    with pytest.raises(AminoError, match="access type"):
        amino_message(m.MsgStoreCode("a", b"x", m.AccessConfig(9)))


def test_odd_amounts_are_signed_as_sent():
    value = amino_message(m.MsgSend("a", "b", (m.OddCoin("u", 64, "0100"), m.OddCoin("u", 0, ""))))
    assert value["value"]["amount"] == [
        {"amount": "0100", "denom": "u"},
        {"amount": "0", "denom": "u"},
    ]


def test_timeout_and_payer_stand_in_the_document():
    options = {**OPTIONS, "timeout_height": 9, "fee_payer": KEY.address}
    tx = decode_tx(build_cosmos_amino([m.MsgSend(KEY.address, "b", ())], [KEY], **options))
    document = sign_document(tx, chain_id="c", account_number=0, sequence=0).decode()
    assert '"timeout_height":"9"' in document
    assert f'"payer":"{KEY.address}"' in document
    assert '"account_number":"0"' in document
