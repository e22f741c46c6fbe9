"""The fee split: exact shares, who gets them, and what happens without a recipient (CH-5)."""

from __future__ import annotations

from app_world import PRICE, World, coins, native

from chain.app.fees import split
from chain.tx.messages import MsgExecuteContract, MsgSend


def shares(result):
    """Share name and amount of the block's fee events."""
    return {
        dict(event.attributes)["share"]: int(dict(event.attributes)["amount"][:-4])
        for event in result.events
        if event.type == "fee_share"
    }


def test_a_fee_of_ten_splits_four_three_two_one():
    made = split(10, {"dev": 5})
    assert (made.validator, made.developers, made.treasury, made.burned) == (4, {"dev": 3}, 1, 2)


def test_small_fees_leave_the_remainder_to_the_burn():
    assert split(1, {}).burned == 1
    assert split(3, {"dev": 1}) == (1, {}, 0, 2)
    assert split(7, {"dev": 1}) == (2, {"dev": 2}, 0, 3)


def test_developers_share_by_gas():
    made = split(1000, {"b": 1, "a": 3})
    assert made.developers == {"a": 225, "b": 75}


def test_without_a_contract_the_treasury_has_the_developers_share():
    assert split(100, {}) == (40, {}, 40, 20)


def test_a_contract_call_pays_proposer_creator_treasury_and_burn():
    world = World()
    world.block()
    supply = world.app.queries.supply("amsg").amount
    message = MsgExecuteContract(world.alice.address, world.contract, b"{}")
    result = world.block(world.native_tx([message], world.alice))
    fee = result.tx_results[0].gas_used * PRICE
    found = shares(result)
    assert found["validator"] == fee * 40 // 100
    assert found["developer"] == fee * 30 // 100
    assert found["treasury"] == fee * 10 // 100
    assert sum(found.values()) == fee
    assert world.app.queries.supply("amsg").amount == supply - found["burn"]
    assert world.app.queries.balance(native("payout").address, "amsg").amount == found["validator"]


def test_a_proposer_without_payout_account_leaves_its_share_to_the_treasury():
    world = World()
    world.block()
    message = MsgSend(world.alice.address, world.bob.address, coins("1umsg"))
    result = world.block(world.native_tx([message], world.alice), proposer=1)
    found = shares(result)
    assert "validator" not in found
    assert found["treasury"] == result.tx_results[0].gas_used * PRICE * 8 // 10


def test_without_a_treasury_its_share_is_burned():
    world = World(state={"treasury": ""})
    world.block()
    message = MsgSend(world.alice.address, world.bob.address, coins("1umsg"))
    found = shares(world.block(world.native_tx([message], world.alice)))
    assert set(found) == {"validator", "burn"}


def test_refunds_are_events_of_the_block():
    world = World()
    world.block()
    message = MsgSend(world.alice.address, world.bob.address, coins("1umsg"))
    result = world.block(world.native_tx([message], world.alice))
    (refund,) = [event for event in result.events if event.type == "fee_refund"]
    back = 10**15 - result.tx_results[0].gas_used * PRICE
    assert refund.attributes == [
        ("recipient", world.alice.address),
        ("amount", f"{back}amsg"),
        ("mode", "EndBlock"),
    ]


def test_a_failed_contract_call_still_counts_for_its_creator():
    world = World()
    world.block()
    message = MsgExecuteContract(world.alice.address, world.contract, b'{"fail":"x"}')
    result = world.block(world.native_tx([message], world.alice))
    assert shares(result)["developer"] == result.tx_results[0].gas_used * PRICE * 30 // 100
