"""Typed and plain values to compact JSON bytes.

Fields come in declaration order, absent ones as null, number types as decimal text, bytes as
base64. Floats, sets and objects of other kinds are refused.
"""

from __future__ import annotations

from typing import Any

import msgspec

from chain.std.errors import SerializeError
from chain.std.records import Message
from chain.std.shapes import json_dump_hook, plain, shape_of

_encode = msgspec.json.Encoder(enc_hook=json_dump_hook).encode


def encode(value: Any) -> bytes:
    """Compact JSON of a struct (as a plain object) or of plain values. Raises: SerializeError."""
    if isinstance(value, msgspec.Struct):
        step = shape_of(type(value)).dump
        return _finish(value if step is None else step(value))
    return _finish(plain(value))


def encode_variant(message: Message) -> bytes:
    """``{"name": {…}}``, or ``"name"`` for a unit variant."""
    if message.unit_variant:
        return _finish(message.variant)
    step = shape_of(type(message)).dump
    return _finish({message.variant: message if step is None else step(message)})


def encode_message(value: Any) -> bytes:
    """What a call carries.

    Bytes as they stand, a ``Message`` as its variant, anything else as JSON.
    """
    if isinstance(value, bytes):
        return bytes(value)
    if isinstance(value, Message):
        return encode_variant(value)
    return encode(value)


def to_plain(value: Any) -> Any:
    """The value as JSON reads back: dicts, lists, str, int, bool and None."""
    return msgspec.json.decode(encode(value))


def _finish(value: object) -> bytes:
    try:
        return _encode(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise SerializeError(type(value).__name__, _why(error)) from None


def _why(error: Exception) -> str:
    return "text is not valid Unicode" if isinstance(error, UnicodeError) else "no JSON form"
