"""The 355 recorded transactions: what decodes, to what, with which refusal, and whether
it was signed.
"""

import base64
import json
from pathlib import Path

import msgspec
import pytest

from chain.crypto import multisig
from chain.crypto.hd import wallet_key
from chain.crypto.keys import MULTISIG
from chain.crypto.verify import InlineVerifier
from chain.errors import AppError
from chain.tx import messages as m
from chain.tx.codec import decode_tx
from chain.tx.encode import encode_message
from chain.tx.results import decode_tx_data, encode_tx_data, response_url
from chain.tx.signing import refused, signature_jobs, signatures_in_events
from chain.tx.value import MODE_AMINO, MODE_DIRECT, required_signers

RECORDED = json.loads(
    (Path(__file__).parents[3] / "fixtures/recorded/rpc/tx_cases.json").read_text()
)
CHAIN_ID = RECORDED["meta"]["chain_id"]
CASES = [case for case in RECORDED["cases"] if case["tx"] is not None]
ANSWERED = [c for c in CASES if not c.get("withheld") and c.get("broadcast_tx_sync")]
BY_ID = {case["id"]: case for case in CASES}
#: Modules this chain lacks: the types cannot be resolved here.
LACKING = ("staking_", "feegrant_grant")


def raw_of(case):
    return base64.b64decode(case["tx"])


def ids(cases):
    return [case["id"] for case in cases]


def check_text(case):
    answer = case["broadcast_tx_sync"]
    return answer["code"], answer["codespace"], answer["log"]


UNDECODABLE = [c for c in ANSWERED if check_text(c)[:2] == (2, "sdk")]
DECODED = [c for c in CASES if c["tx_json"] and not c["id"].startswith(LACKING)]


@pytest.mark.parametrize("case", UNDECODABLE, ids=ids(UNDECODABLE))
def test_recorded_refusal_of_undecodable_bytes(case):
    with pytest.raises(AppError) as refusal:
        decode_tx(raw_of(case))
    assert (refusal.value.code, refusal.value.codespace, refusal.value.log) == check_text(case)


@pytest.mark.parametrize("case", ANSWERED, ids=ids(ANSWERED))
def test_recorded_transaction_decodes_unless_refused(case):
    if case in UNDECODABLE:
        return
    if case["id"].startswith(LACKING):
        with pytest.raises(AppError, match="unable to resolve type URL"):
            decode_tx(raw_of(case))
        return
    assert decode_tx(raw_of(case)).hash.hex().upper() == case["hash"]


def plain_coins(coins):
    return [{"denom": c.denom, "amount": str(int(c.amount))} for c in coins]


def plain_json(raw):
    return json.loads(raw) if raw else None


def plain_message(message):
    """A message in the recording's JSON form."""
    url = {"@type": m.type_url(message)}
    match message:
        case m.MsgSend():
            return url | {
                "from_address": message.from_address,
                "to_address": message.to_address,
                "amount": plain_coins(message.amount),
            }
        case m.MsgMultiSend():
            sides = {
                side: [{"address": t.address, "coins": plain_coins(t.coins)} for t in entries]
                for side, entries in (("inputs", message.inputs), ("outputs", message.outputs))
            }
            return url | sides
        case m.MsgStoreCode():
            permission = message.instantiate_permission
            names = {0: "Unspecified", 1: "Nobody", 3: "Everybody", 4: "AnyOfAddresses"}
            return url | {
                "sender": message.sender,
                "wasm_byte_code": base64.b64encode(message.wasm_byte_code).decode() or None,
                "instantiate_permission": permission
                and {
                    "permission": names.get(permission.permission, permission.permission),
                    "addresses": list(permission.addresses),
                },
            }
        case m.MsgAuthorityOnly():
            return url | {"authority": message.authority}
    out = dict(url)
    for name in message.__struct_fields__:
        value = getattr(message, name)
        if name == "msg":
            value = plain_json(value)
        elif name == "funds":
            value = plain_coins(value)
        elif name == "code_id":
            value = str(value)
        elif name == "salt":
            value = base64.b64encode(value).decode() or None
        out[name] = value
    return out


@pytest.mark.parametrize("case", DECODED, ids=ids(DECODED))
def test_recorded_transaction_has_the_recorded_content(case):
    tx = decode_tx(raw_of(case))
    recorded = case["tx_json"]
    body, auth = recorded["body"], recorded["auth_info"]
    for ours, theirs in zip(tx.messages, body["messages"], strict=True):
        expected = plain_message(ours)
        if isinstance(ours, m.MsgAuthorityOnly):
            theirs = {key: theirs[key] for key in expected}
        if isinstance(theirs.get("msg"), str):  # not JSON, shown as base64
            theirs = theirs | {"msg": None}
            expected["msg"] = None
        assert expected == theirs
    assert tx.memo == body["memo"]
    assert str(tx.timeout_height) == body["timeout_height"]
    fee = auth["fee"] or {"amount": [], "gas_limit": "0", "payer": "", "granter": ""}
    assert plain_coins(tx.fee) == fee["amount"]
    assert (str(tx.gas_limit), tx.fee_payer, tx.fee_granter) == (
        fee["gas_limit"],
        fee["payer"],
        fee["granter"],
    )
    assert [base64.b64encode(s).decode() for s in tx.signatures] == recorded["signatures"]
    assert [str(s.sequence) for s in tx.signers] == [s["sequence"] for s in auth["signer_infos"]]
    for signer, info in zip(tx.signers, auth["signer_infos"], strict=True):
        mode = info["mode_info"].get("single", {}).get("mode")
        if mode in ("SIGN_MODE_DIRECT", "SIGN_MODE_LEGACY_AMINO_JSON"):
            assert signer.mode == (MODE_DIRECT if "DIRECT" in mode else MODE_AMINO)
        key = info["public_key"]
        if key is None:
            assert signer.pubkey is None
        elif "key" in key:
            assert base64.b64encode(signer.pubkey.key).decode() == key["key"]
        else:
            threshold, members = multisig.members(signer.pubkey)
            assert threshold == key["threshold"]
            assert [base64.b64encode(k.key).decode() for k in members] == [
                k["key"] for k in key["public_keys"]
            ]


def account_numbers(case):
    known = {a["address"]: int(a["account_number"]) for a in RECORDED["meta"]["genesis_accounts"]}
    tx = decode_tx(raw_of(case))
    if len(tx.signers) == 1 and "account_number" in case:
        return [int(case["account_number"])]
    return [known[signer.address] for signer in tx.signers]


ACCEPTED = [c for c in ANSWERED if check_text(c)[0] == 0 and not c["id"].startswith(LACKING)]


@pytest.mark.parametrize("case", ACCEPTED, ids=ids(ACCEPTED))
def test_recorded_signatures_hold(case):
    tx = decode_tx(raw_of(case))
    numbers = account_numbers(case)
    assert len(tx.signers) == len(tx.signatures) == len(required_signers(tx))
    for index, signer in enumerate(tx.signers):
        if signer.pubkey is None:
            continue
        assert signer.pubkey.address() == signer.address
        jobs = signature_jobs(tx, index, signer.pubkey, numbers[index], CHAIN_ID)
        assert all(InlineVerifier().verify_many(jobs))


BAD_SIGNATURES = [
    c
    for c in ANSWERED
    if check_text(c)[0] == 4 and check_text(c)[2].startswith("signature verification failed")
]


@pytest.mark.parametrize("case", BAD_SIGNATURES, ids=ids(BAD_SIGNATURES))
def test_recorded_bad_signature_is_refused_with_its_text(case):
    tx = decode_tx(raw_of(case))
    log = check_text(case)[2]
    number = int(log.partition("account number (")[2].partition(")")[0])
    try:
        jobs = signature_jobs(tx, 0, tx.signers[0].pubkey, number, CHAIN_ID)
    except AppError as error:
        refusal = error
    else:
        assert not all(InlineVerifier().verify_many(jobs))
        refusal = refused(tx, 0, number, CHAIN_ID)
    assert (refusal.code, refusal.codespace, refusal.log) == (4, "sdk", log)


def test_recorded_accounts_follow_from_the_words():
    meta = RECORDED["meta"]
    for account in meta["accounts"].values():
        index = int(account["hd_path"].rpartition("/")[2])
        key = wallet_key(meta["mnemonic"], index)
        assert key.address == account["address"]
        assert key.pubkey.key.hex() == account["pubkey_hex"]


def test_recorded_multisig_address_follows_from_its_members():
    meta = RECORDED["meta"]
    members = [
        wallet_key(meta["mnemonic"], int(name[1:])).pubkey for name in meta["multisig"]["members"]
    ]
    key = multisig.public_key(meta["multisig"]["threshold"], members)
    assert key.type == MULTISIG
    assert key.address() == meta["multisig"]["address"]


SUCCEEDED = [
    c for c in DECODED if (c.get("tx_result") or {}).get("code") == 0 and c["tx_result"]["data"]
]


@pytest.mark.parametrize("case", SUCCEEDED, ids=ids(SUCCEEDED))
def test_recorded_result_data_reads_and_writes(case):
    data = base64.b64decode(case["tx_result"]["data"])
    responses = decode_tx_data(data)
    assert encode_tx_data(responses) == data
    tx = decode_tx(raw_of(case))
    assert [r.type_url for r in responses] == [response_url(m.type_url(x)) for x in tx.messages]


@pytest.mark.parametrize("case", SUCCEEDED, ids=ids(SUCCEEDED))
def test_recorded_signature_events_follow(case):
    shown = [
        a["value"]
        for e in case["tx_result"]["events"]
        if e["type"] == "tx"
        for a in e["attributes"]
        if a["key"] == "signature"
    ]
    tx = decode_tx(raw_of(case))
    ours = [s for i in range(len(tx.signers)) for s in signatures_in_events(tx, i)]
    assert [base64.b64encode(s).decode() for s in ours] == shown


def test_recorded_octal_amount_is_what_the_chain_moved():
    tx = decode_tx(raw_of(BY_ID["bank_send_amount_leading_zero"]))
    assert tx.messages[0].amount[0].amount == 64


def test_messages_encode_to_the_recorded_bytes():
    found = 0
    for case in ACCEPTED:
        if "default_value" in case["id"] or "unknown" in case["id"] or "amount_" in case["id"]:
            continue
        tx = decode_tx(raw_of(case))
        if any(isinstance(message, m.MsgAuthorityOnly) for message in tx.messages):
            continue
        for message in tx.messages:
            assert encode_message(message) in raw_of(case)
            found += 1
    assert found > 100


def test_values_are_hashable_plain_data():
    for case in ACCEPTED:
        tx = decode_tx(raw_of(case))
        assert hash(tx) == hash(decode_tx(raw_of(case)))
        assert msgspec.structs.asdict(tx)["form"] == "cosmos"
