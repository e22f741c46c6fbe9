"""The log of a test chain replays, and its own results are those of the chain."""

import json
import sys
import types

import pytest
from lab_contracts import counter

from chain.driver.log import files
from chain.driver.log.record import LogError
from chain.driver.log.replay import replay
from chain.std import Coin, Response
from chain.testing import Chain, Contract
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


AMOUNTS = (-(2**256), -1, 0, 2**255, 2**256, 10**100)


def test_what_static_checks_refuse_is_in_the_log_and_replays(tmp_path):
    made = Chain()
    alice = made.account("alice")
    address = made.instantiate(made.store_code(counter), {"start": 1}, alice, "c")
    sent = [
        made.try_execute(address, {"add": {"by": 1}}, alice, funds=[Coin("earth", amount)])
        for amount in AMOUNTS
    ]
    sent.append(made.try_send(alice, "zz", "1msg"))
    sent.append(made.try_instantiate(0, {}, alice, ""))
    assert all(result.code for result in sent)
    path = made.log.save(tmp_path / "refused.jsonl")
    done = replay(files.read(path), replay_app())
    assert done.transactions == 3 + len(sent)


@pytest.mark.parametrize(
    "act",
    [
        lambda made, alice: made.try_instantiate(1, {}, alice, "\ud800"),
        lambda made, alice: made.try_instantiate(1, {}, alice, 5),
        lambda made, alice: made.try_instantiate("1", {}, alice, "l"),
        lambda made, alice: made.try_instantiate(1 << 64, {}, alice, "l"),
        lambda made, alice: made.try_execute("\ud800", {}, alice),
        lambda made, alice: made.try_execute(alice, {}, None),
        lambda made, alice: made.try_send(alice, alice, [Coin("\ud800", 1)]),
        lambda made, alice: made.try_send(alice, alice, [Coin("earth", 10**1001)]),
        lambda made, alice: made.try_execute(alice, {}, alice, gas_limit=1 << 64),
        lambda made, alice: made.try_execute(alice, {}, alice, gas_limit=-1),
    ],
)
def test_what_no_transaction_can_carry_is_the_testers_mistake(act, tmp_path):
    made = Chain()
    alice = made.account("alice")
    with pytest.raises(ValueError, match=r"no transaction can carry|64 bits"):
        act(made, alice)
    made.send(alice, alice, "1msg")
    path = made.log.save(tmp_path / "x.jsonl")
    assert replay(files.read(path), replay_app()).transactions == 2


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


def started(*_):
    return Response()


def counting(name, code_base):
    """A value whose functions are those of every other one that is made here."""

    def execute(deps, env, info, msg):
        return Response().set_data(str(code_base).encode())

    return Contract(name=name, instantiate=started, execute=execute)


ONE, TWO = counting("twin", 1), counting("twin", 2)
OTHER_NAME = Contract(name="called otherwise", instantiate=started)


def replayed(chain, path):
    saved = chain.log.save(path)
    summary = files.verify(saved)
    assert replay(files.read(saved), replay_app()).app_hash == summary.app_hash


@pytest.mark.parametrize("contract", ["token_v1", OTHER_NAME], ids=["folder", "value"])
def test_codes_of_a_given_checksum_replay(tmp_path, contract):
    made = Chain()
    for one in (contract, "escrow_v1", ONE, TWO, ONE):
        made.store_code(one, checksum=bytes(range(32)))
    replayed(made, tmp_path / "x.jsonl")


def test_two_values_of_one_name_replay_each_as_itself(tmp_path):
    made = Chain()
    alice = made.account("alice")
    codes = [made.store_code(value) for value in (ONE, TWO)]
    told = [made.execute(made.instantiate(code, {}, alice, "x"), {}, alice).data for code in codes]
    assert told == [b"1", b"2"]
    replayed(made, tmp_path / "x.jsonl")


@pytest.mark.parametrize("checksum", [None, bytes(32)])
def test_a_value_that_no_module_names_is_refused_by_its_name(tmp_path, checksum):
    made = Chain()
    made.store_code(counting("twin", 3), checksum=checksum)
    saved = made.log.save(tmp_path / "x.jsonl")
    with pytest.raises(LogError, match=r"contract twin .* cannot be imported here"):
        replay(files.read(saved), replay_app())


def test_a_value_that_changed_since_is_refused_by_its_name(tmp_path, monkeypatch):
    module = types.ModuleType("lab_changing")
    monkeypatch.setitem(sys.modules, "lab_changing", module)

    def entry(*_):
        return Response()

    entry.__module__ = "lab_changing"
    for checksum in (None, bytes(32)):
        module.kept = Contract(name="kept", version="1.0.0", instantiate=entry)
        made = Chain()
        made.store_code(module.kept, checksum=checksum)
        saved = made.log.save(tmp_path / "x.jsonl")
        replay(files.read(saved), replay_app())
        module.kept = Contract(name="kept", version="1.0.1", instantiate=entry)
        with pytest.raises(LogError, match=r"contract kept: the log ran .* check out"):
            replay(files.read(saved), replay_app())


def test_a_chain_of_another_prefix_replays(tmp_path):
    made = Chain(prefix="other")
    made.account("alice")
    made.instantiate(made.store_code(ONE), {}, made.account("bob"), "x")
    replayed(made, tmp_path / "x.jsonl")
