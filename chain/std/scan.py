"""Strict JSON text to plain values: the door that every message passes.

Refused: duplicate keys, floats, ``NaN`` and ``Infinity``, nesting above 64, invalid UTF-8, lone
surrogates, trailing data, numbers of more than 640 digits. The answer does not depend on the
caller's stack or on environment variables: nesting and digits are counted before anything reads
them.

Speed: one pass of msgspec's decoder and one of its encoder. What encodes back to the same bytes has
no duplicate keys, nor has text without escapes that comes back with as many quotes; only the rest
is read again by ``json``.
"""

from __future__ import annotations

import json
import re
from typing import Final

import msgspec

from chain.std.errors import ParseError

DEPTH_MAX: Final = 64  # arrays and objects inside each other
_SEARCHED_MAX: Final = 65_536  # bytes of text in which a refused number is looked for
_SHOWN_MAX: Final = 64  # characters of a refused number in a text
DIGITS_MAX: Final = 640  # of one number: the lowest bound that PYTHONINTMAXSTRDIGITS can set

_STRINGS = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NOT_BRACKETS: Final = bytes(byte for byte in range(256) if byte not in b"[]{}")
_DIGIT_RUN: Final = b"0" * (DIGITS_MAX + 1)
_DIGITS_TO_ZERO: Final = bytes(48 if 48 <= byte <= 57 else 32 for byte in range(256))


class _Refused(ValueError):
    """A hook's refusal on its way through a C decoder."""


def _refuse_float(text: str) -> object:
    raise _Refused("Invalid number.")


def _refuse_constant(text: str) -> object:
    raise _Refused("Expected this character to start a JSON value.")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: dict[str, bool] = {}
        for key, _ in pairs:
            if key in seen:
                raise _Refused(f"duplicate field `{key}`")
            seen[key] = True
    return made


_fast_decode = msgspec.json.Decoder(float_hook=_refuse_float).decode
_fast_encode = msgspec.json.Encoder().encode
_slow = json.JSONDecoder(
    object_pairs_hook=_unique, parse_float=_refuse_float, parse_constant=_refuse_constant
)


def parse(raw: bytes, type_name: str = "JSON", *, below: int = 0, bare: bool = False) -> object:
    """Read strict JSON into dicts, lists, str, int, bool and None. Raises: ParseError.

    The text of a refused float says where it stands, ``below`` so many outer members; with ``bare``
    the texts are serde-json-wasm's, which do not say.
    """
    if raw.count(b"{") + raw.count(b"[") > DEPTH_MAX and _too_deep(raw):
        raise ParseError(type_name, "recursion limit exceeded")
    if len(raw) > DIGITS_MAX and _DIGIT_RUN in raw.translate(_DIGITS_TO_ZERO):
        _check_digits(raw, type_name)
    try:
        value: object = _fast_decode(raw)
    except msgspec.ValidationError:
        raise ParseError(
            type_name, "Invalid number." if bare else _float_reason(raw, below)
        ) from None
    except msgspec.MsgspecError as error:
        raise ParseError(type_name, _reason(str(error), raw)) from None
    again = _fast_encode(value)
    if again == raw or (b"\\" not in raw and again.count(b'"') == raw.count(b'"')):
        return value
    try:
        return _slow.decode(raw.decode("utf-8"))
    except _Refused as error:
        raise ParseError(type_name, str(error)) from None


def scan(raw: bytes) -> None:
    """Check that ``raw`` is strict JSON. Raises: ParseError."""
    parse(raw)


def _too_deep(raw: bytes) -> bool:
    depth = 0
    for byte in _STRINGS.sub(b"", raw).translate(None, _NOT_BRACKETS):
        if byte in b"[{":
            depth += 1
            if depth > DEPTH_MAX:
                return True
        else:
            depth -= 1
    return False


def _check_digits(raw: bytes, type_name: str) -> None:
    if _DIGIT_RUN in _STRINGS.sub(b"", raw).translate(_DIGITS_TO_ZERO):
        raise ParseError(type_name, "Invalid number.")


class _Float(str):
    """The text of a number that is no integer."""

    __slots__ = ()


_marked = json.JSONDecoder(parse_float=_Float, parse_constant=_refuse_constant)


def _float_reason(raw: bytes, below: int) -> str:
    """Which number is no integer, and where it stands."""
    if len(raw) > _SEARCHED_MAX:
        return "Invalid number."
    try:
        found = _first_float(_marked.decode(raw.decode("utf-8")), [])
    except ValueError:
        found = None
    if found is None:
        return "Invalid number."
    number, path = found
    place = "".join(path[below:]).lstrip(".")
    where = f" at `{place}`" if place else ""
    shown = number if len(number) <= _SHOWN_MAX else number[:_SHOWN_MAX] + "…"
    return f"Invalid number. Expected integer, got {shown}{where}"


def _first_float(value: object, path: list[str]) -> tuple[str, list[str]] | None:
    if type(value) is _Float:
        return str(value), path
    steps: list[tuple[str, object]] = []
    if type(value) is dict:
        steps = [(f".{key}", item) for key, item in value.items()]
    elif type(value) is list:
        steps = [(f"[{index}]", item) for index, item in enumerate(value)]
    for step, item in steps:
        found = _first_float(item, [*path, step])
        if found is not None:
            return found
    return None


def _reason(text: str, raw: bytes) -> str:
    """Our own words for a decoder's text: host texts may change between versions."""
    if "truncated" in text:
        cut = b"\\ud" in raw.lower() and raw.rstrip().endswith((b"}", b"]", b'"'))
        return "lone surrogate found" if cut else "EOF while parsing a JSON value."
    if "UTF-8" in text:
        return "Invalid unicode code point."
    if "surrogate" in text:
        return "lone surrogate found"
    for marker, reason in (
        ("trailing characters", "JSON has non-whitespace trailing characters after the value."),
        ("trailing comma", "JSON has a comma after the last value in an array or map."),
        ("invalid number", "Invalid number."),
        ("expected ':'", "Expected this character to be a `':'`."),
        ("or ']'", "Expected this character to be either a `','` or a `']'`."),
        ("or '}'", "Expected this character to be either a `','` or a `'}'`."),
        ("object keys must be strings", "Object key is not a string."),
        ("escape", "Invalid escape character."),
    ):
        if marker in text:
            return reason
    return "Expected this character to start a JSON value."
