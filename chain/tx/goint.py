"""Integers as Go's ``big.Int`` reads text: ``0100`` is 64 and ``0x10`` is 16, as the real chain has
it.
"""

from __future__ import annotations

from typing import Final

_MAX_BITS: Final = 256
_MAX_TEXT: Final = 400  # more digits than 256 bits need in any base
_BASES: Final = {"b": 2, "o": 8, "x": 16}
_DIGITS: Final = {char: value for value, char in enumerate("0123456789abcdef")}


class UnmarshalError(Exception):
    """Bytes that a generated decoder refuses; the message is the SDK's."""


def go_quote(text: str) -> str:
    """Text in Go's ``%q``."""
    out = []
    for char in text:
        if char in '"\\':
            out.append("\\" + char)
        elif char.isprintable():
            out.append(char)
        else:
            code = ord(char)
            named = {7: "a", 8: "b", 12: "f", 10: "n", 13: "r", 9: "t", 11: "v"}.get(code)
            if named:
                out.append("\\" + named)
            elif code < 0x80:
                out.append(f"\\x{code:02x}")
            else:
                out.append(f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")
    return '"' + "".join(out) + '"'


def parse_int(text: str) -> int:
    """The integer of an amount; empty text is zero. Raises: UnmarshalError in the SDK's words."""
    if not text:
        return 0
    value = scan_int(text)
    if value is None:
        raise UnmarshalError(f"math/big: cannot unmarshal {go_quote(text)} into a *big.Int")
    if value.bit_length() > _MAX_BITS:
        raise UnmarshalError(f"integer out of range; got: {value.bit_length()}, max: {_MAX_BITS}")
    return value


def scan_int(text: str) -> int | None:
    """The integer of a text that is not empty, in every spelling of Go's literals; None for none.
    """
    if text.isascii() and text.isdigit() and text[0] != "0" and len(text) < _MAX_TEXT:
        return int(text)
    sign = -1 if text[0] == "-" else 1
    rest = text[1:] if text[0] in "+-" else text
    base = 10
    after_digit = False
    if rest[:1] == "0" and len(rest) > 1:
        after_digit = True
        base = _BASES.get(rest[1].lower() if rest[1].isascii() else "", 8)
        named = rest[1] in "bBoOxX"
        rest = rest[2:] if named else rest[1:]
        if not rest:
            return None
    value = digits = 0
    for char in rest:
        if char == "_":
            if not after_digit:
                return None
            after_digit = False
            continue
        digit = _DIGITS.get(char.lower() if char.isascii() else "", 99)
        if digit >= base:
            return None
        if value.bit_length() < 4 * _MAX_TEXT:
            value = value * base + digit
        digits += 1
        after_digit = True
    if not digits or not after_digit:
        return None
    return sign * value
