"""The spending policy: limits, the period and its edges, refunds."""

from __future__ import annotations

from typing import Any

import pytest
from task_world import NANOS, TaskWorld


def pay(world: TaskWorld, amount: int) -> str:
    """A task at this price; its state."""
    return world.state(world.create(amount, price=str(amount)))


def free_price(world: TaskWorld) -> None:
    """Let the requester name any price."""
    world.agent("bob-agent", owner=world.otto, address=world.bob, price=0)


def status(world: TaskWorld) -> Any:
    """What the period has used."""
    return world.chain.query(world.tasks, {"spending_status": {"agent": world.alice}})


@pytest.mark.parametrize(
    ("amount", "state"), [(499, "submitted"), (500, "submitted"), (501, "auth_required")]
)
def test_TK_6_at_below_and_above_the_limit_of_one_payment(
    world: TaskWorld, amount: int, state: str
) -> None:
    free_price(world)
    world.alice_is_agent(per_tx_limit="500")
    assert pay(world, amount) == state


@pytest.mark.parametrize(
    ("second", "state"), [(399, "submitted"), (400, "submitted"), (401, "auth_required")]
)
def test_TK_6_at_below_and_above_the_limit_of_a_period(
    world: TaskWorld, second: int, state: str
) -> None:
    free_price(world)
    world.alice_is_agent(per_period_limit="1000")
    assert pay(world, 600) == "submitted"
    assert pay(world, second) == state


def test_a_period_begins_at_its_exact_second(world: TaskWorld) -> None:
    free_price(world)
    world.alice_is_agent(per_period_limit="1000", period_seconds=1000)
    start = (world.chain.time // NANOS // 1000 + 1) * 1000
    world.chain.set_time(start * NANOS)
    assert pay(world, 1000) == "submitted"
    world.chain.set_time((start + 1000) * NANOS - 1)
    assert pay(world, 1) == "auth_required"
    world.chain.set_time((start + 1000) * NANOS)
    assert pay(world, 1000) == "submitted"
    shown = status(world)
    assert shown["period_start"] == str((start + 1000) * NANOS)
    assert shown["period_end"] == str((start + 2000) * NANOS)


def test_a_payment_that_waits_is_not_counted_nor_is_one_approved(world: TaskWorld) -> None:
    free_price(world)
    world.alice_is_agent(per_tx_limit="500", per_period_limit="600")
    task_id = world.create(550, price="550")
    assert status(world)["spent"] == "0"
    world.do("approve_task", task_id, world.olga)
    assert (status(world)["spent"], status(world)["remaining"]) == ("0", "600")


def test_a_refund_in_its_period_gives_the_room_back(world: TaskWorld) -> None:
    free_price(world)
    world.alice_is_agent(per_period_limit="1000")
    task_id = world.create(1000, price="1000")
    assert status(world)["remaining"] == "0"
    world.do("reject_task", task_id, world.bob)
    assert status(world)["remaining"] == "1000"


def test_a_refund_of_an_earlier_period_gives_nothing_back(world: TaskWorld) -> None:
    free_price(world)
    world.alice_is_agent(per_period_limit="1000", period_seconds=1000)
    old = world.create(1000, price="1000")
    world.after(1000)
    world.create(700, price="700")
    world.do("cancel_task", old, world.alice)
    assert status(world)["spent"] == "700"


def test_a_completed_task_stays_counted(world: TaskWorld) -> None:
    free_price(world)
    world.alice_is_agent(per_period_limit="1000")
    task_id = world.working(400, price="400")
    world.do("complete_task", task_id, world.bob, content=1)
    assert status(world)["spent"] == "400"


def test_a_policy_that_changes_applies_to_the_next_payment(world: TaskWorld) -> None:
    free_price(world)
    world.alice_is_agent(per_period_limit="1000")
    assert pay(world, 600) == "submitted"
    world.alice_is_agent(per_period_limit="700")
    assert pay(world, 200) == "auth_required"
    world.alice_is_agent(per_period_limit="800")
    assert pay(world, 200) == "submitted"


def test_a_free_task_needs_nobody(world: TaskWorld) -> None:
    free_price(world)
    world.alice_is_agent(per_tx_limit="0", per_period_limit="0")
    assert world.state(world.create(0)) == "submitted"


def test_a_limit_of_zero_lets_nothing_through(world: TaskWorld) -> None:
    free_price(world)
    world.alice_is_agent(per_tx_limit="0")
    assert pay(world, 1) == "auth_required"


def test_another_denomination_always_needs_the_owner(world: TaskWorld) -> None:
    world.alice_is_agent(per_tx_limit="1000000")
    world.agent(
        "bob-agent", owner=world.otto, address=world.bob, price=5, denom=f"cw20:{world.token}"
    )
    assert world.create_with_token(5).code == 0
    assert world.state("task-1") == "auth_required"


def test_a_policy_in_a_token_counts_that_token(world: TaskWorld) -> None:
    denom = f"cw20:{world.token}"
    world.alice_is_agent(per_period_limit="7", denom=denom)
    world.agent("bob-agent", owner=world.otto, address=world.bob, price=5, denom=denom)
    assert world.create_with_token(5).code == 0
    assert world.create_with_token(5).code == 0
    assert [world.state(f"task-{n}") for n in (1, 2)] == ["submitted", "auth_required"]


def test_who_is_no_agent_has_no_policy(world: TaskWorld) -> None:
    assert world.state(world.create(1000)) == "submitted"
    assert status(world)["per_tx_limit"] is None
    assert status(world)["remaining"] is None
