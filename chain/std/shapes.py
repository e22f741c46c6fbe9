"""What a type needs before msgspec can read or write it: worked out once a type, cached.

``prepare``  JSON value -> what msgspec converts: other spellings of fields, records (arrays in
    state, objects in JSON).
``dump``     value -> what msgspec encodes: numbers as text, records as objects; ``None`` where
    msgspec alone is right.
"""

from __future__ import annotations

import enum
import types
from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

import msgspec

from chain.std.errors import SerializeError
from chain.std.numbers import Binary, BoundedInt
from chain.std.records import Message

Step = Callable[[Any], Any]

DEPTH_MAX: Final = 64  # arrays and objects inside each other, in what we write


class Shape:
    """Facts about one type."""

    __slots__ = ("dump", "has_loose", "has_plain_int", "prepare")

    def __init__(self, type_: Any) -> None:
        self.prepare = _prepare(type_, ())
        self.dump = _dump(type_, ())
        self.has_plain_int = _contains(type_, (int,), ())
        self.has_loose = _contains(type_, _LOOSE, ())


_cache: dict[Any, Shape] = {}


def shape_of(type_: Any) -> Shape:
    """The facts about ``type_``, worked out at the first use."""
    shape = _cache.get(type_)
    if shape is None:
        shape = _cache[type_] = Shape(type_)
    return shape


def unwrap(type_: Any) -> Any:
    """Strip ``Annotated``, ``NewType`` and ``| None``."""
    while True:
        if get_origin(type_) is Annotated:
            type_ = get_args(type_)[0]
        elif hasattr(type_, "__supertype__"):
            type_ = type_.__supertype__
        elif get_origin(type_) in (Union, types.UnionType):
            rest = [a for a in get_args(type_) if a is not type(None)]
            if len(rest) != 1:
                return Union[tuple(rest)]  # noqa: UP007
            type_ = rest[0]
        else:
            return type_


@lru_cache(maxsize=4096)
def fields_of(struct: type[msgspec.Struct]) -> tuple[tuple[str, Any], ...]:
    """Fields of a struct in declaration order with their types."""
    hints = get_type_hints(struct, include_extras=True)
    return tuple((name, hints[name]) for name in struct.__struct_fields__)


def is_struct(type_: Any) -> bool:
    """Whether ``type_`` is a struct class."""
    return isinstance(type_, type) and issubclass(type_, msgspec.Struct)


def _members(type_: Any) -> tuple[Any, ...]:
    return tuple(a for a in get_args(type_) if a is not type(None))


# --- reading ------------------------------------------------------------------------------------


def _prepare(type_: Any, seen: tuple[Any, ...]) -> Step | None:
    here = unwrap(type_)
    origin = get_origin(here)
    if is_struct(here):
        if here in seen:
            return None
        return _prepare_struct(here, (*seen, here))
    if origin in (list, tuple):
        inner = _prepare(get_args(here)[0], seen) if get_args(here) else None
        return None if inner is None else _each(inner)
    if origin is dict:
        inner = _prepare(get_args(here)[1], seen)
        return None if inner is None else _values(inner)
    if origin is Union:
        steps = [
            s for s in (_prepare(m, seen) for m in _members(here) if is_struct(unwrap(m))) if s
        ]
        return steps[0] if len(steps) == 1 else None
    return None


def _prepare_struct(struct: Any, seen: tuple[Any, ...]) -> Step | None:
    inner: dict[str, Step] = {
        name: step for name, t in fields_of(struct) if (step := _prepare(t, seen)) is not None
    }
    aliases: dict[str, str] = dict(struct.field_aliases) if issubclass(struct, Message) else {}
    array_like = struct.__struct_config__.array_like
    if not inner and not aliases and not array_like:
        return None
    names = struct.__struct_fields__

    def run(value: Any) -> Any:
        if type(value) is not dict:
            return value
        made: dict[str, Any] = {}
        for key, item in value.items():
            field = str(aliases.get(key, key))
            if field in made or (field != key and field in value):
                raise msgspec.ValidationError(f"duplicate field `{field}`")
            step = inner.get(field)
            made[field] = item if step is None else step(item)
        return _positions(made, struct, names) if array_like else made

    return run


def _positions(made: dict[str, Any], struct: Any, names: tuple[str, ...]) -> list[Any]:
    """The fields in order, defaults filled in: what msgspec converts to an array-like struct."""
    for key in made:
        if key not in names:
            raise msgspec.ValidationError(f"Object contains unknown field `{key}`")
    values: list[Any] = []
    for info in msgspec.structs.fields(struct):
        if info.name in made:
            values.append(made[info.name])
        elif info.required:
            raise msgspec.ValidationError(f"Object missing required field `{info.name}`")
        else:
            values.append(_default_json(info))
    return values


def _default_json(info: msgspec.structs.FieldInfo) -> Any:
    """The JSON value that reads as a field's default."""
    default = info.default
    if default is msgspec.NODEFAULT and info.default_factory is not msgspec.NODEFAULT:
        default = info.default_factory()
    return msgspec.to_builtins(plain(default), enc_hook=json_dump_hook)


def _each(step: Step) -> Step:
    return lambda value: [step(item) for item in value] if type(value) is list else value


def _values(step: Step) -> Step:
    return lambda value: (
        {key: step(item) for key, item in value.items()} if type(value) is dict else value
    )


_LOOSE: Final = (Any, object, dict, list)


def _contains(type_: Any, wanted: tuple[Any, ...], seen: tuple[Any, ...]) -> bool:
    """Whether one of the ``wanted`` types stands somewhere in ``type_``."""
    here = unwrap(type_)
    if here in wanted:
        return True
    if is_struct(here):
        return here not in seen and any(
            _contains(t, wanted, (*seen, here)) for _, t in fields_of(here)
        )
    return any(_contains(a, wanted, seen) for a in get_args(here) if a is not Ellipsis)


# --- writing ------------------------------------------------------------------------------------


def _dump(type_: Any, seen: tuple[Any, ...]) -> Step | None:
    optional = type(None) in get_args(type_)
    here = unwrap(type_)
    origin = get_origin(here)
    if isinstance(here, type) and issubclass(here, BoundedInt):
        return _maybe(_number(here), optional)
    if here in (str, bool, int, bytes, Binary, type(None)):
        return None
    if isinstance(here, type) and issubclass(here, enum.Enum):
        return None
    if is_struct(here):
        if here in seen:
            return plain
        step = _dump_struct(here, (*seen, here))
        return None if step is None else _maybe(step, optional)
    if origin in (list, tuple):
        arguments = [a for a in get_args(here) if a is not Ellipsis]
        if len(arguments) != 1:
            return plain
        inner = _dump(arguments[0], seen)
        return None if inner is None else _maybe(_all(inner), optional)
    if origin is dict and get_args(here)[0] is str:
        inner = _dump(get_args(here)[1], seen)
        return None if inner is None else _maybe(_items(inner), optional)
    return plain


def _maybe(step: Step, optional: bool) -> Step:
    if not optional:
        return step
    return lambda value: None if value is None else step(value)


def _number(cls: type[BoundedInt]) -> Step:
    low, high, as_text, name = cls.MIN, cls.MAX, cls.AS_TEXT, cls.__name__
    to_text = int.__repr__

    def run(value: Any) -> Any:
        kind = value.__class__
        if kind is not cls and kind is not int and not isinstance(value, BoundedInt):
            raise SerializeError(name, f"{_show(value)} is no integer")
        if not low <= value <= high:
            raise SerializeError(name, f"{_show(value)} is out of range")
        return to_text(value) if as_text else int(value)

    return run


def _show(value: object) -> str:
    return int.__repr__(value) if isinstance(value, int) else f"a {type(value).__name__}"


def _dump_struct(struct: Any, seen: tuple[Any, ...]) -> Step | None:
    steps = [(name, _dump(t, seen)) for name, t in fields_of(struct)]
    config = struct.__struct_config__
    special = [(name, step) for name, step in steps if step is not None]
    if not special and not config.array_like:
        return None
    if not config.omit_defaults:
        return _dump_all(special)

    def run(value: Any) -> Any:
        made = {}
        for name, step in steps:
            item = getattr(value, name)
            if item is None and config.omit_defaults:
                continue
            made[name] = item if step is None else step(item)
        return made

    return run


def _dump_all(special: list[tuple[str, Step]]) -> Step:
    as_dict = msgspec.structs.asdict

    def run(value: Any) -> Any:
        made = as_dict(value)
        for name, step in special:
            made[name] = step(made[name])
        return made

    return run


def _all(step: Step) -> Step:
    return lambda value: [step(item) for item in value]


def _items(step: Step) -> Step:
    return lambda value: {key: step(item) for key, item in value.items()}


def json_dump_hook(value: object) -> object:
    """The JSON form of our own scalar types, for msgspec's encoder."""
    if isinstance(value, BoundedInt):
        return int.__repr__(value) if value.AS_TEXT else int(value)
    if isinstance(value, bytes):
        return bytes(value)
    raise SerializeError(type(value).__name__, "no JSON form")


#: kinds of values that JSON has
_AS_THEY_ARE: Final = frozenset({str, int, bool, type(None)})


def plain(value: Any, depth: int = 0) -> Any:
    """Check and convert a value of unknown type for the JSON encoder. Raises: SerializeError."""
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if depth >= DEPTH_MAX:
        raise SerializeError(kind.__name__, "recursion limit exceeded")
    if kind is dict:
        made = {}
        for key, item in value.items():
            if not isinstance(key, str):
                raise SerializeError("dict", "object keys must be strings")
            made[key] = item if type(item) in _AS_THEY_ARE else plain(item, depth + 1)
        return made
    if kind is list or kind is tuple:
        return [plain(item, depth + 1) for item in value]
    if isinstance(value, msgspec.Struct):
        step = shape_of(kind).dump
        return value if step is None else step(value)
    if isinstance(value, BoundedInt | bytes | enum.Enum | str) and kind is not bytearray:
        return str(value) if isinstance(value, str) and not isinstance(value, enum.Enum) else value
    if isinstance(value, tuple):
        return [plain(item, depth + 1) for item in value]
    raise SerializeError(kind.__name__, "no JSON form")


__all__ = ["Shape", "fields_of", "is_struct", "plain", "shape_of", "unwrap"]
