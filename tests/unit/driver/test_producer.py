"""The embedded producer: headers, commits and records by CometBFT's formulas, and restarts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from chain.block.commit import verify_commit
from chain.block.hashing import data_hash, header_hash, results_hash, validators_hash
from chain.driver.log.record import pack, sealed, sealed_block
from chain.driver.producer import Producer, block_row

Make = Callable[..., Producer]
Pay = Callable[..., bytes]


def grow(chain: Producer, payment: Pay, start_time: int, blocks: int) -> None:
    for _ in range(blocks):
        height = chain.height
        sequence = height  # one payment a block
        chain.produce([payment(sequence)], start_time + height * 10**9)


def test_the_app_hash_of_a_height_stands_in_the_next_header(
    make_chain: Make, payment: Pay, start_time: int
) -> None:
    chain = make_chain()
    grow(chain, payment, start_time, 3)
    one, two = chain.record(1), chain.record(2)
    assert one is not None
    assert two is not None
    assert two.header.app_hash == one.result.app_hash
    assert two.header.last_results_hash == results_hash(one.result.tx_results)
    assert two.header.data_hash == data_hash(two.block.txs)
    assert two.header.last_block_id.hash == header_hash(one.header)


def test_commits_prove_the_block_before(make_chain: Make, payment: Pay, start_time: int) -> None:
    chain = make_chain()
    grow(chain, payment, start_time, 3)
    record = chain.record(3)
    assert record is not None
    assert record.last_commit.height == 2
    verify_commit("msg-chain-1", record.last_commit, chain.state.validators)
    assert record.header.validators_hash == validators_hash(chain.state.validators)


def test_proposers_take_turns(make_chain: Make, payment: Pay, start_time: int) -> None:
    chain = make_chain()
    grow(chain, payment, start_time, 6)
    turns = [record.header.proposer_address for record in chain.records(1)]  # type: ignore[union-attr]
    assert turns[:3] == turns[3:]
    assert len(set(turns)) == 3


def test_block_time_rises_even_where_the_clock_does_not(
    make_chain: Make, payment: Pay, start_time: int
) -> None:
    chain = make_chain()
    first = chain.produce([], start_time)
    second = chain.produce([], start_time - 5)
    assert first.block.time == start_time
    assert second.block.time == start_time + 1


def test_an_empty_block_leaves_the_app_hash(
    make_chain: Make, payment: Pay, start_time: int
) -> None:
    chain = make_chain()
    paid = chain.produce([payment(0)], start_time)
    empty = chain.produce([], start_time + 1)
    assert empty.result.app_hash == paid.result.app_hash


def test_a_chain_goes_on_after_a_restart(
    make_chain: Make, payment: Pay, start_time: int, tmp_path: Path
) -> None:
    straight = make_chain()
    grow(straight, payment, start_time, 6)
    chain = make_chain(tmp_path)
    grow(chain, payment, start_time, 3)
    chain.store.close()
    chain = make_chain(tmp_path)
    assert chain.height == 3
    grow(chain, payment, start_time, 3)
    assert [r.hash for r in chain.records()] == [r.hash for r in straight.records()]
    chain.store.close()


def test_open_deliver_close_is_produce(make_chain: Make, payment: Pay, start_time: int) -> None:
    one, other = make_chain(), make_chain()
    txs = [payment(0), payment(1), b"garbage", payment(7)]
    one.produce(txs, start_time)
    other.open(start_time)
    for raw in txs:
        other.deliver(raw)
    other.close()
    assert one.record(1) == other.record(1)


def test_a_record_is_the_same_whoever_encoded_its_events(
    make_chain: Make, payment: Pay, start_time: int
) -> None:
    producer = make_chain()
    executed = producer.execute([payment(0), b"no transaction", payment(1)], start_time)
    assert len(executed.said) == 3
    record = producer.seal(executed)
    stored = producer.store.row(block_row(record.block.height))
    assert stored == pack(record)
    assert sealed_block(record) == (record, stored)
    assert record == sealed(record)
