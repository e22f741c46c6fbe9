"""The developer form."""

import pytest

from chain.errors import AppError
from chain.tx import messages as m
from chain.tx.builder import build_dev, coins
from chain.tx.codec import decode_tx
from chain.tx.value import DEV

MESSAGES = (
    m.DevFund("msg1a", coins("1000000msg")),
    m.DevSudo("msg1c", b"{}"),
    m.DevSetParams({"a": 1, "b": "2", "c": True, "d": ("x",), "e": {"f": "g"}}),
    m.DevTime(1_700_000_000_000_000_000),
    m.DevHeight(7),
    m.DevExecute((m.MsgSend("a", "b", coins("5umsg")), m.MsgClearAdmin("a", "c"))),
)


def test_messages_arrive():
    tx = decode_tx(build_dev(MESSAGES, chain_id="c", nonce=5, memo="hé", gas_limit=9))
    assert (tx.form, tx.chain_id, tx.nonce, tx.gas_limit, tx.memo_size) == (DEV, "c", 5, 9, 3)
    assert tx.messages == MESSAGES
    assert tx.signers == tx.signatures == tx.fee == ()
    assert m.type_url(tx.messages[0]) == "/msgchain.dev.v1.DevFund"


def test_nonce_tells_equal_ones_apart():
    first, second = (build_dev(MESSAGES, chain_id="c", nonce=n) for n in (0, 1))
    assert decode_tx(first).hash != decode_tx(second).hash


@pytest.mark.parametrize("raw", [b"\xc1", b"\xc1\x90", b"\xc1\xc0", b"\xc1" + b"\x91" * 3000])
def test_damaged_bytes_are_refused(raw):
    with pytest.raises(AppError, match="developer transaction") as caught:
        decode_tx(raw)
    assert caught.value.code == 2


def test_bytes_that_encode_differently_are_refused():
    raw = build_dev((m.DevHeight(7),), chain_id="c")
    place = raw.index(b"height\x07") + 6
    with pytest.raises(AppError, match="not canonical"):
        decode_tx(raw[:place] + b"\xcc\x07" + raw[place + 1 :])
    with pytest.raises(AppError, match="version 2"):
        decode_tx(raw[:2] + b"\x02" + raw[3:])


def test_signed_messages_are_no_developer_messages():
    with pytest.raises(AppError):
        decode_tx(build_dev((m.MsgSend("a", "b", ()),), chain_id="c"))


@pytest.mark.parametrize("amount", [-1, -(10**200), 0, 10**999])
def test_a_tester_may_send_what_is_to_be_refused(amount):
    message = m.DevFund("a", (m.Coin("earth", m.Amount(amount)),))
    assert decode_tx(build_dev((message,), chain_id="c")).messages == (message,)


@pytest.mark.parametrize("text", [b"-0", b"+1", b"01", b"--", b" 1", b"1_", b"-"])
def test_an_amount_has_one_spelling(text):
    raw = build_dev((m.DevFund("a", (m.Coin("earth", m.Amount(10)),)),), chain_id="c")
    with pytest.raises(AppError):
        decode_tx(raw.replace(b"\xa210", b"\xa2" + text if len(text) == 2 else b"\xa1" + text))


def test_a_code_id_is_not_negative():
    message = m.MsgInstantiateContract("a", "", -1, "l", b"{}", ())
    with pytest.raises(AppError, match="developer transaction"):
        decode_tx(build_dev((m.DevExecute((message,)),), chain_id="c"))
