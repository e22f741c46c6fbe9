"""Plain values to typed ones: strict, with serde's texts.

With a ``type_name`` of the caller's choice the reasons are serde-json-wasm's own, which do not say
where (``Invalid type``); without one they name the field too.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar, cast, get_args

import msgspec

from chain.std.errors import ParseError
from chain.std.numbers import Binary, BoundedInt, RangeError, base64_decode
from chain.std.records import Message, OneOf, backticked
from chain.std.scan import parse
from chain.std.shapes import fields_of, is_struct, shape_of, unwrap

Prepare = Callable[[Any], Any]
M = TypeVar("M", bound=Message)

_PATH = re.compile(r"(?s)^(.*?)(?: - at `\$(.*)`)?$")
_MISSING = re.compile(r"^Object missing required field `(.*)`$")
_UNKNOWN = re.compile(r"^Object contains unknown field `(.*)`$")
_WRONG = re.compile(r"^Expected `(.*)`, got `(.*)`$")
_WORD = re.compile(r"(?s)^Invalid enum value '(.*)'$")
_INT_RANGE = re.compile(r"^Expected `int` ([<>]=? -?[0-9]+)")


class _Wide:
    """An integer of more than 64 bits, so that no plain number field takes it."""

    __slots__ = ("value",)

    def __init__(self, value: int) -> None:
        self.value = value


def json_hook(type_: type, value: object) -> object:
    """Read the JSON form of one of our own types; a field of type ``object`` takes any JSON."""
    if type_ is object:
        return value
    if issubclass(type_, BoundedInt):
        if type_.AS_TEXT:
            if value.__class__ is not str:
                raise RangeError(f"Invalid type: expected string, got {_kind(value)}")
            return type_.parse(value)
        if isinstance(value, _Wide):
            value = value.value
        if type(value) is not int:
            raise RangeError(f"Invalid type: expected integer, got {_kind(value)}")
        if not type_.MIN <= value <= type_.MAX:
            raise RangeError("Invalid number.")
        return type_(value)
    if issubclass(type_, Binary):
        if not isinstance(value, str):
            raise RangeError(f"Invalid type: expected string, got {_kind(value)}")
        return Binary(base64_decode(value))
    raise TypeError(f"{type_.__name__} has no JSON form")


def decode(raw: bytes, type_: Any = None, type_name: str | None = None) -> Any:
    """Read strict JSON as ``type_``; as plain values where no type is given. Raises: ParseError."""
    name = type_name or _name(type_)
    value = parse(raw, name, bare=type_name is not None)
    if type_ is None or type_ is Any or type_ is object:
        return value
    return convert(value, type_, type_name)


def convert(value: Any, type_: Any, type_name: str | None = None) -> Any:
    """Give a plain JSON value its type. Raises: ParseError."""
    shape = shape_of(type_)
    try:
        if shape.prepare is not None:
            value = shape.prepare(value)
        if shape.has_plain_int:
            value = _guard_wide(value, shape.has_loose)
        return msgspec.convert(value, type_, dec_hook=json_hook)
    except msgspec.ValidationError as error:
        reason = _explain(str(error), type_, bare=type_name is not None)
        raise ParseError(type_name or _name(type_), reason) from None


def decode_variant(
    raw: bytes, variants: Sequence[type[M]], enum_name: str = "", *, compat: bool = False
) -> M:
    """Read ``{"name": {…}}`` or ``"name"`` as one of ``variants``. Raises: ParseError.

    ``enum_name`` is the type in error texts; ``compat`` keeps to serde-json-wasm's texts (also when
        the name has ``::``).
    """
    name = enum_name or "Message"
    value = parse(raw, name, below=1, bare=compat or "::" in name)
    return convert_variant(value, tuple(variants), name, compat=compat)


def convert_variant(
    value: Any, variants: tuple[type[M], ...], enum_name: str, *, compat: bool = False
) -> M:
    """As ``decode_variant`` from an already scanned value."""
    bare = compat or "::" in enum_name
    table = _table(variants)
    if type(value) is dict and len(value) == 1:
        for key, body in value.items():
            variant = table.get(key)
            if variant is not None and not variant.unit_variant:
                try:
                    return cast(M, convert(body, variant, enum_name if bare else None))
                except ParseError as error:
                    raise ParseError(enum_name, error.reason) from None
            _refuse_name(key, variant, variants, enum_name)
    if type(value) is str:
        variant = table.get(value)
        if variant is not None and variant.unit_variant:
            return cast(M, variant())
        _refuse_name(value, variant, variants, enum_name)
    raise ParseError(enum_name, _not_one(value, bare))


def _refuse_name(
    key: str, variant: type[Message] | None, variants: tuple[type[Message], ...], enum_name: str
) -> None:
    if variant is not None:
        raise ParseError(enum_name, "Invalid type")
    names = tuple(v.variant for v in variants)
    raise ParseError(enum_name, f"unknown variant `{key}`, {_expected(names, 'variants')}")


def _not_one(value: object, bare: bool) -> str:
    if type(value) is dict and value:
        if bare:
            return "Expected this character to start a JSON value."
        return f"expected one variant, got {backticked(tuple(value))}"
    return "Invalid type" if bare else "Invalid type: expected an object with one variant"


Table = dict[str, type[Message]]

#: By identity of the tuple, which the entry keeps alive; cleared when it grows beyond the bound.
_tables: dict[int, tuple[tuple[type[Message], ...], Table]] = {}
TABLES_MAX: Final = 1_024


def _table(variants: tuple[type[Message], ...]) -> Table:
    known = _tables.get(id(variants))
    if known is not None and known[0] is variants:
        return known[1]
    if len(_tables) >= TABLES_MAX:
        _tables.clear()
    made = {variant.variant: variant for variant in variants}
    _tables[id(variants)] = (variants, made)
    return made


def _guard_wide(value: Any, has_loose: bool) -> Any:
    """Hide integers beyond 64 bits from plain number fields.

    Values without any come back as they are. Beside fields of any type they are refused.
    """
    try:
        _measure(value)
    except OverflowError:
        if has_loose:
            raise msgspec.ValidationError("Invalid number.") from None
        return _widen(value)
    return value


_measure: Final = msgspec.msgpack.Encoder().encode


def _widen(value: Any) -> Any:
    if type(value) is int and not -(2**63) <= value < 2**64:
        return _Wide(value)
    if type(value) is list:
        return [_widen(item) for item in value]
    if type(value) is dict:
        return {key: _widen(item) for key, item in value.items()}
    return value


def _explain(text: str, type_: Any, *, bare: bool) -> str:
    match = _PATH.match(text)
    message, path = (match.group(1), match.group(2) or "") if match else (text, "")
    reason, detail = message, ""
    if found := _MISSING.match(message):
        reason = f"missing field `{found.group(1)}`"
    elif found := _UNKNOWN.match(message):
        owner = _type_at(type_, path)
        names = tuple(owner.__struct_fields__) if is_struct(owner) else ()
        if is_struct(owner) and issubclass(owner, OneOf):
            reason = f"unknown variant `{found.group(1)}`, {_expected(names, 'variants')}"
        else:
            reason = f"unknown field `{found.group(1)}`, {_expected(names, 'fields')}"
    elif found := _WRONG.match(message):
        wide = found.group(2) == "_Wide"
        reason = "Invalid number." if wide else "Invalid type"
        if wide:
            detail = " Expected integer of 64 bits"
        if reason == "Invalid type":
            detail = f": expected {_words(found.group(1))}, got {_words(found.group(2))}"
    elif found := _INT_RANGE.match(message):
        reason, detail = "Invalid number.", f" Expected integer {found.group(1)}"
    elif message.startswith("Invalid type: "):
        reason, detail = "Invalid type", message.removeprefix("Invalid type")
    elif found := _WORD.match(message):
        words = _type_at(type_, path)
        names = tuple(str(member.value) for member in words) if _is_enum(words) else ()
        reason = f"unknown variant `{found.group(1)}`, {_expected(names, 'variants')}"
    if bare:
        return reason
    field = path.lstrip(".")
    return f"{reason}{detail} at `{field}`" if field else f"{reason}{detail}"


_WORDS: Final = {
    "str": "string",
    "int": "integer",
    "array": "array",
    "bool": "bool",
    "null": "null",
}


def _kind(value: object) -> str:
    if value is None:
        return "null"
    return _KINDS.get(type(value), "integer")


_KINDS: Final = {str: "string", bool: "bool", list: "array", dict: "object"}


def _words(kinds: str) -> str:
    return " or ".join(_WORDS.get(kind, kind) for kind in kinds.split(" | "))


def _expected(names: tuple[str, ...], what: str) -> str:
    if not names:
        return f"there are no {what}"
    if len(names) == 1:
        return f"expected `{names[0]}`"
    if len(names) == 2:
        return f"expected `{names[0]}` or `{names[1]}`"
    return f"expected one of {backticked(names)}"


def _type_at(type_: Any, path: str) -> Any:
    """The type that a path of an error text points to; None where a union hides it."""
    here = unwrap(type_)
    for step in re.findall(r"\.[A-Za-z0-9_]+|\[[^\]]*\]", path):
        if step[0] == ".":
            here = unwrap(dict(fields_of(here)).get(step[1:])) if is_struct(here) else None
        else:
            arguments = [a for a in get_args(here) if a is not Ellipsis]
            here = unwrap(arguments[-1]) if arguments else None
    return here


def _is_enum(type_: Any) -> bool:
    return isinstance(type_, type) and issubclass(type_, enum.Enum)


def _name(type_: Any) -> str:
    if type_ is None:
        return "JSON"
    return str(getattr(type_, "__name__", type_))


__all__ = ["convert", "convert_variant", "decode", "decode_variant", "json_hook"]
