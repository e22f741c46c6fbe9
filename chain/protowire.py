"""Protobuf wire format: the few readers and writers that keys, transactions, blocks and proofs
share.

No message is described here. Readers refuse with protowire's texts; writers leave out defaults, as
generated code does.
"""

from __future__ import annotations

from typing import Final

UNEXPECTED_EOF: Final = "unexpected EOF"
_MAX_DEPTH: Final = 100  # far beyond what any message nests, far below the caller's stack
_FIELD_NUMBER: Final = "proto:\xa0invalid field number"
_OVERFLOW: Final = "proto:\xa0variable length integer overflow"
_RESERVED: Final = "proto:\xa0cannot parse reserved wire type"
_END_GROUP: Final = "proto:\xa0mismatching end group marker"


class WireError(Exception):
    """Bytes that are no protobuf; the message is protowire's."""


def read_varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """A varint and the position after it. Raises: WireError when it is cut off or too long."""
    value = shift = 0
    while True:
        if at >= end:
            raise WireError(UNEXPECTED_EOF)
        byte = data[at]
        at += 1
        if shift == 63 and byte > 1:
            raise WireError(_OVERFLOW)
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def read_tag(data: bytes, at: int, end: int) -> tuple[int, int]:
    """A field's tag (number and wire type) and the position after it. Raises: WireError."""
    tag, at = read_varint(data, at, end)
    if not 1 <= tag >> 3 <= 0x7FFFFFFF:
        raise WireError(_FIELD_NUMBER)
    return tag, at


def skip_value(tag: int, data: bytes, at: int, end: int, depth: int = _MAX_DEPTH) -> int:
    """The position after the value of a field. Raises: WireError when it is not all there."""
    wire = tag & 7
    if wire == 0:
        return read_varint(data, at, end)[1]
    if wire == 2:
        length, at = read_varint(data, at, end)
        at += length
    elif wire == 1:
        at += 8
    elif wire == 5:
        at += 4
    elif wire == 3:
        return _skip_group(tag >> 3, data, at, end, depth)
    else:
        raise WireError(_END_GROUP if wire == 4 else _RESERVED)
    if at > end:
        raise WireError(UNEXPECTED_EOF)
    return at


def _skip_group(number: int, data: bytes, at: int, end: int, depth: int) -> int:
    if not depth:
        raise WireError("proto:\xa0recursion depth exceeded")
    while True:
        tag, at = read_tag(data, at, end)
        if tag & 7 == 4:
            if tag >> 3 != number:
                raise WireError(_END_GROUP)
            return at
        at = skip_value(tag, data, at, end, depth - 1)


_SMALL: Final = tuple([bytes((value,)) for value in range(0x80)])


def varint(value: int) -> bytes:
    """A varint; negative numbers as 64-bit two's complement."""
    if value < 0x80:
        if value >= 0:
            return _SMALL[value]
        value += 1 << 64
    elif value < 0x4000:
        return bytes((value & 0x7F | 0x80, value >> 7))
    elif value < 0x20_0000:
        return bytes((value & 0x7F | 0x80, value >> 7 & 0x7F | 0x80, value >> 14))
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def int_field(number: int, value: int) -> bytes:
    """A varint field; nothing for zero."""
    return varint(number << 3) + varint(value) if value else b""


def bytes_field(number: int, value: bytes) -> bytes:
    """A length-delimited field; nothing for empty bytes."""
    return message_field(number, value) if value else b""


def text_field(number: int, value: str) -> bytes:
    """A string field; nothing for empty text."""
    return bytes_field(number, value.encode())


def message_field(number: int, value: bytes) -> bytes:
    """A nested message, written also when it is empty."""
    size = len(value)
    if size < 0x80 and number < 0x10:
        return _SMALL[number << 3 | 2] + _SMALL[size] + value
    return varint(number << 3 | 2) + varint(size) + value


def any_field(number: int, url: str, value: bytes) -> bytes:
    """A nested ``Any``."""
    return message_field(number, pack_any(url, value))


def pack_any(url: str, value: bytes) -> bytes:
    """An ``Any`` of a type and its bytes."""
    return text_field(1, url) + bytes_field(2, value)


def fixed64_field(number: int, value: int) -> bytes:
    """A signed 64-bit field of fixed size; nothing for zero."""
    if not value:
        return b""
    return varint(number << 3 | 1) + value.to_bytes(8, "little", signed=True)


def timestamp(time_ns: int) -> bytes:
    """A ``google.protobuf.Timestamp`` of nanoseconds since 1970."""
    seconds, nanos = divmod(time_ns, 1_000_000_000)
    return int_field(1, seconds) + int_field(2, nanos)
