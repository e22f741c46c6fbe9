"""Fee conservation: over arbitrary fees and creators every amsg is accounted for (CH-5)."""

from __future__ import annotations

from app_world import World, coins, native
from hypothesis import given, settings
from hypothesis import strategies as st

from chain.app.bank import Bank
from chain.app.context import PendingFee
from chain.app.fees import settle, split
from chain.app.invariants import fee_collector_is_empty, supply_equals_balances
from chain.crypto.addresses import validate
from chain.std import Coin
from chain.store import MemoryBackend, Overlay, StateStore
from chain.tx.messages import MsgExecuteContract, MsgSend

AMOUNTS = st.sampled_from([0, 1, 2, 3, 7, 10**30]) | st.integers(0, 10**30)
NAMES = ["dev-a", "dev-b", "dev-c", "payer"]
CREATORS = st.dictionaries(
    st.sampled_from([native(n).address for n in NAMES]), st.integers(0, 10**9)
)


@given(AMOUNTS, CREATORS)
def test_shares_add_up_to_the_last_amsg(fee, creators):
    made = split(fee, creators)
    parts = [made.validator, made.treasury, made.burned, *made.developers.values()]
    assert sum(parts) == fee
    assert min(parts) >= 0
    assert made.validator == fee * 40 // 100
    assert made.burned >= fee - fee * 40 // 100 - fee * 30 // 100 - fee * 10 // 100


@given(
    st.lists(st.tuples(AMOUNTS, AMOUNTS, CREATORS), max_size=6),
    st.sampled_from(["", native("payout").address]),
    st.sampled_from(["", native("treasury").address]),
)
def test_settlement_empties_the_collector_and_burns_exactly(entries, payout, treasury):
    bank = Bank("msg")
    overlay = Overlay(StateStore(MemoryBackend()).view)
    payer = native("payer").address
    fees = []
    for first, second, creators in entries:
        reserved, charged = max(first, second), min(first, second)
        fees.append(PendingFee(payer, reserved, charged, creators))
        if reserved:
            bank.mint(overlay, None, [], bank.collector, (Coin("amsg", reserved),))
    before = bank.supply(overlay, "amsg")
    events = []
    settle(bank, overlay, events, fees, payout=payout, treasury=treasury)
    burned = sum(
        int(dict(event.attributes)["amount"][:-4]) for event in events if event.type == "burn"
    )
    assert bank.supply(overlay, "amsg") == before - burned
    fee_collector_is_empty(overlay, validate(bank.collector))
    supply_equals_balances(overlay)


WORLD = World()
WORLD.block()


@settings(max_examples=15)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=5))
def test_any_block_conserves_coins(plan):
    """Sends, calls, failures and exhausted gas in one block; ``World.block`` checks the invariants."""
    world = WORLD
    txs = []
    for skip, (kind, extra) in enumerate(plan):
        if kind == 0:
            message = MsgSend(world.alice.address, world.bob.address, coins(f"{extra + 1}umsg"))
        else:
            body = [b"{}", b'{"fail":"x"}', b'{"loop":1}'][kind - 1]
            message = MsgExecuteContract(world.alice.address, world.contract, body)
        fee = coins(f"{10**15 + extra}amsg")
        txs.append(world.native_tx([message], world.alice, skip=skip, fee=fee))
    supply = world.app.queries.supply("amsg").amount
    result = world.block(*txs)
    burned = sum(
        int(dict(event.attributes)["amount"][:-4])
        for event in result.events
        if event.type == "burn"
    )
    assert world.app.queries.supply("amsg").amount == supply - burned
    assert burned > 0
