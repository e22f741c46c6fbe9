"""The mempool: order, bounds, duplicates, recheck."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from chain.driver.mempool import Mempool, MempoolFull, TxInCache, TxTooLarge


@dataclass
class Answer:
    code: int = 0
    gas_wanted: int = 10


class Judge:
    """Refuses what it was told to refuse and remembers what it was asked."""

    def __init__(self) -> None:
        self.refused: set[bytes] = set()
        self.asked: list[tuple[bytes, bool]] = []

    def __call__(self, raw: bytes, recheck: bool) -> Answer:
        self.asked.append((raw, recheck))
        return Answer(5 if raw in self.refused else 0)


def test_transactions_wait_in_order_of_arrival() -> None:
    pool = Mempool(Judge())
    for raw in (b"c", b"a", b"b"):
        pool.add(raw)
    assert pool.reap() == [b"c", b"a", b"b"]
    assert len(pool) == 3
    assert pool.size_bytes == 3


def test_a_duplicate_is_named_also_after_its_block() -> None:
    pool = Mempool(Judge())
    pool.add(b"a")
    with pytest.raises(TxInCache, match="already exists in cache"):
        pool.add(b"a")
    pool.update([(b"a", 0)])
    with pytest.raises(TxInCache):
        pool.add(b"a")
    assert len(pool) == 0


def test_a_refused_transaction_may_come_again() -> None:
    judge = Judge()
    pool = Mempool(judge)
    judge.refused.add(b"a")
    assert pool.add(b"a").code == 5
    judge.refused.clear()
    assert pool.add(b"a").code == 0


def test_one_that_failed_in_a_block_may_come_again() -> None:
    pool = Mempool(Judge())
    pool.add(b"a")
    pool.update([(b"a", 11)])
    assert pool.add(b"a").code == 0


def test_bounds_in_count_bytes_and_size() -> None:
    pool = Mempool(Judge(), txs_max=2, bytes_max=10, tx_bytes_max=8)
    with pytest.raises(TxTooLarge, match="Max size is 8, but got 9"):
        pool.add(b"123456789")
    pool.add(b"12345678")
    with pytest.raises(MempoolFull, match="number of txs 1"):
        pool.add(b"abc")
    pool.add(b"z")
    with pytest.raises(MempoolFull):
        pool.add(b"y")


def test_reap_respects_protobuf_bytes_and_gas() -> None:
    pool = Mempool(Judge())
    pool.add(b"x" * 100)
    pool.add(b"y" * 200)
    assert pool.reap(max_bytes=102) == [b"x" * 100]
    assert pool.reap(max_bytes=101) == []
    assert len(pool.reap(max_bytes=102 + 203)) == 2
    assert len(pool.reap(max_gas=19)) == 1
    assert len(pool.reap(max_gas=20)) == 2


def test_recheck_drops_what_the_new_state_refuses() -> None:
    judge = Judge()
    pool = Mempool(judge)
    for raw in (b"a", b"b", b"c"):
        pool.add(raw)
    judge.refused.add(b"b")
    pool.update([(b"a", 0)])
    assert list(pool) == [b"c"]
    assert judge.asked[-2:] == [(b"b", True), (b"c", True)]
    judge.refused.clear()
    assert pool.add(b"b").code == 0


def test_the_cache_is_bounded() -> None:
    pool = Mempool(Judge(), cache_max=2)
    for raw in (b"a", b"b", b"c"):
        pool.add(raw)
        pool.update([(raw, 0)])
    assert pool.add(b"a").code == 0
