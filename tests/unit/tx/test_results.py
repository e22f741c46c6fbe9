"""TxMsgData and what is in it."""

import pytest

from chain.tx import messages as m
from chain.tx import results as r
from chain.tx.results import MsgResponse, ResultError


def test_data_is_the_recorded_shape():
    data = r.encode_tx_data([(r.response_url(m.MsgSend.TYPE_URL), b"")])
    assert data.hex() == "1226" + "0a24" + b"/cosmos.bank.v1beta1.MsgSendResponse".hex()
    assert r.encode_tx_data([(r.EXECUTE, r.data_value(None))]).hex() == (
        "122e0a2c2f636f736d7761736d2e7761736d2e76312e4d736745786563757465436f6e7472616374526573706f6e7365"
    )
    assert r.data_value(bytes.fromhex("f00baa")).hex() == "0a03f00baa"


def test_answers_read_back():
    answers = (
        MsgResponse(r.STORE, r.store_value(7, b"c" * 32)),
        MsgResponse(r.INSTANTIATE, r.instantiate_value("msg1c", b"data")),
        MsgResponse(r.INSTANTIATE2, r.instantiate_value("msg1d", None)),
        MsgResponse(r.EXECUTE, r.data_value(b"x")),
        MsgResponse(r.MIGRATE, r.data_value(None)),
        MsgResponse(r.SUDO, r.data_value(b"y")),
        MsgResponse(r.response_url(m.MsgClearAdmin.TYPE_URL), b""),
    )
    assert r.decode_tx_data(r.encode_tx_data(answers)) == answers
    assert r.decode_store_response(answers[0]) == (7, b"c" * 32)
    assert r.decode_contract_response(answers[1]) == ("msg1c", b"data")
    assert r.decode_contract_response(answers[2]) == ("msg1d", b"")
    assert r.decode_contract_response(answers[3]) == ("", b"x")
    assert r.decode_contract_response(answers[4]) == ("", b"")
    assert r.decode_contract_response(answers[5]) == ("", b"y")
    assert r.decode_tx_data(b"") == ()


def test_answers_of_other_kinds_are_refused():
    with pytest.raises(ResultError, match="no code id"):
        r.decode_store_response(MsgResponse(r.EXECUTE, b""))
    with pytest.raises(ResultError, match="no contract data"):
        r.decode_contract_response(MsgResponse(r.STORE, b""))


@pytest.mark.parametrize("data", [b"\x12", b"\x12\x05a", b"\x0d1234", b"\x00"])
def test_damaged_data_is_refused(data):
    with pytest.raises(ResultError):
        r.decode_tx_data(data)
    with pytest.raises(ResultError):
        r.decode_store_response(MsgResponse("/cosmwasm.wasm.v1.MsgStoreCodeResponse", data))
