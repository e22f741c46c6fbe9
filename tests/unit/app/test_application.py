"""The App as a driver sees it: repeatable, silent until commit, one path (design.md, "What a driver may rely on")."""

from __future__ import annotations

import json

import pytest
from app_world import CHAIN_ID, TIME, VALIDATORS, Codes, World, coins

from chain.app.application import APP_VERSION, App
from chain.app.genesis import GenesisError
from chain.block.types import BlockInput, ConsensusParams, Validator
from chain.errors import AppError, InvariantViolation
from chain.store import MemoryBackend, StateStore
from chain.tx.builder import build_dev
from chain.tx.messages import DevExecute, DevTime, MsgExecuteContract, MsgSend, MsgUpdateParams


def send(world):
    return MsgSend(world.alice.address, world.bob.address, coins("5umsg"))


@pytest.fixture
def world():
    return World()


def test_init_chain_may_be_repeated_and_writes_nothing(world):
    again = world.app.init_chain(
        TIME, CHAIN_ID, None, (), json.dumps(world.state, indent=1).encode()
    )
    assert again == world.genesis
    assert world.app.store.height == 0
    assert world.app.queries.query("/store/acc/key", b"\x03", 0, False).code != 0


def test_two_nodes_from_one_genesis_agree(world):
    assert World().genesis.app_hash == world.genesis.app_hash


def test_the_first_block_after_genesis_keeps_the_hash_when_nothing_happens(world):
    assert world.block().app_hash == world.genesis.app_hash
    assert world.block().app_hash == world.genesis.app_hash


def test_finalize_is_repeatable_and_commit_alone_writes(world):
    world.block()
    raw = world.native_tx([send(world)], world.alice)
    before = world.app.info()
    first = world.finalize(raw)
    assert world.finalize(raw) == first
    other = world.finalize()
    assert other.app_hash == before.app_hash
    assert world.app.info() == before
    assert world.finalize(raw) == first
    world.app.commit()
    assert world.app.info().app_hash == first.app_hash


def test_finalize_equals_open_deliver_close(world):
    world.block()
    raw = world.native_tx([send(world)], world.alice)
    whole = world.finalize(raw)
    world.open()
    world.app.deliver(raw)
    assert world.app.close_block() == whole


def test_commit_without_finalize_is_an_error(world):
    with pytest.raises(InvariantViolation):
        world.app.commit()


def test_heights_follow_unless_a_tester_moves_them(world):
    world.block()
    with pytest.raises(InvariantViolation):
        world.app.finalize_block(BlockInput(1, TIME + 10**10, b""))
    strict = World(state={"devnet": False})
    strict.block()
    with pytest.raises(InvariantViolation):
        strict.app.finalize_block(BlockInput(7, TIME + 10**10, b""))


def test_a_chain_may_begin_above_one():
    world = World()
    app = App(StateStore(MemoryBackend()), Codes())
    app.init_chain(TIME, CHAIN_ID, ConsensusParams(max_gas=10**7), (), world.state, 50)
    app.finalize_block(BlockInput(50, TIME, b""))
    app.commit()
    assert app.height == 50
    app.finalize_block(BlockInput(51, TIME + 1, b""))


def test_init_chain_answers_whole_consensus_params(world):
    assert world.genesis.consensus_params.app_version == APP_VERSION
    assert world.app.info().app_version == APP_VERSION


def test_validators_of_the_driver_win_over_the_file():
    world = World()
    app = App(StateStore(MemoryBackend()), Codes())
    given = [Validator("ed25519", VALIDATORS[1].pubkey.key, 9)]
    made = app.init_chain(TIME, CHAIN_ID, None, given, world.state)
    assert made.validators == tuple(given)


def test_an_empty_block_moves_nothing_and_a_full_one_does(world):
    world.block()
    still = world.block().app_hash
    moved = world.block(world.native_tx([send(world)], world.alice)).app_hash
    assert moved != still
    assert world.block().app_hash == moved


def test_every_transaction_gets_a_result(world):
    world.block()
    good = world.native_tx([send(world)], world.alice)
    results = world.block(b"", good, b"\xff" * 50, good).tx_results
    assert [result.code == 0 for result in results] == [False, True, False, False]


def test_TX_7_the_index_counts_what_passed_the_checks_before_the_messages(world):
    world.block()
    world.open()
    good = [world.native_tx([send(world)], world.alice, skip=n) for n in range(2)]
    failing = world.native_tx([MsgSend(world.bob.address, world.alice.address, ())], world.bob)
    for raw, code, index in (
        (b"junk", 2, 0),
        (good[1], 32, 0),  # its sequence has not come
        (good[0], 0, 1),
        (failing, 10, 2),
        (good[0], 32, 2),
        (good[1], 0, 3),
    ):
        assert world.app.deliver(raw).code == code
        assert world.app.open_scope.index == index


def test_prepare_keeps_order_and_stays_within_bytes(world):
    world.block()
    raws = [world.native_tx([send(world)], world.alice, skip=n) for n in range(3)]
    size = len(raws[0]) + 3
    assert world.app.prepare_proposal(raws, size * 3) == raws
    assert world.app.prepare_proposal(raws, size * 3 - 1) == raws[:2]
    assert world.app.prepare_proposal([b"junk", *raws], size * 3) == raws
    assert world.app.process_proposal(raws)
    assert not world.app.process_proposal([b"junk"])


def test_a_block_gas_limit_binds_everywhere(world):
    world.block()
    change = MsgUpdateParams(world.gov.address, {"block_max_gas": 1_500_000})
    world.block(world.native_tx([change], world.gov))
    one, two = (world.native_tx([send(world)], world.alice, skip=n) for n in (0, 1))
    big = world.native_tx([send(world)], world.bob, gas_limit=1_500_001)
    assert world.app.check_tx(big).code == 4
    assert world.app.prepare_proposal([one, two], 10**6) == [one]
    assert not world.app.process_proposal([one, two])
    assert [r.code for r in world.block(one, two).tx_results] == [0, 11]


def test_begin_block_contracts_run_and_may_fail():
    world = World(begin_block_contracts=[World().contract])
    assert world.block().events == []  # nothing due
    raw = build_dev([_impersonated(world, b'{"set":{"sudo":"write"}}')], chain_id=CHAIN_ID)
    world.block(raw)
    result = world.block()
    assert [event.type for event in result.events] == ["sudo"]
    height = str(world.app.height).encode()
    assert world.app.queries.raw(world.contract, b"height") == height
    world.block(build_dev([_impersonated(world, b'{"set":{"sudo":"fail"}}')], chain_id=CHAIN_ID))
    result = world.block()
    assert result.events[0].type == "begin_block_failed"
    assert ("code", "5") in result.events[0].attributes


def _impersonated(world, body):
    return DevExecute((MsgExecuteContract(world.alice.address, world.contract, body),))


def test_a_developer_transaction_from_bytes(world):
    world.block()
    result = world.block(build_dev([DevTime(5)], chain_id=CHAIN_ID)).tx_results[0]
    assert result.code == 0


def test_queries_read_a_kept_height(world):
    world.block()
    before = world.app.queries.balance(world.bob.address, "umsg").amount
    world.block(world.native_tx([send(world)], world.alice))
    assert world.app.queries.balance(world.bob.address, "umsg").amount == before + 5
    assert world.app.queries.balance(world.bob.address, "umsg", height=1).amount == before
    with pytest.raises(AppError) as caught:
        world.app.queries.balance(world.bob.address, "umsg", height=99)
    assert caught.value.code == 26


def test_raw_store_queries_prove(world):
    world.block()
    world.block(world.native_tx([send(world)], world.alice))
    world.block()
    key = b"\x01" + bytes.fromhex(world.alice.address[4:])
    plain = world.app.query("/store/acc/key", key)
    assert plain.code == 0
    assert plain.value
    proven = world.app.query("/store/acc/key", key, prove=True)
    assert proven.height == 2
    assert proven.proof
    assert world.app.query("/store/nope/key", key).code == 4
    assert world.app.query("/nope", b"").code == 6


def test_smart_queries_from_outside(world):
    world.block()
    assert world.app.query_smart(world.contract, b"{}") == b'{"value":"1"}'
    with pytest.raises(AppError):
        world.app.query_smart(world.alice.address, b"{}")


def test_rollback_goes_back_one_height(world):
    world.block()
    hash_before = world.app.info().app_hash
    world.block(world.native_tx([send(world)], world.alice))
    world.app.rollback()
    assert world.app.info().app_hash == hash_before
    assert world.app.height == 1
    assert world.account(world.alice)[1] == 0


def test_snapshot_and_revert_of_the_open_block(world):
    world.block()
    world.open()
    world.call(b'{"set":{"a":"1"}}')
    mark = world.app.snapshot()
    world.call(b'{"set":{"a":"2"}}')
    world.app.revert(mark)
    result = world.app.close_block()
    world.app.commit()
    assert len(result.tx_results) == 1
    assert world.app.queries.raw(world.contract, b"a") == b"1"


@pytest.mark.parametrize(
    ("state", "text"),
    [
        ({"accounts": [{"address": "zz"}]}, "app_state.accounts[0]"),
        ({"unknown": 1}, "unknown"),
        ({"params": {"gas_price": "x"}}, "app_state.params"),
        ({"messages": [{}]}, "empty"),
        ({"messages": [{"execute": {"contract": "zz", "sender": "zz", "msg": {}}}]}, "messages[0]"),
    ],
)
def test_a_wrong_genesis_names_the_place(state, text):
    app = App(StateStore(MemoryBackend()), Codes())
    with pytest.raises(GenesisError) as caught:
        app.init_chain(TIME, CHAIN_ID, None, (), state)
    assert text in str(caught.value)
