"""Events as wasmd shapes them (EV-1 to EV-16), and what they cost.

Inside a transaction events are one flat list; a submessage is the tail of it from where it began.
Attributes are
lists of pairs that may still be sorted (SUB-15) and get ``msg_index`` at the end (EV-11).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final, Protocol

import msgspec

from chain.block.types import Event, TxResult
from chain.errors import AppError
from chain.gas import EVENT, EVENT_ATTRIBUTE, EVENT_BYTE, EVENT_FREE_BYTES

__all__ = [
    "AttributeLike",
    "Event",
    "EventLike",
    "event_cost",
    "mark_mode",
    "shape_attributes",
    "shape_event",
    "sort_attributes",
]

#: what Go's ``strings.TrimSpace`` cuts: Unicode white space, fixed here because Python's table
#: moves with versions
WHITE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_TYPE_MIN: Final = 3  # bytes after trimming (EV-6)
_FEW: Final = 16  # attributes that are put together without a look at their sizes
_ALL: Final = 1 << 63


#: events of transactions in MessagePack, one value each
Said = Sequence[msgspec.Raw]
_encode: Final = msgspec.msgpack.Encoder().encode

#: a pair of texts, as contracts give them
AttributeLike = tuple[str, str]


class EventLike(Protocol):
    """A custom event, as contracts give it."""

    @property
    def type(self) -> str:
        """The type, without ``wasm-``."""

    @property
    def attributes(self) -> Sequence[AttributeLike]:
        """Its attributes in order."""


def attributes_cost(attributes: Sequence[AttributeLike], limit: int = _ALL) -> tuple[int, int]:
    """Gas of a response's attributes alone, and their size in bytes: the everyday case.

    What costs more than ``limit`` is not looked at to the end: the answer is then somewhere above.
    Raises: TypeError for what is no text.
    """
    size = _size(attributes, limit)
    gas = EVENT_ATTRIBUTE * len(attributes)
    if size > EVENT_FREE_BYTES:
        gas += EVENT_BYTE * (size - EVENT_FREE_BYTES)
    return gas, size


def event_cost(
    attributes: Sequence[AttributeLike],
    events: Sequence[EventLike],
    size: int | None = None,
    limit: int = _ALL,
) -> int:
    """Gas of a response's attributes and custom events; one free tier for all of them (GAS-7).

    ``size``: bytes of the attributes, where they are known. ``limit`` as in ``attributes_cost``.
    """
    count = len(attributes)
    if size is None:
        size = _size(attributes, limit)
    types = 0
    for event in events:
        types += _length(event.type)
        count += len(event.attributes)
        size += _size(event.attributes, limit)
        if size + types > limit + EVENT_FREE_BYTES:
            break
    gas = EVENT * len(events) + EVENT_ATTRIBUTE * count + EVENT_BYTE * types
    if size > EVENT_FREE_BYTES:
        gas += EVENT_BYTE * (size - EVENT_FREE_BYTES)
    return gas


def shape_attributes(contract: str, attributes: Sequence[AttributeLike]) -> list[tuple[str, str]]:
    """``_contract_address`` and the response's attributes, trimmed.

    Raises: AppError wasm/21 (EV-7, EV-8).
    """
    shaped = [("_contract_address", contract)]
    for key, value in attributes:
        name = key.strip(WHITE)
        if not name:
            raise AppError.wrap("wasm", 21, f"Empty attribute key. Value: {value}")
        if name[0] == "_":
            text = f"Attribute key starts with reserved prefix _: '{name}'"
            raise AppError.wrap("wasm", 21, text)
        shaped.append((name, value.strip(WHITE)))
    return shaped


def shape_event(contract: str, event: EventLike) -> Event:
    """A custom event as ``wasm-<type>``. Raises: AppError wasm/21 (EV-6)."""
    kind = event.type.strip(WHITE)
    if _length(kind) < _TYPE_MIN:
        raise AppError.wrap("wasm", 21, f"Event type too short: '{kind}'")
    return Event(f"wasm-{kind}", shape_attributes(contract, event.attributes))


def mark_mode(events: list[Event], begun: int) -> None:
    """Say of each event of a block whether it is of its begin or of its end, as baseapp does."""
    for place, event in enumerate(events):
        mode = "BeginBlock" if place < begun else "EndBlock"
        events[place] = Event(event.type, [*event.attributes, ("mode", mode)])


def digested(results: Sequence[TxResult], of_block: Sequence[Event]) -> tuple[Said, bytes]:
    """Each transaction's events in MessagePack, and the hash over them and the block's own."""
    said = [msgspec.Raw(_encode(result.events)) for result in results]
    return said, hashlib.sha256(_encode((said, of_block))).digest()


def sort_attributes(events: Iterable[Event]) -> None:
    """Sort the attributes of events by key bytes, stably, in place (SUB-15)."""
    for event in events:
        if len(event.attributes) > 1:
            event.attributes.sort(key=_key_bytes)


def _key_bytes(attribute: tuple[str, str]) -> bytes:
    return attribute[0].encode()


def _size(attributes: Sequence[AttributeLike], limit: int = _ALL) -> int:
    """Bytes of keys and values; of many that are worth more than ``limit``, their characters.
    Raises: TypeError, ValueError for what is no pair of texts.
    """
    if len(attributes) > _FEW:
        characters = sum(map(len, chain.from_iterable(attributes)))
        if characters > limit + EVENT_FREE_BYTES:
            return characters
    if sum(map(len, attributes)) != 2 * len(attributes):
        raise ValueError("an attribute is a pair")
    return _length("".join(chain.from_iterable(attributes)))


def _length(text: str) -> int:
    return len(text) if _is_ascii(text) else len(text.encode())


#: raises TypeError for what is no text
_is_ascii = str.isascii
