"""Encoding: compact, in declaration order, typed numbers as text; and what has no JSON form."""

import pytest

from chain.std import (
    U64,
    U128,
    Addr,
    Answer,
    Binary,
    Coin,
    ContractError,
    Empty,
    Expiration,
    Int64,
    Message,
    Record,
    SerializeError,
    Timestamp,
    Uint64,
    Uint128,
    Words,
    encode,
    encode_message,
    encode_variant,
    to_plain,
)


class Transfer(Message):
    recipient: Addr
    amount: Uint128
    memo: str | None = None


class Plain(Answer):
    b: int
    a: str | None = None


class Never(Message):
    unit_variant = True


class Status(Words):
    IN_PROGRESS = "in_progress"


class Task(Record):
    id: str
    fee: Uint128
    due: Timestamp | None = None
    status: Status = Status.IN_PROGRESS


class Everything(Answer):
    n: U64
    wide: U128
    text: Uint64
    signed: Int64
    raw: Binary
    tasks: list[Task]
    by_id: dict[str, Task]
    pair: tuple[Uint128, ...]
    end: Expiration


def test_JSON_2_output_is_compact_in_declaration_order_with_nulls():
    assert encode(Plain(5)) == b'{"b":5,"a":null}'
    assert encode(Transfer(Addr("x"), Uint128(5))) == (
        b'{"recipient":"x","amount":"5","memo":null}'
    )


def test_a_plain_int_in_a_number_field_is_text_too():
    assert encode(Transfer(Addr("x"), 2**128 - 1)) == (
        f'{{"recipient":"x","amount":"{2**128 - 1}","memo":null}}'.encode()
    )


@pytest.mark.parametrize("value", [-1, 2**128, 1.0, "5", True, None])
def test_what_a_number_field_cannot_hold_is_refused(value):
    with pytest.raises(SerializeError, match="Uint128"):
        encode(Transfer(Addr("x"), value))


def test_JSON_1_a_variant_is_tagged_and_a_unit_variant_is_a_bare_string():
    assert encode_variant(Transfer(Addr("x"), 5)) == (
        b'{"transfer":{"recipient":"x","amount":"5","memo":null}}'
    )
    assert encode_variant(Never()) == b'"never"'


def test_every_type_in_one_answer():
    value = Everything(
        2**64 - 1,
        U128(2**100),
        5,
        -5,
        Binary(b"abc"),
        [Task("a", 1)],
        {"k": Task("b", Uint128(2), Timestamp(7))},
        (Uint128(1), 2),
        Expiration(never=Empty()),
    )
    assert encode(value) == (
        b'{"n":18446744073709551615,"wide":1267650600228229401496703205376,"text":"5","signed":"-5",'
        b'"raw":"YWJj","tasks":[{"id":"a","fee":"1","due":null,"status":"in_progress"}],'
        b'"by_id":{"k":{"id":"b","fee":"2","due":"7","status":"in_progress"}},"pair":["1","2"],'
        b'"end":{"never":{}}}'
    )


def test_JSON_10_coin_and_lists_of_coins():
    assert encode(Coin("amsg", 5)) == b'{"denom":"amsg","amount":"5"}'
    assert encode({"funds": (Coin("a", 1), Coin("b", Uint128(2)))}) == (
        b'{"funds":[{"denom":"a","amount":"1"},{"denom":"b","amount":"2"}]}'
    )


def test_plain_values_stand_as_they_are():
    value = {"count": 7, "on": True, "none": None, "list": [1, "ü"], "big": 2**70, "e": ""}
    assert (
        encode(value)
        == (
            '{"count":7,"on":true,"none":null,"list":[1,"ü"],"big":1180591620717411303424,"e":""}'
        ).encode()
    )
    assert encode("x") == b'"x"'
    assert encode(5) == b"5"
    assert encode(None) == b"null"
    assert encode({"t": Timestamp(5), "u": Uint128(6), "b": b"\x01", "s": Status.IN_PROGRESS}) == (
        b'{"t":"5","u":"6","b":"AQ==","s":"in_progress"}'
    )


@pytest.mark.parametrize(
    "value",
    [
        1.5,
        float("nan"),
        {"a": [1.0]},
        {1: "a"},
        {b"a": 1},
        {"a": {1, 2}},
        object(),
        [object()],
        {"a": 1j},
        "\ud800",
        bytearray(b"x"),
    ],
)
def test_values_without_json_form_are_refused_with_a_clear_error(value):
    with pytest.raises(ContractError, match=r"^Error serializing type \w+: "):
        encode(value)


def test_64_levels_can_be_written_and_a_loop_is_refused():
    value = 5
    for _ in range(64):
        value = [value]
    assert encode(value) == b"[" * 64 + b"5" + b"]" * 64
    loop = []
    loop.append(loop)
    for deep in ([value], loop):
        with pytest.raises(SerializeError, match="recursion limit exceeded"):
            encode(deep)


def test_what_a_call_carries():
    assert encode_message(b"{}") == b"{}"
    assert encode_message({"a": 1}) == b'{"a":1}'
    assert encode_message(Transfer(Addr("x"), 5)).startswith(b'{"transfer":')


def test_to_plain_is_what_json_reads_back():
    assert to_plain(Task("a", 5)) == {
        "id": "a",
        "fee": "5",
        "due": None,
        "status": "in_progress",
    }
