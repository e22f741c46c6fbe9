"""JSON-7 to JSON-9: numbers and bytes in messages."""

import pytest

from chain.std import (
    I8,
    I64,
    U8,
    U64,
    U128,
    Binary,
    Int64,
    Message,
    ParseError,
    Timestamp,
    Uint64,
    Uint128,
    Uint256,
    decode,
)


class Burn(Message):
    amount: Uint128


class Numbers(Message):
    u8: U8 = 0
    i8: I8 = 0
    u64: U64 = 0
    i64: I64 = 0
    any64: int = 0
    u128: U128 = U128(0)
    text64: Uint64 = Uint64(0)
    text128: Uint128 = Uint128(0)
    text256: Uint256 = Uint256(0)
    signed: Int64 = Int64(0)
    when: Timestamp = Timestamp(0)


class TestNumbers:
    @pytest.mark.parametrize(
        ("field", "low", "high"),
        [
            ("u8", 0, 255),
            ("i8", -128, 127),
            ("u64", 0, 2**64 - 1),
            ("i64", -(2**63), 2**63 - 1),
            ("any64", -(2**63), 2**64 - 1),
            ("u128", 0, 2**128 - 1),
        ],
    )
    def test_C177_JSON_7_number_types_check_their_range(self, field, low, high):
        for value in (low, high):
            raw = f'{{"{field}":{value}}}'.encode()
            assert getattr(decode(raw, Numbers), field) == value
        for value in (low - 1, high + 1, "1.0", "1e3", '"5"', "true", "null", 2**300):
            with pytest.raises(ParseError):
                decode(f'{{"{field}":{value}}}'.encode(), Numbers)

    @pytest.mark.parametrize(
        ("field", "high"),
        [
            ("text64", 2**64 - 1),
            ("text128", 2**128 - 1),
            ("text256", 2**256 - 1),
            ("when", 2**64 - 1),
        ],
    )
    def test_JSON_7_JSON_8_big_numbers_are_decimal_text(self, field, high):
        for text, value in (
            ("0", 0),
            ("+1", 1),
            ("007", 7),
            (str(high), high),
            ("0" * 700 + "9", 9),
        ):
            assert getattr(decode(f'{{"{field}":"{text}"}}'.encode(), Numbers), field) == value
        for text in ("", "-1", "1.0", " 1", "1 ", "1e3", "0x10", "１", "+", "-", "1_0", "-0"):
            with pytest.raises(ParseError):
                decode(f'{{"{field}":"{text}"}}'.encode(), Numbers)
        for value in (str(high + 1), "9" * 5_000):
            with pytest.raises(ParseError, match="number too large to fit in target type"):
                decode(f'{{"{field}":"{value}"}}'.encode(), Numbers)
        with pytest.raises(ParseError):
            decode(f'{{"{field}":5}}'.encode(), Numbers)

    def test_JSON_7_signed_text(self):
        assert decode(b'{"signed":"-9223372036854775808"}', Numbers).signed == -(2**63)
        assert decode(b'{"signed":"-0"}', Numbers).signed == 0
        with pytest.raises(ParseError, match="number too small"):
            decode(b'{"signed":"-9223372036854775809"}', Numbers)

    def test_JSON_7_texts_of_the_recordings(self):
        def why(text):
            with pytest.raises(ParseError) as caught:
                decode(f'{{"amount":"{text}"}}'.encode(), Burn, "cw20::msg::Cw20ExecuteMsg")
            return str(caught.value).removeprefix(
                "Error parsing into type cw20::msg::Cw20ExecuteMsg: "
            )

        assert why("") == (
            "invalid $t '' - Generic error: Parsing u128: cannot parse integer from empty string"
        )
        assert why("-1") == (
            "invalid $t '-1' - Generic error: Parsing u128: invalid digit found in string"
        )
        assert why(2**128) == (
            f"invalid $t '{2**128}' - Generic error: Parsing u128:"
            " number too large to fit in target type"
        )

    def test_decoded_numbers_are_ints_of_their_class(self):
        value = decode(b'{"text128":"5","when":"7"}', Numbers)
        assert type(value.text128) is Uint128
        assert value.text128 + 1 == 6
        assert value.when.plus_seconds(1) == 1_000_000_007


class TestBinary:
    def test_C177_JSON_9_missing_padding_is_accepted(self):
        class Send(Message):
            msg: Binary

        for text in ("e30=", "e30"):
            assert decode(f'{{"msg":"{text}"}}'.encode(), Send).msg == b"{}"
        assert decode(b'{"msg":""}', Send).msg == b""

    @pytest.mark.parametrize(
        "text", ["***", "_-8=", "e30==", "e30=e30=", "e3 0", "e", "e31", "=", "é"]
    )
    def test_JSON_9_everything_else_is_refused(self, text):
        class Send(Message):
            msg: Binary

        with pytest.raises(ParseError) as caught:
            decode(f'{{"msg":"{text}"}}'.encode(), Send, "cw20::msg::Cw20ExecuteMsg")
        assert str(caught.value).endswith(f"invalid base64: {text}")
