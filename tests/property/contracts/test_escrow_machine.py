"""The escrow against a plain model: what it holds is what it owes, nothing is paid twice, everything has a way out."""

from __future__ import annotations

from typing import Any

import pytest
from escrow_world import PEOPLE, EscrowWorld, native
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

WORLD = EscrowWorld()
WORLD.chain.next_block()
START = WORLD.chain.snapshot()
IDS = ("a", "b", "c")
DENOMS = ("earth", "mars")
people = st.sampled_from(PEOPLE)
ids = st.sampled_from(IDS)
amounts = st.integers(1, 60)


class Escrows(RuleBasedStateMachine):
    """Actions of everybody, also of those who may not; the model says what must come of it."""

    def __init__(self) -> None:
        super().__init__()
        WORLD.chain.revert(START)
        self.world = WORLD
        self.open: dict[str, dict[str, Any]] = {}
        self.purse = {(name, d): self.world.coins(name, d) for name in PEOPLE for d in DENOMS}
        self.tokens = {name: self.world.tokens(name, self.world.token) for name in PEOPLE}
        self.waiting: dict[tuple[str, str], int] = {}
        self.broken = False
        self.supply = {d: self.world.chain.supply(d) for d in DENOMS}

    # --- money in ---------------------------------------------------------------------------

    @rule(escrow_id=ids, amount=amounts, denom=st.sampled_from(DENOMS), blocks=st.integers(0, 3))
    def create(self, escrow_id: str, amount: int, denom: str, blocks: int) -> None:
        """Open with coins, to end soon."""
        end = self.world.chain.height + blocks
        result = self.world.create(f"{amount}{denom}", escrow_id, end_height=end)
        if escrow_id in self.open:
            assert "already in use" in result.log
            return
        assert result.code == 0
        self.purse["source", denom] -= amount
        self.open[escrow_id] = {"end": end, "native": {denom: amount}, "token": 0, "hostile": 0}
        self.open[escrow_id]["to"] = "recd"

    @rule(escrow_id=ids, amount=amounts, hostile=st.booleans())
    def create_with_token(self, escrow_id: str, amount: int, hostile: bool) -> None:
        """Open with tokens; both tokens are welcome."""
        listed = [self.world.token, self.world.hostile]
        hook = self.world.create_hook(escrow_id, cw20_whitelist=listed)
        if hostile:
            result = self.world.pay_hostile(amount, hook)
        else:
            result = self.world.send(self.world.token, amount, hook)
        assert (result.code == 0) is (escrow_id not in self.open and self._has(amount, hostile))
        if result.code == 0:
            self.open[escrow_id] = {"end": None, "native": {}, "token": 0, "hostile": 0}
            self.open[escrow_id]["to"] = "recd"
            self._add_tokens(escrow_id, amount, hostile)

    @rule(escrow_id=ids, amount=amounts, denom=st.sampled_from(DENOMS), who=people)
    def top_up(self, escrow_id: str, amount: int, denom: str, who: str) -> None:
        """Anybody adds coins."""
        result = self.world.run(who, "top_up", f"{amount}{denom}", id=escrow_id)
        assert (result.code == 0) is (escrow_id in self.open)
        if result.code == 0:
            held = self.open[escrow_id]["native"]
            held[denom] = held.get(denom, 0) + amount
            self.purse[who, denom] -= amount

    @rule(escrow_id=ids, amount=amounts, hostile=st.booleans())
    def top_up_with_token(self, escrow_id: str, amount: int, hostile: bool) -> None:
        """More tokens; only escrows opened with tokens list them."""
        hook = {"top_up": {"id": escrow_id}}
        if hostile:
            result = self.world.pay_hostile(amount, hook)
        else:
            result = self.world.send(self.world.token, amount, hook)
        found = self.open.get(escrow_id)
        fits = found is not None and found["end"] is None and self._has(amount, hostile)
        assert (result.code == 0) is fits
        if fits:
            self._add_tokens(escrow_id, amount, hostile)

    @rule(escrow_id=ids, who=people, to=st.sampled_from(["recd", "other", "escrow"]))
    def set_recipient(self, escrow_id: str, who: str, to: str) -> None:
        """Another recipient, also the contract itself."""
        address = self.world.escrow if to == "escrow" else self.world.addr[to]
        result = self.world.run(who, "set_recipient", id=escrow_id, recipient=address)
        assert (result.code == 0) is (escrow_id in self.open and who == "arbiter")
        if result.code == 0:
            self.open[escrow_id]["to"] = to

    # --- money out --------------------------------------------------------------------------

    @rule(escrow_id=ids, who=people, stray=st.integers(0, 3))
    def approve(self, escrow_id: str, who: str, stray: int) -> None:
        """Everything to the recipient."""
        funds = f"{stray}earth" if stray else ""
        result = self.world.run(who, "approve", funds, id=escrow_id)
        fits = escrow_id in self.open and who == "arbiter" and not self._expired(escrow_id)
        assert (result.code == 0) is fits
        if fits:
            self._stray(who, stray)
            self._pay_out(escrow_id, self.open[escrow_id]["to"])

    @rule(escrow_id=ids, who=people)
    def refund(self, escrow_id: str, who: str) -> None:
        """Everything to the source."""
        result = self.world.run(who, "refund", id=escrow_id)
        fits = escrow_id in self.open and (who == "arbiter" or self._expired(escrow_id))
        assert (result.code == 0) is fits
        if fits:
            self._pay_out(escrow_id, "source")

    @rule(escrow_id=ids, amount=amounts, denom=st.sampled_from(DENOMS))
    def partial_release(self, escrow_id: str, amount: int, denom: str) -> None:
        """A part to the recipient."""
        part = native((amount, denom))
        result = self.world.run("arbiter", "partial_release", id=escrow_id, native=part)
        found = self.open.get(escrow_id)
        fits = (
            found is not None
            and not self._expired(escrow_id)
            and found["native"].get(denom, 0) >= amount
        )
        assert (result.code == 0) is fits
        if found is not None and fits:
            found["native"][denom] -= amount
            self._give(found["to"], denom, amount)
            if not any(found["native"].values()) and not found["token"] and not found["hostile"]:
                del self.open[escrow_id]

    @rule(who=people, denom=st.sampled_from([*DENOMS, "token"]))
    def claim(self, who: str, denom: str) -> None:
        """Fetch stray coins, and what the contract paid to itself."""
        result = self.world.run(who, "claim", denom=self._name(denom))
        amount = self.waiting.pop((who, denom), 0)
        assert (result.code == 0) is (amount > 0)
        if denom == "token":
            self.tokens[who] += amount
        else:
            self.purse[who, denom] += amount

    @rule(who=people)
    def claim_hostile(self, who: str) -> None:
        """Fetch what the hostile token kept."""
        result = self.world.run(who, "claim", denom=f"cw20:{self.world.hostile}")
        amount = self.waiting.get((who, "hostile"), 0)
        assert (result.code == 0) is (amount > 0 and not self.broken)
        if result.code == 0:
            del self.waiting[who, "hostile"]

    @rule(broken=st.booleans())
    def turn(self, broken: bool) -> None:
        """The hostile token changes its mind."""
        body = {"break": broken}
        self.world.chain.execute(self.world.hostile, body, sender=self.world.addr["other"])
        self.broken = broken

    @rule()
    def next_block(self) -> None:
        """Time passes; mostly it does not, so that most things happen in one block."""
        self.world.chain.next_block()

    # --- the model's helpers ----------------------------------------------------------------

    def _has(self, amount: int, hostile: bool) -> bool:
        return hostile or self.tokens["source"] >= amount

    def _add_tokens(self, escrow_id: str, amount: int, hostile: bool) -> None:
        self.open[escrow_id]["hostile" if hostile else "token"] += amount
        if not hostile:
            self.tokens["source"] -= amount

    def _expired(self, escrow_id: str) -> bool:
        end = self.open[escrow_id]["end"]
        return end is not None and self.world.chain.height > end

    def _stray(self, who: str, amount: int) -> None:
        if amount:
            self.purse[who, "earth"] -= amount
            self.waiting[who, "earth"] = self.waiting.get((who, "earth"), 0) + amount

    def _name(self, denom: str) -> str:
        return f"cw20:{self.world.token}" if denom == "token" else denom

    def _wait(self, who: str, denom: str, amount: int) -> None:
        if amount:
            self.waiting[who, denom] = self.waiting.get((who, denom), 0) + amount

    def _give(self, to: str, denom: str, amount: int) -> None:
        if to == "escrow":  # it moves nowhere, and waits for the source
            self._wait("source", denom, amount)
        elif denom == "token":
            self.tokens[to] += amount
        else:
            self.purse[to, denom] += amount

    def _pay_out(self, escrow_id: str, to: str) -> None:
        found = self.open.pop(escrow_id)
        for denom, amount in (*found["native"].items(), ("token", found["token"])):
            self._give(to, denom, amount)
        if self.broken or to == "escrow":
            self._wait("source" if to == "escrow" else to, "hostile", found["hostile"])

    # --- the laws ---------------------------------------------------------------------------

    @invariant()
    def parties_have_what_the_rules_say(self) -> None:
        """Nobody was paid twice, or less, or more."""
        for (name, denom), amount in self.purse.items():
            assert self.world.coins(name, denom) == amount
        for name, amount in self.tokens.items():
            assert self.world.tokens(name, self.world.token) == amount

    @invariant()
    def the_contract_holds_what_it_owes(self) -> None:
        """Balances are the sums of open escrows and of what waits."""
        for denom in DENOMS:
            owed = sum(e["native"].get(denom, 0) for e in self.open.values())
            owed += sum(a for (_, d), a in self.waiting.items() if d == denom)
            assert self.world.coins("escrow", denom) == self.world.held(denom) == owed
            assert self.world.chain.supply(denom) == self.supply[denom]
        tokens = sum(e["token"] for e in self.open.values())
        tokens += sum(a for (_, d), a in self.waiting.items() if d == "token")
        assert self.world.tokens("escrow", self.world.token) == tokens
        assert self.world.held(f"cw20:{self.world.token}") == tokens

    @invariant()
    def open_escrows_are_listed(self) -> None:
        """A closed one never comes back."""
        assert self.world.ids() == sorted(self.open)

    @precondition(lambda self: self.open)
    @rule()
    def everything_has_a_way_out(self) -> None:
        """From here the arbiter empties the contract, whatever the tokens do."""
        mark = self.world.chain.snapshot()
        for escrow_id in self.open:
            assert self.world.run("arbiter", "refund", id=escrow_id).code == 0
        for who, denom in self.waiting:
            if denom != "hostile":
                assert self.world.run(who, "claim", denom=self._name(denom)).code == 0
        assert self.world.ids() == []
        assert [self.world.coins("escrow", denom) for denom in DENOMS] == [0, 0]
        assert self.world.tokens("escrow", self.world.token) == 0
        self.world.chain.revert(mark)


def test_the_escrow_agrees_with_the_model() -> None:
    """A small run beside every change."""
    short = settings(max_examples=30, stateful_step_count=25, deadline=None)
    run_state_machine_as_test(Escrows, settings=short)


@pytest.mark.long
def test_the_escrow_agrees_with_the_model_at_length() -> None:
    """The run that CI makes."""
    long = settings(max_examples=300, stateful_step_count=40, deadline=None)
    run_state_machine_as_test(Escrows, settings=long)
