"""The log of a test chain replays, and its own results are those of the chain."""

import json

import pytest
from lab_contracts import counter

from chain.driver.log import files
from chain.driver.log.replay import replay
from chain.testing import Chain
from chain.wiring import replay_app


@pytest.fixture
def chain():
    made = Chain()
    alice = made.account("alice")
    code = made.store_code(counter)
    address = made.instantiate(code, {"start": 1}, alice, "c", funds="1msg")
    made.next_block()
    for by in (1, 2):
        made.execute(address, {"add": {"by": by}}, alice, funds="1umsg")
        made.try_execute(address, {"nope": {}}, alice)
    mark = made.snapshot()
    made.execute(address, {"add": {"by": 100}}, alice)
    made.next_block()
    made.revert(mark)
    made.set_height(50)
    made.sudo(address, {"set": 9})
    return made


@pytest.mark.parametrize("name", ["run.jsonl", "run.msgpack"])
def test_a_saved_log_verifies_and_replays(chain, tmp_path, name):
    path = chain.log.save(tmp_path / name)
    summary = files.verify(path)
    assert (summary.height, summary.blocks, summary.closed) == (50, 3, True)
    done = replay(files.read(path), replay_app())
    assert (done.height, done.transactions) == (50, 8)
    assert done.app_hash == summary.app_hash


def test_records_hold_the_results_of_the_chain():
    made = Chain()
    alice = made.account("alice")
    address = made.instantiate(made.store_code(counter), {"start": 1}, alice, "c")
    result = made.execute(address, {"add": {"by": 1}}, alice)
    record = list(made.log.records())[-1]
    logged = record.result.tx_results[-1]
    assert (logged.code, logged.gas_used, logged.data) == (0, result.gas_used, result.tx_data)
    shown = [(e.type, [tuple(a) for a in e.attributes]) for e in logged.events]
    assert shown == [(e.type, [tuple(a) for a in e.attributes]) for e in result.events]


def test_saving_twice_gives_the_same_bytes(chain, tmp_path):
    one, two = (chain.log.save(tmp_path / name).read_bytes() for name in ("a.jsonl", "b.jsonl"))
    assert one == two
    assert json.loads(one.splitlines()[0])


def test_the_open_block_is_in_the_log_as_it_stands():
    made = Chain()
    assert len(made.log) == 0
    made.account("alice")
    assert len(made.log) == 1


def test_a_chain_goes_on_after_its_log_was_saved(chain, tmp_path):
    chain.log.save(tmp_path / "x.jsonl")
    chain.next_block()
    assert chain.height == 51
