"""JSON: round trips, and the scan against a slow reading of the same rules."""

import contextlib
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from chain.std import (
    U8,
    U64,
    Addr,
    Binary,
    Int64,
    Message,
    ParseError,
    Record,
    Timestamp,
    Uint64,
    Uint128,
    decode,
    decode_variant,
    encode,
    encode_variant,
)
from chain.std.codec import codec_of
from chain.std.scan import parse

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**40), 10**40) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)
U128S = st.integers(0, 2**128 - 1)
U64S = st.integers(0, 2**64 - 1)


class Inner(Record):
    id: str
    fee: Uint128
    due: Timestamp | None = None


class Everything(Message):
    name: Addr
    amount: Uint128
    small: U8
    n: U64
    text: Uint64
    signed: Int64
    raw: Binary
    inner: Inner
    many: list[Inner]
    named: dict[str, Uint128]
    note: str | None = None


INNER = st.builds(Inner, TEXT, U128S.map(Uint128), st.none() | U64S.map(Timestamp))
EVERYTHING = st.builds(
    Everything,
    TEXT,
    U128S.map(Uint128),
    st.integers(0, 255),
    U64S,
    U64S.map(Uint64),
    st.integers(-(2**63), 2**63 - 1).map(Int64),
    st.binary(max_size=20).map(Binary),
    INNER,
    st.lists(INNER, max_size=3),
    st.dictionaries(TEXT, U128S.map(Uint128), max_size=3),
    st.none() | TEXT,
)


@given(PLAIN)
def test_plain_values_come_back_equal(value):
    assert parse(encode(value)) == value


@given(PLAIN, st.booleans(), st.sampled_from([None, 1]))
def test_every_spelling_of_json_reads_the_same(value, ascii_only, indent):
    assert parse(json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()) == value


@given(EVERYTHING)
def test_messages_come_back_equal(value):
    assert decode(encode(value), Everything) == value
    assert decode_variant(encode_variant(value), (Everything,), "E") == value
    assert json.loads(encode(value))["amount"] == str(int(value.amount))


@given(EVERYTHING)
def test_encoding_is_what_json_would_write_compactly(value):
    raw = encode(value)
    assert json.dumps(json.loads(raw), separators=(",", ":"), ensure_ascii=False).encode() == raw


@given(INNER)
def test_records_come_back_equal_from_state(value):
    codec = codec_of(Inner)
    raw = codec.encode(value)
    assert codec.decode(raw) == value
    assert codec.encode(codec.decode(raw)) == raw


@given(st.integers())
def test_integers_of_any_size_come_back_equal_from_state(value):
    for codec in (codec_of(int), codec_of(object)):
        assert codec.decode(codec.encode(value)) == value


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | TEXT | st.binary(max_size=9),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
        max_leaves=12,
    )
)
def test_loose_values_come_back_equal_from_state(value):
    codec = codec_of(object)
    assert codec.decode(codec.encode(value)) == value


class Refused(Exception):
    """The slow reading refuses."""


def slowly(raw):
    def pairs(items):
        if len({key for key, _ in items}) != len(items):
            raise Refused
        return dict(items)

    def refuse(text):
        raise Refused

    try:
        text = raw.decode("utf-8")
        value = json.loads(text, object_pairs_hook=pairs, parse_float=refuse, parse_constant=refuse)
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        raise Refused from error
    return value


PIECES = st.lists(
    st.sampled_from(
        ["{", "}", "[", "]", ",", ":", '"a"', '"b"', '"\\u0061"', '"\\""', "1", "-0", "1.0", "true",
         "null", " ", "NaN", '"\\ud800"', '"ü"', "{}", '{"a":1}', '{"a":1,"a":1}', "01", "\\", "\t"]
    ),
    max_size=12,
)  # fmt: skip


@settings(max_examples=300)
@given(PIECES.map("".join))
def test_the_scan_agrees_with_a_slow_reading(text):
    raw = text.encode()
    try:
        expected = ("value", slowly(raw))
    except Refused:
        expected = ("refused", None)
    try:
        found = ("value", parse(raw))
    except ParseError:
        found = ("refused", None)
    assert found == expected


@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_refused(raw):
    with contextlib.suppress(ParseError):
        parse(raw)
