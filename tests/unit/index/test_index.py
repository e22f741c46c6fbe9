"""The search index against the blocks it is made of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain.block.hashing import tx_hash
from chain.block.types import (
    BlockId,
    BlockInput,
    BlockResult,
    Commit,
    ConsensusParams,
    Event,
    Header,
    TxResult,
    Validator,
)
from chain.driver.log.record import NO_HASH, BlockRecord, sealed
from chain.index.index import Index, Tip
from chain.index.query import parse
from chain.store import MemoryBackend

EMPTY = bytes(32)


def record(height: int, txs: list[tuple[bytes, TxResult]], **result: object) -> BlockRecord:
    header = Header("c", height, height, BlockId(), *[EMPTY] * 8, bytes(20))
    block = BlockInput(height, height, bytes(20), tuple(raw for raw, _ in txs), (), ())
    given_result = {"validator_updates": [], "consensus_param_updates": None, **result}
    answer = BlockResult([one for _, one in txs], [], app_hash=EMPTY, **given_result)
    return sealed(BlockRecord(block, answer, header, Commit(), {}, NO_HASH))


def ok(*events: Event) -> TxResult:
    return TxResult(events=list(events))


@pytest.fixture
def index() -> Index:
    made = Index(MemoryBackend())
    made.begin(1, [Validator("ed25519", b"k" * 32, 10)], ConsensusParams())
    return made


def search(index: Index, text: str) -> list[tuple[int, int]]:
    return index.search_txs(parse(text))


def test_conditions_must_hold_in_one_event(index: Index) -> None:
    both = Event("transfer", [("sender", "a"), ("recipient", "b")])
    apart = [Event("transfer", [("sender", "a")]), Event("transfer", [("recipient", "b")])]
    index.add(record(1, [(b"x", ok(both)), (b"y", ok(*apart))]))
    assert search(index, "transfer.sender='a' AND transfer.recipient='b'") == [(1, 0)]
    assert search(index, "transfer.sender='a'") == [(1, 0), (1, 1)]


def test_heights_bound_a_search(index: Index) -> None:
    for height in range(1, 6):
        index.add(record(height, [(bytes((height,)), ok(Event("a", [("b", "c")])))]))
    assert search(index, "a.b='c' AND tx.height>=2 AND tx.height<4") == [(2, 0), (3, 0)]
    assert search(index, "tx.height=5") == [(5, 0)]
    assert search(index, "tx.height='5'") == [(5, 0)]
    assert search(index, "tx.height=5.5") == []
    assert search(index, "tx.height>5.5") == []
    assert search(index, "tx.height>4.5") == [(5, 0)]
    assert search(index, "tx.height=99999999999999999999999") == []


def test_a_transaction_that_went_through_is_not_hidden_by_a_later_failure(index: Index) -> None:
    index.add(record(1, [(b"x", TxResult(code=5))]))
    assert index.find(tx_hash(b"x")) == (1, 0)
    index.add(record(2, [(b"x", TxResult())]))
    index.add(record(3, [(b"x", TxResult(code=5))]))
    assert index.find(tx_hash(b"x")) == (2, 0)


def test_a_removed_block_leaves_nothing(index: Index) -> None:
    first, second = record(1, [(b"x", ok(Event("a", [("b", "c")])))]), record(2, [(b"y", ok())])
    index.add(first)
    index.add(second)
    index.remove(second, Tip(1, first.hash))
    assert index.tip == Tip(1, first.hash)
    assert index.find(tx_hash(b"y")) is None
    index.remove(first, Tip(0, b""))
    assert search(index, "a.b='c'") == []
    assert search(index, "tx.height>0") == []


def test_validators_change_two_heights_later(index: Index) -> None:
    joined = Validator("ed25519", b"n" * 32, 5)
    index.add(record(1, [], validator_updates=[joined]))
    assert len(index.validators(2)) == 1
    assert index.validators(3)[1] == joined
    gone = Validator("ed25519", b"k" * 32, 0)
    index.add(record(2, [], validator_updates=[gone]))
    assert index.validators(4) == [joined]


def test_parameters_change_one_height_later(index: Index) -> None:
    index.add(record(1, [], consensus_param_updates=ConsensusParams(max_gas=7)))
    assert index.params(1).max_gas == -1
    assert index.params(2).max_gas == 7


@given(st.text(max_size=3_000), st.text(min_size=1, max_size=20))
def test_any_value_is_found_by_itself(value: str, key: str) -> None:
    from chain.index.query import Condition, Query

    index = Index(MemoryBackend())
    value = value.encode("utf-8", "replace").decode()
    key = key.encode("utf-8", "replace").decode()
    index.add(record(1, [(b"x", ok(Event("t", [(key, value), ("other", "z")])))]))
    assert index.search_txs(Query([Condition(f"t.{key}", "=", "string", value)])) == [(1, 0)]
    assert index.search_txs(Query([Condition(f"t.{key}", "=", "string", value + "!")])) == []
