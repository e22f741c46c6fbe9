"""Listings, the configuration, and what the contract says it holds."""

from __future__ import annotations

from typing import Any

import pytest
from task_world import TaskWorld

from chain.testing import QueryFailed


def listed(world: TaskWorld, **asked: Any) -> list[str]:
    """Ids of a listing."""
    return [t["task_id"] for t in page(world, **asked)["tasks"]]


def page(world: TaskWorld, **asked: Any) -> Any:
    """A listing."""
    return world.chain.query(world.tasks, {"list_tasks": asked})


@pytest.fixture
def many(world: TaskWorld) -> TaskWorld:
    """Six tasks: of Alice and of Carol in turn; the first two rejected."""
    for number in range(6):
        world.create(sender=world.alice if number % 2 == 0 else world.carol)
    for task_id in ("task-1", "task-2"):
        world.do("reject_task", task_id, world.bob)
    return world


def test_tasks_are_listed_newest_first(many: TaskWorld) -> None:
    assert listed(many) == [f"task-{n}" for n in (6, 5, 4, 3, 2, 1)]
    assert listed(many, requester=many.alice) == ["task-5", "task-3", "task-1"]
    assert listed(many, provider="bob-agent", limit=2) == ["task-6", "task-5"]
    assert listed(many, provider="other") == []


def test_tasks_are_listed_by_state(many: TaskWorld) -> None:
    assert listed(many, state="rejected") == ["task-2", "task-1"]
    assert listed(many, requester=many.carol, state="rejected") == ["task-2"]
    assert listed(many, provider="bob-agent", state="submitted", limit=2) == ["task-6", "task-5"]
    assert listed(many, state="completed") == []


@pytest.mark.parametrize("word", ["SUBMITTED", "Submitted", "TASK_STATE_SUBMITTED"])
def test_a_state_is_read_in_any_spelling(many: TaskWorld, word: str) -> None:
    assert len(listed(many, state=word)) == 4


def test_pages_follow_each_other(many: TaskWorld) -> None:
    first = page(many, limit=4)
    assert first["next"] == "task-3"
    second = page(many, limit=4, start_after=first["next"])
    assert [t["task_id"] for t in second["tasks"]] == ["task-2", "task-1"]
    assert second["next"] is None
    assert page(many, limit=0) == {"tasks": [], "next": None}


@pytest.mark.parametrize(
    "asked",
    [
        {"state": "unknown"},
        {"start_after": "nonsense"},
        {"requester": "nobody"},
        {"limit": -1},
    ],
)
def test_a_listing_that_makes_no_sense_is_refused(world: TaskWorld, asked: Any) -> None:
    with pytest.raises(QueryFailed):
        page(world, **asked)


def test_a_listing_by_both_sides_is_refused(world: TaskWorld) -> None:
    with pytest.raises(QueryFailed):
        page(world, requester=world.alice, provider="bob-agent")


def test_an_awaited_input_is_found_by_its_state(world: TaskWorld) -> None:
    task_id = world.working()
    world.do("request_input", task_id, world.bob, question="?")
    for word in ("input_required", "input-required", "InputRequired"):
        assert listed(world, state=word) == [task_id]


def test_the_admin_changes_the_configuration(world: TaskWorld) -> None:
    change = {
        "update_config": {
            "admin": world.carol,
            "registry_address": world.mailbox,
            "approval_timeout_seconds": 5,
            "deadline_default_seconds": 6,
            "deadline_max_seconds": 7,
            "content_max_bytes": 8,
            "sweep_max": 9,
        }
    }
    refused = world.chain.try_execute(world.tasks, change, sender=world.alice)
    assert "only the admin" in refused.log
    world.chain.execute(world.tasks, change, sender=world.admin)
    assert world.chain.query(world.tasks, {"get_config": {}}) == {
        "admin": world.carol,
        "registry_address": world.mailbox,
        "a2a_address": world.mailbox,
        "approval_timeout_seconds": 5,
        "deadline_default_seconds": 6,
        "deadline_max_seconds": 7,
        "content_max_bytes": 8,
        "sweep_max": 9,
    }


@pytest.mark.parametrize(
    "change",
    [
        {"approval_timeout_seconds": 0},
        {"approval_timeout_seconds": 31_536_001},
        {"deadline_max_seconds": 604_799},
        {"deadline_default_seconds": 0},
        {"content_max_bytes": 0},
        {"content_max_bytes": 131_073},
        {"sweep_max": 101},
        {"sweep_max": -1},
    ],
)
def test_a_configuration_that_locks_money_is_refused(world: TaskWorld, change: Any) -> None:
    result = world.chain.try_execute(world.tasks, {"update_config": change}, sender=world.admin)
    assert "Invalid" in result.log


def test_migration_keeps_everything(world: TaskWorld) -> None:
    from chain.storage_plus import get_contract_version
    from chain.testing.mocks import mock_deps, mock_env
    from contracts.agent_tasks_v1.contract import migrate
    from contracts.agent_tasks_v1.msg import MigrateMsg

    deps = mock_deps()
    migrate(deps, mock_env(), MigrateMsg())
    assert get_contract_version(deps.storage).contract == "agent_tasks_v1"
