"""Turns the shorthand of the recordings into the bytes that went over the wire.

The conventions are those of ``fixtures/recorded/wasmd/README.md`` section 1: ``@{name}`` stands for an
address, a contract message is shown as JSON, ``$raw``, ``$json`` and ``$repeat`` stand for bytes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from typing import Any

NAME = re.compile(r"@\{([^}]+)\}")
WITH_MESSAGE = ("execute", "instantiate", "instantiate2", "migrate", "smart")

Lookup = Callable[[str], str]


def b64(data: bytes) -> str:
    """Base64 text."""
    return base64.b64encode(data).decode()


def compact(value: Any) -> str:
    """JSON without spaces, keys in the order shown."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def fill(value: Any, lookup: Lookup) -> Any:
    """The value with every ``@{name}`` replaced, in strings at any depth."""
    if isinstance(value, str):
        return NAME.sub(lambda found: lookup(found[1]), value)
    if isinstance(value, list):
        return [fill(item, lookup) for item in value]
    if isinstance(value, dict):
        return {fill(key, lookup): fill(item, lookup) for key, item in value.items()}
    return value


def message_bytes(message: Any) -> bytes:
    """The bytes of a contract message that is shown as JSON; names are filled in already."""
    if isinstance(message, dict) and set(message) == {"$raw"}:
        return str(message["$raw"]).encode()
    return compact(_wire(message)).encode()


def unfolded(value: Any) -> Any:
    """The value with every ``$len`` and ``$repeat`` written out."""
    if isinstance(value, list):
        return [unfolded(item) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"$repeat"}:
        text, times = value["$repeat"]
        return text * times
    if "$len" in value:
        return stretched(value)
    return {key: unfolded(item) for key, item in value.items()}


def _wire(value: Any) -> Any:
    if isinstance(value, list):
        return [_wire(item) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"$repeat"}:
        text, times = value["$repeat"]
        return text * times
    if "$len" in value:
        return stretched(value)
    if set(value) == {"$json"}:
        return b64(message_bytes(value["$json"]))
    shown = {}
    for key, item in value.items():
        if key == "ret" and isinstance(item, dict) and set(item) == {"$raw"}:
            shown[key] = item["$raw"]  # as a JSON string: the recorded log says so
        elif key == "wasm" and isinstance(item, dict):
            shown[key] = _wasm(item)
        else:
            shown[key] = _wire(item)
    return shown


def _wasm(variants: dict[str, Any]) -> Any:
    shown = {}
    for variant, fields in variants.items():
        if variant in WITH_MESSAGE and isinstance(fields, dict) and "msg" in fields:
            shown[variant] = {
                name: b64(message_bytes(item)) if name == "msg" else _wire(item)
                for name, item in fields.items()
            }
        else:
            shown[variant] = _wire(fields)
    return shown


def stretched(short: dict[str, Any]) -> str:
    """The long text behind ``$len``, where it is one character repeated."""
    char = str(short["$head"])[:1]
    for times in (int(short["$len"]), int(short["$len"]) // len(char.encode())):
        text = char * times
        if hashlib.sha256(text.encode()).hexdigest() == short["$sha256"]:
            return text
    raise ValueError("a shortened text that is not one character repeated")


def same(expected: Any, actual: Any) -> bool:
    """Equality that understands shortened texts in the expected value."""
    if isinstance(expected, dict) and "$len" in expected:
        if not isinstance(actual, str):
            return False
        return hashlib.sha256(actual.encode()).hexdigest() == expected["$sha256"]
    if isinstance(expected, list) and isinstance(actual, list | tuple):
        return len(expected) == len(actual) and all(map(same, expected, actual))
    if isinstance(expected, dict) and isinstance(actual, dict):
        return expected.keys() == actual.keys() and all(
            same(item, actual[key]) for key, item in expected.items()
        )
    return bool(expected == actual)


def fields_of(data: bytes) -> list[tuple[int, Any]]:
    """The fields of a protobuf message: (number, bytes or integer)."""
    found: list[tuple[int, Any]] = []
    position = 0
    while position < len(data):
        tag, position = _varint(data, position)
        if tag & 7 == 0:
            number, position = _varint(data, position)
            found.append((tag >> 3, number))
        else:
            size, position = _varint(data, position)
            found.append((tag >> 3, data[position : position + size]))
            position += size
    return found


def _varint(data: bytes, position: int) -> tuple[int, int]:
    result = shift = 0
    while True:
        byte = data[position]
        position += 1
        result |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return result, position


def responses(tx_data: bytes) -> list[dict[str, Any]]:
    """The decoded answers in a TxMsgData, in the form of the recordings."""
    shown = []
    for _, entry in (field for field in fields_of(tx_data) if field[0] == 2):
        parts = dict(fields_of(entry))
        shown.append(_response(parts[1].decode(), parts.get(2, b"")))
    return shown


def _response(url: str, value: bytes) -> dict[str, Any]:
    parts = dict(fields_of(value))
    answer: dict[str, Any] = {"type_url": url}
    name = url.rsplit(".", 1)[1]
    if name.startswith("MsgInstantiate"):
        answer["address"] = parts.get(1, b"").decode()
        answer["data"] = b64(parts[2]) if 2 in parts else None
    elif name in {"MsgExecuteContractResponse", "MsgMigrateContractResponse"}:
        answer["data"] = b64(parts[1]) if 1 in parts else None
    elif name == "MsgStoreCodeResponse":
        answer["code_id"] = parts.get(1, 0)
        answer["checksum"] = parts.get(2, b"").hex()
    return answer
