"""Protobuf bytes, read as strictly as a Cosmos chain reads transactions.

A description (``Desc``) says which fields a message has. ``walk`` goes through the bytes once,
refuses what the SDK's ``unknownproto`` refuses, in its words, and leaves the fields' values in a
list by slot. Fields that are messages become lists themselves; an ``Any`` becomes ``(description,
values)`` of what is inside. Repeated singular messages merge and scalars take the last value, as in
generated code.

Non-critical fields are unknown numbers with bit 11 set; they pass where the caller is lenient (the
body, not the authentication info).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from chain.protowire import UNEXPECTED_EOF, WireError, read_tag, read_varint, skip_value

VARINT: Final = 0
STRING: Final = 1
BYTES: Final = 2
MESSAGE: Final = 3
ANY: Final = 4
STRINGS: Final = 5
BYTESES: Final = 6
MESSAGES: Final = 7
ANYS: Final = 8
VARINTS: Final = 9  # repeated integers: skipped, never read

NON_CRITICAL: Final = 1 << 10
_WIRE_NAMES: Final = ("varint", "fixed64", "bytes", "start_group", "end_group", "fixed32")
_MAX_DEPTH: Final = 100  # far beyond what any transaction nests, far below the caller's stack

Values = list[Any]


class UnknownFieldError(Exception):
    """Bytes that the SDK refuses before it decodes them; the message is its own."""


class Desc:
    """What a message looks like on the wire.

    ``go`` is the Go type that refusals name, ``fields`` are (number, name, kind, description of a
    nested message). ``make`` turns walked values into the value that the rest of the program sees.
    """

    __slots__ = ("by_number", "by_tag", "defaults", "go", "make", "oneof", "url")

    def __init__(
        self,
        url: str,
        go: str,
        fields: tuple[tuple[int, str, int, Desc | None], ...],
        make: Callable[[Values], Any] | None = None,
        *,
        oneof: bool = False,
    ) -> None:
        self.url = url
        self.go = go
        self.make = make
        self.oneof = oneof
        self.defaults: Values = []
        self.by_tag: dict[int, tuple[int, int, Desc | None]] = {}
        self.by_number: dict[int, tuple[str, int]] = {}
        for slot, (number, name, kind, inner) in enumerate(fields):
            self.defaults.append({VARINT: 0, STRING: "", BYTES: b""}.get(kind))
            self.by_number[number] = (name, kind)
            if kind != VARINTS:
                self.by_tag[number << 3 | (0 if kind == VARINT else 2)] = (kind, slot, inner)


Resolver = Callable[[str], Desc]


def wire_name(tag: int) -> str:
    """The SDK's name of a tag's wire type."""
    wire = tag & 7
    return _WIRE_NAMES[wire] if wire < 6 else f"unknown type: {wire}"


def to_text(data: bytes) -> str:
    """Text of a string field; what is not UTF-8 is replaced, as the real node only fails on it
    later.
    """
    return data.decode("utf-8", "replace")


class Walker:
    """One pass over a message, with what stays the same throughout it."""

    __slots__ = ("lenient", "resolve")

    def __init__(self, resolve: Resolver, *, lenient: bool) -> None:
        self.resolve = resolve
        self.lenient = lenient

    def walk(
        self, desc: Desc, data: bytes, values: Values | None = None, depth: int = _MAX_DEPTH
    ) -> Values:
        """The values of a message; ``values`` are those of an earlier occurrence, to merge with.

        Raises: UnknownFieldError in the SDK's words.
        """
        if values is None:
            values = desc.defaults.copy()
        if not depth:
            raise UnknownFieldError("recursion limit reached")
        by_tag = desc.by_tag
        at = 0
        end = len(data)
        while at < end:
            tag = data[at]
            if 8 <= tag < 0x80:
                at += 1
            else:
                try:
                    tag, at = read_tag(data, at, end)
                except WireError:
                    raise UnknownFieldError("invalid length") from None
            known = by_tag.get(tag)
            if known is None:
                at = self._unknown(desc, tag, data, at)
                continue
            kind, slot, inner = known
            if at < end and data[at] < 0x80:
                length = data[at]
                at += 1
            else:
                length, at = self._long_varint(tag, data, at)
            if kind == VARINT:
                values[slot] = length
                continue
            start = at
            at += length
            if at > end:
                raise _cut_off(tag, WireError(UNEXPECTED_EOF))
            part = data[start:at]
            if kind == STRING:
                values[slot] = part.decode("utf-8", "replace")
            elif kind == BYTES:
                values[slot] = part
            elif kind == MESSAGE:
                if desc.oneof:
                    values[:] = desc.defaults
                values[slot] = self.walk(inner, part, values[slot], depth - 1)  # type: ignore[arg-type]
            elif kind == ANY:
                values[slot] = self.any(part, depth - 1)
            else:
                value = self._element(kind, inner, part, depth)
                if values[slot] is None:
                    values[slot] = [value]
                else:
                    values[slot].append(value)
        return values

    def _element(self, kind: int, inner: Desc | None, part: bytes, depth: int) -> Any:
        if kind == MESSAGES:
            return self.walk(inner, part, None, depth - 1)  # type: ignore[arg-type]
        if kind == ANYS:
            return self.any(part, depth - 1)
        return part if kind == BYTESES else to_text(part)

    def any(self, data: bytes, depth: int) -> tuple[Desc, Values]:
        """What an ``Any`` holds: its description and its values. Raises: UnknownFieldError."""
        url, value = self.walk(ANY_DESC, data, None, depth)
        inner = self.resolve(url)
        return inner, self.walk(inner, value, None, depth - 1)

    def _long_varint(self, tag: int, data: bytes, at: int) -> tuple[int, int]:
        try:
            return read_varint(data, at, len(data))
        except WireError as error:
            raise _cut_off(tag, error) from None

    def _unknown(self, desc: Desc, tag: int, data: bytes, at: int) -> int:
        number = tag >> 3
        known = desc.by_number.get(number)
        if known is not None:
            name, kind = known
            scalar = kind in (VARINT, VARINTS)
            if not (scalar and tag & 7 in (0, 2)):
                want = "varint" if scalar else "bytes"
                raise UnknownFieldError(
                    f'Mismatched "{desc.go}": {{TagNum: {number}, '
                    f'GotWireType: "{wire_name(tag)}" != WantWireType: "{want}"}}'
                )
            if kind == VARINT:
                raise UnknownFieldError(f"proto: wrong wireType = {tag & 7} for field {name}")
        elif not (self.lenient and number & NON_CRITICAL):
            raise UnknownFieldError(
                f'errUnknownField "{desc.go}": {{TagNum: {number}, WireType:"{wire_name(tag)}"}}'
            )
        try:
            return skip_value(tag, data, at, len(data))
        except WireError as error:
            raise _cut_off(tag, error) from None


def _cut_off(tag: int, error: WireError) -> UnknownFieldError:
    return UnknownFieldError(
        f"could not consume field value for tagNum: {tag >> 3}, "
        f'wireType: "{wire_name(tag)}"; {error}'
    )


ANY_DESC: Final = Desc(
    "/google.protobuf.Any", "*types.Any", ((1, "TypeUrl", STRING, None), (2, "Value", BYTES, None))
)
