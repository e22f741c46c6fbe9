"""Iterators that charge a turn before it happens (C1): each ``for`` and comprehension has one.

Short containers are charged whole before the first turn, long ones 64 turns at a time, host
iterators turn by turn. A loop that is left early has paid for at most 64 turns too many, on every
machine alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from types import MappingProxyType
from typing import Any, Final

from chain.vm.sandbox.runtime import BATCH_STEPS, Trap, current
from chain.vm.sandbox.sizes import ITEMS_MAX, MAPPINGS, SEQUENCES, make_items

CHUNK: Final = 64
_empty: Final[dict[Any, Any]] = {}
_SIZED: Final = frozenset(
    {list, tuple, dict, str, bytes, range, MappingProxyType}
    | {type(_empty.keys()), type(_empty.values()), type(_empty.items())}
)


def turns(items: Any, weight: int) -> Iterable[Any]:
    """The items of a ``for`` loop; a turn costs ``weight`` steps."""
    return _turns(items, weight, 0)


def made_turns(items: Any, weight: int) -> Iterable[Any]:
    """The items of a comprehension: each turn also fills a cell of the room for values."""
    return _turns(items, weight, 1)


def _turns(items: Any, weight: int, cells: int) -> Iterable[Any]:
    kind = type(items)
    if kind not in _SIZED:
        return _each(iter(items), weight, cells)
    size = len(items[: CHUNK + 1]) if kind is range else len(items)  # len of a range can overflow
    if size > CHUNK:
        return chain.from_iterable(_chunks(items, size, weight, cells))
    state = current()
    state.room -= size * cells
    state.owed += size * weight
    if state.owed > BATCH_STEPS:
        state.flush()
    if kind is list:  # what it gains while it is walked is charged turn by turn
        entries = iter(items)
        return chain(islice(entries, size), _each(entries, weight, cells))
    return items  # type: ignore[no-any-return]


def _chunks(items: Any, size: int, weight: int, cells: int) -> Iterator[Iterable[Any]]:
    state = current()
    if type(items) is range:
        while items:
            part = items[:CHUNK]
            state.fill(len(part) * cells)
            state.charge(len(part) * weight)
            yield part
            items = items[CHUNK:]
        return
    entries = iter(items)
    for start in range(0, size, CHUNK):
        count = min(CHUNK, size - start)
        state.fill(count * cells)
        state.charge(count * weight)
        yield islice(entries, count)
    yield _each(entries, weight, cells)  # what a list gained while it was walked


def _each(entries: Iterator[Any], weight: int, cells: int) -> Iterator[Any]:
    state = current()
    for entry in entries:
        state.owed += weight
        state.room -= cells
        if state.owed > BATCH_STEPS:
            state.flush()
        yield entry


def cell(value: Any) -> Any:
    """An item of a filtered comprehension: it fills a cell only when it is made."""
    current().room -= 1
    return value


def made(result: Any) -> Any:
    """What a comprehension made. Raises: Trap when it is too long."""
    if len(result) > ITEMS_MAX:
        raise Trap(f"more than {ITEMS_MAX} items")
    return result


def materialise(items: Any) -> list[Any] | tuple[Any, ...]:
    """The items of anything iterable as a list, paid for; a list or a tuple is given as it is."""
    if isinstance(items, SEQUENCES):
        return items
    if type(items) in _SIZED:
        make_items(ITEMS_MAX + 1 if type(items) is range and items[ITEMS_MAX:] else len(items))
        return list(items)
    return made(list(_each(iter(items), 2, 1)))  # type: ignore[no-any-return]


def unpacked(items: Any) -> list[Any] | tuple[Any, ...]:
    """The items of ``*items`` in a display, an assignment or a call."""
    found = materialise(items)
    make_items(len(found))
    return found


def unpacked_mapping(mapping: Any) -> Any:
    """The entries of ``**mapping`` in a display."""
    if not isinstance(mapping, MAPPINGS):
        raise Trap("** in a display takes a dictionary")
    make_items(len(mapping))
    return mapping


def arguments(items: Any) -> list[Any] | tuple[Any, ...]:
    """The items of ``*items`` in a call."""
    found = unpacked(items)
    if len(found) > 255:
        raise Trap("more than 255 arguments")
    return found


def lazy_enumerate(items: Any, start: int = 0) -> Iterator[Any]:
    """``enumerate`` straight in a ``for``: the loop uses it up, turn by turn."""
    return enumerate(items, start)


def lazy_zip(*several: Any, strict: bool = False) -> Iterator[Any]:
    """``zip`` straight in a ``for``."""
    return zip(*several, strict=strict)


def lazy_reversed(items: Any) -> Iterator[Any]:
    """``reversed`` straight in a ``for``."""
    backwards: Iterator[Any] = reversed(items)
    return backwards
