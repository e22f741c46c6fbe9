"""RFC 8785 text of values."""

from __future__ import annotations

from typing import Any

import pytest
from a2a.utils import _jcs

from chain.client.canonical import CanonicalError, canonical


def test_keys_are_ordered_by_utf_16_units() -> None:
    value = {"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\U0001f600": 5, "\x80": 6, "\xf6": 7}
    wanted = '{"\\r":2,"1":4,"\x80":6,"\xf6":7,"\u20ac":1,"\U0001f600":5,"\ufb33":3}'
    assert canonical(value).decode() == wanted


def test_text_is_escaped_as_ecmascript_does() -> None:
    assert canonical('€$\x0f\nA\'B"\\"/\x7f') == '"€$\\u000f\\nA\'B\\"\\\\\\"/\x7f"'.encode()


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        -(2**53 - 1),
        [],
        {},
        {"b": [1, {"z": "ü", "a": "\u2028"}], "a": ""},
        "\x00\x1f",
    ],
)
def test_the_a2a_sdk_writes_the_same(value: Any) -> None:
    assert canonical(value).decode() == _jcs.canonicalize(value)


@pytest.mark.parametrize("value", [1.5, 2**53, "\ud800", {1: 2}, b"x", {"a": {1, 2}}])
def test_what_has_no_canonical_text_is_refused(value: Any) -> None:
    with pytest.raises(CanonicalError):
        canonical(value)


def test_depth_is_bounded() -> None:
    value: Any = 0
    for _ in range(64):
        value = [value]
    with pytest.raises(CanonicalError):
        canonical(value)
    canonical(value[0])
