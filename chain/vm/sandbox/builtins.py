"""The built-in functions of the room: Python's, bounded and charged by size before the work (C4).

``map zip filter enumerate reversed`` give lists: there are no stored iterators, so there is no
chain of them to run through (E3). ``sorted min max`` compare plain values (C7), ``sum`` adds
integers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from chain.errors import ContractError
from chain.std import Binary, Event, Words
from chain.vm.sandbox.hosts import copied
from chain.vm.sandbox.iteration import materialise, unpacked_mapping
from chain.vm.sandbox.operators import power
from chain.vm.sandbox.runtime import Trap, current
from chain.vm.sandbox.sizes import (
    MAPPINGS,
    TEXT_FREE,
    check_int,
    key,
    make_items,
    make_text,
    sort_weight,
)

_DECIMAL: Final = re.compile(r"[+-]?[0-9]{1,155}", re.ASCII)
_HEX: Final = re.compile(r"[+-]?[0-9a-fA-F]{1,128}", re.ASCII)
_TOLD: Final = (Words, ContractError)
_MISSING: Final = object()
int_text: Final = int.__repr__
_FEW_PARTS: Final = 16  # of an f-string, put together before their size is known


def to_text(value: Any = "") -> str:
    """``str`` of text, integers, booleans, words and errors, which read alike everywhere."""
    kind = value.__class__
    if kind is str:
        return value  # type: ignore[no-any-return]
    if kind is int:
        return int_text(value)
    if kind is bool:
        return "True" if value else "False"
    if isinstance(value, int):
        return int_text(value)
    if isinstance(value, _TOLD):
        return str(value)
    if isinstance(value, str):
        return str(value)
    raise Trap(f"no text of {_article(value)}: text, integers, booleans, words and errors have one")


def formatted(value: Any, spec: str) -> str:
    """A value in an f-string with a width or a base."""
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        return format(to_text(value), spec)
    return format(int(value) if isinstance(value, int) else to_text(value), spec)


def joined(*parts: Any) -> str:
    """An f-string."""
    for part in parts:
        if part.__class__ is not str:
            parts = tuple(
                [
                    part
                    if part.__class__ is str
                    else int_text(part)
                    if part.__class__ is int
                    else to_text(part)
                    for part in parts
                ]
            )
            break
    if len(parts) > _FEW_PARTS:
        make_text(sum(map(len, parts)))
        return "".join(parts)
    text = "".join(parts)  # at most so many times the longest text, and gone if that is too long
    if len(text) > TEXT_FREE:
        make_text(len(text))
    return text


def integer(value: Any = 0, base: int = 10) -> int:
    """``int`` of integers and of ASCII digits, without blanks and underscores; base 10 or 16."""
    if isinstance(value, int):
        return int(value)
    if type(value) is str and base in (10, 16):
        if not (_DECIMAL if base == 10 else _HEX).fullmatch(value):
            raise Trap("int takes up to 155 digits and a sign")
        return check_int(int(value, base))
    raise Trap("int takes integers and text")


def octets(value: Any = b"") -> bytes:
    """``bytes`` of bytes, of a size, of a list of numbers below 256."""
    if type(value) is bytes:
        return value
    if isinstance(value, bytes):
        make_text(len(value))
        return bytes(value)
    if isinstance(value, int):
        make_text(int(value))
        return bytes(int(value))
    if isinstance(value, str):
        raise Trap("bytes of text: use .encode()")
    return bytes(materialise(value))


def new_list(items: Any = ()) -> list[Any]:
    """``list``."""
    found = materialise(items)
    if found is not items:
        return found  # type: ignore[return-value]
    make_items(len(found))
    return list(found)


def new_tuple(items: Any = ()) -> tuple[Any, ...]:
    """``tuple``."""
    if type(items) is tuple:
        return items
    found = materialise(items)
    make_items(len(found))
    return tuple(found)


def new_dict(items: Any = (), /, **named: Any) -> dict[Any, Any]:
    """``dict`` of a dictionary or of pairs."""
    if isinstance(items, MAPPINGS):
        return {**unpacked_mapping(items), **named}
    pairs = materialise(items)
    make_items(len(pairs))
    return {**{key(name): value for name, value in pairs}, **named}


def total(items: Any, start: int = 0) -> int:
    """``sum`` of integers."""
    numbers = materialise(items)
    make_items(len(numbers))
    if not isinstance(start, int):
        raise Trap("sum adds integers")
    result = start
    for number in numbers:
        if not isinstance(number, int):
            raise Trap("sum adds integers")
        result += number
    return check_int(int(result))


def ordered(
    items: Any, *, key: Callable[[Any], Any] | None = None, reverse: bool = False
) -> list[Any]:
    """``sorted``; stable, by plain keys."""
    found = materialise(items)
    size = len(found)
    make_items(size)
    if key is None:
        current().charge(sort_weight(found) * size.bit_length())
        return sorted(found, reverse=reverse)
    keys = []
    for item in found:
        keys.append(key(item))
    current().charge(sort_weight(keys) * size.bit_length() + size)
    order = sorted(range(size), key=keys.__getitem__, reverse=reverse)
    return [found[place] for place in order]


def _extreme(pick: Callable[..., Any], args: tuple[Any, ...], key: Any, default: Any) -> Any:
    found = materialise(args[0]) if len(args) == 1 else args
    if not found and default is not _MISSING:
        return default
    if key is None:
        if len(found) > 2 or type(found[0]) is not int:
            current().charge(sort_weight(found))
        return pick(found)
    keys = []
    for item in found:
        keys.append(key(item))
    current().charge(sort_weight(keys) + len(keys))
    return found[pick(range(len(keys)), key=keys.__getitem__)]


def smallest(*args: Any, key: Any = None, default: Any = _MISSING) -> Any:
    """``min``."""
    return _extreme(min, args, key, default)


def largest(*args: Any, key: Any = None, default: Any = _MISSING) -> Any:
    """``max``."""
    return _extreme(max, args, key, default)


def _take(items: Any) -> Any:
    """A generator (only written in the call itself) runs lazily; anything else is paid for here."""
    if type(items).__name__ == "generator":
        return items
    found = materialise(items)
    make_items(len(found))
    return found


def any_of(items: Any) -> bool:
    """``any``."""
    return any(_take(items))


def all_of(items: Any) -> bool:
    """``all``."""
    return all(_take(items))


def mapped(function: Callable[..., Any], *several: Any) -> list[Any]:
    """``map``, as a list."""
    columns = [materialise(items) for items in several]
    make_items(min(len(column) for column in columns))
    result = []
    for row in zip(*columns, strict=False):
        result.append(function(*row))
    return result


def filtered(function: Callable[[Any], Any] | None, items: Any) -> list[Any]:
    """``filter``, as a list."""
    found = materialise(items)
    make_items(len(found))
    result = []
    for item in found:
        if item if function is None else function(item):
            result.append(item)
    return result


def zipped(*several: Any, strict: bool = False) -> list[tuple[Any, ...]]:
    """``zip``, as a list."""
    columns = [materialise(items) for items in several]
    make_items(sum(len(column) for column in columns))
    return list(zip(*columns, strict=strict))


def numbered(items: Any, start: int = 0) -> list[tuple[int, Any]]:
    """``enumerate``, as a list."""
    found = materialise(items)
    make_items(2 * len(found))
    return list(enumerate(found, start))


def backwards(items: Any) -> list[Any]:
    """``reversed``, as a list."""
    found = materialise(items)
    make_items(len(found))
    return list(found[::-1])


def hexadecimal(number: int) -> str:
    """``hex``."""
    if not isinstance(number, int):
        raise Trap("hex is for integers")
    return hex(check_int(int(number)))


def binary(value: Any = b"") -> Binary:
    """``Binary``: a copy of bytes."""
    if not isinstance(value, bytes):
        return Binary(octets(value))
    make_text(len(value))
    return Binary(value)


def event(type: Any, attributes: Any = ()) -> Event:
    """``Event`` of a type and a list of pairs: a copy of them."""
    copied(type)
    copied(attributes)
    return Event(type, attributes)


def divided(left: int, right: int) -> tuple[int, int]:
    """``divmod`` of integers."""
    if not (isinstance(left, int) and isinstance(right, int)):
        raise Trap("divmod is for integers")
    return divmod(left, right)


def magnitude(number: int) -> int:
    """``abs`` of an integer."""
    if not isinstance(number, int):
        raise Trap("abs is for integers")
    return abs(number)


def _article(value: object) -> str:
    """A kind of value in our own words: no class name of the host."""
    for kind, words in (
        (type(None), "None"),
        (bytes, "bytes"),
        (list, "a list"),
        (tuple, "a tuple"),
        (dict, "a dictionary"),
    ):
        if isinstance(value, kind):
            return words
    return "this value"


#: Charging versions under the names that source uses.
FUNCTIONS: Final[dict[str, Any]] = {
    "abs": magnitude,
    "all": all_of,
    "any": any_of,
    "chr": chr,
    "divmod": divided,
    "enumerate": numbered,
    "filter": filtered,
    "hex": hexadecimal,
    "isinstance": isinstance,
    "len": len,
    "map": mapped,
    "max": largest,
    "min": smallest,
    "ord": ord,
    "pow": power,
    "reversed": backwards,
    "sorted": ordered,
    "sum": total,
    "zip": zipped,
}
#: The same for host classes that copy.
HOST_MAKERS: Final[dict[str, Any]] = {"Binary": binary, "Event": event}
#: What a type is wherever a function body calls it or passes it on.
MAKERS: Final[dict[str, Any]] = {
    "bytes": octets,
    "dict": new_dict,
    "int": integer,
    "list": new_list,
    "str": to_text,
    "tuple": new_tuple,
}
