"""The search index: transactions by hash, transactions and blocks by event.

It is a key space of its own that holds nothing but what the blocks say, so it may be deleted; it
is then filled again. Rows (numbers are big-endian):

======  =====================================================  =====================
family  key                                                    value
======  =====================================================  =====================
``h``   transaction hash                                       height (8), index (4), ok (1)
``t``   height (8), index (4)                                  transaction hash
``e``   tag, value, height (8), index (4), event number (4)    nothing: transactions
``b``   tag, value, height (8), event number (4)               nothing: blocks
``v``   height (8)                                             validators from there
``p``   height (8)                                             parameters from there
``L``                                                          height, record hash
======  =====================================================  =====================

A tag is its length (2) and ``type.attribute``, a value its length (2) and its text; a long value
is its beginning and its digest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import msgspec

from chain.block.hashing import sort_validators, tx_hash
from chain.block.types import BlockResult, ConsensusParams, Event, Validator
from chain.driver.log.record import BlockRecord
from chain.index.query import Condition, Query, matcher, written_number
from chain.store.types import Backend

_VALUE_MAX: Final = 1_024
#: rows that one search looks at; a query that needs more must be narrowed
SCAN_MAX: Final = 500_000
_LAST: Final = b"L"
_NUMBERS: Final = ("tx.height", "block.height")
_FIRST: Final = 0
_END: Final = (1 << 63) - 1

#: where something is: a height and an index in it (0 for blocks)
Position = tuple[int, int]


class SearchTooWide(Exception):
    """A search would look at too many rows."""

    def __init__(self) -> None:
        super().__init__(
            f"the search looks at more than {SCAN_MAX} entries; narrow it, for example with "
            "tx.height or block.height"
        )


class Tip(msgspec.Struct, frozen=True, array_like=True):
    """What was indexed last."""

    height: int
    record_hash: bytes


def _tag(family: bytes, tag: str) -> bytes:
    name = tag.encode()[:65_535]
    return family + len(name).to_bytes(2, "big") + name


def _value(text: str) -> bytes:
    raw = text.encode()
    if len(raw) > _VALUE_MAX:
        raw = raw[: _VALUE_MAX - 32] + hashlib.sha256(raw).digest()
    return len(raw).to_bytes(2, "big") + raw


def _event_rows(family: bytes, place: bytes, events: Iterable[Event]) -> Iterator[bytes]:
    for number, event in enumerate(events):
        end = place + number.to_bytes(4, "big")
        for key, value in event.attributes:
            if key:
                yield _tag(family, f"{event.type}.{key}") + _value(value) + end


class Index:
    """The search index over a key space that it owns. One thread writes, any may search."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    # --- writing --------------------------------------------------------------------------------

    @property
    def tip(self) -> Tip:
        """What was indexed last; height 0 when nothing was."""
        raw = self._backend.get(_LAST)
        return Tip(0, b"") if raw is None else msgspec.msgpack.decode(raw, type=Tip)

    def begin(
        self, height: int, validators: Sequence[Validator], params: ConsensusParams | None
    ) -> None:
        """Note what holds from the first height on."""
        rows = {
            b"v" + height.to_bytes(8, "big"): msgspec.msgpack.encode(sort_validators(validators)),
            b"p" + height.to_bytes(8, "big"): msgspec.msgpack.encode(params or ConsensusParams()),
        }
        self._backend.write(rows, False)

    def add(self, record: BlockRecord) -> None:
        """Index a block; the next one after the last."""
        rows: dict[bytes, bytes | None] = dict.fromkeys(_rows_of(record), b"")
        rows.update(_place_rows(record))
        height = record.block.height
        result = record.result
        rows.update(self._hash_rows(record))
        if result.validator_updates:
            rows[b"v" + (height + 2).to_bytes(8, "big")] = msgspec.msgpack.encode(
                self._updated(height, result)
            )
        if result.consensus_param_updates is not None:
            rows[b"p" + (height + 1).to_bytes(8, "big")] = msgspec.msgpack.encode(
                result.consensus_param_updates
            )
        rows[_LAST] = msgspec.msgpack.encode(Tip(height, record.hash))
        self._backend.write(rows, False)

    def _hash_rows(self, record: BlockRecord) -> dict[bytes, bytes]:
        """Where each hash is: of equal bytes the last that went through, else the last."""
        rows: dict[bytes, bytes] = {}
        height = record.block.height.to_bytes(8, "big")
        for index, raw in enumerate(record.block.txs):
            name = b"h" + tx_hash(raw)
            good = record.result.tx_results[index].code == 0
            known = rows.get(name) or self._backend.get(name)
            if good or known is None or known[12:] == b"\x00":
                rows[name] = height + index.to_bytes(4, "big") + (b"\x01" if good else b"\x00")
        return rows

    def _updated(self, height: int, result: BlockResult) -> list[Validator]:
        members = {member.pubkey: member for member in self.validators(height + 1)}
        for update in result.validator_updates:
            if update.power:
                members[update.pubkey] = update
            else:
                members.pop(update.pubkey, None)
        return sort_validators(members.values())

    def remove(self, record: BlockRecord, before: Tip) -> None:
        """Take the last block back; ``before`` is what was indexed before it."""
        rows: dict[bytes, bytes | None] = dict.fromkeys(_rows_of(record))
        height = record.block.height
        for place, name in _place_rows(record):
            rows[place] = None
            found = self.find(name)
            if found is not None and found[0] == height:
                rows[b"h" + name] = None
        if record.result.validator_updates:
            rows[b"v" + (height + 2).to_bytes(8, "big")] = None
        if record.result.consensus_param_updates is not None:
            rows[b"p" + (height + 1).to_bytes(8, "big")] = None
        rows[_LAST] = msgspec.msgpack.encode(before) if before.height else None
        self._backend.write(rows, False)

    def clear(self) -> None:
        """Forget everything."""
        while names := [key for key, _ in _taken(self._backend.range(None, None), 10_000)]:
            self._backend.write(dict.fromkeys(names), False)

    def close(self) -> None:
        """Close the files."""
        self._backend.close()

    # --- reading --------------------------------------------------------------------------------

    def find(self, hash_: bytes) -> Position | None:
        """Where a transaction is."""
        raw = self._backend.get(b"h" + hash_)
        return None if raw is None else (int.from_bytes(raw[:8], "big"), _index(raw[8:12]))

    def validators(self, height: int) -> list[Validator]:
        """The validators of a height, in CometBFT's order."""
        raw = self._at_or_before(b"v", height)
        return [] if raw is None else msgspec.msgpack.decode(raw, type=list[Validator])

    def params(self, height: int) -> ConsensusParams:
        """The consensus parameters of a height."""
        raw = self._at_or_before(b"p", height)
        return (
            ConsensusParams() if raw is None else msgspec.msgpack.decode(raw, type=ConsensusParams)
        )

    def _at_or_before(self, family: bytes, height: int) -> bytes | None:
        found = self._backend.range(family, family + (height + 1).to_bytes(8, "big"), reverse=True)
        return next((value for _, value in found), None)

    def search_txs(self, query: Query) -> list[Position]:
        """Transactions that a query finds, oldest first. Raises: SearchTooWide.

        All conditions but those on the height must hold in one event.
        """
        low, high, rest = _bounds(query.conditions, "tx.height")
        if not rest:
            return self._all_txs(low, high)
        found = self._events(b"e", rest, low, high, 16)
        return sorted({(_index(place[:8]), _index(place[8:12])) for place in found})

    def search_blocks(self, query: Query, oldest: int, newest: int) -> list[int]:
        """Heights of the blocks that a query finds, lowest first. Raises: SearchTooWide."""
        low, high, rest = _bounds(query.conditions, "block.height")
        if not rest:
            heights = range(max(low, oldest), min(high, newest) + 1)
            if len(heights) > SCAN_MAX:
                raise SearchTooWide
            return list(heights)
        found = self._events(b"b", rest, low, high, 12)
        return sorted({_index(place[:8]) for place in found})

    def _all_txs(self, low: int, high: int) -> list[Position]:
        if low > high:
            return []
        start, end = b"t" + low.to_bytes(8, "big"), b"t" + (high + 1).to_bytes(8, "big")
        rows = _taken(self._backend.range(start, end), SCAN_MAX + 1)
        found = [(_index(key[1:9]), _index(key[9:13])) for key, _ in rows]
        if len(found) > SCAN_MAX:
            raise SearchTooWide
        return found

    def _events(
        self, family: bytes, conditions: Sequence[Condition], low: int, high: int, width: int
    ) -> set[bytes]:
        """Places (height, index, event number) in which all conditions hold."""
        exact_first = sorted(conditions, key=lambda c: (c.operator != "=", c.kind != "string"))
        found: set[bytes] | None = None
        for condition in exact_first:
            places = self._places(family, condition, low, high, width)
            found = places if found is None else found & places
            if not found:
                return set()
        return found or set()

    def _places(
        self, family: bytes, condition: Condition, low: int, high: int, width: int
    ) -> set[bytes]:
        prefix = _tag(family, condition.tag)
        places: set[bytes] = set()
        if low > high:
            return places
        looked = 0
        if condition.operator == "=" and condition.kind == "string":
            prefix += _value(condition.value)
            start, end = prefix + low.to_bytes(8, "big"), prefix + (high + 1).to_bytes(8, "big")
            for key, _ in self._backend.range(start, end):
                if len(key) == len(prefix) + width:
                    places.add(key[-width:])
                looked += 1
                if looked > SCAN_MAX:
                    raise SearchTooWide
            return places
        test: Callable[[str], bool] = matcher(condition, written_number)
        skip = len(prefix) + 2
        for key, _ in self._backend.range(prefix, _after(prefix)):
            looked += 1
            if looked > SCAN_MAX:
                raise SearchTooWide
            place = key[-width:]
            if low <= _index(place[:8]) <= high and test(
                key[skip:-width].decode("utf-8", "replace")
            ):
                places.add(place)
        return places


def _rows_of(record: BlockRecord) -> Iterator[bytes]:
    """The rows of the events of a block."""
    height = record.block.height.to_bytes(8, "big")
    yield from _event_rows(b"b", height, record.result.events)
    for index, result in enumerate(record.result.tx_results):
        yield from _event_rows(b"e", height + index.to_bytes(4, "big"), result.events)


def _place_rows(record: BlockRecord) -> Iterator[tuple[bytes, bytes]]:
    """The rows that say where its transactions are, by place."""
    height = record.block.height.to_bytes(8, "big")
    for index, raw in enumerate(record.block.txs):
        yield b"t" + height + index.to_bytes(4, "big"), tx_hash(raw)


def _bounds(conditions: Sequence[Condition], tag: str) -> tuple[int, int, list[Condition]]:
    """The heights that conditions on the height leave, and the other conditions."""
    low, high = _FIRST, _END - 1
    rest: list[Condition] = []
    for condition in conditions:
        if condition.tag not in _NUMBERS or condition.tag != tag:
            rest.append(condition)
            continue
        number = _height(condition)
        if condition.operator in ("EXISTS", "CONTAINS"):
            continue
        if number is None:
            return 1, 0, rest
        whole, exact = number
        if condition.operator == "=":
            low, high = (max(low, whole), min(high, whole)) if exact else (1, 0)
        elif condition.operator in ("<", "<="):
            high = min(high, whole - (condition.operator == "<" and exact))
        else:
            low = max(low, whole + (condition.operator == ">" or not exact))
        if low > high:
            return 1, 0, rest
    return low, high, rest


def _height(condition: Condition) -> tuple[int, bool] | None:
    """A condition's height rounded down, and whether it is whole."""
    whole, _, fraction = condition.value.partition(".")
    if condition.kind not in ("number", "string") or not whole.isascii() or not whole.isdigit():
        return None
    return min(int(whole[:20]), _END - 2), not fraction.strip("0")


def _index(raw: bytes) -> int:
    return int.from_bytes(raw, "big")


def _after(prefix: bytes) -> bytes:
    """The first key after all that start with ``prefix``, which never is all ff."""
    body = prefix.rstrip(b"\xff")
    return body[:-1] + bytes((body[-1] + 1,))


def _taken(rows: Iterator[tuple[bytes, bytes]], limit: int) -> Iterator[tuple[bytes, bytes]]:
    for _, row in zip(range(limit), rows, strict=False):
        yield row
