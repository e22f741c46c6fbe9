"""JSON lines of blocks, quickly: msgspec reads and writes them through classes with named fields.

Records are arrays in MessagePack and objects in JSON, where hashes are hex. For each class of a
block record a second one is made here that is written as its JSON is. ``chain.driver.log.record``
has the same, slowly and with texts that say what is wrong; what is not read here is read there.
"""

from __future__ import annotations

from collections.abc import Callable
from types import NoneType, UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

import msgspec

from chain.block.types import Event
from chain.driver.log.record import BlockRecord, Record, is_hash, to_json

#: From a value of one form to the other; None where both are the same.
Turn = Callable[[Any], Any] | None


class _Pair(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """An attribute."""

    key: str
    value: str


class _Event(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """An event."""

    type: str
    attributes: list[_Pair]


def _event_out(event: Event) -> _Event:
    return _Event(event.type, [_Pair(key, value) for key, value in event.attributes])


def _event_in(event: _Event) -> Event:
    return Event(event.type, [(pair.key, pair.value) for pair in event.attributes])


def _each(turn: Callable[[Any], Any], make: type) -> Callable[[Any], Any]:
    if make is tuple:
        return lambda values: tuple([turn(value) for value in values])
    return lambda values: [turn(value) for value in values]


def _unless_none(turn: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else turn(value)


def _forms(kind: Any, name: str) -> tuple[Any, Turn, Turn]:
    """The type of a field as JSON has it; how its values get there, and back."""
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        inner, out, back = _forms(
            next(option for option in get_args(kind) if option is not NoneType), name
        )
        return inner | None, out and _unless_none(out), back and _unless_none(back)
    if origin in (list, tuple):
        inner, out, back = _forms(get_args(kind)[0], name)
        outer = list[inner]  # type: ignore[valid-type]  # made here
        if out is None or back is None:
            return outer, None, None if origin is list else tuple
        return outer, _each(out, list), _each(back, origin)
    if kind is bytes and is_hash(name):
        return str, bytes.hex, bytes.fromhex
    if kind is Event:
        return _Event, _event_out, _event_in
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _mirrored(kind)
    return kind, None, None


def _mirrored(
    kind: type[msgspec.Struct], front: tuple[tuple[str, Any], ...] = ()
) -> tuple[Any, Callable[[Any], Any], Callable[[Any], Any]]:
    """The class with named fields for ``kind``; ``front`` are fields before its own."""
    hints = get_type_hints(kind)
    forms = {name: _forms(hints[name], name) for name in kind.__struct_fields__}
    fields = [*front, *((name, form[0]) for name, form in forms.items())]
    mirror = msgspec.defstruct(
        f"Named{kind.__name__}", fields, frozen=True, gc=False, forbid_unknown_fields=True
    )
    outs = [(name, form[1]) for name, form in forms.items()]
    backs = [(name, form[2]) for name, form in forms.items()]
    first = ["block"] if front else []  # what the field in front says

    def out(value: Any) -> Any:
        return mirror(
            *first,
            *[getattr(value, n) if turn is None else turn(getattr(value, n)) for n, turn in outs],
        )

    def back(value: Any) -> Any:
        return kind(
            *[getattr(value, n) if turn is None else turn(getattr(value, n)) for n, turn in backs]
        )

    return mirror, out, back


_NAMED, _OUT, _BACK = _mirrored(BlockRecord, (("record", str),))
_DECODE: Final = msgspec.json.Decoder(_NAMED).decode
_ENCODE: Final = msgspec.json.Encoder().encode


def _block_line(record: BlockRecord) -> bytes:
    named = _OUT(record)
    return _ENCODE(named)


def line_of(record: Record) -> bytes:
    """A record as its line of JSON."""
    if isinstance(record, BlockRecord):
        try:
            return _block_line(record)
        except (msgspec.MsgspecError, OverflowError, UnicodeEncodeError):
            pass
    return to_json(record).encode()


def block_of(line: bytes) -> BlockRecord | None:
    """The block of a line that is written just as a block's line is; None for any other line."""
    try:
        record: BlockRecord = _BACK(_DECODE(line))
        if _block_line(record) == line:
            return record
    except (msgspec.MsgspecError, ValueError, TypeError, OverflowError):
        pass
    return None
