"""How large values may be, and what making or looking through them costs.

One maximum for every value, checked when it is made, so that each operation is bounded; what is
larger than a few words is charged by its size before the work (threats C4, C11, D). Small values
cost nothing beyond the syntax that made them.
"""

from __future__ import annotations

from enum import Enum
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct, structs

from chain.std import Binary, Int64, Timestamp, Uint64, Uint128, Uint256
from chain.vm.sandbox.runtime import Trap, current

TEXT_MAX: Final = 1_048_576  # characters or bytes
ITEMS_MAX: Final = 131_072
INT_BITS_MAX: Final = 512
INT_TOP: Final = 1 << INT_BITS_MAX
INT_LOW: Final = -INT_TOP
TOO_MANY_BITS: Final = f"an integer of more than {INT_BITS_MAX} bits"
#: Integer keys are their own hash below this, so that nobody makes them collide (threats D).
KEY_TOP: Final = (1 << 61) - 1
NESTING_MAX: Final = 64
#: Text up to this length is not charged; beyond it 16 characters are a step.
TEXT_FREE: Final = 64
ITEMS_FREE: Final = 16

#: Tuples, because ``isinstance`` with ``|`` makes a new object each time.
TEXTS: Final = (str, bytes)
SEQUENCES: Final = (list, tuple)
MAPPINGS: Final = (dict, MappingProxyType)
_SCALARS: Final = (int, str, bytes)
_KEYS: Final = (str, bytes, Enum)
FLAT: Final = frozenset({str, bytes, int, bool, type(None)})
_NUMBERS: Final = frozenset({int, bool, type(None)})
#: Steps of looking at one part of a nested value; a flat list costs four an item.
NODE_STEPS: Final = 48
#: the class of record classes: telling a record by it takes a third of ``isinstance``
STRUCT_META: Final[Any] = type(Struct)


#: whether the kinds of a record's fields are all flat
is_flat_tuple: Final = (FLAT | {Uint64, Uint128, Uint256, Int64, Timestamp, Binary}).issuperset


def check_int(value: int) -> int:
    """An integer that was made. Raises: Trap beyond 512 bits."""
    if INT_LOW < value < INT_TOP:
        return value
    raise Trap(TOO_MANY_BITS)


def make_text(size: int) -> None:
    """Charge for text or bytes of this size, before they are made. Raises: Trap when too long."""
    if size > TEXT_FREE:
        if size > TEXT_MAX:
            raise Trap(f"text or bytes longer than {TEXT_MAX}")
        state = current()
        state.charge(size >> 4)
        state.fill(size >> 4)


def make_items(size: int) -> None:
    """Charge for a container of this size, before it is made. Raises: Trap when too long."""
    if size > ITEMS_FREE:
        if size > ITEMS_MAX:
            raise Trap(f"more than {ITEMS_MAX} items")
        state = current()
        state.charge(size)
        state.fill(size)


def scan_text(size: int) -> None:
    """Charge for looking through text or bytes."""
    if size > TEXT_FREE:
        current().charge(size >> 4)


def text_weight(value: object) -> int:
    """Steps of comparing or hashing a flat value: more than 0 only for long text."""
    return len(value) >> 6 if isinstance(value, TEXTS) else 0


def is_flat(value: object) -> bool:
    """Whether a value has no parts: text, bytes, integers, words, None."""
    return value.__class__ in FLAT or isinstance(value, _SCALARS)


def weigh(value: Any) -> None:
    """Walk a value that is about to be compared or encoded, paying for each node.

    Raises: Trap when it is nested more than 64 deep; OutOfGas when it is too large (a shared list
    doubled sixty times has 2^60 nodes). Python would recurse here, and how far it gets depends on
    the caller's depth (E2, E7).
    """
    if value.__class__.__class__ is not STRUCT_META:
        if value is None or isinstance(value, int):
            return
        if is_flat(value):
            current().charge(NODE_STEPS + text_weight(value))
            return
    state = current()
    steps = 0
    stack: list[tuple[Any, int]] = [(value, 0)]
    while stack:
        here, depth = stack.pop()
        parts = _parts(here)
        steps += NODE_STEPS + 4 * len(parts)
        if parts and depth >= NESTING_MAX:
            raise Trap(f"a value nested more than {NESTING_MAX} deep")
        kinds = set(map(type, parts))
        if kinds <= _NUMBERS:
            pass
        elif kinds <= FLAT:
            steps += sum([len(part) >> 6 for part in parts if isinstance(part, TEXTS)])
        else:
            depth += 1
            for part in parts:
                kind = part.__class__
                if kind in _NUMBERS:
                    steps += NODE_STEPS
                elif kind is str or kind is bytes:
                    steps += NODE_STEPS + (len(part) >> 6)
                elif kind is tuple and not part:
                    steps += NODE_STEPS
                elif is_flat(part):
                    steps += NODE_STEPS + text_weight(part)
                else:
                    stack.append((part, depth))
        if steps > NODE_STEPS << 4:
            state.charge(steps)
            steps = 0
    state.charge(steps)


def _parts(value: Any) -> list[Any] | tuple[Any, ...]:
    kind = value.__class__
    if kind.__class__ is STRUCT_META:
        return structs.astuple(value)
    if kind is tuple or kind is list or isinstance(value, SEQUENCES):
        return value  # type: ignore[no-any-return]
    if isinstance(value, MAPPINGS):
        return [*value.keys(), *value.values()]
    return ()


def admit(value: Any) -> Any:
    """A value on its way to the host, which will encode it. Flat records pass quickly."""
    if value.__class__.__class__ is STRUCT_META:
        if is_flat_tuple(map(type, structs.astuple(value))):
            return value
    elif isinstance(value, TEXTS):
        if len(value) > TEXT_FREE:
            scan_text(len(value))
        return value
    weigh(value)
    return value


def key(value: object) -> Any:
    """A dictionary key or an index. Raises: Trap unless it is text, bytes or a small integer."""
    kind = type(value)
    if kind is str or kind is bytes:
        if len(value) > 1_024:  # type: ignore[arg-type]
            current().charge(len(value) >> 6)  # type: ignore[arg-type]
        return value
    if isinstance(value, int):
        if -KEY_TOP < value < KEY_TOP:
            return value
    elif value is None or isinstance(value, _KEYS):
        return value
    raise Trap("a dictionary key is text, bytes, None or an integer below 2^61")


def sort_weight(items: list[Any] | tuple[Any, ...]) -> int:
    """Steps of comparing each item once. Raises: Trap unless they are flat, or tuples of such."""
    steps = len(items)
    for item in items:
        kind = type(item)
        if kind is str or kind is bytes:
            steps += len(item) >> 6
        elif kind is tuple or kind is list:
            for part in item:
                if not is_flat(part):
                    raise Trap("what is sorted is a flat value or a tuple of flat values")
                steps += 1 + text_weight(part)
        elif not is_flat(item):
            raise Trap("what is sorted is a flat value or a tuple of flat values")
        else:
            steps += text_weight(item)
    return steps
