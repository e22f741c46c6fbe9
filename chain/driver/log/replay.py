"""Replay: execute a log from its genesis and compare every event, gas figure and hash with what it
says.

Headers and commits are the driver's; replay checks that the header of a block names the app hash
and the results of
the block before it, and that its own hash is what the next header builds on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final, Protocol

from chain.block.hashing import data_hash, header_hash, results_hash
from chain.block.types import BlockInput, BlockResult, Event, Header, TxResult
from chain.driver.log.record import BlockRecord, Footer, GenesisRecord, LogError, Record

_RESULT_FIELDS: Final = ("code", "codespace", "log", "info", "data", "gas_wanted", "gas_used")


class Replayed(Protocol):
    """What replay needs of an App."""

    def finalize_block(self, block: BlockInput) -> BlockResult:
        """Execute a block."""

    def commit(self) -> int:
        """Keep it."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where a run and its log disagree. ``tx`` is None for the block itself."""

    height: int
    tx: int | None
    what: str
    expected: str
    came: str

    def __str__(self) -> str:
        place = f"height {self.height}" + ("" if self.tx is None else f", transaction {self.tx}")
        return f"{place}, {self.what}: the log has {self.expected}, the replay gives {self.came}"


class ReplayDiffers(LogError):
    """The replay came to another result than the log."""

    def __init__(self, difference: Difference) -> None:
        super().__init__(str(difference))
        self.difference = difference


@dataclass(frozen=True, slots=True)
class Replay:
    """Where a replay ended."""

    chain_id: str
    height: int
    blocks: int
    transactions: int
    app_hash: bytes


def _show(value: object) -> str:
    if isinstance(value, bytes):
        return value.hex() or "(empty)"
    if isinstance(value, Event):
        return f"{value.type}{dict(value.attributes)}"
    return repr(value)


def _event_difference(
    height: int, tx: int | None, expected: list[Event], came: list[Event]
) -> Difference | None:
    for number, (left, right) in enumerate(zip(expected, came, strict=False)):
        if left.type != right.type or list(map(tuple, left.attributes)) != list(
            map(tuple, right.attributes)
        ):
            return Difference(height, tx, f"event {number}", _show(left), _show(right))
    if len(expected) != len(came):
        return Difference(height, tx, "number of events", str(len(expected)), str(len(came)))
    return None


def _tx_difference(height: int, tx: int, expected: TxResult, came: TxResult) -> Difference | None:
    for name in _RESULT_FIELDS:
        left, right = getattr(expected, name), getattr(came, name)
        if left != right:
            return Difference(height, tx, name, _show(left), _show(right))
    return _event_difference(height, tx, expected.events, came.events)


def compare(height: int, expected: BlockResult, came: BlockResult) -> Difference | None:
    """The first difference of two results of one block, transactions first, the app hash last."""
    for number, (left, right) in enumerate(zip(expected.tx_results, came.tx_results, strict=False)):
        if left != right and (found := _tx_difference(height, number, left, right)):
            return found
    counts = len(expected.tx_results), len(came.tx_results)
    if counts[0] != counts[1]:
        return Difference(height, None, "number of results", str(counts[0]), str(counts[1]))
    found = _event_difference(height, None, expected.events, came.events)
    if found:
        return found
    for name in ("validator_updates", "consensus_param_updates", "app_hash"):
        left_value, right_value = getattr(expected, name), getattr(came, name)
        if left_value != right_value:
            return Difference(height, None, name, _show(left_value), _show(right_value))
    return None


def check_headers(record: BlockRecord, before: BlockRecord | None) -> Difference | None:
    """The first thing in a header that its block or the block before it gainsays."""
    header: Header = record.header
    facts: list[tuple[str, object, object]] = [
        ("header.data_hash", header.data_hash, data_hash(record.block.txs))
    ]
    facts.append(("header.height", header.height, record.block.height))
    facts.append(("header.time", header.time, record.block.time))
    if before is not None:
        facts.append(("header.app_hash", header.app_hash, before.result.app_hash))
        facts.append(
            (
                "header.last_results_hash",
                header.last_results_hash,
                results_hash(before.result.tx_results),
            )
        )
        facts.append(
            ("header.last_block_id", header.last_block_id.hash, header_hash(before.header))
        )
    for name, stands, follows in facts:
        if stands != follows:
            return Difference(record.block.height, None, name, _show(stands), _show(follows))
    return None


def replay(
    records: Iterable[Record],
    make_app: Callable[[GenesisRecord], Replayed],
    *,
    until: int | None = None,
    after: int = 0,
    progress: Callable[[BlockRecord], None] = lambda record: None,
) -> Replay:
    """Execute a log and compare. ``make_app`` gives a fresh App that knows the contracts of the
    genesis record.

    Stops after height ``until``. Blocks up to height ``after`` are not executed: the App that
    ``make_app`` gives stands there already. Raises: ReplayDiffers at the first difference; LogError
    for a log without genesis, or without height ``after``.
    """
    blocks = txs = height = 0
    app_hash, chain_id = b"", ""
    app: Replayed | None = None
    before: BlockRecord | None = None
    for record in records:
        if isinstance(record, GenesisRecord):
            chain_id = str(record.genesis.get("chain_id", ""))
            app = make_app(record)
        elif isinstance(record, BlockRecord):
            if app is None:
                raise LogError("the log has no genesis record; replay starts from one")
            if until is not None and record.block.height > until:
                break
            if record.block.height <= after:
                before, height, app_hash = record, record.block.height, record.result.app_hash
                continue
            if height < after:
                raise LogError(f"the log has no height {after}, where the replay begins")
            difference = check_headers(record, before)
            result = app.finalize_block(record.block)
            difference = compare(record.block.height, record.result, result) or difference
            if difference is not None:
                raise ReplayDiffers(difference)
            app.commit()
            before, height, app_hash = record, record.block.height, result.app_hash
            blocks, txs = blocks + 1, txs + len(record.block.txs)
            progress(record)
    if height < after:
        raise LogError(f"the log ends at height {height}, the replay begins after {after}")
    return Replay(chain_id, height, blocks, txs, app_hash)


def first_difference(left: Iterable[Record], right: Iterable[Record]) -> Difference | None:
    """The first place where two logs disagree: genesis, input, results, or length."""
    for one, other in zip_longest(_no_footer(left), _no_footer(right)):
        if one is None or other is None:
            longer = one or other
            height = longer.block.height if isinstance(longer, BlockRecord) else 0
            return Difference(height, None, "length", _hash(one), _hash(other))
        if isinstance(one, BlockRecord) and isinstance(other, BlockRecord):
            found = _block_difference(one, other)
            if found is not None:
                return found
        elif one != other:
            return Difference(0, None, "genesis", _hash(one), _hash(other))
    return None


def _no_footer(records: Iterable[Record]) -> Iterator[GenesisRecord | BlockRecord]:
    return (record for record in records if not isinstance(record, Footer))


def _block_difference(one: BlockRecord, other: BlockRecord) -> Difference | None:
    if one.block != other.block:
        return _input_difference(one.block, other.block)
    found = compare(one.block.height, one.result, other.result)
    if found is None and one.hash != other.hash:
        found = Difference(one.block.height, None, "record", one.hash.hex(), other.hash.hex())
    return found


def _input_difference(one: BlockInput, other: BlockInput) -> Difference:
    for name in one.__struct_fields__:
        left, right = getattr(one, name), getattr(other, name)
        if left != right:
            return Difference(one.height, None, f"block.{name}", _show(left), _show(right))
    raise LogError("two equal blocks were called different")


def _hash(record: Record | None) -> str:
    return "(no record)" if record is None else record.hash.hex()
