"""The node without a server: checks beside a block, failures, waiting for a block."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from dev_txs import wallet_send
from recorded_rpc import GENESIS_TIME

from chain.driver.mempool import TxInCache
from chain.node import service
from chain.node.home import open_node
from chain.node.service import Node, NodeFailed, Options, TimedOut
from chain.wiring import dev_validator_keys, dev_wallet, genesis_document

OWNED = [{"denom": "msg", "amount": "1000"}]


def made(**options: Any) -> Node:
    accounts = [
        {"address": dev_wallet(index).address, "coins": OWNED if index < 3 else []}
        for index in range(4)
    ]
    state = {"devnet": True, "accounts": accounts, "messages": []}
    document = genesis_document("msg-chain-1", GENESIS_TIME, dev_validator_keys(1), state)
    node = open_node(None, document, Options(**{"block_time": "manual", **options}))
    node.start()
    return node


@pytest.fixture
def node() -> Iterator[Node]:
    started = made()
    yield started
    started.stop()


def send(index: int, sequence: int) -> bytes:
    return wallet_send(index, sequence, number=index)


def test_a_broadcast_answers_while_a_block_executes(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, go_on = threading.Event(), threading.Event()
    real = node.app.finalize_block

    def slow(block: Any) -> Any:
        inside.set()
        assert go_on.wait(10)
        return real(block)

    assert node.broadcast(send(0, 0)).code == 0
    monkeypatch.setattr(node.app, "finalize_block", slow)
    mining = threading.Thread(target=node.mine)
    mining.start()
    assert inside.wait(10)
    before = time.monotonic()
    assert node.broadcast(send(0, 1)).code == 0
    assert node.broadcast(send(1, 0)).code == 0
    assert node.check(send(1, 5)).code == 32
    assert time.monotonic() - before < 5
    go_on.set()
    mining.join(10)
    monkeypatch.undo()
    assert len(node.mempool) == 2  # kept, and rechecked against the new state
    assert [one.code for one in node.mine()[0].result.tx_results] == [0, 0]


def test_instant_mode_makes_a_block_a_transaction() -> None:
    node = made(block_time="instant")
    try:
        for sequence in range(5):
            assert node.broadcast(send(0, sequence)).code == 0
        end = time.monotonic() + 10
        while node.height < 6 and time.monotonic() < end:
            time.sleep(0.01)
        blocks = [node.record(height) for height in range(2, 7)]
        assert [len(block.block.txs) for block in blocks if block] == [1] * 5
    finally:
        node.stop()


def test_records_are_held_by_number_and_by_what_is_in_them(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "_RECORDS", 6)
    monkeypatch.setattr(service, "_RECORDS_TXS", 5)
    for _ in range(8):
        node.mine()
    assert sorted(node._records) == list(range(node.height - 5, node.height + 1))
    for first in range(0, 12, 3):
        for sequence in range(first, first + 3):
            assert node.broadcast(send(0, sequence)).code == 0
        node.mine()
    assert sorted(node._records) == [node.height - 1, node.height], "six transactions, two blocks"
    for height in range(1, node.height + 1):
        found = node.record(height)
        assert found is not None
        assert found.block.height == height


def test_intervals_keep_their_cadence() -> None:
    node = made(block_time=50_000_000)
    try:
        time.sleep(1.5)
        assert 20 <= node.height <= 32
    finally:
        node.stop()


def test_duplicates_are_named_and_failed_bytes_may_come_again(node: Node) -> None:
    raw = send(0, 0)
    assert node.broadcast(raw).code == 0
    with pytest.raises(TxInCache):
        node.broadcast(raw)
    node.mine()
    with pytest.raises(TxInCache):
        node.broadcast(raw)
    ahead = send(1, 1)
    assert node.broadcast(ahead).code == 32
    assert node.broadcast(send(1, 0)).code == 0
    assert node.broadcast(ahead).code == 0


def test_waiting_for_a_block_times_out(node: Node) -> None:
    with pytest.raises(TimedOut):
        node.broadcast_and_wait(send(0, 0), 0.05)
    node.mine()
    checked, found = node.broadcast_and_wait(send(0, 5))
    assert (checked.code, found) == (32, None)


def test_a_broken_block_stops_the_chain_and_nothing_is_written(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = threading.Event()
    node.on_failure = told.set
    height = node.height

    def broken(block: Any) -> Any:
        raise RuntimeError("a bug")

    monkeypatch.setattr(node.app, "finalize_block", broken)
    with pytest.raises(NodeFailed):
        node.mine()
    assert told.wait(5)
    assert node.height == height
    with pytest.raises(NodeFailed):
        node.broadcast(send(0, 0))
    with pytest.raises(NodeFailed):
        node.mine()


def test_the_first_block_has_the_time_of_the_genesis(node: Node) -> None:
    record = node.record(1)
    assert record is not None
    assert record.block.time == GENESIS_TIME


def test_index_and_chain_agree_after_every_block(node: Node) -> None:
    for sequence in range(3):
        raw = send(0, sequence)
        node.broadcast(raw)
        record = node.mine()[0]
        assert node.index.tip == type(node.index.tip)(record.block.height, record.hash)
