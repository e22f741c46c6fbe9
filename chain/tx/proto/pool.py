"""From tables to message classes.

A table maps a message's name to its fields: (number, name, type). A type is a protobuf scalar,
``enum``, or the full name of a message; ``*`` before it makes the field repeated. Enumerations are
plain ``int32`` here, which is the same on the wire; JSON names are not needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from chain.tx.proto import auth, bank, base, crypto, tx, wasm

Fields = tuple[tuple[int, str, str], ...]
Table = Mapping[str, Fields]

_F: Final = descriptor_pb2.FieldDescriptorProto
_SCALARS: Final = {
    "string": _F.TYPE_STRING,
    "bytes": _F.TYPE_BYTES,
    "bool": _F.TYPE_BOOL,
    "int32": _F.TYPE_INT32,
    "int64": _F.TYPE_INT64,
    "uint32": _F.TYPE_UINT32,
    "uint64": _F.TYPE_UINT64,
    "sfixed64": _F.TYPE_SFIXED64,
    "enum": _F.TYPE_INT32,
}
_TABLES: Final[tuple[Table, ...]] = (
    base.MESSAGES,
    crypto.MESSAGES,
    tx.MESSAGES,
    auth.MESSAGES,
    bank.MESSAGES,
    wasm.MESSAGES,
)


def _add_fields(out: descriptor_pb2.DescriptorProto, fields: Fields) -> None:
    for number, name, kind in fields:
        field = out.field.add()
        field.name = name
        field.number = number
        repeated = kind.startswith("*")
        kind = kind.removeprefix("*")
        field.label = _F.LABEL_REPEATED if repeated else _F.LABEL_OPTIONAL
        scalar = _SCALARS.get(kind)
        if scalar is None:
            field.type = _F.TYPE_MESSAGE
            field.type_name = "." + kind
        else:
            field.type = scalar


def _files(tables: Iterable[Table]) -> dict[str, descriptor_pb2.FileDescriptorProto]:
    """One file description a package, with what it imports."""
    files: dict[str, descriptor_pb2.FileDescriptorProto] = {}
    imports: dict[str, dict[str, None]] = {}
    for table in tables:
        for full, fields in table.items():
            package, _, name = full.rpartition(".")
            file = files.get(package)
            if file is None:
                file = files[package] = descriptor_pb2.FileDescriptorProto()
                file.name, file.package, file.syntax = f"{package}.proto", package, "proto3"
                imports[package] = {}
            entry = file.message_type.add()
            entry.name = name
            _add_fields(entry, fields)
            for _, _, kind in fields:
                other = kind.removeprefix("*").rpartition(".")[0]
                if other and other != package:
                    imports[package][other] = None
    for package, others in imports.items():
        files[package].dependency.extend([f"{other}.proto" for other in others])
    return files


def build_pool(tables: Iterable[Table]) -> descriptor_pool.DescriptorPool:
    """A pool of its own with all messages of the tables, which must name each other only."""
    pool = descriptor_pool.DescriptorPool()
    files = _files(tables)
    added: dict[str, None] = {}

    def add(name: str) -> None:
        if name in added:
            return
        added[name] = None
        file = files[name.removesuffix(".proto")]
        for other in file.dependency:
            add(other)
        pool.AddSerializedFile(file.SerializeToString())

    for package in files:
        add(f"{package}.proto")
    return pool


def class_in(pool: descriptor_pool.DescriptorPool, name: str) -> Any:
    """The class of a message in a pool. Raises: KeyError when it has none of that name."""
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))


@cache
def _pool() -> descriptor_pool.DescriptorPool:
    return build_pool(_TABLES)


@cache
def message(name: str) -> Any:
    """The class of a message by its full name. Raises: KeyError when no table has it."""
    return class_in(_pool(), name)


def message_names() -> tuple[str, ...]:
    """All messages in the tables."""
    return tuple([name for table in _TABLES for name in table])
