"""The token against a plain model: the supply is the sum of the balances, whatever is done."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from token_world import TokenWorld

PEOPLE = ("ada", "bea", "cid", "minter")
CAP = 2000


def make_world() -> TokenWorld:
    """Three holders and a minter with a cap."""
    minter = TokenWorld().account("minter")
    return TokenWorld(
        {"ada": 500, "bea": 300, "cid": 200}, mint={"minter": minter, "cap": str(CAP)}
    )


WORLD = make_world()
WORLD.chain.next_block()
START = WORLD.chain.snapshot()
people = st.sampled_from(PEOPLE)
amounts = st.one_of(st.integers(0, 5), st.integers(0, 600))
HOOKS = st.sampled_from(
    [
        {"accept": {}},
        {"fail": {"text": "no"}},
        {"bounce": {"amount": None}},
        {"burn": {"amount": "1"}},
    ]
)


class Token(RuleBasedStateMachine):
    """Every operation of everybody."""

    def __init__(self) -> None:
        super().__init__()
        WORLD.chain.revert(START)
        self.world = WORLD
        self.balances = {"ada": 500, "bea": 300, "cid": 200, "minter": 0, "hook": 0}
        self.allowed: dict[tuple[str, str], int] = {}

    @rule(who=people, to=people, amount=amounts)
    def transfer(self, who: str, to: str, amount: int) -> None:
        """Move."""
        result = self.world.run(who, "transfer", recipient=to, amount=amount)
        assert (result.code == 0) is (self.balances[who] >= amount)
        if result.code == 0:
            self._move(who, to, amount)

    @rule(who=people, amount=amounts)
    def burn(self, who: str, amount: int) -> None:
        """Destroy."""
        result = self.world.run(who, "burn", amount=amount)
        assert (result.code == 0) is (self.balances[who] >= amount)
        if result.code == 0:
            self.balances[who] -= amount

    @rule(who=people, to=people, amount=amounts)
    def mint(self, who: str, to: str, amount: int) -> None:
        """Make."""
        result = self.world.run(who, "mint", recipient=to, amount=amount)
        fits = who == "minter" and sum(self.balances.values()) + amount <= CAP
        assert (result.code == 0) is fits
        if fits:
            self.balances[to] += amount

    @rule(who=people, amount=amounts, hook=HOOKS)
    def send(self, who: str, amount: int, hook: dict[str, Any]) -> None:
        """Move to a contract that does something with it."""
        result = self.world.run(who, "send", contract=self.world.hook, amount=amount, msg=hook)
        fits = self.balances[who] >= amount and "fail" not in hook
        if "burn" in hook:
            fits = fits and self.balances["hook"] + amount >= 1
        assert (result.code == 0) is fits
        if fits and "bounce" not in hook:
            self._move(who, "hook", amount)
            self.balances["hook"] -= 1 if "burn" in hook else 0

    @rule(who=people, spender=people, amount=amounts, more=st.booleans())
    def allow(self, who: str, spender: str, amount: int, more: bool) -> None:
        """Raise or lower an allowance."""
        name = "increase_allowance" if more else "decrease_allowance"
        result = self.world.run(who, name, spender=spender, amount=amount)
        key = (who, spender)
        assert (result.code == 0) is (who != spender and (more or key in self.allowed))
        if result.code:
            return
        if more:
            self.allowed[key] = self.allowed.get(key, 0) + amount
        elif amount < self.allowed[key]:
            self.allowed[key] -= amount
        else:
            del self.allowed[key]

    @rule(who=people, owner=people, to=people, amount=amounts, burn=st.booleans())
    def use(self, who: str, owner: str, to: str, amount: int, burn: bool) -> None:
        """Use an allowance."""
        if burn:
            result = self.world.run(who, "burn_from", owner=owner, amount=amount)
        else:
            result = self.world.run(who, "transfer_from", owner=owner, recipient=to, amount=amount)
        allowed = self.allowed.get((owner, who))
        fits = allowed is not None and allowed >= amount and self.balances[owner] >= amount
        assert (result.code == 0) is fits
        if allowed is not None and fits:
            self.allowed[owner, who] = allowed - amount
            if burn:
                self.balances[owner] -= amount
            else:
                self._move(owner, to, amount)

    def _move(self, who: str, to: str, amount: int) -> None:
        self.balances[who] -= amount
        self.balances[to] += amount

    @invariant()
    def balances_and_supply_are_the_models(self) -> None:
        """The supply is the sum of the balances."""
        for name, amount in self.balances.items():
            shown = self.world.balance(self.world.hook if name == "hook" else name)
            assert shown == amount
        assert self.world.supply() == sum(self.balances.values())

    @invariant()
    def both_directions_of_an_allowance_agree(self) -> None:
        """What the owner gave is what the spender has."""
        for (owner, spender), amount in self.allowed.items():
            assert self.world.allowance(owner, spender)["allowance"] == str(amount)
            given = self.world.ask("all_spender_allowances", spender=self.world.account(spender))
            shown = {line["owner"]: line["allowance"] for line in given["allowances"]}
            assert shown[self.world.account(owner)] == str(amount)


def test_the_token_agrees_with_the_model() -> None:
    """A small run beside every change."""
    short = settings(max_examples=30, stateful_step_count=25, deadline=None)
    run_state_machine_as_test(Token, settings=short)


@pytest.mark.long
def test_the_token_agrees_with_the_model_at_length() -> None:
    """The run that CI makes."""
    long = settings(max_examples=300, stateful_step_count=40, deadline=None)
    run_state_machine_as_test(Token, settings=long)
