"""The records of the event log, their two encodings and their hash chain.

A log is a genesis record, one block record a height, and a footer. A block record has two parts:
what the App was given
and answered (``block``, ``result``), and what the driver made of it (``header``, ``last_commit``).
The hash of a record
covers the hash before it and the MessagePack of both parts, so that JSON Lines and MessagePack
files carry one chain.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Sequence
from types import NoneType, UnionType
from typing import Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec.structs import astuple

from chain.block.types import BlockInput, BlockResult, Commit, Event, Header
from chain.errors import ContractError

FORMAT: Final = "msgchain-log-1"
NO_HASH: Final = bytes(32)

S = TypeVar("S", bound=msgspec.Struct)


class LogError(Exception):
    """A log file or record that cannot be used; the text says where and what to do."""


class GenesisRecord(msgspec.Struct, frozen=True, array_like=True):
    """The first record: the genesis and the source of every contract folder that may run, by
    hash."""

    format: str
    genesis: dict[str, Any]
    sources: dict[str, dict[str, str]]
    hash: bytes = b""


class BlockRecord(msgspec.Struct, frozen=True, array_like=True):
    """One block: the App's part, the driver's part, and its place in the chain of records."""

    block: BlockInput
    result: BlockResult
    header: Header
    last_commit: Commit
    sources: dict[str, dict[str, str]]
    prev: bytes
    hash: bytes = b""


class Footer(msgspec.Struct, frozen=True, array_like=True):
    """The last record of an export: what a whole file must end with."""

    blocks: int
    height: int
    app_hash: bytes
    prev: bytes
    hash: bytes = b""


Record = GenesisRecord | BlockRecord | Footer

_PACK: Final = msgspec.msgpack.Encoder()
_SHORT_ARRAY: Final = 0x90  # MessagePack's marker of an array of fewer than 16
_KINDS: Final[dict[str, type[Record]]] = {
    "genesis": GenesisRecord,
    "block": BlockRecord,
    "footer": Footer,
}


def kind_of(record: Record) -> str:
    """The word that names a record's kind in a file."""
    if isinstance(record, GenesisRecord):
        return "genesis"
    return "block" if isinstance(record, BlockRecord) else "footer"


def record_hash(record: Record) -> bytes:
    """SHA-256 over the kind and the MessagePack of everything but the hash itself."""
    fields = [getattr(record, name) for name in record.__struct_fields__ if name != "hash"]
    return hashlib.sha256(kind_of(record).encode() + b"\x00" + _PACK.encode(fields)).digest()


def sealed(record: S) -> S:
    """The record with its hash filled in."""
    if not isinstance(record, GenesisRecord | BlockRecord | Footer):
        raise TypeError("only records are sealed")
    return msgspec.structs.replace(record, hash=record_hash(record))


def sealed_block(
    record: BlockRecord, said: Sequence[msgspec.Raw] = ()
) -> tuple[BlockRecord, bytes]:
    """The record with its hash filled in, and ``pack`` of it: both from one encoding.

    ``said``: the events of each transaction in MessagePack, where they are encoded already.
    """
    names = record.__struct_fields__
    fields: list[Any] = [getattr(record, name) for name in names[:-1]]
    if said:
        results = zip(record.result.tx_results, said, strict=True)
        told = [(*astuple(one)[:-1], raw) for one, raw in results]  # events stand last
        fields[1] = (told, *astuple(record.result)[1:])
    packed = bytearray(_PACK.encode(["block", 0])[:-1])
    start = len(packed)
    _PACK.encode_into(fields, packed, start)
    digest = hashlib.sha256(b"block\x00")
    with memoryview(packed) as whole:  # a block may have megabytes: they are copied once, below
        digest.update(whole[start:])
    made = msgspec.structs.replace(record, hash=digest.digest())
    packed[start] = _SHORT_ARRAY | len(names)
    packed += _PACK.encode(made.hash)
    return made, bytes(packed)


# --- MessagePack ---------------------------------------------------------------------------------


def pack(record: Record) -> bytes:
    """One record as MessagePack: an array of its kind and its fields."""
    return _PACK.encode([kind_of(record), record])


_BLOCK_DECODER: Final = msgspec.msgpack.Decoder(tuple[str, BlockRecord])


def unpack_block(raw: bytes) -> BlockRecord:
    """A stored block record."""
    return _BLOCK_DECODER.decode(raw)[1]


def unpack(raw: bytes, where: str) -> Record:
    """Any record from MessagePack. Raises: LogError naming ``where``."""
    try:
        kind, rest = msgspec.msgpack.decode(raw, type=tuple[str, msgspec.Raw])
        record = msgspec.msgpack.decode(rest, type=_KINDS[kind])
    except (msgspec.MsgspecError, KeyError, UnicodeDecodeError) as error:
        raise LogError(f"{where}: not a log record ({error})") from None
    if pack(record) != raw:
        raise LogError(f"{where}: not written as records are written; the record was edited")
    return record


# --- JSON ----------------------------------------------------------------------------------------


def to_json(record: Record) -> str:
    """One record as a JSON line: fields by name, hashes in hex, other bytes in base64."""
    return json.dumps(
        {"record": kind_of(record), **_named(record)}, ensure_ascii=False, separators=(",", ":")
    )


def from_json(line: str, where: str) -> Record:
    """One record from a JSON line. Raises: LogError naming ``where`` and the field."""
    try:
        value = json.loads(line, object_pairs_hook=_unique)
    except (ValueError, RecursionError, ContractError) as error:
        raise LogError(f"{where}: not JSON ({error})") from None
    named = value.get("record") if isinstance(value, dict) else None
    if not isinstance(named, str) or named not in _KINDS:
        raise LogError(f"{where}: no record kind (genesis, block or footer)")
    kind = _KINDS[value.pop("record")]
    record = _parse(value, kind, where)
    if not isinstance(record, GenesisRecord | BlockRecord | Footer):
        raise LogError(f"{where}: not a record")
    try:
        pack(record)
    except (OverflowError, UnicodeEncodeError) as error:
        raise LogError(f"{where}: holds what no record holds ({error})") from None
    return record


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a field stands twice")
    return found


def is_hash(name: str) -> bool:
    """Whether bytes of this field are hex in JSON."""
    return name in ("hash", "prev") or name.endswith(("_hash", "address"))


def _named(value: Any, name: str = "") -> Any:
    if isinstance(value, Event):
        return {
            "type": value.type,
            "attributes": [{"key": k, "value": v} for k, v in value.attributes],
        }
    if isinstance(value, msgspec.Struct):
        return {field: _named(getattr(value, field), field) for field in value.__struct_fields__}
    if isinstance(value, bytes):
        return value.hex() if is_hash(name) else base64.b64encode(value).decode()
    if isinstance(value, list | tuple):
        return [_named(item, name) for item in value]
    return value


_HINTS: dict[type, dict[str, Any]] = {}


def _fields_of(kind: type) -> dict[str, Any]:
    if kind not in _HINTS:
        _HINTS[kind] = get_type_hints(kind)
    return _HINTS[kind]


def _parse_struct(value: Any, kind: type[msgspec.Struct], where: str) -> msgspec.Struct:
    if not isinstance(value, dict):
        raise LogError(f"{where}: expected an object")
    if kind is Event:
        pairs = [
            (
                _parse(attribute["key"], str, f"{where}.attributes.key"),
                _parse(attribute["value"], str, f"{where}.attributes.value"),
            )
            for attribute in value["attributes"]
        ]
        return Event(_parse(value["type"], str, f"{where}.type"), pairs)
    hints = _fields_of(kind)
    unknown = sorted(set(value) - set(kind.__struct_fields__))
    missing = [name for name in kind.__struct_fields__ if name not in value]
    if unknown or missing:
        raise LogError(
            f"{where}: "
            + (f"unknown field {unknown[0]}" if unknown else f"missing field {missing[0]}")
        )
    return kind(
        **{
            name: _parse(value[name], hints[name], f"{where}.{name}", name)
            for name in kind.__struct_fields__
        }
    )


def _parse_bytes(value: Any, name: str, where: str) -> bytes:
    if not isinstance(value, str):
        raise LogError(f"{where}: expected text")
    try:
        return bytes.fromhex(value) if is_hash(name) else base64.b64decode(value, validate=True)
    except (ValueError, binascii.Error):
        raise LogError(f"{where}: not {'hex' if is_hash(name) else 'base64'}") from None


def _parse(value: Any, kind: Any, where: str, name: str = "") -> Any:
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        options = [option for option in get_args(kind) if option is not NoneType]
        return None if value is None else _parse(value, options[0], where, name)
    if origin in (list, tuple):
        if not isinstance(value, list):
            raise LogError(f"{where}: expected a list")
        items = [
            _parse(item, get_args(kind)[0], f"{where}[{i}]", name) for i, item in enumerate(value)
        ]
        return tuple(items) if origin is tuple else items
    if origin is dict or kind is dict:
        if not isinstance(value, dict):
            raise LogError(f"{where}: expected an object")
        return value
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        try:
            return _parse_struct(value, kind, where)
        except (KeyError, TypeError) as error:
            raise LogError(f"{where}: malformed ({error})") from None
    if kind is bytes:
        return _parse_bytes(value, name, where)
    if (kind is int and isinstance(value, bool)) or not isinstance(value, kind):
        raise LogError(f"{where}: expected {kind.__name__}")
    return value
