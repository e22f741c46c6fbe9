"""Events as wasmd shapes them (EV-1 to EV-16), and what they cost.

Inside a transaction events are one flat list; a submessage is the tail of it from where it began.
Attributes are
lists of pairs that may still be sorted (SUB-15) and get ``msg_index`` at the end (EV-11).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final, NamedTuple, Protocol

import msgspec

from chain.block.types import Event, TxResult
from chain.errors import AppError
from chain.gas import EVENT, EVENT_ATTRIBUTE, EVENT_BYTE, EVENT_FREE_BYTES

__all__ = [
    "AttributeLike",
    "Event",
    "EventLike",
    "look",
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
    def pairs(self) -> Sequence[AttributeLike]:
        """Its attributes in order."""


class Looked(NamedTuple):
    """What a look at a response's attributes and custom events says."""

    #: one free tier for all of them (GAS-7)
    gas: int
    #: bytes of the response's own attributes
    size: int
    #: of the response and of each event, whether its attributes stand as they are
    tidy: list[bool]


def look(
    attributes: Sequence[AttributeLike], events: Sequence[EventLike], limit: int = _ALL
) -> Looked:
    """Look at what a response says before it is shaped.

    What costs more than ``limit`` is not looked at to the end: the gas is then somewhere above.
    Raises: TypeError, ValueError for what is no pair of texts.
    """
    own, tidy = _look(attributes, limit)
    size, all_tidy = own, [tidy]
    count, types = len(attributes), 0
    for event in events:
        types += _length(event.type)
        count += len(event.pairs)
        more, tidy = _look(event.pairs, limit)
        size += more
        all_tidy.append(tidy)
        if size + types > limit + EVENT_FREE_BYTES:
            break
    gas = EVENT * len(events) + EVENT_ATTRIBUTE * count + EVENT_BYTE * types
    if size > EVENT_FREE_BYTES:
        gas += EVENT_BYTE * (size - EVENT_FREE_BYTES)
    return Looked(gas, own, all_tidy)


def shape_attributes(
    contract: str, attributes: Sequence[AttributeLike], tidy: bool
) -> list[tuple[str, str]]:
    """``_contract_address`` and the response's attributes, trimmed where they are not tidy.

    Raises: AppError wasm/21 (EV-7, EV-8).
    """
    shaped = [("_contract_address", contract)]
    if tidy:
        shaped += attributes
        return shaped
    for key, value in attributes:
        name = key.strip(WHITE)
        if not name:
            raise AppError.wrap("wasm", 21, f"Empty attribute key. Value: {value}")
        if name[0] == "_":
            text = f"Attribute key starts with reserved prefix _: '{name}'"
            raise AppError.wrap("wasm", 21, text)
        shaped.append((name, value.strip(WHITE)))
    return shaped


def shape_event(contract: str, event: EventLike, tidy: bool) -> Event:
    """A custom event as ``wasm-<type>``. Raises: AppError wasm/21 (EV-6)."""
    kind = event.type.strip(WHITE)
    if _length(kind) < _TYPE_MIN:
        raise AppError.wrap("wasm", 21, f"Event type too short: '{kind}'")
    return Event(f"wasm-{kind}", shape_attributes(contract, event.pairs, tidy))


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


def _look(attributes: Sequence[AttributeLike], limit: int) -> tuple[int, bool]:
    """Bytes of keys and values, and whether the attributes stand as they are: nothing to trim, no
    key empty or reserved. Of many that are worth more than ``limit``, their characters. Raises:
    TypeError, ValueError for what is no pair of texts.
    """
    if len(attributes) > _FEW:
        characters = sum(map(len, chain.from_iterable(attributes)))
        if characters > limit + EVENT_FREE_BYTES:
            return characters, False
    text = "".join(chain.from_iterable(attributes))
    tidy = _is_ascii(text) and text.split(None, 1) == [text]
    for key, _ in attributes:
        if not key or key[0] == "_":
            tidy = False
    return _length(text), tidy


def _length(text: str) -> int:
    return len(text) if _is_ascii(text) else len(text.encode())


#: raises TypeError for what is no text
_is_ascii = str.isascii
