"""JSON in Go's words."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain.node.gojson import JsonError, check, encode, items, kind_of, members, shown, value

FAULTS = {
    b"hello": "invalid character 'h' looking for beginning of value",
    b'{"method":': "unexpected end of JSON input",
    b"": "unexpected end of JSON input",
    b"\xef\xbb\xbf{}": "invalid character 'ï' looking for beginning of value",
    b"015": "invalid character '1' after top-level value",
    b'{"a"1}': "invalid character '1' after object key",
    b"[1 2]": "invalid character '2' after array element",
    b'{"a":1 "b"}': "invalid character '\"' after object key:value pair",
    b"{,}": "invalid character ',' looking for beginning of object key string",
    b"nulx": "invalid character 'x' in literal null (expecting 'l')",
    b"-x": "invalid character 'x' in numeric literal",
    b"1.x": "invalid character 'x' after decimal point in numeric literal",
    b"1e+x": "invalid character 'x' in exponent of numeric literal",
    b'"\\x"': "invalid character 'x' in string escape code",
    b'"\\u00g0"': "invalid character 'g' in \\u hexadecimal character escape",
    b'"\x01"': "invalid character '\\x01' in string literal",
    b"'a'": "invalid character '\\'' looking for beginning of value",
    b"\x00": "invalid character '\\x00' looking for beginning of value",
    b"[" * 20_000: "invalid character '[' exceeded max depth",
}


@pytest.mark.parametrize("raw", FAULTS, ids=lambda raw: repr(raw[:20]))
def test_faults_have_the_texts_of_go(raw: bytes) -> None:
    with pytest.raises(JsonError) as caught:
        check(raw)
    assert str(caught.value) == FAULTS[raw]


@given(st.binary(max_size=60))
def test_what_python_takes_is_taken_and_nothing_else(raw: bytes) -> None:
    try:
        json.loads(raw.decode("utf-8"), parse_constant=lambda _: 1 / 0)
        good = True
    except (ValueError, ZeroDivisionError, RecursionError):
        good = False
    try:
        check(raw)
        taken = True
    except JsonError:
        taken = False
    if good:
        assert taken
    elif taken:  # Go puts replacement characters where the bytes are no UTF-8
        json.loads(raw.decode("utf-8", "replace"))


def test_angle_brackets_are_escaped() -> None:
    assert encode({"a": "<&>\u2028"}) == b'{"a":"\\u003c\\u0026\\u003e\\u2028"}'


def test_members_are_texts_and_the_last_of_equal_names_counts() -> None:
    assert members(b'{"a": 1.50, "b":[ 1 ], "a":"x"}') == {"a": b'"x"', "b": b"[ 1 ]"}
    assert items(b'[1, "a" ,{}]') == [b"1", b'"a"', b"{}"]


def test_invalid_unicode_is_replaced() -> None:
    assert value(b'"a\xff"') == "a\ufffd"
    assert value(b'["\\ud800"]') == ["\ufffd"]


def test_values_are_shown_as_go_shows_them() -> None:
    assert shown([1, "a", None, True, {"b": 2, "a": []}]) == "[1 a <nil> true map[a:[] b:2]]"
    assert [kind_of(raw) for raw in (b" {", b"[", b'"', b"t", b"n", b"-1")] == [
        "object",
        "array",
        "string",
        "bool",
        "null",
        "number",
    ]
