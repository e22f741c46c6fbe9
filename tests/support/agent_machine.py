"""What the machine of the four agent contracts stands on: the chain, the people, predictions checked."""

from __future__ import annotations

import functools
import json
from typing import Any

from agent_model import Model
from agent_net import AgentNet
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine

NAMES = ("alice", "bob", "carol", "dave")
WHO = st.sampled_from(NAMES)
PICK = st.integers(min_value=0, max_value=30)
PRIORITIES = st.sampled_from([0, 50, 75, 150, 255])
TTLS = st.sampled_from([1, 5, 60, 3_600])


@functools.cache
def shared() -> tuple[AgentNet, dict[str, str]]:
    """One net a process, made when the first machine starts; each machine leaves it as it was."""
    net = AgentNet()
    people = {name: net.account(name) for name in NAMES}
    net.later()
    return net, people


class AgentMachineBase(RuleBasedStateMachine):
    """Every rule predicts in the model, acts on the chain, and compares."""

    def __init__(self) -> None:
        super().__init__()
        self.net, self.people = shared()
        self.mark = self.net.chain.snapshot()
        self.model = Model()
        self.model.now = self.net.chain.time
        self.model.authority = self.net.admin

    def teardown(self) -> None:
        try:
            self.compare_everything()
        finally:
            self.net.chain.revert(self.mark)

    def compare_everything(self) -> None:
        """Every query, for everything there is."""

    def act(self, expected: bool, contract: str, sender: str, variant: str, **fields: Any) -> Any:
        """Execute; whether it went through must be as the model says. The data as JSON, or None."""
        result = self.net.chain.try_execute(contract, {variant: fields}, sender=sender)
        assert (result.code == 0) == expected, (variant, fields, result.log)
        return json.loads(result.data) if result.code == 0 and result.data else None

    def ask(self, contract: str, variant: str, **fields: Any) -> Any:
        """A question to any of the contracts."""
        return self.net.chain.query(contract, {variant: fields})

    def pick(self, items: Any, number: int) -> Any:
        """One of the latest items, or None."""
        pool = list(items)[-8:]
        return pool[number % len(pool)] if pool else None

    def walk(self, variant: str, key: str, items: str, size: int, **fields: Any) -> list[str]:
        """All pages of a listing; ``total`` is the same on each and counts them all."""
        seen: list[str] = []
        cursor = None
        while True:
            page = self.net.ask(variant, **fields, start_after=cursor, limit=size)
            seen += [item[key] for item in page[items]]
            cursor = page["next"]
            if cursor is None:
                assert page["total"] == len(seen), (variant, fields)
                return seen
