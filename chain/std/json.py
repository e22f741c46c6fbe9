"""JSON as contracts and the engine use it: one place to import from."""

from chain.std.decode import convert, convert_variant, decode, decode_variant
from chain.std.encode import encode, encode_message, encode_variant, to_plain
from chain.std.errors import ParseError, SerializeError
from chain.std.scan import parse, scan
from chain.std.schema import schema_of

__all__ = [
    "ParseError",
    "SerializeError",
    "convert",
    "convert_variant",
    "decode",
    "decode_variant",
    "encode",
    "encode_message",
    "encode_variant",
    "parse",
    "scan",
    "schema_of",
    "to_plain",
]
