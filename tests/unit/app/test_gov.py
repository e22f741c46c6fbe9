"""Governance: parameters, mint, validators, misbehaviour (CH-10, cometbft.md sections 7 and 11)."""

from __future__ import annotations

import pytest
from app_world import VALIDATORS, World, coins, native

from chain.app import gov
from chain.block.types import Misbehavior, Validator
from chain.crypto.keys import Ed25519Key
from chain.errors import AppError
from chain.tx.messages import (
    MsgMint,
    MsgUpdateParams,
    MsgUpdateValidators,
    ValidatorChange,
)


@pytest.fixture
def world():
    made = World()
    made.block()
    return made


def run(world, message, key=None):
    return world.block(world.native_tx([message], key or world.gov))


def test_only_the_authority_changes_parameters(world):
    message = MsgUpdateParams(world.alice.address, {"gas_price": 2})
    result = run(world, message, world.alice).tx_results[0]
    assert (result.codespace, result.code) == ("gov", 13)
    assert (
        f"invalid authority; expected {world.gov.address}, got {world.alice.address}" in result.log
    )


def test_a_parameter_changes_by_name_and_the_rest_stays(world):
    before = world.app.queries.params()
    result = run(world, MsgUpdateParams(world.gov.address, {"query_gas_limit": 5_000_000}))
    assert result.tx_results[0].code == 0
    after = world.app.queries.params()
    assert after.query_gas_limit == 5_000_000
    assert after.gas_price == before.gas_price


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"nope": 1}, "there is no parameter nope"),
        ({"gas_price": "x"}, "wrong type"),
        ({"gas_price": -1}, "gas_price is negative"),
        ({"treasury": "zz"}, "parameter treasury"),
        ({"begin_block_contracts": ("zz",)}, "parameter begin_block_contracts"),
        ({"block_max_gas": -2}, "out of range"),
    ],
)
def test_wrong_parameters_are_named(changes, text):
    with pytest.raises(AppError) as caught:
        gov.changed_params(gov.Params(), changes, "msg")
    assert (caught.value.codespace, caught.value.code) == ("sdk", 18)
    assert text in caught.value.log


def test_block_limits_reach_the_driver(world):
    result = run(world, MsgUpdateParams(world.gov.address, {"block_max_gas": 5_000_000}))
    assert result.consensus_param_updates is not None
    assert result.consensus_param_updates.max_gas == 5_000_000


def test_mint_raises_balance_and_supply(world):
    message = MsgMint(world.gov.address, world.bob.address, coins("7earth,2umsg"))
    assert run(world, message).tx_results[0].code == 0
    assert world.app.queries.supply("earth").amount == 7
    assert world.app.queries.balance(world.bob.address, "earth").amount == 7


def test_mint_of_bad_coins_is_refused(world):
    message = MsgMint(world.gov.address, world.bob.address, coins("0earth"))
    result = run(world, message).tx_results[0]
    assert (result.codespace, result.code) == ("sdk", 10)


def test_validator_updates_reach_the_driver_once(world):
    new = Ed25519Key(bytes([9]) * 32)
    updates = (
        ValidatorChange("ed25519", new.pubkey.key, 5, native("n").address),
        ValidatorChange("ed25519", VALIDATORS[1].pubkey.key, 0),
    )
    result = run(world, MsgUpdateValidators(world.gov.address, updates))
    assert result.tx_results[0].code == 0
    assert result.validator_updates == [
        Validator("ed25519", new.pubkey.key, 5),
        Validator("ed25519", VALIDATORS[1].pubkey.key, 0),
    ]
    assert world.block().validator_updates == []


def test_updates_of_a_failed_transaction_do_not_reach_the_driver(world):
    updates = (ValidatorChange("ed25519", VALIDATORS[1].pubkey.key, 0),)
    messages = [
        MsgUpdateValidators(world.gov.address, updates),
        MsgMint(world.gov.address, world.bob.address, ()),
    ]
    result = world.block(world.native_tx(messages, world.gov))
    assert result.tx_results[0].code == 10
    assert result.validator_updates == []


@pytest.mark.parametrize(
    ("updates", "text"),
    [
        ([("ed25519", bytes([1]) * 32, -1)], "negative"),
        ([("ed25519", bytes([7]) * 32, 0)], "not in the set"),
        ([("ed25519", b"short", 1)], "not allowed"),
        ([("sr25519", bytes([7]) * 32, 1)], "not allowed"),
        ([("ed25519", bytes([7]) * 32, 1), ("ed25519", bytes([7]) * 32, 2)], "named twice"),
        ([("ed25519", key.pubkey.key, 0) for key in VALIDATORS], "whole validator set"),
        ([("ed25519", bytes([7]) * 32, 1 << 60)], "too large"),
    ],
)
def test_what_would_stop_the_engine_is_refused(world, updates, text):
    changes = tuple(ValidatorChange(*update) for update in updates)
    result = run(world, MsgUpdateValidators(world.gov.address, changes)).tx_results[0]
    assert (result.codespace, result.code) == ("sdk", 18)
    assert text in result.log


def test_misbehaviour_costs_the_power_and_is_an_event(world):
    address = VALIDATORS[1].validator_address
    result = world.block(misbehavior=[Misbehavior(1, address, 1, 1, 0, 3)])
    assert result.validator_updates == [Validator("ed25519", VALIDATORS[1].pubkey.key, 0)]
    (event,) = [event for event in result.events if event.type == "misbehavior"]
    assert ("removed", "true") in event.attributes


def test_the_last_validator_stays_whatever_it_did(world):
    for index in (1, 0):
        fault = Misbehavior(1, VALIDATORS[index].validator_address, 1, 1, 0, 3)
        result = world.block(misbehavior=[fault])
    assert result.validator_updates == []
    assert world.app.queries.validators()[0].faults == 1
