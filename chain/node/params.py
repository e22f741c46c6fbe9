"""Parameters of the RPC: from JSON (by name or in order) and from a URI, as CometBFT takes them.

64-bit numbers are texts, bytes are base64 or hex depending on the parameter, and what is wrong is
said in Go's words.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import msgspec

from chain.node import gojson
from chain.node.gojson import JsonError

_HEX: Final = frozenset(b"0123456789abcdefABCDEF")
_BASE64: Final = {
    byte: place
    for place, byte in enumerate(
        b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    )
}
_INT: Final = re.compile(r"-?[0-9]+")
_NULL: Final = b"null"


class ParamError(Exception):
    """A parameter that cannot be taken."""


class Param(msgspec.Struct, frozen=True):
    """A parameter: its name and one of the kinds below."""

    name: str
    kind: str


#: kind -> what stands for an absent one
_ABSENT: Final[dict[str, Any]] = {
    "int64": None,
    "int": None,
    "uint": 0,
    "int64 value": 0,
    "string": "",
    "bool": False,
    "bytes": b"",
    "tx": b"",
    "hex": b"",
    "json": None,
}
_INTEGERS: Final = {
    "int64": ("int64", -(1 << 63), (1 << 63) - 1),
    "int64 value": ("int64", -(1 << 63), (1 << 63) - 1),
    "int": ("int", -(1 << 63), (1 << 63) - 1),
    "uint": ("uint", 0, (1 << 64) - 1),
}
_GO_TYPES: Final = {"bytes": "[]uint8", "tx": "types.Tx", "string": "string", "bool": "bool"}
#: what Go calls the kind of a type in the text about hex
_GO_KINDS: Final = {"int64": "int64", "int64 value": "int64", "int": "int", "uint": "uint"}


def defaults(params: Sequence[Param]) -> list[Any]:
    """What stands for parameters that were not sent."""
    return [_ABSENT[param.kind] for param in params]


def from_json(params: Sequence[Param], raw: bytes) -> list[Any]:
    """Values from the ``params`` of a request. Raises: ParamError."""
    try:
        kind = gojson.kind_of(raw)
        if kind == "object":
            return _by_name(params, gojson.members(raw))
        if kind == "null":
            return defaults(params)
        if kind == "array":
            return _in_order(params, gojson.items(raw))
        raise JsonError(
            "unknown type for JSON params: json: cannot unmarshal "
            f"{kind} into Go value of type []json.RawMessage. Expected map or array"
        )
    except JsonError as error:
        raise ParamError(f"error converting json params to arguments: {error}") from None


def _by_name(params: Sequence[Param], sent: Mapping[str, bytes]) -> list[Any]:
    return [
        _ABSENT[param.kind] if sent.get(param.name) is None else convert(param, sent[param.name])
        for param in params
    ]


def _in_order(params: Sequence[Param], sent: Sequence[bytes]) -> list[Any]:
    if len(sent) != len(params):
        names = " ".join(param.name for param in params)
        shown = " ".join(f"[{' '.join(map(str, item))}]" for item in sent)
        raise JsonError(
            f"expected {len(params)} parameters ([{names}]), got {len(sent)} ([{shown}])"
        )
    return [convert(param, item) for param, item in zip(params, sent, strict=True)]


def convert(param: Param, raw: bytes) -> Any:
    """One value from its JSON. Raises: JsonError."""
    kind = param.kind
    raw = raw.strip(b" \t\r\n")
    if raw == _NULL:
        return _ABSENT[kind]
    if kind in _INTEGERS:
        return _integer(kind, raw)
    if kind == "hex":
        if raw[:1] != b'"' or raw[-1:] != b'"' or len(raw) < 2:
            raise JsonError(f"invalid hex string: {raw.decode('utf-8', 'replace')}")
        return unhex(raw[1:-1])
    if kind == "json":
        return gojson.value(raw)
    found = gojson.kind_of(raw)
    if kind in ("bytes", "tx"):
        if found == "string":
            return unbase64(gojson.value(raw).encode())
        if found == "array":
            return _byte_array(raw)
    elif found == kind:
        return gojson.value(raw)
    raise JsonError(f"json: cannot unmarshal {found} into Go value of type {_GO_TYPES[kind]}")


def _byte_array(raw: bytes) -> bytes:
    numbers = gojson.value(raw)
    for number in numbers:
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 256:
            raise JsonError(
                f"json: cannot unmarshal {gojson.kind_of(gojson.encode(number))} "
                "into Go value of type uint8"
            )
    return bytes(numbers)


def _integer(kind: str, raw: bytes) -> int:
    name, low, high = _INTEGERS[kind]
    if raw[:1] != b'"' or raw[-1:] != b'"' or len(raw) < 2:
        text = raw.decode("utf-8", "replace").replace("\\", "\\\\").replace('"', '\\"')
        raise JsonError(f'invalid 64-bit integer encoding "{text}", expected string')
    inner = raw[1:-1]
    gojson.check(inner)
    inner = inner.strip(b" \t\r\n")
    found = gojson.kind_of(inner)
    if found == "null":
        return 0
    if found != "number":
        raise JsonError(f"json: cannot unmarshal {found} into Go value of type {name}")
    text = inner.decode()
    if not _INT.fullmatch(text) or len(text) > 20 or not low <= int(text) <= high:
        raise JsonError(f"json: cannot unmarshal number {text} into Go value of type {name}")
    return int(text)


def unhex(raw: bytes) -> bytes:
    """Bytes of hex digits. Raises: JsonError as Go's decoder."""
    with suppress(binascii.Error):
        return binascii.unhexlify(raw)
    for byte in raw:
        if byte not in _HEX:
            raise JsonError(f"encoding/hex: invalid byte: U+{byte:04X} '{chr(byte)}'")
    if len(raw) % 2:
        raise JsonError("encoding/hex: odd length hex string")
    return bytes.fromhex(raw.decode())


def unbase64(raw: bytes) -> bytes:
    """Bytes of padded base64; line ends are passed over. Raises: JsonError as Go's decoder."""
    if len(raw) % 4 == 0:
        with suppress(binascii.Error):
            return binascii.a2b_base64(raw, strict_mode=True)
    return unbase64_slowly(raw)


def unbase64_slowly(raw: bytes) -> bytes:
    """The same one letter after the other, to say what is wrong in Go's words."""
    out = bytearray()
    group: list[int] = []
    at = 0
    while at < len(raw):
        byte = raw[at]
        at += 1
        if byte in b"\r\n":
            continue
        if byte == 0x3D:
            _padding(raw, at, len(group))
            break
        place = _BASE64.get(byte)
        if place is None:
            raise _corrupt(at - 1)
        group.append(place)
        if len(group) == 4:
            out += _bytes_of(group)
            group.clear()
    else:
        if group:
            raise _corrupt(at - len(group))
    if group:
        out += _bytes_of([*group, *[0] * (4 - len(group))])[: len(group) - 1]
    return bytes(out)


def _bytes_of(group: list[int]) -> bytes:
    return (group[0] << 18 | group[1] << 12 | group[2] << 6 | group[3]).to_bytes(3, "big")


def _padding(raw: bytes, at: int, had: int) -> None:
    """What may follow the first ``=``, which is before ``at``."""
    if had < 2:
        raise _corrupt(at - 1)
    if had == 2:
        while at < len(raw) and raw[at] in b"\r\n":
            at += 1
        if at == len(raw):
            raise _corrupt(len(raw))
        if raw[at] != 0x3D:
            raise _corrupt(at - 1)
        at += 1
    while at < len(raw) and raw[at] in b"\r\n":
        at += 1
    if at < len(raw):
        raise _corrupt(at)


def _corrupt(at: int) -> JsonError:
    return JsonError(f"illegal base64 data at input byte {at}")


def from_uri(params: Sequence[Param], sent: Callable[[str], str]) -> list[Any]:
    """Values from a URI; ``sent`` gives an argument or an empty text. Raises: ParamError."""
    try:
        return [
            _from_argument(param, argument)
            if (argument := sent(param.name))
            else _ABSENT[param.kind]
            for param in params
        ]
    except JsonError as error:
        raise ParamError(f"error converting http params to arguments: {error}") from None


def _from_argument(param: Param, argument: str) -> Any:
    kind = param.kind
    raw = argument.encode()
    is_bytes = kind in ("bytes", "tx", "hex")
    if kind in _INTEGERS and _INT.fullmatch(argument):
        return _integer(kind, b'"' + raw + b'"')
    if argument[:2].lower() == "0x":
        if not is_bytes and kind != "string":
            name = _GO_KINDS.get(kind, "interface" if kind == "json" else kind)
            raise JsonError(f"got a hex string arg, but expected '{name}'")
        found = unhex(raw[2:])
        return found.decode("utf-8", "replace") if kind == "string" else found
    if is_bytes and argument[:1] == '"' and argument[-1:] == '"':
        gojson.check(raw)
        return gojson.value(raw).encode()
    if kind not in _INTEGERS and kind != "hex":
        gojson.check(raw)
    return convert(param, raw)
