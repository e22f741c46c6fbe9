"""A log as SQLite tables: what they hold agrees with the log and with the chain."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from chain.block.hashing import tx_hash
from chain.driver.log.projection import Projection, to_sqlite
from chain.driver.log.record import LogError
from chain.driver.producer import Producer

Make = Callable[..., Producer]
Pay = Callable[..., bytes]


def test_balances_blocks_and_transactions_agree_with_the_chain(
    make_chain: Make, payment: Pay, start_time: int, tmp_path: Path
) -> None:
    chain = make_chain()
    txs = [payment(0), payment(1, "7msg"), payment(2, "100000msg")]
    chain.produce(txs, start_time)
    path = tmp_path / "log.db"
    counts = to_sqlite(chain.records(), path)
    assert counts["blocks"] == 1
    assert counts["transactions"] == 3
    with sqlite3.connect(path) as db:
        view = chain.store.view
        bank = chain.app.execution.bank
        rows = db.execute("SELECT address, denom, amount FROM balances").fetchall()
        assert len(rows) >= 2
        for address, denom, amount in rows:
            assert bank.balance(view, address, denom) == int(amount)
        total = sum(int(amount) for _, _, amount in rows)
        assert total == bank.supply(view, "amsg")
        codes = db.execute("SELECT code, hash FROM transactions ORDER BY position").fetchall()
        assert [code for code, _ in codes] == [0, 0, 5]
        assert codes[0][1] == tx_hash(txs[0]).hex().upper()
    db.close()


def test_a_target_that_cannot_be_written_is_named(
    make_chain: Make, payment: Pay, start_time: int, tmp_path: Path
) -> None:
    chain = make_chain()
    chain.produce([], start_time)
    with pytest.raises(LogError, match="cannot be written"):
        to_sqlite(chain.records(), tmp_path / "missing" / "log.db")


def test_a_message_and_a_task_go_through_their_states() -> None:
    db = sqlite3.connect(":memory:")
    from chain.block.types import Event
    from chain.driver.log.projection import SCHEMA

    db.executescript(SCHEMA)
    projection = Projection(db)
    sent = {"msg_id": "m1", "sender": "a", "receiver": "b", "message_type": "request", "priority": "75"}
    projection._add_event(3, 0, Event("wasm-a2a_message_sent", list(sent.items())))
    projection._add_event(4, 0, Event("wasm-a2a_message_delivered", [("msg_id", "m1")]))
    assert db.execute("SELECT status, height, changed FROM messages").fetchall() == [("delivered", 3, 4)]
    answer = {**sent, "msg_id": "m2", "original_msg_id": "m1"}
    projection._add_event(5, 0, Event("wasm-a2a_message_replied", list(answer.items())))
    assert db.execute("SELECT id, status, reply_to FROM messages ORDER BY id").fetchall() == [
        ("m1", "replied", None),
        ("m2", "pending", "m1"),
    ]
    task = {"task_id": "task-1", "requester": "a", "provider": "bob", "state": "submitted"}
    task |= {"price": "5", "denom": "amsg", "paid": "0", "refunded": "0"}
    projection._add_event(6, 0, Event("wasm-agent_task", list(task.items())))
    done = {**task, "state": "completed", "paid": "5"}
    projection._add_event(7, 0, Event("wasm-agent_task", list(done.items())))
    assert db.execute("SELECT state, paid, opened, changed FROM tasks").fetchall() == [
        ("completed", "5", 6, 7)
    ]
    db.close()
