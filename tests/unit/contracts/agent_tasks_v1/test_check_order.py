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


def ladders(w: TaskWorld) -> Iterator[Ladder]:
    """Made on a world with a task in every state."""
    w.alice_is_agent(per_tx_limit="5000")
    w.agent("idle", owner=w.otto, address=w.bob, price=1, status="inactive")
    w.agent("self", owner=w.olga, address=w.alice, price=1)
    late = w.working(deadline=str(w.chain.time + 10**9))
    late_asked = w.create(6_000, price="6000", deadline=str(w.chain.time + 10**9))
    submitted, working, asked = w.create(), w.working(), w.create(6_000, price="6000")
    waiting = w.working()
    w.do("request_input", waiting, w.bob, question="?")
    w.create(client_ref="used")
    ended = w.create()
    w.do("cancel_task", ended, w.alice)
    w.after(2)
    stranger = Rung("Unauthorized", sender=w.carol)

    def ladder(variant: str, sender: str, task_id: str, *rungs: Rung, **fields: object) -> Ladder:
        good = {"task_id": task_id, **fields}
        return Ladder("agent_tasks_v1", w.tasks, variant, sender, good, (FUNDS, *rungs))

    def provider(variant: str, state: Rung, *rungs: Rung, **fields: object) -> Ladder:
        at = working if variant != "accept_task" else submitted
        return ladder(variant, w.bob, at, MISSING, stranger, state, *rungs, **fields)

    wrong, passed = (
        Rung("WrongState", {"task_id": waiting}),
        Rung("DeadlinePassed", {"task_id": late}),
    )
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
    yield provider("accept_task", Rung("WrongState", {"task_id": working}))
    yield provider(
        "request_input", wrong, passed, Rung("InvalidField", {"question": BIG}), question="?"
    )
    yield ladder(
        "provide_input",
        w.alice,
        waiting,
        MISSING,
        stranger,
        Rung("WrongState", {"task_id": working}),
        Rung("InvalidField", {"input": BIG}),
        input="!",
    )
    yield provider(
        "request_approval", wrong, passed, Rung("InvalidField", {"reason": ""}), reason="why"
    )
    yield provider(
        "complete_task",
        wrong,
        passed,
        Rung("InvalidField", {"content": None}),
        Rung("InvalidField", {"hash": "no"}),
        content={"x": 1},
    )
    yield provider(
        "fail_task",
        Rung("WrongState", {"task_id": submitted}),
        Rung("InvalidField", {"error": ""}),
        error="broken",
    )
    for variant, sender, task_id, state in (
        ("reject_task", w.bob, submitted, Rung("WrongState", {"task_id": working})),
        ("deny_task", w.olga, asked, Rung("WrongState", {"task_id": working})),
        ("cancel_task", w.alice, working, Rung("WrongState", {"task_id": ended})),
    ):
        parts = (stranger, state) if variant != "deny_task" else (state, stranger)
        reason = Rung("InvalidField", {"reason": LONG})
        yield ladder(variant, sender, task_id, MISSING, *parts, reason)
    yield ladder(
        "approve_task",
        w.olga,
        asked,
        MISSING,
        Rung("WrongState", {"task_id": working}),
        stranger,
        Rung("DeadlinePassed", {"task_id": late_asked}),
    )
    yield ladder("expire_task", w.carol, late_asked, MISSING, Rung("NotDue", {"task_id": working}))
    yield Ladder(
        "agent_tasks_v1",
        w.tasks,
        "update_config",
        w.admin,
        {"sweep_max": 5},
        (FUNDS, stranger, Rung("InvalidField", {"sweep_max": 101})),
    )


def test_checks_speak_in_the_readmes_order(world: TaskWorld) -> None:
    for address in (world.alice, world.bob, world.olga, world.carol, world.admin):
        world.chain.fund(address, "5000earth")
    seen = []
    for ladder in ladders(world):
        climb(world.chain, ladder)
        seen.append(ladder.variant)
    beside = {"receive", "withdraw"}  # as create_task; test_tokens has them
    assert {*seen, *beside} == {cls.variant for cls in EXECUTE}
