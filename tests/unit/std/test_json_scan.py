"""The strict scan: what passes, what is refused, and that neither stack nor environment matters."""

import json
import os
import subprocess
import sys

import pytest

from chain.std import ParseError, scan
from chain.std.scan import parse


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b'{"a":1}', {"a": 1}),
        (b' { "a" : [ 1 , true , null ] } ', {"a": [1, True, None]}),
        (b'"\\ud83d\\ude00"', "😀"),
        (b'"\\u0000"', "\x00"),
        ('{"ü":"日本"}'.encode(), {"ü": "日本"}),
        (b'{"a":"{\\"a\\":1,\\"a\\":2}"}', {"a": '{"a":1,"a":2}'}),
        (b"340282366920938463463374607431768211455", 2**128 - 1),
        (b"-7", -7),
        (b'{"a":{"b":1},"b":{"a":1}}', {"a": {"b": 1}, "b": {"a": 1}}),
    ],
)
def test_valid_text_is_read(raw, value):
    assert parse(raw) == value
    scan(raw)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a":1,"a":2}',
        b'{"a":1, "a":1}',
        b'{"a":1,"\\u0061":2}',
        b'{"x":[{"a":1,"a":2}]}',
        b'{"q":"\\u0022\\u0022","a":1,"a":2}',
        b'{"q":"\\"","a":1,"a":1}',
    ],
)
def test_JSON_6_duplicate_fields_are_refused(raw):
    with pytest.raises(ParseError, match="duplicate field `a`"):
        parse(raw)


@pytest.mark.parametrize("raw", [b"1.0", b"1e3", b'{"a":-0.5}', b"[1E2]", b"1e400"])
def test_JSON_7_floats_are_refused(raw):
    with pytest.raises(ParseError, match=r"Invalid number\."):
        scan(raw)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b" ",
        b"{",
        b"[1,]",
        b'{"a":1,}',
        b"1 2",
        b"{}x",
        b"NaN",
        b"[Infinity]",
        b"-Infinity",
        b"01",
        b"+1",
        b"{a:1}",
        b"'a'",
        b'"\x01"',
        b'"\xff"',
        b'"\xed\xa0\x80"',
        b'"\\ud800"',
        b'"\\udc00x"',
        b'"\\ud800\\u0041"',
        b"\xef\xbb\xbf{}",
        b'{"a":1}\x00',
        b"nul",
        b'"\\x41"',
    ],
)
def test_JSON_12_what_is_not_json_is_refused(raw):
    with pytest.raises(ParseError, match=r"^Error parsing into type JSON: "):
        scan(raw)


def test_64_levels_pass_and_65_do_not():
    scan(b"[" * 64 + b"]" * 64)
    scan(b'{"a":' * 64 + b"1" + b"}" * 64)
    for raw in (b"[" * 65 + b"]" * 65, b'{"a":[' * 33 + b"]}" * 33, b"[" * 200_000):
        with pytest.raises(ParseError, match="recursion limit exceeded"):
            scan(raw)


def test_brackets_in_strings_do_not_count_as_nesting():
    text = json.dumps(["[" * 500, '"[{' * 100, "\\"])
    assert parse(text.encode()) == json.loads(text)


def test_many_flat_arrays_are_not_deep():
    raw = b"[" + b",".join([b"[]"] * 5_000) + b"]"
    assert parse(raw) == [[]] * 5_000


def test_the_answer_does_not_depend_on_the_stack_of_the_caller():
    deep = b"[" * 64 + b"]" * 64
    spaced = b"[ " * 64 + b'{"a":1,"a":2}' + b"]" * 64

    def at_depth(levels):
        if levels:
            return at_depth(levels - 1)
        scan(deep)
        with pytest.raises(ParseError):
            scan(spaced)
        return True

    assert at_depth(10)
    assert at_depth(600)


def test_numbers_end_at_640_digits():
    assert parse(b"9" * 640) == int("9" * 640)
    assert parse(b'{"a": ' + b"9" * 640 + b"}") == {"a": int("9" * 640)}
    assert parse(b'"' + b"9" * 5_000 + b'"') == "9" * 5_000
    for raw in (b"9" * 641, b"[" + b"1" * 100_000 + b"]", b"-" + b"9" * 641):
        with pytest.raises(ParseError, match=r"Invalid number"):
            parse(raw)


@pytest.mark.parametrize("limit", ["640", "0", "100000"])
def test_the_answer_does_not_depend_on_the_digit_limit_of_the_environment(limit):
    script = (
        "from chain.std.scan import parse\n"
        "from chain.std import ParseError, Uint128, RangeError\n"
        "made = []\n"
        "for raw in (b'9' * 640, b'[ ' + b'9' * 640 + b' ]', b'9' * 641, b'9' * 9999):\n"
        "    try:\n"
        "        parse(raw); made.append('ok')\n"
        "    except ParseError as error:\n"
        "        made.append('no')\n"
        "for text in ('0' * 9999 + '7', '9' * 9999):\n"
        "    try:\n"
        "        made.append(int(Uint128.parse(text)))\n"
        "    except ValueError as error:\n"
        "        made.append('no' if 'too large' in str(error) else str(error)[:40])\n"
        "print(made)\n"
    ).replace(", RangeError", "")
    environment = {**os.environ, "PYTHONINTMAXSTRDIGITS": limit}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "['ok', 'ok', 'no', 'no', 7, 'no']\n"
