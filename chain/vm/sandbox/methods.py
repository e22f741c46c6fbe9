"""Methods of built-in values, by name: what instrumented code calls for ``x.append(y)``.

The receiver decides. Text, bytes, integers, lists, dictionaries and tuples are charged by size
before the work; any other receiver has its own method of that name, which is simply called.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import astuple

from chain.vm.sandbox.builtins import ordered
from chain.vm.sandbox.hosts import BUILT_IN, HOSTS, own
from chain.vm.sandbox.iteration import materialise
from chain.vm.sandbox.operators import contains, grow
from chain.vm.sandbox.runtime import Trap, current
from chain.vm.sandbox.sizes import (
    FLAT,
    ITEMS_MAX,
    MAPPINGS,
    SEQUENCES,
    STRUCT_META,
    TEXT_FREE,
    TEXTS,
    admit,
    is_flat_tuple,
    key,
    make_items,
    make_text,
    scan_text,
    weigh,
)

Method = Callable[..., Any]

_OF_BUILT_IN: Final = frozenset(name for kind in BUILT_IN for name in dir(kind))
#: of the methods that look through text, those that cut a new one out of it
_MAKE_TEXT: Final = frozenset(
    {
        *("lstrip", "partition", "removeprefix", "removesuffix"),
        *("rpartition", "rstrip", "strip"),
    }
)
_HEX: Final = re.compile(r"([0-9a-f]{2})*", re.ASCII)
_NO_VALUE: Final = object()


def _size(value: object) -> int:
    return len(value) if isinstance(value, TEXTS) else 0


def _scanning(name: str) -> Method:
    """Methods that look through text once and make no more than they were given."""
    makes = name in _MAKE_TEXT

    def method(receiver: Any, *args: Any) -> Any:
        if isinstance(receiver, TEXTS):
            scan_text(len(receiver) + sum(_size(arg) for arg in args))
            if makes and len(receiver) > TEXT_FREE:
                current().fill(len(receiver) >> 4)
        return own(receiver, name)(*args)

    return method


def _backward(name: str) -> Method:
    """Methods that look from the end: CPython compares at every place."""
    makes = name in _MAKE_TEXT

    def method(receiver: Any, *args: Any) -> Any:
        if isinstance(receiver, TEXTS):
            size = len(receiver)
            needle = max([1, *(_size(arg) for arg in args)])
            if size > TEXT_FREE:
                current().charge((size >> 4) + (size * needle >> 8))
                if makes:
                    current().fill(size >> 4)
        return own(receiver, name)(*args)

    return method


def _splitting(name: str) -> Method:
    """``split`` and its kin: the parts are counted when they are there, at most one a character."""

    def method(receiver: Any, *args: Any, maxsplit: int = -1) -> Any:
        if not isinstance(receiver, TEXTS):
            return own(receiver, name)(*args)
        size = len(receiver)
        needle = max([1, *(_size(arg) for arg in args)])
        make_text(size + (size * needle >> 8 if name == "rsplit" else 0))
        if name != "splitlines" and len(args) < 2:
            args = (args[0] if args else None, maxsplit)
        parts = own(receiver, name)(*args)
        make_items(len(parts))
        return parts

    return method


def _padding(name: str) -> Method:
    """``zfill``, ``ljust``, ``rjust``, ``center``."""

    def method(receiver: Any, width: int, *fill: Any) -> Any:
        if not isinstance(receiver, TEXTS):
            return own(receiver, name)(width, *fill)
        if not isinstance(width, int):
            raise Trap("a width is an integer")
        if width > TEXT_FREE or len(receiver) > TEXT_FREE:
            make_text(max(len(receiver), int(width)))
        return getattr(receiver, name)(width, *fill)

    return method


def replace(receiver: Any, *args: Any, **named: Any) -> Any:
    """``text.replace(old, new, count)``: the size of the result is known before it is made."""
    if not isinstance(receiver, TEXTS):
        return own(receiver, "replace")(*args, **named)
    old, new = args[0], args[1]
    scan_text(len(receiver))
    found = receiver.count(old)
    if len(args) > 2 and args[2] >= 0:
        found = min(found, args[2])
    make_text(len(receiver) + found * (len(new) - len(old)))
    return own(receiver, "replace")(*args)


def join(receiver: Any, parts: Any) -> Any:
    """``separator.join(parts)``."""
    if not isinstance(receiver, TEXTS):
        return own(receiver, "join")(parts)
    found = materialise(parts)
    make_items(len(found))
    size = len(receiver) * max(len(found) - 1, 0)
    for part in found:
        size += len(part)
    make_text(size)
    return own(receiver, "join")(found)


def encode(receiver: Any, *args: Any) -> Any:
    """``text.encode()``: UTF-8 or ASCII."""
    if not isinstance(receiver, str):
        return own(receiver, "encode")(*args)
    _codec(args)
    make_text(len(receiver))
    return str(receiver).encode(*args)


def decode(receiver: Any, *args: Any) -> Any:
    """``bytes.decode()``: UTF-8 or ASCII."""
    if not isinstance(receiver, bytes):
        return own(receiver, "decode")(*args)
    _codec(args)
    make_text(len(receiver))
    return own(receiver, "decode")(*args)


def _codec(args: tuple[Any, ...]) -> None:
    if args and (len(args) > 1 or args[0] not in ("utf-8", "utf8", "ascii")):
        raise Trap("text is UTF-8 or ASCII, and strict")


def hexadecimal(receiver: Any, *args: Any) -> Any:
    """``bytes.hex()``."""
    if not isinstance(receiver, bytes):
        return own(receiver, "hex")(*args)
    make_text(2 * len(receiver))
    return own(receiver, "hex")(*args)


def fromhex(receiver: Any, text: str) -> Any:
    """``bytes.fromhex``: lower-case digits in pairs, nothing else (G)."""
    make_text(len(text))
    if not _HEX.fullmatch(text):
        raise Trap("fromhex takes pairs of lower-case hexadecimal digits")
    return own(receiver, "fromhex")(text)


def from_bytes(receiver: Any, raw: Any, *args: Any, **named: Any) -> Any:
    """``int.from_bytes``: up to 64 bytes."""
    if not isinstance(raw, bytes) or len(raw) > 64:
        raise Trap("from_bytes takes up to 64 bytes")
    return own(receiver, "from_bytes")(raw, *args, **named)


def to_bytes(receiver: Any, *args: Any, **named: Any) -> Any:
    """``number.to_bytes(length, order)``: up to 64 bytes."""
    length = args[0] if args else named.get("length", 1)
    if isinstance(receiver, int) and length > 64:
        raise Trap("to_bytes makes up to 64 bytes")
    return own(receiver, "to_bytes")(*args, **named)


def append(receiver: Any, *args: Any) -> Any:
    """``list.append``."""
    if type(receiver) is list:
        if len(receiver) >= ITEMS_MAX:
            raise Trap(f"more than {ITEMS_MAX} items")
        current().room -= 1
    return own(receiver, "append")(*args)


def extend(receiver: Any, *args: Any) -> Any:
    """``list.extend``."""
    if type(receiver) is not list:
        return own(receiver, "extend")(*args)
    found = materialise(*args)
    grow(receiver, len(found))
    return own(receiver, "extend")(found)


def insert(receiver: Any, *args: Any) -> Any:
    """``list.insert``: what follows moves."""
    if type(receiver) is list:
        grow(receiver, 1)
        current().charge(len(receiver) >> 3)
    return own(receiver, "insert")(*args)


def pop(receiver: Any, *args: Any) -> Any:
    """``list.pop`` and ``dict.pop``."""
    if type(receiver) is list:
        if args:
            current().charge(len(receiver) >> 3)
    elif type(receiver) is dict:
        key(args[0])
    return own(receiver, "pop")(*args)


def _looking(name: str) -> Method:
    """``index``, ``count`` and ``remove``: of lists and tuples as ``in``, of text as ``find``."""
    scan = _scanning(name)

    def method(receiver: Any, *args: Any, **named: Any) -> Any:
        if isinstance(receiver, SEQUENCES):
            contains(args[0], receiver)
        elif isinstance(receiver, TEXTS):
            return scan(receiver, *args)
        elif type(receiver) is range and not isinstance(args[0], int):
            raise Trap("a range holds integers")
        return own(receiver, name)(*args, **named)

    return method


def reverse(receiver: Any) -> Any:
    """``list.reverse``."""
    if type(receiver) is list:
        current().charge(len(receiver) >> 2)
    return own(receiver, "reverse")()


def sort(receiver: Any, **named: Any) -> Any:
    """``list.sort``: as ``sorted``, in place."""
    if type(receiver) is not list:
        return own(receiver, "sort")(**named)
    receiver[:] = ordered(receiver, **named)
    return None


def copy(receiver: Any) -> Any:
    """``list.copy`` and ``dict.copy``."""
    if isinstance(receiver, (list, *MAPPINGS)):
        make_items(len(receiver))
    return own(receiver, "copy")()


def get(receiver: Any, *args: Any, **named: Any) -> Any:
    """``dict.get``."""
    if isinstance(receiver, MAPPINGS):
        key(args[0])
    return own(receiver, "get")(*args, **named)


def setdefault(receiver: Any, *args: Any) -> Any:
    """``dict.setdefault``."""
    if type(receiver) is dict:
        if len(receiver) >= ITEMS_MAX:
            raise Trap(f"more than {ITEMS_MAX} items")
        key(args[0])
        current().room -= 2
    return own(receiver, "setdefault")(*args)


def update(receiver: Any, *args: Any, **named: Any) -> Any:
    """``dict.update``; ``update`` of stored values, whose new value is looked at first."""
    if type(receiver) is dict:
        other = args[0] if args else {}
        if not isinstance(other, MAPPINGS):
            raise Trap("update takes a dictionary")
        if len(receiver) + len(other) + len(named) > ITEMS_MAX:
            raise Trap(f"more than {ITEMS_MAX} items")
        make_items(len(other))
        return own(receiver, "update")(other, **named)
    watched = [_admitting(arg) if callable(arg) else arg for arg in args]
    return own(receiver, "update")(*watched, **{name: _watch(arg) for name, arg in named.items()})


def _watch(value: Any) -> Any:
    return _admitting(value) if callable(value) else value


def _admitting(action: Callable[..., Any]) -> Callable[..., Any]:
    def watched(*args: Any) -> Any:
        return admit(action(*args))

    return watched


def _plain(name: str) -> Method:
    """Methods that cost nothing worth charging."""

    def method(receiver: Any, *args: Any, **named: Any) -> Any:
        return own(receiver, name)(*args, **named)

    return method


def _to_host(name: str) -> Method:
    """Host methods that encode what they are given."""

    def method(receiver: Any, *args: Any, **named: Any) -> Any:
        for arg in args:
            admit(arg)
        for arg in named.values():
            admit(arg)
        return own(receiver, name)(*args, **named)

    return method


def save(receiver: Any, storage: Any, key: Any, value: Any = _NO_VALUE, /) -> Any:
    """``Item.save(storage, value)``, ``Map.save(storage, key, value)``: the value comes last."""
    last = key if value is _NO_VALUE else value
    kind = last.__class__
    if kind.__class__ is STRUCT_META:
        if not is_flat_tuple(map(type, astuple(last))):
            weigh(last)
    elif kind not in FLAT and not isinstance(last, int):
        admit(last)
    if value is _NO_VALUE:
        return receiver.save(storage, key)
    return receiver.save(storage, key, value)


METHODS: Final[dict[str, Method]] = {
    **{
        name: _scanning(name)
        for name in (
            *("find", "endswith", "startswith", "isascii", "lstrip", "partition"),
            *("removeprefix", "removesuffix"),
        )
    },
    **{name: _backward(name) for name in ("rfind", "rindex", "rpartition", "rstrip", "strip")},
    **{name: _splitting(name) for name in ("rsplit", "split", "splitlines")},
    **{name: _padding(name) for name in ("center", "ljust", "rjust", "zfill")},
    **{name: _looking(name) for name in ("count", "index", "remove")},
    **{
        name: _plain(name)
        for name in (*("bit_count", "bit_length", "clear", "items", "keys", "popitem", "values"),)
    },
    **{name: _to_host(name) for name in ("Execute", "Instantiate", "Instantiate2", "Migrate")},
    **HOSTS,
    "append": append,
    "copy": copy,
    "decode": decode,
    "encode": encode,
    "extend": extend,
    "from_bytes": from_bytes,
    "fromhex": fromhex,
    "get": get,
    "hex": hexadecimal,
    "insert": insert,
    "join": join,
    "lstrip": _backward("lstrip"),
    "pop": pop,
    "replace": replace,
    "reverse": reverse,
    "save": save,
    "setdefault": setdefault,
    "sort": sort,
    "to_bytes": to_bytes,
    "update": update,
}


def attribute(receiver: Any, name: str) -> Any:
    """``receiver.name`` that is not called on the spot: a field, or the charging method bound."""
    kind = receiver if isinstance(receiver, type) else type(receiver)
    if not issubclass(kind, BUILT_IN) or name not in _OF_BUILT_IN:
        value = getattr(receiver, name)
        if not callable(value) or (isinstance(value, type) and name not in METHODS):
            return value
    elif name not in METHODS:
        raise Trap(f"there is no {name} here")
    method = METHODS.get(name) or _plain(name)

    def bound(*args: Any, **named: Any) -> Any:
        return method(receiver, *args, **named)

    return bound
