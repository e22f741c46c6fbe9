"""Reads decoded JSON the way the recorded contracts' Rust types read it, with their error texts."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Any

from chain.std import ContractError

Parser = Callable[[Any], Any]
MISSING = object()


class Refused(Exception):
    """A value does not fit its type; the text is the reason."""


def parse(value: Any, parser: Parser, type_name: str) -> Any:
    """Read a value or refuse it with the text ``Error parsing into type …``."""
    try:
        return parser(value)
    except Refused as error:
        raise ContractError(f"Error parsing into type {type_name}: {error}") from None


def text(value: Any) -> str:
    """A string."""
    if not isinstance(value, str):
        raise Refused("Invalid type")
    return value


def boolean(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise Refused("Invalid type")
    return value


def unsigned(bits: int) -> Parser:
    """An unsigned integer of so many bits, as a JSON number."""

    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise Refused("Invalid type")
        if not 0 <= value < 1 << bits:
            raise Refused("Invalid number.")
        return value

    return read


def uint128(value: Any) -> int:
    """A decimal string that fits 128 bits; a plus sign and leading zeros pass, as in Rust."""
    digits = text(value)
    plain = digits.removeprefix("+")
    if not plain:
        raise Refused("cannot parse integer from empty string")
    if not (plain.isascii() and plain.isdigit()):
        raise Refused(f"invalid Uint128 '{digits}' - invalid digit found in string")
    number = int(plain)
    if number >= 1 << 128:
        raise Refused("number too large to fit in target type")
    return number


def binary(value: Any) -> bytes:
    """Standard base64; missing padding passes."""
    encoded = text(value)
    try:
        return base64.b64decode(encoded + "=" * (-len(encoded) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise Refused(f"invalid base64: {encoded}") from None


def anything(value: Any) -> Any:
    """Any JSON value."""
    return value


def optional(parser: Parser) -> Parser:
    """The value, or None for null."""
    return lambda value: None if value is None else parser(value)


def list_of(parser: Parser) -> Parser:
    """A list."""

    def read(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise Refused("Invalid type")
        return [parser(item) for item in value]

    return read


def struct(
    fields: Mapping[str, Parser], defaults: Mapping[str, Any] | None = None, *, strict: bool = True
) -> Parser:
    """An object with these fields; strict types refuse others."""
    standing = defaults or {}

    def read(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise Refused("Invalid type")
        if strict:
            for name in value:
                if name not in fields:
                    raise Refused(f"unknown field `{name}`, {expected(list(fields), 'fields')}")
        result = {}
        for name, parser in fields.items():
            if name in value:
                result[name] = parser(value[name])
            elif name in standing:
                result[name] = standing[name]
            else:
                raise Refused(f"missing field `{name}`")
        return result

    return read


def enum(variants: Mapping[str, Parser]) -> Parser:
    """One variant, read as (name, value)."""

    def read(value: Any) -> tuple[str, Any]:
        if not isinstance(value, dict) or not value:
            raise Refused("Invalid type")
        name = next(iter(value))
        if name not in variants:
            raise Refused(f"unknown variant `{name}`, {expected(list(variants), 'variants')}")
        inner = variants[name](value[name])
        if len(value) > 1:
            raise Refused("Expected this character to start a JSON value.")
        return name, inner

    return read


def choice(*names: str) -> Parser:
    """One of these bare strings."""

    def read(value: Any) -> str:
        if text(value) not in names:
            raise Refused(f"unknown variant `{value}`, {expected(list(names), 'variants')}")
        return str(value)

    return read


def expected(names: list[str], kind: str) -> str:
    """The second half of serde's message about a name that it does not know."""
    quoted = [f"`{name}`" for name in names]
    if not quoted:
        return f"there are no {kind}"
    if len(quoted) == 1:
        return f"expected {quoted[0]}"
    if len(quoted) == 2:
        return f"expected {quoted[0]} or {quoted[1]}"
    return f"expected one of {', '.join(quoted)}"
