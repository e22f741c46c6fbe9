"""Key parts and their bytes, exactly as cw-storage-plus has them (STOR-3 to STOR-8).

A part type is ``str``, ``Addr``, ``bytes``, ``int`` (as ``U64``), one of ``U8 … U64``, ``I8 …
I64``, ``U128``,
``I128``, ``Uint64``, ``Uint128``, ``Int64``, ``Int128``, ``Timestamp``, ``bool`` (one byte), or an
    enum of words. Unsigned numbers are big endian of their width, signed ones have the top bit
    flipped, text and bytes stand as they are.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from chain.errors import ContractError, VmError
from chain.std.numbers import (
    I8,
    I16,
    I32,
    I64,
    I128,
    U8,
    U16,
    U32,
    U64,
    U128,
    Addr,
    Binary,
    Int64,
    Int128,
    Timestamp,
    Uint64,
    Uint128,
    Uint256,
)
from chain.storage_plus.bound import Bound

_PANIC: Final = (
    "Error calling the VM: Error executing Wasm: Wasmer runtime error: RuntimeError: "
    "Aborted: panicked: "
)
PART_MAX: Final = 65_535  # bytes of a part that carries its length (STOR-4)


class Part(NamedTuple):
    """Writer and reader of one key part, and the bytes of an unsigned number, else 0."""

    dump: Callable[[Any], bytes]
    load: Callable[[bytes], Any]
    unsigned: int = 0


_WIDTHS: Final[tuple[tuple[Any, int, bool], ...]] = (
    (U8, 1, False),
    (U16, 2, False),
    (U32, 4, False),
    (U64, 8, False),
    (I8, 1, True),
    (I16, 2, True),
    (I32, 4, True),
    (I64, 8, True),
    (int, 8, False),
    (U128, 16, False),
    (I128, 16, True),
    (Uint64, 8, False),
    (Uint128, 16, False),
    (Uint256, 32, False),
    (Int64, 8, True),
    (Int128, 16, True),
    (Timestamp, 8, False),
)


def part_of(type_: Any) -> Part:
    """The part of a declared key type. Raises: TypeError for a type that is none."""
    if type_ is str or type_ is Addr:
        return Part(str.encode, _load_text)
    if type_ is bytes or type_ is Binary:
        return Part(_dump_bytes, bytes)
    if type_ is bool:
        return Part(_dump_bool, _load_bool)
    for known, width, signed in _WIDTHS:
        if type_ is known or (type_ == known and not isinstance(type_, type)):
            return _signed(width) if signed else _unsigned(width)
    if isinstance(type_, type) and issubclass(type_, enum.Enum):
        return _words(type_)
    raise TypeError(f"{type_!r} is not a key type")


def length_prefixed(part: bytes) -> bytes:
    """The part behind its length as two bytes. Raises: VmError above 65,535 bytes: the library
    panics there (STOR-4).
    """
    size = len(part)
    if size < 256:
        return _LENGTHS[size] + part
    if size > PART_MAX:
        raise VmError(f"{_PANIC}only supports namespaces up to length 0xFFFF")
    return size.to_bytes(2, "big") + part


def after(prefix: bytes) -> bytes | None:
    """The first key behind all that start with ``prefix``; None where there is none (STOR-14)."""
    body = prefix.rstrip(b"\xff")
    if not body:
        return None
    return body[:-1] + bytes((body[-1] + 1,))


def _load_text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise ContractError(
            "Cannot decode UTF8 bytes into string: invalid utf-8 sequence"
        ) from None


def _dump_bytes(value: bytes) -> bytes:
    if isinstance(value, bytes):
        return bytes(value)
    raise TypeError(f"expected bytes as key, got {type(value).__name__}")


def _dump_bool(value: bool) -> bytes:
    return b"\x01" if value else b"\x00"


def _load_bool(raw: bytes) -> bool:
    _check_size(raw, 1)
    return raw != b"\x00"


_join: Final = b"".join
#: lengths as two bytes, for parts of everyday size
_LENGTHS: Final = tuple([size.to_bytes(2, "big") for size in range(256)])


def _unsigned(width: int) -> Part:
    def dump(value: int) -> bytes:
        return value.to_bytes(width, "big")

    def load(raw: bytes) -> int:
        if len(raw) != width:
            _check_size(raw, width)
        return int.from_bytes(raw, "big")

    return Part(dump, load, width)


def _signed(width: int) -> Part:
    offset = 1 << (8 * width - 1)

    def dump(value: int) -> bytes:
        return (value + offset).to_bytes(width, "big")

    def load(raw: bytes) -> int:
        if len(raw) != width:
            _check_size(raw, width)
        return int.from_bytes(raw, "big") - offset

    return Part(dump, load)


def _words(cls: type[enum.Enum]) -> Part:
    def dump(value: Any) -> bytes:
        return str(cls(value).value).encode()

    def load(raw: bytes) -> Any:
        try:
            return cls(_load_text(raw))
        except ValueError:
            raise ContractError(f"not a {cls.__name__}") from None

    return Part(dump, load)


def _check_size(raw: bytes, expected: int) -> None:
    if len(raw) != expected:
        raise ContractError(f"Invalid data size: expected={expected} actual={len(raw)}")


class KeyCodec:
    """Keys of one tuple of part types under one namespace.

    ``key(value)``   full key bytes; one part is given bare, several as a tuple.
    ``parse(raw)``   the value back from a full key.
    """

    __slots__ = ("key", "parse", "parts", "prefix", "size")

    key: Callable[[Any], bytes]
    parse: Callable[[bytes], Any]

    def __init__(self, prefix: bytes, parts: tuple[Part, ...]) -> None:
        self.prefix = prefix
        self.parts = parts
        self.size = len(prefix)
        self.key = self._key_one() if len(parts) == 1 else self._key_many()
        self.parse = self._parse_one() if len(parts) == 1 else self._parse_many()

    def joined(self, value: Any) -> bytes:
        """Key bytes without the namespace."""
        return self.key(value)[self.size :]

    def leading(self, value: Any) -> bytes:
        """Namespace and length-prefixed leading parts: one given bare, several as a tuple."""
        values = value if isinstance(value, tuple) and len(self.parts) > 1 else (value,)
        if len(values) > len(self.parts):
            raise TypeError("more parts than the key has")
        made = self.prefix
        for part, item in zip(self.parts, values, strict=False):
            made += length_prefixed(part.dump(item))
        return made

    def edges(self, min: Bound | None, max: Bound | None) -> tuple[bytes | None, bytes | None]:
        """Start and end of a range whose bounds are leading parts (STOR-18)."""
        start: bytes | None = self.prefix
        end = after(self.prefix)
        if min is not None:
            raw = self.leading(min.key)
            start = raw if min.is_inclusive else after(raw)
        if max is not None:
            raw = self.leading(max.key)
            end = after(raw) if max.is_inclusive else raw
        return start, end

    def count(self, value: Any) -> int:
        """How many leading parts ``value`` gives."""
        return len(value) if isinstance(value, tuple) and len(self.parts) > 1 else 1

    def _key_one(self) -> Callable[[Any], bytes]:
        prefix, (dump, _, width) = self.prefix, self.parts[0]
        if width:
            return lambda value: prefix + value.to_bytes(width, "big")
        return lambda value: prefix + dump(value)

    def _key_many(self) -> Callable[[Any], bytes]:
        """Numbers at the end, two parts and three are written without a further call."""
        prefix = self.prefix
        *heads, last = [part.dump for part in self.parts]
        first, second = heads[0], heads[-1]
        width = self.parts[-1].unsigned
        count = len(self.parts)

        def key_many(value: Any) -> bytes:
            if len(value) != count:
                raise TypeError(f"expected a key of {count} parts")
            made = prefix
            for dump, item in zip(heads, value, strict=False):
                made += length_prefixed(dump(item))
            return made + last(value[-1])

        def key_two(value: Any) -> bytes:
            head, tail = value
            one = first(head)
            end = tail.to_bytes(width, "big") if width else last(tail)
            try:
                return _join((prefix, _LENGTHS[len(one)], one, end))
            except IndexError:
                return key_many(value)

        def key_three(value: Any) -> bytes:
            if len(value) != 3:
                raise TypeError("expected a key of 3 parts")
            head, middle, tail = value
            one, two = first(head), second(middle)
            end = tail.to_bytes(width, "big") if width else last(tail)
            try:
                return _join((prefix, _LENGTHS[len(one)], one, _LENGTHS[len(two)], two, end))
            except IndexError:
                return key_many(value)

        if count > 3:
            return key_many
        return key_two if count == 2 else key_three

    def _parse_one(self) -> Callable[[bytes], Any]:
        size, load = self.size, self.parts[0].load
        return lambda raw: load(raw[size:])

    def _parse_many(self) -> Callable[[bytes], Any]:
        size = self.size
        *heads, last = [part.load for part in self.parts]

        def parse(raw: bytes) -> tuple[Any, ...]:
            at = size
            made = []
            for load in heads:
                end = at + 2 + int.from_bytes(raw[at : at + 2], "big")
                if end > len(raw):
                    raise ContractError("Invalid data size: key is shorter than its parts")
                made.append(load(raw[at + 2 : end]))
                at = end
            made.append(last(raw[at:]))
            return tuple(made)

        return parse


def parts_of(key_types: Any) -> tuple[Part, ...]:
    """Parts of declared key types: a tuple of them, or one bare."""
    types = key_types if isinstance(key_types, tuple) else (key_types,)
    if not types:
        raise TypeError("a key needs at least one part")
    return tuple(part_of(type_) for type_ in types)
