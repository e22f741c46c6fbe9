"""The bank against a plain dict of balances: sends, burns, mints, failures (BANK-1 to BANK-7, BANK-11)."""

from __future__ import annotations

from app_world import native
from hypothesis import given
from hypothesis import strategies as st

from chain.app.bank import Bank
from chain.app.invariants import supply_equals_balances
from chain.errors import AppError
from chain.std import Coin
from chain.store import MemoryBackend, Overlay, StateStore

WHO = [native(name).address for name in ("a", "b", "c")]
DENOMS = ["amsg", "earth", "mars"]
COINS = st.dictionaries(st.sampled_from(DENOMS), st.integers(1, 20), min_size=1)
STEP = st.tuples(
    st.sampled_from(["mint", "send", "burn"]), st.sampled_from(WHO), st.sampled_from(WHO), COINS
)


def move(model, who, amounts, sign):
    for denom, amount in amounts.items():
        model[who, denom] = model.get((who, denom), 0) + sign * amount


@given(st.lists(STEP, max_size=25))
def test_balances_follow_a_plain_model(steps):
    bank, overlay, model = Bank("msg"), Overlay(StateStore(MemoryBackend()).view), {}
    for kind, source, target, amounts in steps:
        coins = tuple(Coin(denom, amounts[denom]) for denom in sorted(amounts))
        mark = overlay.checkpoint()
        short = any(model.get((source, denom), 0) < amount for denom, amount in amounts.items())
        try:
            if kind == "mint":
                bank.mint(overlay, None, [], target, coins)
                move(model, target, amounts, 1)
                continue
            if kind == "send":
                bank.transfer(overlay, None, [], source, target, coins)
            else:
                bank.burn(overlay, None, [], source, coins)
        except AppError as error:
            refused = (error.codespace, error.code)
            overlay.rollback(mark)
        else:
            refused = None
        assert refused == (("sdk", 5) if short else None)
        if short:
            continue
        move(model, source, amounts, -1)
        if kind == "send":
            move(model, target, amounts, 1)
    for who in WHO:
        shown = {coin.denom: coin.amount for coin in bank.balances(overlay, who)}
        assert shown == {denom: n for (w, denom), n in model.items() if w == who and n}
        assert list(shown) == sorted(shown)
    supply_equals_balances(overlay)
