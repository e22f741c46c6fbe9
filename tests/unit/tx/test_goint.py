"""Amounts as Go reads them."""

import pytest

from chain.tx.goint import UnmarshalError, go_quote, parse_int


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", 0),
        ("0", 0),
        ("-0", 0),
        ("5", 5),
        ("+5", 5),
        ("-5", -5),
        ("0100", 64),
        ("00", 0),
        ("0x10", 16),
        ("0XfF", 255),
        ("0b101", 5),
        ("0o17", 15),
        ("1_000", 1000),
        ("0x_1", 1),
        ("0_7", 7),
        ("-0x10", -16),
        (str(2**256 - 1), 2**256 - 1),
    ],
)
def test_texts_and_their_values(text, value):
    assert parse_int(text) == value


@pytest.mark.parametrize(
    "text", ["1.5", "x", "08", "0b", "0x", "1_", "__1", "0b12", " 1", "1 ", "+", "--1"]
)
def test_other_texts_are_refused(text):
    with pytest.raises(UnmarshalError, match="math/big: cannot unmarshal"):
        parse_int(text)


@pytest.mark.parametrize("text", [str(2**256), "-" + str(2**256), "0x1" + "0" * 64])
def test_more_than_256_bits_are_refused(text):
    with pytest.raises(UnmarshalError, match="integer out of range; got: 257, max: 256"):
        parse_int(text)


def test_endless_digits_cost_little():
    with pytest.raises(UnmarshalError, match="out of range"):
        parse_int("9" * 100_000)


def test_quoting_is_gos():
    assert go_quote('a"b\\c\n\x01é\u2028\U000e0001') == '"a\\"b\\\\c\\n\\x01é\\u2028\\U000e0001"'
