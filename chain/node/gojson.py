"""JSON as Go reads and writes it: the same texts for what is wrong, the same escapes.

Reading happens in C; only when that fails is the text walked here, to say why in Go's words.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

import msgspec

DEPTH_MAX: Final = 10_000  # Go's; what C can nest is less, and gets the same text
_SPACE: Final = b" \t\r\n"
_DIGITS: Final = b"0123456789"
_HEX: Final = b"0123456789abcdefABCDEF"
_LITERALS: Final = {ord("t"): b"true", ord("f"): b"false", ord("n"): b"null"}
_ESCAPES: Final = b'bfnrt\\/"'
_NAMED: Final = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r"}
_PLAIN: Final = re.compile(rb'[^"\\\x00-\x1f]*')
_RAW: Final = msgspec.json.Decoder(msgspec.Raw)
_MAP: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LIST: Final = msgspec.json.Decoder(list[msgspec.Raw])
_ANY: Final = msgspec.json.Decoder()
_ENCODER: Final = msgspec.json.Encoder()
END: Final = "unexpected end of JSON input"


class JsonError(Exception):
    """Text that is not JSON, or not of the kind that is wanted; in Go's words."""


def encode(value: object) -> bytes:
    """Compact JSON with ``< > &`` and the two line separators escaped, as Go does."""
    raw = _ENCODER.encode(value)
    if b"<" in raw or b">" in raw or b"&" in raw:
        raw = raw.replace(b"<", b"\\u003c").replace(b">", b"\\u003e").replace(b"&", b"\\u0026")
    if b"\xe2\x80" in raw:
        raw = raw.replace(b"\xe2\x80\xa8", b"\\u2028").replace(b"\xe2\x80\xa9", b"\\u2029")
    return raw


def kind_of(raw: bytes) -> str:
    """The name that Go's texts give to a JSON value."""
    first = raw.lstrip(_SPACE)[:1]
    names = {b"{": "object", b"[": "array", b'"': "string", b"t": "bool", b"f": "bool"}
    return "null" if first == b"n" else names.get(first, "number")


def check(raw: bytes) -> None:
    """Refuse what is no JSON. Raises: JsonError."""
    try:
        _RAW.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        _explain(raw)


def members(raw: bytes) -> dict[str, bytes]:
    """The members of an object as their texts, the last of equal names. Raises: JsonError."""
    return {key: bytes(value) for key, value in _decoded(raw, _MAP).items()}


def items(raw: bytes) -> list[bytes]:
    """The items of an array as their texts. Raises: JsonError."""
    return [bytes(value).strip(_SPACE) for value in _decoded(raw, _LIST)]


def value(raw: bytes) -> Any:
    """A whole value; numbers as Python reads them. Raises: JsonError."""
    return _decoded(raw, _ANY)


def _decoded(raw: bytes, decoder: msgspec.json.Decoder[Any]) -> Any:
    try:
        return decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    _explain(raw)
    try:
        return decoder.decode(_mended(raw))
    except (ValueError, RecursionError):
        raise JsonError("invalid character '[' exceeded max depth") from None


def _mended(raw: bytes) -> bytes:
    """JSON whose texts hold what is no Unicode, with replacement characters as Go puts them."""
    text = json.dumps(json.loads(raw.decode("utf-8", "replace")), ensure_ascii=False)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def _explain(raw: bytes) -> None:
    """Say what is wrong. Raises: JsonError. Gives back when Go would take it."""
    walk = _Walk(raw)
    walk.run()
    if walk.deepest >= 500:
        raise JsonError("invalid character '[' exceeded max depth")


def quoted(byte: int) -> str:
    """A byte as Go shows a character."""
    if byte == 0x27:
        return "'\\''"
    if byte == 0x22:
        return "'\"'"
    if byte in _NAMED:
        return f"'{_NAMED[byte]}'"
    if byte == 0x5C:
        return "'\\\\'"
    if byte < 0x20 or byte == 0x7F:
        return f"'\\x{byte:02x}'"
    if 0x80 <= byte <= 0xA0 or byte == 0xAD:
        return f"'\\u00{byte:02x}'"
    return f"'{chr(byte)}'"


class _Walk:
    """One pass over a text, with a stack of its own."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._at = 0
        self._stack = bytearray()
        self.deepest = 0

    def run(self) -> None:
        """Walk it all. Raises: JsonError at the first fault."""
        wanted = "value"
        while True:
            self._skip()
            if self._at >= len(self._raw):
                if wanted == "end" and not self._stack:
                    return
                raise JsonError(END)
            wanted = self._step(wanted, self._raw[self._at])

    def _skip(self) -> None:
        raw, at = self._raw, self._at
        while at < len(raw) and raw[at] in _SPACE:
            at += 1
        self._at = at

    def _step(self, wanted: str, byte: int) -> str:
        if wanted in ("value", "first value"):
            if byte == 0x5D and wanted == "first value":
                return self._close()
            return self._value(byte)
        if wanted in ("key", "first key"):
            if byte == 0x7D and wanted == "first key":
                return self._close()
            if byte != 0x22:
                raise self._fault("looking for beginning of object key string")
            self._string()
            return "colon"
        if wanted == "colon":
            if byte != 0x3A:
                raise self._fault("after object key")
            self._at += 1
            return "value"
        if not self._stack:
            raise self._fault("after top-level value")
        inside_object = self._stack[-1] == 0x7B
        if byte == 0x2C:
            self._at += 1
            return "key" if inside_object else "value"
        if byte == (0x7D if inside_object else 0x5D):
            return self._close()
        raise self._fault("after object key:value pair" if inside_object else "after array element")

    def _value(self, byte: int) -> str:
        if byte in b"{[":
            if len(self._stack) >= DEPTH_MAX:
                raise self._fault("exceeded max depth")
            self._stack.append(byte)
            self.deepest = max(self.deepest, len(self._stack))
            self._at += 1
            return "first key" if byte == 0x7B else "first value"
        if byte == 0x22:
            self._string()
        elif byte in _LITERALS:
            self._literal(_LITERALS[byte])
        elif byte == 0x2D or byte in _DIGITS:
            self._number()
        else:
            raise self._fault("looking for beginning of value")
        return "end"

    def _close(self) -> str:
        self._stack.pop()
        self._at += 1
        return "end"

    def _byte(self) -> int:
        if self._at >= len(self._raw):
            raise JsonError(END)
        return self._raw[self._at]

    def _string(self) -> None:
        self._at += 1
        while True:
            match = _PLAIN.match(self._raw, self._at)
            if match is not None:
                self._at = match.end()
            byte = self._byte()
            if byte == 0x22:
                break
            if byte < 0x20:
                raise self._fault("in string literal")
            self._at += 1
            if byte != 0x5C:
                continue
            if self._byte() == 0x75:
                for _ in range(4):
                    self._at += 1
                    if self._byte() not in _HEX:
                        raise self._fault("in \\u hexadecimal character escape")
            elif self._byte() not in _ESCAPES:
                raise self._fault("in string escape code")
            self._at += 1
        self._at += 1

    def _literal(self, word: bytes) -> None:
        for letter in word:
            if self._byte() != letter:
                name = word.decode()
                raise self._fault(f"in literal {name} (expecting {quoted(letter)})")
            self._at += 1

    def _number(self) -> None:
        if self._byte() == 0x2D:
            self._at += 1
            if self._byte() not in _DIGITS:
                raise self._fault("in numeric literal")
        if self._byte() == 0x30:
            self._at += 1
        else:
            self._digits()
        if self._raw[self._at : self._at + 1] == b".":
            self._at += 1
            if self._byte() not in _DIGITS:
                raise self._fault("after decimal point in numeric literal")
            self._digits()
        if self._raw[self._at : self._at + 1] in (b"e", b"E"):
            self._at += 1
            if self._byte() in b"+-":
                self._at += 1
            if self._byte() not in _DIGITS:
                raise self._fault("in exponent of numeric literal")
            self._digits()

    def _digits(self) -> None:
        while self._at < len(self._raw) and self._raw[self._at] in _DIGITS:
            self._at += 1

    def _fault(self, where: str) -> JsonError:
        return JsonError(f"invalid character {quoted(self._raw[self._at])} {where}")


def shown(value: Any) -> str:
    """A value as Go's ``%v`` shows it."""
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{' '.join(shown(item) for item in value)}]"
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{shown(value[key])}' for key in sorted(value))}]"
    return str(value)
