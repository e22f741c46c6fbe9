"""Parameters from JSON and from addresses."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain.node import params
from chain.node.gojson import JsonError
from chain.node.params import Param, ParamError, from_json, from_uri, unbase64, unhex

HEIGHT = (Param("height", "int64"),)
HASH = (Param("hash", "bytes"),)


@given(st.binary(max_size=40))
def test_base64_is_read_as_it_was_written(raw: bytes) -> None:
    assert unbase64(base64.b64encode(raw)) == raw
    assert unhex(raw.hex().encode()) == raw


@pytest.mark.parametrize(
    ("raw", "at"),
    [("3q2-7w==", 3), ("3q2+7w", 4), ("A", 0), ("AAA", 0), ("=AAA", 0), ("AA=A", 2), ("AAA==", 4)],
)
def test_corrupt_base64_names_the_byte(raw: str, at: int) -> None:
    with pytest.raises(JsonError) as caught:
        unbase64(raw.encode())
    assert str(caught.value) == f"illegal base64 data at input byte {at}"


def test_line_ends_in_base64_are_passed_over() -> None:
    assert unbase64(b"3q2+\r\n7w==\n") == b"\xde\xad\xbe\xef"


def test_numbers_are_texts() -> None:
    assert from_json(HEIGHT, b'{"height":"15"}') == [15]
    assert from_json(HEIGHT, b'["15"]') == [15]
    assert from_json(HEIGHT, b'{"height":null}') == [None]
    assert from_json(HEIGHT, b"{}") == [None]
    for raw in (b'{"height":15}', b'{"height":""}', b'{"height":"1.5"}', b"[]", b"5"):
        with pytest.raises(ParamError, match=r"^error converting json params to arguments: "):
            from_json(HEIGHT, raw)


def test_arguments_of_addresses() -> None:
    assert from_uri(HEIGHT, {"height": "15"}.get) == [15]
    assert from_uri(HEIGHT, {"height": '"15"'}.get) == [15]
    assert from_uri(HASH, {"hash": "0xDEAD"}.get) == [b"\xde\xad"]
    assert from_uri(HASH, {"hash": '"abc"'}.get) == [b"abc"]
    with pytest.raises(ParamError, match="got a hex string arg, but expected 'int64'"):
        from_uri(HEIGHT, {"height": "0x10"}.get)


def test_bytes_may_be_an_array_of_numbers() -> None:
    assert from_json(HASH, b'{"hash":[1,255]}') == [b"\x01\xff"]
    with pytest.raises(ParamError):
        from_json(HASH, b'{"hash":[256]}')


def test_the_quick_decoder_takes_what_the_slow_one_takes() -> None:
    for length in range(6):
        for letters in itertools.product(b"AZ/=+\n-", repeat=length):
            raw = bytes(letters)
            assert told(unbase64, raw) == told(params.unbase64_slowly, raw), raw


def told(decode: Callable[[bytes], bytes], raw: bytes) -> bytes | str:
    """What a decoder makes of bytes, or says of them."""
    try:
        return decode(raw)
    except JsonError as error:
        return str(error)
