"""Operators on values of unknown size, for ``+ * ** == in`` and so on in instrumented code.

Each answers what the operator answers, checks the size of the result before it is made, and charges
where the work grows. Integers take the first line.
"""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

from chain.vm.sandbox.runtime import Trap, current
from chain.vm.sandbox.sizes import (
    INT_BITS_MAX,
    INT_LOW,
    INT_TOP,
    ITEMS_MAX,
    MAPPINGS,
    SEQUENCES,
    TEXT_FREE,
    TEXTS,
    TOO_MANY_BITS,
    check_int,
    is_flat,
    key,
    make_items,
    make_text,
    scan_text,
    text_weight,
    weigh,
)

_COMPARED: Final = (*SEQUENCES, *MAPPINGS, Struct)


def add(left: Any, right: Any) -> Any:
    """``left + right``."""
    if isinstance(left, int):
        total = left + right
        if INT_LOW < total < INT_TOP:
            return total
        raise Trap(TOO_MANY_BITS)
    if isinstance(left, TEXTS) and isinstance(right, TEXTS):
        make_text(len(left) + len(right))
    elif isinstance(left, SEQUENCES) and isinstance(right, SEQUENCES):
        make_items(len(left) + len(right))
    return left + right


def iadd(left: Any, right: Any) -> Any:
    """``left += right``: a list grows in place, everything else as ``+``."""
    if type(left) is not list:
        return add(left, right)
    if not isinstance(right, SEQUENCES):
        raise Trap("a list grows by lists and tuples")
    grow(left, len(right))
    left += right
    return left


def grow(items: list[Any], count: int) -> None:
    """Charge for new items at the end of a list. Raises: Trap when it gets too long."""
    if len(items) + count > ITEMS_MAX:
        raise Trap(f"more than {ITEMS_MAX} items")
    state = current()
    state.charge(count)
    state.fill(count)


def sub(left: Any, right: Any) -> Any:
    """``left - right`` of integers."""
    if isinstance(left, int) and isinstance(right, int):
        left -= right
        if INT_LOW < left < INT_TOP:
            return left
        raise Trap(TOO_MANY_BITS)
    raise Trap("- is for integers")


def mul(left: Any, right: Any) -> Any:
    """``left * right``; text and lists by a number."""
    if isinstance(left, int):
        if isinstance(right, int):
            return check_int(left * right)
        left, right = right, left
    if not isinstance(right, int):
        raise Trap("* is for integers, and for text or lists and an integer")
    size = len(left) * max(int(right), 0)
    if isinstance(left, TEXTS):
        make_text(size)
    elif isinstance(left, SEQUENCES):
        make_items(size)
    else:
        raise Trap("* is for integers, and for text or lists and an integer")
    return left * right


def floordiv(left: Any, right: Any) -> Any:
    """``left // right`` of integers."""
    if isinstance(left, int) and isinstance(right, int):
        return left // right
    raise Trap("// is for integers")


def mod(left: Any, right: Any) -> Any:
    """``left % right`` of integers: on text it would be a template (A3)."""
    if isinstance(left, int) and isinstance(right, int):
        return left % right
    raise Trap("% is for integers")


def power(left: Any, right: Any, modulus: Any = None) -> Any:
    """``left ** right`` and ``pow``: bounded before anything is computed."""
    if not (isinstance(left, int) and isinstance(right, int)):
        raise Trap("** is for integers")
    if right < 0:
        raise Trap("a negative exponent makes a fraction")
    if modulus is None:
        if right * max(abs(left).bit_length() - 1, 0) > INT_BITS_MAX:
            raise Trap(TOO_MANY_BITS)
        current().charge(16 + right.bit_length())
        return check_int(left**right)
    if not isinstance(modulus, int):
        raise Trap("pow is for integers")
    for operand in (left, right, modulus):
        check_int(operand)
    current().charge(16 + 8 * right.bit_length())
    return pow(left, right, modulus)


def shift_left(left: Any, right: Any) -> Any:
    """``left << right``."""
    if not (isinstance(left, int) and isinstance(right, int)):
        raise Trap("<< is for integers")
    if right > INT_BITS_MAX:
        raise Trap(TOO_MANY_BITS)
    return check_int(left << right)


def bit_or(left: Any, right: Any) -> Any:
    """``left | right`` of integers."""
    if isinstance(left, int) and isinstance(right, int):
        return left | right
    raise Trap("| is for integers")


def bit_and(left: Any, right: Any) -> Any:
    """``left & right`` of integers: on the keys of dictionaries it would make a set (G)."""
    if isinstance(left, int) and isinstance(right, int):
        return left & right
    raise Trap("& is for integers")


def bit_xor(left: Any, right: Any) -> Any:
    """``left ^ right`` of integers."""
    if isinstance(left, int) and isinstance(right, int):
        return left ^ right
    raise Trap("^ is for integers")


def _before_comparing(left: Any, right: Any) -> None:
    if isinstance(left, int):
        return
    kind = left.__class__
    if kind is str or kind is bytes:
        if len(left) > TEXT_FREE and isinstance(right, TEXTS):
            current().charge(min(len(left), len(right)) >> 6)
        return
    if left is None or right is None or is_flat(right):
        return
    if is_flat(left):
        return
    for value in (left, right):
        if not isinstance(value, _COMPARED):
            raise Trap("these values cannot be compared")
        weigh(value)


def eq(left: Any, right: Any) -> Any:
    """``left == right``."""
    kind = left.__class__
    if kind is not int and (kind is not str or len(left) > TEXT_FREE):
        _before_comparing(left, right)
    return left == right


def ne(left: Any, right: Any) -> Any:
    """``left != right``."""
    kind = left.__class__
    if kind is not int and (kind is not str or len(left) > TEXT_FREE):
        _before_comparing(left, right)
    return left != right


def lt(left: Any, right: Any) -> Any:
    """``left < right``."""
    kind = left.__class__
    if kind is not int and (kind is not str or len(left) > TEXT_FREE):
        _before_comparing(left, right)
    return left < right


def le(left: Any, right: Any) -> Any:
    """``left <= right``."""
    kind = left.__class__
    if kind is not int and (kind is not str or len(left) > TEXT_FREE):
        _before_comparing(left, right)
    return left <= right


def gt(left: Any, right: Any) -> Any:
    """``left > right``."""
    kind = left.__class__
    if kind is not int and (kind is not str or len(left) > TEXT_FREE):
        _before_comparing(left, right)
    return left > right


def ge(left: Any, right: Any) -> Any:
    """``left >= right``."""
    kind = left.__class__
    if kind is not int and (kind is not str or len(left) > TEXT_FREE):
        _before_comparing(left, right)
    return left >= right


def contains(item: Any, container: Any) -> bool:
    """``item in container``."""
    if isinstance(container, MAPPINGS):
        return key(item) in container
    if isinstance(container, SEQUENCES):
        if is_flat(item):
            steps = len(container) * (1 + text_weight(item))
        else:
            weigh(item)
            weigh(container)
            steps = len(container)
        if steps > 16:
            current().charge(steps)
        return item in container
    if isinstance(container, TEXTS):
        scan_text(len(container))
        return item in container
    if type(container) is range and isinstance(item, int):
        return item in container
    if type(container).__name__ in ("dict_keys", "dict_values", "dict_items"):
        return contains(item, list(container))
    raise Trap("in is for text, bytes, lists, tuples, dictionaries and ranges")


def load(container: Any, index: Any) -> Any:
    """``container[index]`` with an index of unknown kind."""
    kind = index.__class__
    if kind is int or (kind is str and len(index) <= TEXT_FREE):
        return container[index]
    return container[key(index)]


def cut(container: Any, start: Any, stop: Any, step: Any) -> Any:
    """``container[start:stop:step]``."""
    if step is None and container.__class__ is str:  # no longer than the text it is cut from
        text = container[start:stop]
        if len(text) > TEXT_FREE:
            make_text(len(text))
        return text
    part = slice(start, stop, step)
    if type(container) is range:
        return container[part]
    first, last, stride = part.indices(len(container))
    size = len(range(first, last, stride))
    if isinstance(container, TEXTS):
        make_text(size)
    elif isinstance(container, SEQUENCES):
        make_items(size)
    else:
        raise Trap("slices are of text, bytes, lists and tuples")
    return container[part]


def store(value: Any, container: Any, index: Any) -> None:
    """``container[index] = value``."""
    if type(container) is dict:
        size = len(container)
        container[key(index)] = value
        if len(container) != size:
            if size >= ITEMS_MAX:
                raise Trap(f"more than {ITEMS_MAX} items")
            state = current()
            state.charge(2)
            state.fill(2)
    elif type(container) is list and isinstance(index, int):
        container[index] = value
    else:
        raise Trap("only places of lists and dictionaries are assigned")


def delete(container: Any, index: Any) -> None:
    """``del container[index]``."""
    if type(container) is list:
        current().charge(len(container) >> 3)
    elif type(container) is not dict:
        raise Trap("only places of lists and dictionaries are deleted")
    del container[key(index)]
