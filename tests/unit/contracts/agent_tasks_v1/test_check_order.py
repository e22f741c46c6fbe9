"""Checks of every operation on tasks speak in the order that the README gives."""

from __future__ import annotations

from collections.abc import Iterator

from check_ladder import Ladder, Rung, climb
from task_world import TaskWorld

from contracts.agent_tasks_v1.msg import EXECUTE

FUNDS = Rung("NoFundsAccepted", funds="1amsg")
MISSING = Rung("TaskNotFound", {"task_id": "task-99"})
LONG = "x" * 4_097
BIG = "x" * 70_000


class Stage:
    """A world with a task in every state."""

    def __init__(self, w: TaskWorld) -> None:
        self.w = w
        w.alice_is_agent(per_tx_limit="5000")
        w.agent("idle", owner=w.otto, address=w.bob, price=1, status="inactive")
        w.agent("self", owner=w.olga, address=w.alice, price=1)
        self.late = w.working(deadline=str(w.chain.time + 10**9))
        self.late_asked = w.create(6_000, price="6000", deadline=str(w.chain.time + 10**9))
        self.submitted, self.working = w.create(), w.working()
        self.asked = w.create(6_000, price="6000")
        self.waiting = w.working()
        w.do("request_input", self.waiting, w.bob, question="?")
        w.create(client_ref="used")
        self.ended = w.create()
        w.do("cancel_task", self.ended, w.alice)
        w.after(2)
        self.stranger = Rung("Unauthorized", sender=w.carol)

    def ladder(
        self, variant: str, sender: str, task_id: str, *rungs: Rung, **fields: object
    ) -> Ladder:
        """An operation on a task."""
        good = {"task_id": task_id, **fields}
        return Ladder("agent_tasks_v1", self.w.tasks, variant, sender, good, (FUNDS, *rungs))

    def provider(self, variant: str, state: Rung, *rungs: Rung, **fields: object) -> Ladder:
        """What the provider does with a task."""
        at = self.working if variant != "accept_task" else self.submitted
        rungs = (MISSING, self.stranger, state, *rungs)
        return self.ladder(variant, self.w.bob, at, *rungs, **fields)


def making(on: Stage) -> Iterator[Ladder]:
    w = on.w
    yield Ladder(
        "agent_tasks_v1",
        w.tasks,
        "create_task",
        w.alice,
        w.body(),
        (
            Rung("OneCoinOnly", funds="1amsg,1earth"),
            Rung("ClientRefConflict", {"client_ref": "used", "skill": "other"}, funds="1000earth"),
            Rung("InvalidField", {"client_ref": None, "skill": ""}),
            Rung("ProviderNotFound", {"provider": "nobody", "skill": "x"}),
            Rung("ProviderInactive", {"provider": "idle"}),
            Rung("SelfTask", {"provider": "self"}),
            Rung("PriceChanged", {"provider": "bob-agent", "price": "999"}),
            Rung("WrongDenom", {"provider": "bob-agent", "price": None}, funds="1000earth"),
            Rung("Underpaid", funds="999amsg"),
        ),
        good_funds="1000amsg",
    )
    yield Ladder(
        "agent_tasks_v1",
        w.tasks,
        "update_config",
        w.admin,
        {"sweep_max": 5},
        (FUNDS, on.stranger, Rung("InvalidField", {"sweep_max": 101})),
    )


def working(on: Stage) -> Iterator[Ladder]:
    wrong = Rung("WrongState", {"task_id": on.waiting})
    passed = Rung("DeadlinePassed", {"task_id": on.late})
    yield on.provider("accept_task", Rung("WrongState", {"task_id": on.working}))
    yield on.provider(
        "request_input", wrong, passed, Rung("InvalidField", {"question": BIG}), question="?"
    )
    yield on.ladder(
        "provide_input",
        on.w.alice,
        on.waiting,
        MISSING,
        on.stranger,
        Rung("WrongState", {"task_id": on.working}),
        Rung("InvalidField", {"input": BIG}),
        input="!",
    )
    yield on.provider(
        "request_approval", wrong, passed, Rung("InvalidField", {"reason": ""}), reason="why"
    )
    yield on.provider(
        "complete_task",
        wrong,
        passed,
        Rung("InvalidField", {"content": None}),
        Rung("InvalidField", {"hash": "no"}),
        content={"x": 1},
    )
    yield on.provider(
        "fail_task",
        Rung("WrongState", {"task_id": on.submitted}),
        Rung("InvalidField", {"error": ""}),
        error="broken",
    )


def deciding(on: Stage) -> Iterator[Ladder]:
    for variant, sender, task_id, state in (
        ("reject_task", on.w.bob, on.submitted, Rung("WrongState", {"task_id": on.working})),
        ("deny_task", on.w.olga, on.asked, Rung("WrongState", {"task_id": on.working})),
        ("cancel_task", on.w.alice, on.working, Rung("WrongState", {"task_id": on.ended})),
    ):
        parts = (on.stranger, state) if variant != "deny_task" else (state, on.stranger)
        reason = Rung("InvalidField", {"reason": LONG})
        yield on.ladder(variant, sender, task_id, MISSING, *parts, reason)
    yield on.ladder(
        "approve_task",
        on.w.olga,
        on.asked,
        MISSING,
        Rung("WrongState", {"task_id": on.working}),
        on.stranger,
        Rung("DeadlinePassed", {"task_id": on.late_asked}),
    )
    yield on.ladder(
        "expire_task", on.w.carol, on.late_asked, MISSING, Rung("NotDue", {"task_id": on.working})
    )


def test_checks_speak_in_the_readmes_order(world: TaskWorld) -> None:
    for address in (world.alice, world.bob, world.olga, world.carol, world.admin):
        world.chain.fund(address, "5000earth")
    seen = []
    stage = Stage(world)
    for group in (making, working, deciding):
        for ladder in group(stage):
            climb(world.chain, ladder)
            seen.append(ladder.variant)
    beside = {"receive", "withdraw"}  # as create_task; test_tokens has them
    assert {*seen, *beside} == {cls.variant for cls in EXECUTE}
