"""Helpers for wallets."""

import pytest

from chain.crypto.keys import PubKey
from chain.tx import messages as m
from chain.tx.builder import coins
from chain.tx.encode import encode_message


def test_coins_from_text():
    assert coins("5umsg,2utok") == (m.Coin("umsg", 5), m.Coin("utok", 2))
    assert coins("") == ()


@pytest.mark.parametrize("text", ["umsg", "5", "-5umsg", "5umsg,x"])
def test_other_texts_are_no_coins(text):
    with pytest.raises(ValueError, match="not a coin"):
        coins(text)


def test_developer_messages_have_no_protobuf_form():
    with pytest.raises(TypeError, match="no protobuf form"):
        encode_message(m.DevHeight(1))


def test_messages_name_their_signers():
    assert m.MsgMultiSend((), ()).signer == ""
    several = m.MsgMultiSend((m.Transfer("a", ()), m.Transfer("b", ())), ())
    assert (several.signer, several.signers) == ("a", ("a", "b"))
    assert m.MsgMint("g", "b", ()).signer == "g"
    assert m.MsgAuthorityOnly("/x", "bank", "g").signers == ("g",)
    assert m.DevHeight(1).signer == ""


def test_public_keys_are_values():
    assert PubKey("secp256k1", b"k") == PubKey("secp256k1", b"k")
    assert len({PubKey("secp256k1", b"k"), PubKey("secp256k1", b"k")}) == 1
