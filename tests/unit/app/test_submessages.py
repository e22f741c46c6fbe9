"""Reading what a contract dispatches: values and CosmWasm's JSON, as wasmd reads it (SUB-11, DISP-6, FUND-4)."""

from __future__ import annotations

import base64

import pytest
from app_world import native

from chain.app.submessages import BurnOf, Nothing, prepare
from chain.errors import AppError, VmError
from chain.std import BankMsg, Coin, ReplyOn, SubMsg, WasmMsg
from chain.tx import messages as m
from chain.tx.encode import encode_message

ME, YOU = native("me").address, native("you").address


def one(msg, **options):
    ((prepared,), unclear) = prepare(ME, [SubMsg(msg, **options)])
    assert not unclear
    return prepared


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        (
            BankMsg.Send(YOU, [Coin("earth", 5)]),
            {"bank": {"send": {"to_address": YOU, "amount": [{"denom": "earth", "amount": "5"}]}}},
        ),
        (BankMsg.Send(YOU, []), {"bank": {"send": {"to_address": YOU}}}),
        (
            BankMsg.Burn([Coin("earth", 5)]),
            {"bank": {"burn": {"amount": [{"denom": "earth", "amount": "005"}]}}},
        ),
        (
            WasmMsg.Execute(YOU, b"{}", [Coin("b" * 3, 1), Coin("aaa", 0), Coin("bbb", 1)]),
            {
                "wasm": {
                    "execute": {
                        "contract_addr": YOU,
                        "msg": "e30=",
                        "funds": [{"denom": "bbb", "amount": "+2"}],
                    }
                }
            },
        ),
        (
            WasmMsg.Instantiate(3, b"{}", "label"),
            {
                "wasm": {
                    "instantiate": {"code_id": 3, "msg": "e30=", "label": "label", "admin": None}
                }
            },
        ),
        (
            WasmMsg.Instantiate2(3, b"{}", "label", b"ab"),
            {
                "wasm": {
                    "instantiate2": {"code_id": 3, "msg": "e30=", "label": "label", "salt": "YWI="}
                }
            },
        ),
        (
            WasmMsg.Migrate(YOU, 4, b"{}"),
            {"wasm": {"migrate": {"contract_addr": YOU, "new_code_id": 4, "msg": "e30="}}},
        ),
        (
            WasmMsg.UpdateAdmin(YOU, ME),
            {"wasm": {"update_admin": {"contract_addr": YOU, "admin": ME}}},
        ),
        (WasmMsg.ClearAdmin(YOU), {"wasm": {"clear_admin": {"contract_addr": YOU, "extra": 1}}}),
    ],
)
def test_values_and_their_json_form_are_the_same_message(value, shape):
    assert one(value).message == one(shape).message


def test_a_send_of_nothing_does_nothing_and_a_burn_of_nothing_fails():
    assert isinstance(one(BankMsg.Send(YOU, [])).message, Nothing)
    error = one(BankMsg.Burn([])).message
    assert isinstance(error, AppError)
    assert error.log == "amount: empty"


def test_the_contract_is_the_sender():
    assert one(BankMsg.Send(YOU, [Coin("earth", 1)])).message.signer == ME
    assert isinstance(one(BankMsg.Burn([Coin("earth", 1)])).message, BurnOf)
    assert one(WasmMsg.Execute(YOU, b"{}")).message == m.MsgExecuteContract(ME, YOU, b"{}", ())


@pytest.mark.parametrize(
    ("shape", "codespace", "code"),
    [
        ({}, "wasm", 20),
        ({"zzz": {}}, "wasm", 20),
        ({"bank": {"zzz": {}}}, "wasm", 20),
        ({"wasm": {"zzz": {}}}, "wasm", 20),
        ({"custom": {"x": 1}}, "wasm", 20),
        ({"bank": {}, "wasm": {"clear_admin": {"contract_addr": YOU}}}, "wasm", 20),
        ({"distribution": {"set_withdraw_address": {"address": YOU}}}, "wasm", 20),
        ({"staking": {"delegate": {"validator": "v"}}}, "wasm", 20),
        ({"ibc": {"transfer": {"channel_id": "c"}}}, "wasm", 20),
        ({"ibc": {"send_packet": {"channel_id": "c"}}}, "wasm", 17),
        ({"gov": {"vote": {}}}, "gov", 3),
        ({"gov": {"vote_weighted": {"proposal_id": 2}}}, "gov", 3),
        ({"gov": {"zzz": {}}}, "wasm", 20),
        ({"any": {"type_url": "/cosmos.bank.v1beta1.MsgSend", "value": "/w=="}}, "wasm", 10),
        ({"any": {"type_url": "/cosmos.crypto.secp256k1.PubKey", "value": ""}}, "wasm", 10),
        ({"any": {"type_url": "/zzz", "value": ""}}, "wasm", 10),
        ({"stargate": {"type_url": "/zzz", "value": ""}}, "wasm", 10),
        ({"bank": {"send": {"amount": [{"denom": "earth", "amount": "-1"}]}}}, "undefined", 1),
        ({"bank": {"send": {"amount": [{"denom": "d", "amount": "1"}]}}}, "undefined", 1),
        ({"bank": {"send": {"amount": [{"denom": "earth", "amount": "x"}]}}}, "sdk", 10),
        ({"bank": {"send": {"amount": [{"denom": "earth", "amount": ""}]}}}, "sdk", 10),
        ({"bank": {"send": {"amount": [{"denom": "earth", "amount": str(2**256)}]}}}, "sdk", 10),
        ({"bank": {"send": {"amount": [{"denom": "earth", "amount": "08"}]}}}, "sdk", 10),
        ({"bank": {"send": {"amount": [{"denom": "earth", "amount": " 1"}]}}}, "sdk", 10),
        ({"bank": {"send": {"amount": [{"denom": "earth", "amount": None}]}}}, "sdk", 10),
    ],
)
def test_what_is_readable_but_refused_waits_for_its_turn(shape, codespace, code):
    error = one(shape).message
    assert isinstance(error, AppError)
    assert (error.codespace, error.code) == (codespace, code)


@pytest.mark.parametrize(
    "shape",
    [{}, {"zzz": {}}, {"bank": {"zzz": {}}}, {"wasm": {"zzz": {}}}, {"gov": {}}, {"custom": 1}],
)
def test_no_handler_is_one_text_for_every_kind(shape):
    assert one(shape).message.log == "no handler found: unknown message from the contract"


@pytest.mark.parametrize(
    ("text", "amount"),
    [("010", 8), ("0x10", 16), ("0b11", 3), ("0o17", 15), ("1_000", 1000), ("+7", 7), ("-0", 0)],
)
def test_FUND_4_an_amount_is_read_as_go_reads_integers(text, amount):
    coins = [{"denom": "earth", "amount": text}]
    shape = {"bank": {"send": {"to_address": YOU, "amount": coins}}}
    assert sum(coin.amount for coin in one(shape).message.amount) == amount


def test_members_that_are_null_are_as_if_they_were_not_there():
    shape = {"wasm": {"instantiate": {"code_id": None, "label": None, "msg": None, "funds": None}}}
    assert one(shape).message == m.MsgInstantiateContract(ME, "", 0, "", b"", ())
    assert one({"bank": None, "custom": None}).message.code == 20


def anymsg(message):
    value = base64.b64encode(encode_message(message)).decode()
    return one({"any": {"type_url": m.type_url(message), "value": value}})


def test_a_protobuf_message_is_the_contracts_own_or_refused():
    mine = m.MsgExecuteContract(ME, YOU, b"{}", (m.Coin("earth", 5),))
    prepared = anymsg(mine)
    assert (prepared.message, prepared.wasm) == (mine, False)
    theirs = anymsg(m.MsgSend(YOU, ME, (m.Coin("earth", 5),))).message
    assert theirs.log == "contract doesn't have permission: unauthorized"
    nobody = anymsg(m.MsgMultiSend((), ())).message
    assert nobody == m.MsgMultiSend((), ())


@pytest.mark.parametrize(
    ("signer", "log"),
    [
        ("", "empty address string is not allowed"),
        ("msg1qqqqqqq", "decoding bech32 failed: invalid checksum"),
        (
            "cosmos19rl4cm2hmr8afy4kldpxz3fka4jguq0auqdal4",
            "hrp does not match bech32 prefix: expected 'msg' got 'cosmos': internal logic error",
        ),
    ],
)
def test_a_protobuf_messages_signer_is_an_address(signer, log):
    error = anymsg(m.MsgSend(signer, YOU, (m.Coin("earth", 5),))).message
    assert error.log.startswith(log)


def test_a_protobuf_message_of_no_known_type_is_refused():
    error = one({"any": {"type_url": "/nope", "value": ""}}).message
    assert (error.codespace, error.code) == ("wasm", 10)
    text = "Cannot unpack proto message with type URL: /nope: invalid CosmosMsg from the contract"
    assert error.log == text


def test_a_protobuf_message_is_checked_before_its_signer():
    error = anymsg(m.MsgExecuteContract(YOU, ME, b"no json", ())).message
    assert (error.codespace, error.code, error.log) == ("wasm", 14, "payload msg: invalid")


@pytest.mark.parametrize(
    "shape",
    [
        {"bank": 5},
        {"wasm": 5},
        {"bank": {"send": 5}},
        {"bank": {"send": {"to_address": 5}}},
        {"bank": {"send": {"amount": [{"denom": "earth", "amount": 1}]}}},
        {"bank": {"send": {"amount": 5}}},
        {"wasm": {"execute": {"msg": "%%"}}},
        {"wasm": {"instantiate": {"code_id": -1}}},
        {"any": {"type_url": "/x", "value": "%s"}},
        5,
    ],
)
def test_TX_4_what_cannot_be_read_fails_the_response(shape):
    with pytest.raises(VmError):
        one(shape)


@pytest.mark.parametrize(
    "options",
    [
        {"id": -1},
        {"id": 1 << 64},
        {"id": "1"},
        {"gas_limit": -9},
        {"gas_limit": "9"},
        {"payload": "text"},
        {"reply_on": "sometimes"},
        {"reply_on": 1},
    ],
)
def test_malformed_parts_of_a_submessage(options):
    with pytest.raises(VmError):
        one(BankMsg.Send(YOU, []), **options)


def test_SUB_11_a_payload_has_a_limit():
    assert one(BankMsg.Send(YOU, []), payload=b"x" * 131_072).payload
    with pytest.raises(VmError, match="payload larger than 131072 bytes: 131073 bytes"):
        one(BankMsg.Send(YOU, []), payload=b"x" * 131_073)


def test_DISP_6_a_missing_policy_is_reported_after_all_was_read():
    prepared, unclear = prepare(ME, [SubMsg(BankMsg.Send(YOU, []), reply_on=None)])
    assert unclear
    assert len(prepared) == 1
    assert one(BankMsg.Send(YOU, []), reply_on=ReplyOn.ALWAYS).reply_on == "always"


def test_only_submessages_are_dispatched():
    with pytest.raises(VmError):
        prepare(ME, [BankMsg.Send(YOU, [])])
