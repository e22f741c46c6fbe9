"""Tasks against a plain model: money is held, paid once, and always gets out; final states never change."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from task_world import NANOS, TaskWorld, card

SHARE_BPS = 2500
LIMIT = 400
PERIOD_LIMIT = 900
FINAL = ("completed", "failed", "canceled", "rejected")


def make_world() -> TaskWorld:
    """Bob asks nothing by himself and keeps a quarter; Alice may spend up to a limit."""
    world = TaskWorld(approval_timeout_seconds=60)
    world.card("bob-agent", card(price="0", cancellation_share_bps=SHARE_BPS))
    world.alice_is_agent(
        per_tx_limit=str(LIMIT), per_period_limit=str(PERIOD_LIMIT), period_seconds=100
    )
    return world


WORLD = make_world()
WORLD.chain.next_block()
START = WORLD.chain.snapshot()
PEOPLE = ("alice", "olga", "bob", "otto", "carol")
people = st.sampled_from(PEOPLE)
numbers = st.integers(1, 4)


class Tasks(RuleBasedStateMachine):
    """Everybody tries everything; the model knows who may."""

    def __init__(self) -> None:
        super().__init__()
        WORLD.chain.revert(START)
        self.world = WORLD
        self.model: list[dict[str, Any]] = []
        self.purse = {name: WORLD.balance(self._addr(name)) for name in PEOPLE}
        self.spent: dict[int, int] = {}
        self.supply = WORLD.chain.supply()
        self.final: dict[str, Any] = {}

    def _addr(self, name: str) -> str:
        return str(getattr(WORLD, name))

    # --- actions ----------------------------------------------------------------------------

    @precondition(lambda self: len(self.model) < 4)
    @rule(
        price=st.sampled_from([0, 1, 100, 399, 400, 401, 800]),
        over=st.integers(-1, 2),
        who=st.sampled_from(["alice", "carol"]),
        life=st.sampled_from([20, 70, 400]),
    )
    def create(self, price: int, over: int, who: str, life: int) -> None:
        """A task with the price attached, or a little less or more."""
        paid = max(price + over, 0)
        deadline = self.world.chain.time + life * NANOS
        result = self.world.try_create(
            paid, self._addr(who), price=str(price), deadline=str(deadline)
        )
        assert (result.code == 0) is (paid >= price)
        if result.code:
            return
        counted = None
        state = "submitted"
        if who == "alice" and price:
            period = self.world.chain.time // NANOS // 100
            total = self.spent.get(period, 0) + price
            if price > LIMIT or total > PERIOD_LIMIT:
                state = "auth_required"
            else:
                self.spent[period] = total
                counted = period
        self.purse[who] -= price
        self.model.append(
            {
                "who": who,
                "price": price,
                "state": state,
                "about": "payment" if state == "auth_required" else None,
                "deadline": deadline,
                "approval": min(deadline, self.world.chain.time + 60 * NANOS),
                "accepted": False,
                "counted": counted,
            }
        )

    @rule(
        number=numbers,
        who=people,
        name=st.sampled_from(["accept_task", "request_input", "provide_input", "request_approval"]),
    )
    def go_on(self, number: int, who: str, name: str) -> None:
        """A step that moves no money."""
        fields: dict[str, Any] = {
            "request_input": {"question": "?"},
            "provide_input": {"input": "!"},
            "request_approval": {"reason": "r"},
        }.get(name, {})
        result = self._run(name, number, who, **fields)
        task = self._task(number)
        before, after = {
            "accept_task": ("submitted", "working"),
            "request_input": ("working", "input_required"),
            "provide_input": ("input_required", "working"),
            "request_approval": ("working", "auth_required"),
        }[name]
        actor = task and (task["who"] if name == "provide_input" else "bob")
        fits = task is not None and who == actor and task["state"] == before and self._alive(task)
        assert (result.code == 0) is fits
        if task is not None and fits:
            task["state"] = after
            task["accepted"] = True
            if after == "auth_required":
                task["about"] = "work"
                task["approval"] = min(task["deadline"], self.world.chain.time + 60 * NANOS)

    @rule(number=numbers, who=people)
    def complete(self, number: int, who: str) -> None:
        """The whole price to Bob."""
        result = self._run("complete_task", number, who, content="done")
        task = self._task(number)
        fits = (
            task is not None and who == "bob" and task["state"] == "working" and self._alive(task)
        )
        assert (result.code == 0) is fits
        if task is not None and fits:
            self._end(task, "completed", task["price"])

    @rule(number=numbers, who=people, name=st.sampled_from(["fail_task", "reject_task"]))
    def give_up(self, number: int, who: str, name: str) -> None:
        """Bob fails or rejects; at any time."""
        fields = {"error": "e"} if name == "fail_task" else {}
        result = self._run(name, number, who, **fields)
        task = self._task(number)
        fits = task is not None and who == "bob" and task["state"] not in FINAL
        if task is not None and name == "fail_task":
            fits = fits and task["accepted"]
        elif task is not None:
            fits = fits and task["state"] == "submitted"
        assert (result.code == 0) is fits
        if task is not None and fits:
            self._end(task, "failed" if name == "fail_task" else "rejected", 0)

    @rule(number=numbers, who=people)
    def cancel(self, number: int, who: str) -> None:
        """The requester cancels; a share is due in time after acceptance."""
        result = self._run("cancel_task", number, who)
        task = self._task(number)
        fits = task is not None and who == task["who"] and task["state"] not in FINAL
        assert (result.code == 0) is fits
        if task is not None and fits:
            share = 0
            if task["accepted"] and self._alive(task):
                share = task["price"] * SHARE_BPS // 10_000
            self._end(task, "canceled", share)

    @rule(number=numbers, who=people, agree=st.booleans())
    def decide(self, number: int, who: str, agree: bool) -> None:
        """An owner approves or denies."""
        result = self._run("approve_task" if agree else "deny_task", number, who)
        task = self._task(number)
        fits = task is not None and task["state"] == "auth_required"
        if task is not None and fits:
            fits = who == ("olga" if task["about"] == "payment" else "otto")
            if agree:
                fits = fits and self.world.chain.time <= task["approval"]
        assert (result.code == 0) is fits
        if task is not None and fits:
            if agree:
                task["state"] = "submitted" if task["about"] == "payment" else "working"
            else:
                self._end(task, "failed", 0)

    @rule(number=numbers, who=people)
    def expire(self, number: int, who: str) -> None:
        """Anybody ends what is overdue."""
        result = self._run("expire_task", number, who)
        task = self._task(number)
        fits = task is not None and task["state"] not in FINAL and self._overdue(task)
        assert (result.code == 0) is fits
        if task is not None and fits:
            self._end(task, "failed", 0)

    @rule()
    def sweep(self) -> None:
        """A block begins."""
        self.world.chain.sudo(self.world.tasks, {"begin_block": {}})
        for task in self.model:
            if task["state"] not in FINAL and self._overdue(task):
                self._end(task, "failed", 0)

    @rule(seconds=st.sampled_from([1, 19, 20, 60, 61]))
    def later(self, seconds: int) -> None:
        """Time passes."""
        self.world.after(seconds)

    # --- the model's helpers ----------------------------------------------------------------

    def _run(self, name: str, number: int, who: str, **fields: Any) -> Any:
        return self.world.run(name, f"task-{number}", self._addr(who), **fields)

    def _task(self, number: int) -> dict[str, Any] | None:
        return self.model[number - 1] if number <= len(self.model) else None

    def _alive(self, task: dict[str, Any]) -> bool:
        return bool(self.world.chain.time <= task["deadline"])

    def _overdue(self, task: dict[str, Any]) -> bool:
        due = task["approval"] if task["state"] == "auth_required" else task["deadline"]
        return bool(self.world.chain.time > due)

    def _end(self, task: dict[str, Any], state: str, to_bob: int) -> None:
        task["state"] = state
        self.purse["bob"] += to_bob
        self.purse[task["who"]] += task["price"] - to_bob
        period = max(self.spent, default=None)
        if task["counted"] is not None and task["counted"] == period and state != "completed":
            self.spent[period] -= task["price"] - to_bob

    # --- the laws ---------------------------------------------------------------------------

    @invariant()
    def parties_have_what_the_rules_say(self) -> None:
        """Nobody was paid twice, or less, or more."""
        for name, amount in self.purse.items():
            assert self.world.balance(self._addr(name)) == amount

    @invariant()
    def the_contract_holds_what_it_owes(self) -> None:
        """Its balance is the sum of the open tasks; the supply stays."""
        owed = sum(task["price"] for task in self.model if task["state"] not in FINAL)
        assert self.world.balance(self.world.tasks) == self.world.held() == owed
        assert self.world.chain.supply() == self.supply

    @invariant()
    def states_are_the_models_and_final_ones_stay(self) -> None:
        """A final task is the same record for ever."""
        for number, task in enumerate(self.model, 1):
            shown = self.world.task(f"task-{number}")
            assert shown["state"] == task["state"]
            if task["state"] in FINAL:
                assert self.final.setdefault(shown["task_id"], shown) == shown
                assert int(shown["paid"]) + int(shown["refunded"]) == task["price"]

    @precondition(lambda self: any(task["state"] not in FINAL for task in self.model))
    @rule(way=st.sampled_from(["cancel", "wait"]))
    def everything_has_a_way_out(self, way: str) -> None:
        """Requesters can cancel, and time ends everything."""
        mark = self.world.chain.snapshot()
        if way == "wait":
            self.world.after(500)
        for number, task in enumerate(self.model, 1):
            if task["state"] not in FINAL:
                name, who = (
                    ("cancel_task", task["who"]) if way == "cancel" else ("expire_task", "otto")
                )
                assert self._run(name, number, who).code == 0
        assert self.world.balance(self.world.tasks) == self.world.held() == 0
        self.world.chain.revert(mark)


def test_the_tasks_agree_with_the_model() -> None:
    """A small run beside every change."""
    short = settings(max_examples=30, stateful_step_count=25, deadline=None)
    run_state_machine_as_test(Tasks, settings=short)


@pytest.mark.long
def test_the_tasks_agree_with_the_model_at_length() -> None:
    """The run that CI makes."""
    long = settings(max_examples=300, stateful_step_count=40, deadline=None)
    run_state_machine_as_test(Tasks, settings=long)
