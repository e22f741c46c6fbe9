"""Failed, rejected, canceled, past its deadline: where the money goes, once."""

from __future__ import annotations

import pytest
from task_world import NANOS, TaskWorld, card


def test_TK_4_a_failed_task_refunds_the_requester(world: TaskWorld) -> None:
    before = world.balance(world.alice)
    task_id = world.working()
    world.do("fail_task", task_id, world.bob, error="no data")
    task = world.task(task_id)
    assert (task["state"], task["error"], task["refunded"]) == ("failed", "no data", "1000")
    assert world.balance(world.alice) == before
    assert world.balance(world.tasks) == world.held() == 0


def test_TK_4_a_rejected_task_refunds_the_requester(world: TaskWorld) -> None:
    before = world.balance(world.alice)
    task_id = world.create()
    world.do("reject_task", task_id, world.bob, reason="busy")
    task = world.task(task_id)
    assert (task["state"], task["error"]) == ("rejected", "busy")
    assert world.balance(world.alice) == before


def test_TK_4_cancel_before_acceptance_refunds_everything(world: TaskWorld) -> None:
    world.card("bob-agent", card(price="1000", cancellation_share_bps=5000))
    before = world.balance(world.alice), world.balance(world.bob)
    world.do("cancel_task", world.create(), world.alice)
    assert (world.balance(world.alice), world.balance(world.bob)) == before
    assert world.state("task-1") == "canceled"


@pytest.mark.parametrize(
    ("share", "kept"), [(0, 0), (1, 0), (2500, 250), (3333, 333), (10_000, 1000)]
)
def test_TK_4_cancel_after_acceptance_pays_the_share_of_the_card(
    world: TaskWorld, share: int, kept: int
) -> None:
    world.card("bob-agent", card(price="1000", cancellation_share_bps=share))
    before = world.balance(world.alice), world.balance(world.bob)
    task_id = world.working()
    world.do("cancel_task", task_id, world.alice)
    assert world.balance(world.bob) == before[1] + kept
    assert world.balance(world.alice) == before[0] - kept
    task = world.task(task_id)
    assert (task["paid"], task["refunded"]) == (str(kept), str(1000 - kept))
    assert world.balance(world.tasks) == world.held() == 0


def test_cancel_works_while_input_is_awaited(world: TaskWorld) -> None:
    before = world.balance(world.alice)
    task_id = world.working()
    world.do("request_input", task_id, world.bob, question="?")
    world.do("cancel_task", task_id, world.alice)
    assert world.balance(world.alice) == before


def test_cancel_after_the_deadline_owes_no_share(world: TaskWorld) -> None:
    world.card("bob-agent", card(price="1000", cancellation_share_bps=5000))
    before = world.balance(world.bob)
    task_id = world.working()
    world.after(604_801)
    world.do("cancel_task", task_id, world.alice)
    assert world.balance(world.bob) == before


def test_the_deadline_itself_is_still_in_time(world: TaskWorld) -> None:
    deadline = world.chain.time + 100 * NANOS
    task_id = world.working(deadline=str(deadline))
    world.after(100)
    assert world.chain.time == deadline
    assert "is not past its deadline" in world.run("expire_task", task_id, world.carol).log
    world.do("complete_task", task_id, world.bob, content=1)


def test_TK_4_past_the_deadline_anybody_ends_the_task_and_the_requester_is_refunded(
    world: TaskWorld,
) -> None:
    before = world.balance(world.alice)
    task_id = world.working(deadline=str(world.chain.time + 100 * NANOS))
    world.after(101)
    assert world.task(task_id)["overdue"] is True
    assert "has passed" in world.run("complete_task", task_id, world.bob, content=1).log
    world.do("expire_task", task_id, world.carol)
    task = world.task(task_id)
    assert (task["state"], task["error"]) == ("failed", "deadline passed")
    assert task["overdue"] is False
    assert world.balance(world.alice) == before
    assert "is failed" in world.run("expire_task", task_id, world.carol).log


@pytest.mark.parametrize(
    ("name", "state", "fields"),
    [
        ("accept_task", "submitted", {}),
        ("request_input", "working", {"question": 1}),
        ("request_approval", "working", {"reason": "r"}),
        ("provide_input", "input_required", {"input": 1}),
    ],
)
def test_nothing_goes_on_after_the_deadline(
    world: TaskWorld, name: str, state: str, fields: dict[str, object]
) -> None:
    task_id = world.create() if state == "submitted" else world.working()
    if state == "input_required":
        world.do("request_input", task_id, world.bob, question="?")
    world.after(604_801)
    sender = world.alice if name == "provide_input" else world.bob
    assert "has passed" in world.run(name, task_id, sender, **fields).log


@pytest.mark.parametrize("how", ["fail_task", "reject_task"])
def test_the_provider_may_end_an_overdue_task_without_gain(world: TaskWorld, how: str) -> None:
    before = world.balance(world.alice)
    task_id = world.create() if how == "reject_task" else world.working()
    world.after(604_801)
    fields = {"error": "late"} if how == "fail_task" else {}
    world.do(how, task_id, world.bob, **fields)
    assert world.balance(world.alice) == before


def test_a_block_begins_by_ending_what_is_overdue(world: TaskWorld) -> None:
    before = world.balance(world.alice)
    for _ in range(3):
        world.working(deadline=str(world.chain.time + 100 * NANOS))
    kept = world.working()
    world.after(101)
    world.chain.sudo(world.tasks, {"begin_block": {}})
    assert [world.state(f"task-{n}") for n in (1, 2, 3)] == ["failed"] * 3
    assert world.state(kept) == "working"
    assert world.balance(world.alice) == before - 1000
    assert world.held() == 1000


def test_the_sweep_is_bounded_and_goes_on_in_the_next_block() -> None:
    world = TaskWorld(sweep_max=2)
    for _ in range(5):
        world.create(deadline=str(world.chain.time + 100 * NANOS))
    world.after(101)
    left = []
    for _ in range(3):
        world.chain.sudo(world.tasks, {"begin_block": {}})
        asked = {"list_tasks": {"state": "submitted"}}
        left.append(len(world.chain.query(world.tasks, asked)["tasks"]))
    assert left == [3, 1, 0]


def test_a_reason_has_a_limit(world: TaskWorld) -> None:
    task_id = world.create()
    assert "Invalid reason" in world.run("cancel_task", task_id, world.alice, reason="x" * 4097).log
    assert "Invalid error" in world.run("fail_task", world.working(), world.bob, error="").log
