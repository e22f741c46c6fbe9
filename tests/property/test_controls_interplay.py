"""Random steps by the controls: whatever came before, a revert is as if nothing had happened, and
the log replays."""

from __future__ import annotations

from typing import Any, NamedTuple

from control_node import BOB, ask, running, transfer
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from chain import wiring
from chain.driver.log.replay import replay
from chain.tx.builder import build_dev, coins
from chain.tx.messages import DevFund


class Mark(NamedTuple):
    """What a revert must bring back."""

    height: int
    app_hash: bytes
    record_hash: bytes
    offset: int
    waiting: tuple[bytes, ...]
    paused: bool
    balance: int


class Interplay(RuleBasedStateMachine):
    """Steps over a node; each snapshot remembers what it saw."""

    def __init__(self) -> None:
        super().__init__()
        self._context = running()
        self.node = self._context.__enter__()
        self.marks: dict[int, Mark] = {}
        self.nonce = 10**9
        self.last_time = 0
        self.reverted = False

    def teardown(self) -> None:
        done = replay(self.node.producer.records(), wiring.replay_app())
        assert done.app_hash == self.node.producer.state.app_hash
        self._context.__exit__(None, None, None)

    def seen(self) -> Mark:
        state = self.node.producer.state
        return Mark(
            state.height,
            state.app_hash,
            state.record_hash,
            self.node.clock.offset,
            tuple(self.node.mempool),
            self.node.paused,
            int(self.node.app.queries.balance(BOB, "amsg").amount),
        )

    @rule()
    def snapshot(self) -> None:
        self.marks[ask(self.node, "snapshot")["id"]] = self.seen()

    @precondition(lambda self: self.marks)
    @rule(data=st.data())
    def revert(self, data: Any) -> None:
        number = data.draw(st.sampled_from(sorted(self.marks)))
        ask(self.node, "revert", id=number)
        self.marks = {one: mark for one, mark in self.marks.items() if one <= number}
        now, then = self.seen(), self.marks[number]
        if now.offset != then.offset:  # a chain that is ahead of the wall keeps its own time
            assert self.node.clock.now() - self.node.producer.state.time < 10**9
        assert now._replace(offset=then.offset) == then
        self.last_time = 0

    @rule(blocks=st.integers(1, 3), interval=st.sampled_from([None, 1, "500ms", "2h"]))
    def mine(self, blocks: int, interval: object) -> None:
        ask(self.node, "mine", blocks=blocks, interval=interval)

    @rule(span=st.sampled_from([1, "10m", "2h"]))
    def advance(self, span: object) -> None:
        ask(self.node, "advanceTime", seconds=span)

    @rule(amount=st.integers(1, 9))
    def faucet(self, amount: int) -> None:
        ask(self.node, "faucet", address=BOB, amount=f"{amount}msg")

    @rule(amount=st.sampled_from([1, 10**15]))
    def impersonate(self, amount: int) -> None:
        ask(self.node, "impersonate", messages=transfer(amount))

    @rule()
    def send(self) -> None:
        self.nonce += 1
        chain_id = self.node.producer.chain_id
        raw = build_dev([DevFund(BOB, coins("1msg"))], chain_id=chain_id, nonce=self.nonce)
        self.node.broadcast(raw)

    @rule(name=st.sampled_from(["pause", "resume"]))
    def pause(self, name: str) -> None:
        ask(self.node, name)

    @rule()
    def dump_and_load(self) -> None:
        before = self.seen()
        ask(self.node, "loadState", data=ask(self.node, "dumpState")["data"])
        after = self.seen()
        assert (after.height, after.app_hash) == (before.height, before.app_hash)
        self.marks.clear()

    @invariant()
    def time_goes_on(self) -> None:
        state = self.node.producer.state
        assert state.time >= self.last_time
        self.last_time = state.time
        assert self.node.index.tip.height == state.height
        assert self.node.index.tip.record_hash == state.record_hash


TestInterplay = Interplay.TestCase
TestInterplay.settings = settings(max_examples=8, stateful_step_count=15, deadline=None)
