"""Whatever a transaction's message says, the App answers with a result; only state that cannot be would stop it."""

from __future__ import annotations

import types
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain.std import Response
from chain.testing import Chain, Contract
from chain.tx import messages as m
from chain.tx.builder import build_dev
from chain.tx.codec import decode_tx
from chain.tx.messages import Amount

DEVELOPER = (m.DevFund, m.DevSudo, m.DevSetParams, m.DevTime, m.DevHeight)
KINDS = (*get_args(m.SignedMessage), *DEVELOPER)


def nothing(*_: Any) -> Response:
    return Response()


class Stage:
    """A chain with a contract of every entry point; each example starts from the same state."""

    def __init__(self) -> None:
        self.chain = Chain()
        self.alice = self.chain.account("alice", "1000msg,50earth")
        entries = ("instantiate", "execute", "migrate", "sudo", "reply")
        target = Contract(name="target", version="1", **dict.fromkeys(entries, nothing))
        code = self.chain.store_code(target, sender=self.alice)
        self.contract = self.chain.instantiate(
            code, {}, sender=self.alice, label="t", admin=self.alice
        )
        self.mark = self.chain.snapshot()


STAGE = Stage()
TEXTS = st.one_of(
    st.sampled_from(
        [
            *("", " ", "zz", STAGE.alice, STAGE.contract, STAGE.alice.upper(), "x" * 1024, "\x00"),
            *(
                "msg1c45fschgxdf8ex0t586zuzhf3nyaqgclnpsz9",
                "cosmos19rqs2ezpjmgwzqqlqs2tzqlcvt472rx9yuvnah",
            ),
            *("msg17xpfvakm2amg962yls6f84z3kell8c5lserqta", "label", "amsg", "earth", "\u2028"),
        ]
    ),
    st.text(st.characters(exclude_categories=("Cs",)), max_size=12),
)
NUMBERS = st.one_of(
    st.sampled_from([-(2**63), -1, 0, 1, 2, 3, 4, 99, 2**31, 2**63, 2**64 - 1]),
    st.integers(-(2**63), 2**64 - 1),
)
BYTES = st.one_of(
    st.sampled_from([b"", b"{}", b"null", b"[" * 70, b'{"a":1.5}', b"\x1f\x8b\x08", b"x" * 65]),
    st.binary(max_size=40),
)
AMOUNTS = st.sampled_from([-(2**256), -1, 0, 1, 50, 2**128, 2**256 - 1, 2**256, 10**100]).map(
    Amount
)


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Values of a field's type, most of them wrong."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is not None and hasattr(kind, "__metadata__"):
        return values(arguments[0])
    if origin in (Union, types.UnionType):
        return st.one_of([values(part) for part in arguments])
    if kind is type(None):
        return st.none()
    if origin is tuple:
        return st.lists(values(arguments[0]), max_size=3).map(tuple)
    if origin is dict or kind is dict:
        return st.dictionaries(
            st.sampled_from(["gas_price", "zzz", "treasury"]), NUMBERS, max_size=2
        )
    if kind is bool:
        return st.booleans()
    if kind is Amount:
        return AMOUNTS
    for simple, strategy in ((int, NUMBERS), (str, TEXTS), (bytes, BYTES)):
        if kind is simple:
            return strategy
    assert issubclass(kind, msgspec.Struct), kind
    hints = get_type_hints(kind, include_extras=True)
    return st.tuples(*[values(hints[name]) for name in kind.__struct_fields__]).map(
        lambda made: kind(*made)
    )


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@settings(max_examples=12)
@given(data=st.data())
def test_any_message_gets_a_result(kind: Any, data: Any) -> None:
    message = data.draw(values(kind))
    wrapped = message if kind in DEVELOPER else m.DevExecute((message,))
    app = STAGE.chain._engine.app

    try:
        try:
            raw = build_dev((wrapped,), chain_id="msg-chain-1", nonce=7, gas_limit=10**8)
            decode_tx(raw)
        except Exception:  # not a transaction at all
            raw = b"\xc1\x90"
        result = app.deliver(raw)
        assert result.code == 0 or result.log

    finally:
        STAGE.chain.revert(STAGE.mark)
