"""The gate before the pool: order of arrival, proofs before checks, an answer to everybody."""

import threading

import pytest

from chain.app.answers import CheckTxResult
from chain.node.gate import TOGETHER, Gate


class Pool:
    """Notes what the gate asks for."""

    def __init__(self, *, broken=False):
        self.proven, self.admitted, self.broken = [], [], broken
        self.open = threading.Event()
        self.open.set()

    def prove(self, raws):
        if self.broken:
            raise RuntimeError("no proofs today")
        self.proven.append(list(raws))
        return iter([None])

    def admit(self, raw):
        self.open.wait(10)
        self.admitted.append(raw)
        if raw == b"bad":
            raise ValueError("bad")
        return CheckTxResult(hash=raw)


@pytest.fixture
def pool():
    return Pool()


@pytest.fixture
def gate(pool):
    made = Gate(pool.prove, pool.admit)
    yield made
    pool.open.set()
    made.close()


def names(count):
    return [b"%d" % number for number in range(count)]


def test_answers_come_in_order_of_arrival(gate, pool):
    futures = [gate.submit(raw) for raw in names(200)]
    assert [future.result(10).hash for future in futures] == names(200)
    assert pool.admitted == names(200)


def test_what_waits_is_proven_together_up_to_a_number(gate, pool):
    pool.open.clear()
    futures = [gate.submit(raw) for raw in names(200)]
    pool.open.set()
    assert futures[-1].result(10).code == 0
    assert [raw for part in pool.proven for raw in part] == names(200)
    assert max(map(len, pool.proven)) == TOGETHER


def test_an_exception_is_its_transaction_s_alone(gate):
    first, bad, last = [gate.submit(raw) for raw in (b"a", b"bad", b"b")]
    with pytest.raises(ValueError, match="bad"):
        bad.result(10)
    assert first.result(10).hash == b"a"
    assert last.result(10).hash == b"b"


def test_without_proofs_transactions_are_checked_all_the_same():
    pool = Pool(broken=True)
    gate = Gate(pool.prove, pool.admit)
    assert gate.submit(b"a").result(10).hash == b"a"
    gate.close()


def test_what_nobody_wants_any_more_is_not_checked(gate, pool):
    pool.open.clear()
    first, second = gate.submit(b"a"), gate.submit(b"b")
    second.cancel()
    pool.open.set()
    first.result(10)
    gate.submit(b"c").result(10)
    assert b"b" not in pool.admitted or not second.cancelled()


def test_closing_cancels_what_was_not_checked(pool):
    gate = Gate(pool.prove, pool.admit)
    pool.open.clear()
    futures = [gate.submit(raw) for raw in names(300)]
    threading.Timer(0.05, pool.open.set).start()
    gate.close()
    assert all(future.done() for future in futures)
    assert gate.submit(b"late").cancelled()


def test_a_gate_that_nobody_used_closes(pool):
    Gate(pool.prove, pool.admit).close()
    assert pool.admitted == []


def test_who_waits_for_room_while_it_closes_gets_an_answer(pool):
    gate = Gate(pool.prove, pool.admit)
    pool.open.clear()
    futures = []
    bringer = threading.Thread(target=lambda: futures.extend(map(gate.submit, names(1_500))))
    bringer.start()
    threading.Timer(0.05, pool.open.set).start()
    gate.close()
    bringer.join(60)
    assert not bringer.is_alive()
    assert len(futures) == 1_500
    assert all(future.done() for future in futures)
