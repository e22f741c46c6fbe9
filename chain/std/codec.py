"""State values: MessagePack bytes of a declared type.

Records are arrays, number types are MessagePack integers, what needs more than 64 bits is extension
1 (the shortest two's complement, big endian), so a number has one spelling whatever Python class
carried it. Floats are refused.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Final, Generic, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec.msgpack import Decoder, Encoder, Ext

from chain.std.errors import ParseError, SerializeError
from chain.std.numbers import Binary, BoundedInt, RangeError
from chain.std.shapes import DEPTH_MAX, fields_of, is_struct, unwrap

T = TypeVar("T")

WIDE: Final = 1  # extension code of an integer beyond 64 bits
_LOW: Final = -(2**63)
_HIGH: Final = 2**64
#: MessagePack's marker of a double; the encoder writes no other float. A byte as a number is looked
#: for ten times as quickly as one as bytes.
_FLOAT: Final = 0xCB


def _widest(value: int) -> int | Ext:
    if _LOW <= value < _HIGH:
        return int(value)
    return Ext(WIDE, value.to_bytes((value.bit_length() + 8) // 8, "big", signed=True))


def _dump_hook(value: object) -> object:
    if isinstance(value, int):
        if _LOW <= value < _HIGH:
            return int(value)
        return _widest(value)
    if isinstance(value, bytes):
        return bytes(value)
    if isinstance(value, str) and not isinstance(value, enum.Enum):
        return str(value)
    raise SerializeError(type(value).__name__, "no stored form")


def _load_hook(type_: type, value: object) -> object:
    if value.__class__ is int and issubclass(type_, BoundedInt):
        if type_.MIN <= value <= type_.MAX:
            return _new_int(type_, value)
        raise RangeError("Invalid number.")
    if issubclass(type_, Binary) and isinstance(value, bytes):
        return Binary(value)
    raise RangeError("Invalid type")


def _ext_hook(code: int, data: memoryview) -> object:
    if code != WIDE:
        raise RangeError("Invalid type")
    return int.from_bytes(data, "big", signed=True)


#: puts a mark on encoded bytes
Mark = Callable[[bytes], bytes]

_SCALARS: Final = (int, str, bytes, NoneType, enum.Enum)
_new_int: Final = int.__new__
_encode: Final = Encoder(enc_hook=_dump_hook).encode
_decode_any: Final = Decoder(ext_hook=_ext_hook).decode


class Codec(Generic[T]):
    """``encode`` and ``decode`` of one stored type, as plain functions for the hot path."""

    __slots__ = ("_here", "decode", "encode", "type_", "type_name")

    encode: Callable[[T], bytes]
    decode: Callable[[bytes], T]

    def __init__(self, type_: Any) -> None:
        _check_type(type_, ())
        self.type_ = type_
        self.type_name = full_name(type_)
        here = self._here = type_ if _has_none(type_) else unwrap(type_)
        self.encode = _encoder(here, self.type_name)
        self.decode = _decoder(type_, here, self.type_name)

    def marked(self, mark: Mark) -> Callable[[T], bytes]:
        """``encode`` with a mark on what it makes."""
        if is_struct(self._here):
            return _struct_encoder(self._here, self.type_name, mark)
        encode = self.encode
        return lambda value: mark(encode(value))


_codecs: dict[Any, Codec[Any]] = {}


def codec_of(type_: Any) -> Codec[Any]:
    """The codec of ``type_``, made once."""
    codec = _codecs.get(type_)
    if codec is None:
        codec = _codecs[type_] = Codec(type_)
    return codec


def full_name(type_: Any) -> str:
    """The type as error texts show it: builtins bare, classes with their module."""
    if isinstance(type_, type) and get_origin(type_) is None:
        module = type_.__module__
        return type_.__name__ if module == "builtins" else f"{module}.{type_.__qualname__}"
    return str(getattr(type_, "__name__", type_)) if get_origin(type_) is None else str(type_)


def _has_none(type_: Any) -> bool:
    return type(None) in get_args(type_)


def _check_type(type_: Any, seen: tuple[Any, ...]) -> None:
    here = unwrap(type_)
    if here in (float, complex, set, frozenset):
        raise TypeError(f"{here.__name__} cannot be stored")
    if is_struct(here):
        if here not in seen:
            for _, inner in fields_of(here):
                _check_type(inner, (*seen, here))
        return
    origin = get_origin(here)
    if origin in (set, frozenset):
        raise TypeError("a set cannot be stored")
    for argument in get_args(here):
        if argument is not Ellipsis:
            _check_type(argument, seen)


def is_fixed(type_: Any, seen: tuple[Any, ...] = ()) -> bool:
    """Whether nobody can change a decoded value: records, tuples and scalars all the way down."""
    here = unwrap(type_)
    if is_struct(here):
        if here in seen:
            return True
        inner = [t for _, t in fields_of(here)]
        seen = (*seen, here)
        return here.__struct_config__.frozen and all(is_fixed(t, seen) for t in inner)
    if get_origin(here) in (tuple, Union, UnionType):
        return all(t is Ellipsis or is_fixed(t, seen) for t in get_args(here))
    return isinstance(here, type) and issubclass(here, _SCALARS)


# --- writing ------------------------------------------------------------------------------------


def _encoder(here: Any, name: str) -> Callable[[Any], bytes]:
    if here is int:
        return _encode_int
    if isinstance(here, type) and issubclass(here, BoundedInt):
        return _bounded_encoder(here)
    if here is str or here is bytes or here is bool:
        return _scalar_encoder(here)
    if is_struct(here):
        return _struct_encoder(here, name)
    if isinstance(here, type) and issubclass(here, enum.Enum):
        return _class_encoder(here, name)
    return _encode_loose


def _encode_int(value: int) -> bytes:
    if value.__class__ is not int:
        if not isinstance(value, BoundedInt):
            raise TypeError(f"expected int, got {type(value).__name__}")
        value = int(value)
    if _LOW <= value < _HIGH:
        return _encode(value)
    return _encode(_widest(value))


def _bounded_encoder(cls: type[BoundedInt]) -> Callable[[int], bytes]:
    low, high, name = cls.MIN, cls.MAX, cls.__name__

    def run(value: int) -> bytes:
        if value.__class__ is not int and not isinstance(value, BoundedInt):
            raise TypeError(f"expected {name}, got {type(value).__name__}")
        if not low <= value <= high:
            raise SerializeError(name, f"{int(value)} is out of range")
        if value < _HIGH and value >= _LOW:
            return _encode(int(value))
        return _encode(_widest(value))

    return run


def _scalar_encoder(cls: type) -> Callable[[Any], bytes]:
    name = cls.__name__

    def run(value: Any) -> bytes:
        if value.__class__ is not cls and (
            not isinstance(value, cls) or isinstance(value, enum.Enum)
        ):
            raise TypeError(f"expected {name}, got {type(value).__name__}")
        return _encode(value)

    return run


def _class_encoder(cls: type, name: str) -> Callable[[Any], bytes]:
    def run(value: Any) -> bytes:
        if not isinstance(value, cls):
            raise TypeError(f"expected {name}, got {type(value).__name__}")
        return _encode(value)

    return run


def _struct_encoder(cls: Any, name: str, mark: Mark | None = None) -> Callable[[Any], bytes]:
    check = _range_check(cls, name)

    def run(value: Any) -> bytes:
        if value.__class__ is not cls and not isinstance(value, cls):
            raise TypeError(f"expected {name}, got {type(value).__name__}")
        try:
            raw = _encode(value)
        except OverflowError:
            raw = _encode(_wide_struct(value))
        if _FLOAT in raw:
            _refuse_floats(_decode_any(raw), name)
        return raw if mark is None else mark(raw)

    if check is None:
        return run

    def checked(value: Any) -> bytes:
        if value.__class__ is not cls and not isinstance(value, cls):
            raise TypeError(f"expected {name}, got {type(value).__name__}")
        check(value)
        return run(value)

    return checked


def _range_check(cls: Any, name: str) -> Callable[[Any], None] | None:
    """Check the number fields, which may hold plain integers; None where there are none."""
    bounded = [
        (f, t) for f, t in fields_of(cls) if isinstance(t, type) and issubclass(t, BoundedInt)
    ]
    if not bounded:
        return None
    names = [field for field, _ in bounded]
    limits = [(t.MIN, t.MAX) for _, t in bounded]
    get: Callable[[Any], Any] = attrgetter(*names)
    low, high = limits[0]

    def refuse(field: str) -> None:
        raise SerializeError(name, f"{field} is out of range")

    def check_one(value: Any) -> None:
        item: int = get(value)
        if not low <= item <= high:
            refuse(names[0])

    low_two, high_two = limits[-1]

    def check_two(value: Any) -> None:
        first, second = get(value)
        if not low <= first <= high:
            refuse(names[0])
        if not low_two <= second <= high_two:
            refuse(names[1])

    def check_all(value: Any) -> None:
        for item, (least, most), field in zip(get(value), limits, names, strict=True):
            if not least <= item <= most:
                refuse(field)

    if len(names) == 1:
        return check_one
    return check_two if len(names) == 2 else check_all


def _wide_struct(value: Any) -> Any:
    made = msgspec.to_builtins(value, builtin_types=(bytes,), enc_hook=_builtin_hook)
    return _check_loose(made, 0)


def _builtin_hook(value: object) -> object:
    return int(value) if isinstance(value, BoundedInt) else _dump_hook(value)


def _encode_loose(value: Any) -> bytes:
    return _encode(_check_loose(value, 0))


def _check_loose(value: Any, depth: int) -> Any:
    kind = type(value)
    if kind is str or kind is bool or value is None or kind is bytes:
        return value
    if kind is int:
        return _widest(value)
    if depth >= DEPTH_MAX:
        raise SerializeError(kind.__name__, "recursion limit exceeded")
    if kind is dict:
        return {_loose_key(key): _check_loose(item, depth + 1) for key, item in value.items()}
    if kind is list or kind is tuple:
        return [_check_loose(item, depth + 1) for item in value]
    if isinstance(value, msgspec.Struct):
        return _check_loose(
            msgspec.to_builtins(value, builtin_types=(bytes,), enc_hook=_builtin_hook), depth + 1
        )
    if isinstance(value, enum.Enum):
        return _check_loose(value.value, depth + 1)
    if isinstance(value, tuple):
        return [_check_loose(item, depth + 1) for item in value]
    return _dump_hook(value)


def _loose_key(key: Any) -> Any:
    if isinstance(key, str):
        return str(key.value) if isinstance(key, enum.Enum) else str(key)
    if isinstance(key, bytes):
        return bytes(key)
    if isinstance(key, int) and not isinstance(key, bool) and _LOW <= key < _HIGH:
        return int(key)
    raise SerializeError("dict", "keys must be text, bytes or 64-bit integers")


def _refuse_floats(value: Any, name: str) -> None:
    if type(value) is float:
        raise SerializeError(name, "floats cannot be stored")
    if type(value) is list:
        for item in value:
            _refuse_floats(item, name)
    elif type(value) is dict:
        for item in value.values():
            _refuse_floats(item, name)


# --- reading ------------------------------------------------------------------------------------


def _decoder(type_: Any, here: Any, name: str) -> Callable[[bytes], Any]:
    if here is int:
        return _int_decoder(name)
    if isinstance(here, type) and issubclass(here, BoundedInt):
        return _bounded_decoder(here, name)
    if here is object or here is Any or here in (dict, list):
        inner = Decoder(here if here in (dict, list) else Any, ext_hook=_ext_hook).decode
    else:
        inner = Decoder(type_, dec_hook=_load_hook, ext_hook=_ext_hook).decode

    def run(raw: bytes) -> Any:
        try:
            return inner(raw)
        except (msgspec.MsgspecError, RangeError):
            return _second_reading(raw, type_, name)

    return run


def _int_decoder(name: str) -> Callable[[bytes], int]:
    inner = Decoder(int, ext_hook=_ext_hook).decode

    def run(raw: bytes) -> int:
        try:
            return inner(raw)
        except (msgspec.MsgspecError, RangeError):
            value = _second_reading(raw, int, name)
            return int(value)

    return run


def _bounded_decoder(cls: type[BoundedInt], name: str) -> Callable[[bytes], int]:
    low, high, new = cls.MIN, cls.MAX, int.__new__

    def run(raw: bytes) -> int:
        try:
            value = _decode_any(raw)
        except (msgspec.MsgspecError, RangeError):
            raise ParseError(name, "not MessagePack") from None
        if value.__class__ is not int:
            raise ParseError(name, "Invalid type")
        if not low <= value <= high:
            raise ParseError(name, "Invalid number.")
        return new(cls, value)

    return run


def _second_reading(raw: bytes, type_: Any, name: str) -> Any:
    """Numbers beyond 64 bits in plain ``int`` places.

    Anything else that failed fails here for good.
    """
    try:
        value = _decode_any(raw)
        return msgspec.convert(value, type_, dec_hook=_load_hook, builtin_types=(bytes,))
    except msgspec.ValidationError as error:
        reason = str(error)
    except (msgspec.MsgspecError, RangeError):
        reason = "not MessagePack"
    raise ParseError(name, reason)
