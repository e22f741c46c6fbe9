"""A task that is worked on: accept, input, result, and who may do what when."""

from __future__ import annotations

from typing import Any

import pytest
from task_world import TaskWorld


def test_TK_4_completion_pays_the_provider_in_the_same_transaction(world: TaskWorld) -> None:
    task_id = world.working()
    before = world.balance(world.bob)
    world.do("complete_task", task_id, world.bob, content={"charts": 4})
    task = world.task(task_id)
    assert (task["state"], task["paid"], task["refunded"]) == ("completed", "1000", "0")
    assert task["result"] == {"content": {"charts": 4}, "hash": None, "reference": None}
    assert world.balance(world.bob) == before + 1000
    assert world.balance(world.tasks) == world.held() == 0


def test_input_is_asked_for_and_given(world: TaskWorld) -> None:
    task_id = world.working()
    world.do("request_input", task_id, world.bob, question={"which": "year"})
    task = world.task(task_id)
    assert (task["state"], task["question"]) == ("input_required", {"which": "year"})
    world.do("provide_input", task_id, world.alice, input=2026)
    task = world.task(task_id)
    assert (task["state"], task["input"]) == ("working", 2026)
    world.do("request_input", task_id, world.bob, question="and month?")
    assert world.task(task_id)["question"] == "and month?"
    world.do("provide_input", task_id, world.alice, input=None)
    world.do("complete_task", task_id, world.bob, reference="ipfs://x")
    assert world.state(task_id) == "completed"


@pytest.mark.parametrize(
    "result",
    [
        {"hash": "ab" * 32},
        {"reference": "https://example.org/result"},
        {"content": 0},
        {"content": "x", "hash": "00" * 32, "reference": "y"},
    ],
)
def test_a_result_is_content_a_hash_or_a_reference(
    world: TaskWorld, result: dict[str, Any]
) -> None:
    task_id = world.working()
    world.do("complete_task", task_id, world.bob, **result)
    shown = world.task(task_id)["result"]
    assert {key: value for key, value in shown.items() if value is not None} == result


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ({}, "Invalid result: give content, hash or reference"),
        ({"hash": "AB" * 32}, "Invalid hash"),
        ({"hash": "ab"}, "Invalid hash"),
        ({"reference": ""}, "Invalid reference"),
        ({"reference": "x" * 2049}, "Invalid reference"),
        ({"content": "x" * 65_535}, "Invalid content"),
    ],
)
def test_a_result_that_says_nothing_is_refused(
    world: TaskWorld, result: dict[str, Any], text: str
) -> None:
    task_id = world.working()
    assert text in world.run("complete_task", task_id, world.bob, **result).log
    assert world.state(task_id) == "working"


BY_PROVIDER: list[tuple[str, dict[str, Any]]] = [
    ("accept_task", {}),
    ("request_input", {"question": "?"}),
    ("request_approval", {"reason": "r"}),
    ("complete_task", {"content": 1}),
    ("fail_task", {"error": "e"}),
    ("reject_task", {}),
]
BY_REQUESTER: list[tuple[str, dict[str, Any]]] = [
    ("provide_input", {"input": 1}),
    ("cancel_task", {}),
]


@pytest.mark.parametrize(("name", "fields"), BY_PROVIDER)
def test_only_the_provider_may(world: TaskWorld, name: str, fields: dict[str, Any]) -> None:
    task_id = world.create()
    for other in (world.alice, world.otto, world.olga, world.carol):
        assert "only the provider" in world.run(name, task_id, other, **fields).log


@pytest.mark.parametrize(("name", "fields"), BY_REQUESTER)
def test_only_the_requester_may(world: TaskWorld, name: str, fields: dict[str, Any]) -> None:
    task_id = world.create()
    for other in (world.bob, world.otto, world.olga, world.carol):
        assert "only the requester" in world.run(name, task_id, other, **fields).log


@pytest.mark.parametrize(("name", "fields"), BY_PROVIDER + BY_REQUESTER)
@pytest.mark.parametrize("end", ["complete_task", "fail_task", "reject_task", "cancel_task"])
def test_TK_3_a_final_state_never_changes(
    world: TaskWorld, name: str, fields: dict[str, Any], end: str
) -> None:
    task_id = world.create() if end == "reject_task" else world.working()
    final = {"complete_task": {"content": 1}, "fail_task": {"error": "e"}}.get(end, {})
    world.do(end, task_id, world.alice if end == "cancel_task" else world.bob, **final)
    before = world.task(task_id)
    sender = world.alice if (name, fields) in BY_REQUESTER else world.bob
    assert "is not possible" in world.run(name, task_id, sender, **fields).log
    world.after(700_000)
    assert "is not possible" in world.run("expire_task", task_id, world.carol).log
    for by_owner in ("approve_task", "deny_task"):
        assert "is not possible" in world.run(by_owner, task_id, world.otto).log
    assert world.task(task_id) == before


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("request_input", {"question": "?"}),
        ("complete_task", {"content": 1}),
        ("fail_task", {"error": "e"}),
        ("request_approval", {"reason": "r"}),
    ],
)
def test_nothing_but_accept_and_reject_before_acceptance(
    world: TaskWorld, name: str, fields: dict[str, Any]
) -> None:
    task_id = world.create()
    assert "is submitted" in world.run(name, task_id, world.bob, **fields).log


def test_a_task_is_accepted_once(world: TaskWorld) -> None:
    task_id = world.working()
    assert "is working" in world.run("accept_task", task_id, world.bob).log
    assert "is working" in world.run("reject_task", task_id, world.bob).log


@pytest.mark.parametrize("task_id", ["task-2", "task-0", "task-01", "1", "task-", "task-x", ""])
def test_an_unknown_task_is_refused(world: TaskWorld, task_id: str) -> None:
    world.create()
    assert "not found" in world.run("accept_task", task_id, world.bob).log
    assert world.task(task_id) is None


@pytest.mark.parametrize(("name", "fields"), BY_PROVIDER + BY_REQUESTER)
def test_funds_where_none_belong_are_refused(
    world: TaskWorld, name: str, fields: dict[str, Any]
) -> None:
    task_id = world.create()
    sender = world.alice if (name, fields) in BY_REQUESTER else world.bob
    result = world.chain.try_execute(
        world.tasks, {name: {"task_id": task_id, **fields}}, sender=sender, funds="1msg"
    )
    assert "takes no funds" in result.log


def test_the_history_tells_every_step(world: TaskWorld) -> None:
    task_id = world.working()
    world.do("request_input", task_id, world.bob, question="?")
    world.do("provide_input", task_id, world.alice, input="!")
    world.do("fail_task", task_id, world.bob, error="no data")
    answer = world.chain.query(world.tasks, {"task_history": {"task_id": task_id}})
    shown = [(e["action"], e["state"], e["actor"], e["detail"]) for e in answer["entries"]]
    assert shown == [
        ("create_task", "submitted", world.alice, None),
        ("accept_task", "working", world.bob, None),
        ("request_input", "input_required", world.bob, "?"),
        ("provide_input", "working", world.alice, "!"),
        ("fail_task", "failed", world.bob, "no data"),
    ]
    asked = {"task_history": {"task_id": task_id, "start_after": 1, "limit": 2}}
    page = world.chain.query(world.tasks, asked)
    assert [e["number"] for e in page["entries"]] == [2, 3]
    assert page["next"] == 3
