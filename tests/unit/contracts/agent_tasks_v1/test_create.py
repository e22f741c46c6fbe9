"""Creating tasks: price, funds, retries, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from task_world import NANOS, TaskWorld, card


def test_TK_3_the_price_is_held_and_the_task_is_submitted(world: TaskWorld) -> None:
    before = world.balance(world.alice)
    task_id = world.create(1000)
    task = world.task(task_id)
    assert (task_id, task["state"]) == ("task-1", "submitted")
    assert (task["price"], task["denom"]) == ("1000", "amsg")
    assert task["params"] == {"of": [1, 2]}
    assert world.balance(world.alice) == before - 1000
    assert world.balance(world.tasks) == world.held() == 1000


def test_creation_is_an_event_with_who_and_what(world: TaskWorld) -> None:
    events = world.try_create(1000).events
    event = next(e for e in events if e.type == "wasm-agent_task")
    shown = {a.key: a.value for a in event.attributes}
    assert shown["action"] == "create_task"
    assert (shown["requester"], shown["provider"]) == (world.alice, "bob-agent")
    assert (shown["actor"], shown["state"]) == (world.alice, "submitted")
    assert shown["height"] == str(world.chain.height)


def test_TK_5_underpaid_is_refused_and_costs_nothing(world: TaskWorld) -> None:
    before = world.balance(world.alice)
    result = world.try_create(999)
    assert "Underpaid: the price is 1000amsg, attached 999amsg" in result.log
    assert world.balance(world.alice) == before
    assert world.task("task-1") is None


def test_TK_5_nothing_attached_is_underpaid(world: TaskWorld) -> None:
    assert "Underpaid" in world.try_create(0).log


def test_TK_5_overpayment_comes_back_in_the_same_transaction(world: TaskWorld) -> None:
    before = world.balance(world.alice)
    task_id = world.create(1750)
    assert world.task(task_id)["price"] == "1000"
    assert world.balance(world.alice) == before - 1000
    assert world.balance(world.tasks) == world.held() == 1000


def test_TK_5_a_zero_price_moves_nothing_and_goes_on(world: TaskWorld) -> None:
    world.agent("bob-agent", owner=world.otto, address=world.bob, price=0)
    task_id = world.create(0)
    world.do("accept_task", task_id, world.bob)
    world.do("complete_task", task_id, world.bob, content="done")
    assert world.state(task_id) == "completed"
    assert world.balance(world.tasks) == world.held() == 0


def test_what_is_attached_to_a_free_task_comes_back(world: TaskWorld) -> None:
    world.agent("bob-agent", owner=world.otto, address=world.bob, price=None)
    before = world.balance(world.alice)
    world.create(77)
    assert world.balance(world.alice) == before
    assert world.held() == 0


def test_the_requester_may_name_more_than_the_card_asks(world: TaskWorld) -> None:
    task_id = world.create(1500, price="1500")
    assert world.task(task_id)["price"] == "1500"


def test_a_price_that_rose_since_it_was_read_is_refused(world: TaskWorld) -> None:
    world.agent("bob-agent", owner=world.otto, address=world.bob, price=2000)
    result = world.try_create(5000, price="1000")
    assert "Price changed: the card asks 2000amsg, offered 1000amsg" in result.log
    assert world.held() == 0


def test_a_price_that_fell_leaves_what_the_requester_agreed_to(world: TaskWorld) -> None:
    world.agent("bob-agent", owner=world.otto, address=world.bob, price=10)
    task_id = world.create(1000, price="1000")
    assert world.task(task_id)["price"] == "1000"


def test_a_price_that_fell_is_the_price_when_none_is_named(world: TaskWorld) -> None:
    world.agent("bob-agent", owner=world.otto, address=world.bob, price=10)
    before = world.balance(world.alice)
    world.create(1000)
    assert world.balance(world.alice) == before - 10


def test_two_denominations_are_refused(world: TaskWorld) -> None:
    world.chain.fund(world.alice, "5earth")
    funds = [{"denom": "amsg", "amount": "1000"}, {"denom": "earth", "amount": "5"}]
    result = world.chain.try_execute(
        world.tasks, {"create_task": world.body()}, sender=world.alice, funds=funds
    )
    assert "one denomination only" in result.log


def test_another_denomination_than_the_cards_is_refused(world: TaskWorld) -> None:
    world.chain.fund(world.alice, "5000earth")
    result = world.chain.try_execute(
        world.tasks,
        {"create_task": world.body()},
        sender=world.alice,
        funds=[{"denom": "earth", "amount": "5000"}],
    )
    assert "Wrong denomination: the price is in amsg, attached earth" in result.log


def test_an_unknown_provider_is_refused(world: TaskWorld) -> None:
    assert "Agent nobody not found" in world.try_create(provider="nobody").log


@pytest.mark.parametrize("status", ["pending", "inactive", "deregistered"])
def test_a_provider_that_is_not_active_is_refused(world: TaskWorld, status: str) -> None:
    world.agent("bob-agent", owner=world.otto, address=world.bob, price=1000, status=status)
    assert f"Agent bob-agent is {status}" in world.try_create().log


def test_an_agent_gives_itself_no_task(world: TaskWorld) -> None:
    assert "cannot give itself" in world.try_create(sender=world.bob).log


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"skill": ""}, "Invalid skill: 1 to 128 bytes"),
        ({"skill": "x" * 129}, "Invalid skill"),
        ({"client_ref": ""}, "Invalid client_ref"),
        ({"client_ref": "x" * 129}, "Invalid client_ref"),
        ({"context_id": ""}, "Invalid context_id"),
        ({"params": "x" * 65_535}, "Invalid params: at most 65536 bytes"),
    ],
)
def test_fields_out_of_bounds_are_refused(
    world: TaskWorld, fields: dict[str, Any], text: str
) -> None:
    assert text in world.try_create(**fields).log


def test_params_may_have_exactly_the_limit(world: TaskWorld) -> None:
    world.create(params="x" * 65_534)


def test_a_deadline_in_the_past_or_now_is_refused(world: TaskWorld) -> None:
    now = world.chain.time
    assert "Invalid deadline" in world.try_create(deadline=str(now)).log
    world.create(deadline=str(now + 1))


def test_a_deadline_too_far_ahead_is_refused(world: TaskWorld) -> None:
    latest = world.chain.time + 31_536_000 * NANOS
    assert "Invalid deadline" in world.try_create(deadline=str(latest + 1)).log
    world.create(deadline=str(latest))


def test_without_a_deadline_the_default_holds(world: TaskWorld) -> None:
    task = world.task(world.create())
    assert int(task["deadline"]) == world.chain.time + 604_800 * NANOS


def test_client_ref_retry_answers_the_same_task_and_returns_the_money(world: TaskWorld) -> None:
    task_id = world.create(1000, client_ref="order-1")
    before = world.balance(world.alice)
    assert world.create(1000, client_ref="order-1") == task_id
    assert world.balance(world.alice) == before
    assert world.held() == 1000
    assert len(world.sent()) == 1


def test_client_ref_retry_works_after_the_task_is_over(world: TaskWorld) -> None:
    task_id = world.create(1000, client_ref="order-1")
    world.do("reject_task", task_id, world.bob)
    assert world.create(1000, client_ref="order-1") == task_id
    assert world.state(task_id) == "rejected"
    assert world.held() == 0


@pytest.mark.parametrize(
    "other",
    [
        {"skill": "maps"},
        {"params": {"of": [1, 2, 3]}},
        {"price": "1000"},
        {"deadline": "1900000000000000000"},
        {"context_id": "c"},
    ],
)
def test_client_ref_with_another_body_is_a_conflict(
    world: TaskWorld, other: dict[str, Any]
) -> None:
    before = world.balance(world.alice)
    world.create(1000, client_ref="order-1")
    result = world.try_create(1000, client_ref="order-1", **other)
    assert "client_ref order-1 belongs to task-1, which has another body" in result.log
    assert world.balance(world.alice) == before - 1000


def test_client_refs_of_two_requesters_do_not_meet(world: TaskWorld) -> None:
    first = world.create(client_ref="order-1")
    assert world.create(sender=world.carol, client_ref="order-1") != first


def test_a_task_is_found_by_its_ref(world: TaskWorld) -> None:
    task_id = world.create(client_ref="order-1")
    asked = {"get_task_by_ref": {"requester": world.alice, "client_ref": "order-1"}}
    assert world.chain.query(world.tasks, asked)["task"]["task_id"] == task_id
    asked["get_task_by_ref"]["client_ref"] = "other"
    assert world.chain.query(world.tasks, asked)["task"] is None


def test_the_cards_share_is_kept_from_creation(world: TaskWorld) -> None:
    world.card("bob-agent", card(price="1000", cancellation_share_bps=2500))
    task_id = world.working()
    world.card("bob-agent", card(price="1000", cancellation_share_bps=10_000))
    assert world.task(task_id)["cancellation_share_bps"] == 2500


def test_an_offer_above_a_free_card_may_be_in_any_denomination(world: TaskWorld) -> None:
    world.agent("bob-agent", owner=world.otto, address=world.bob, price=0)
    world.chain.fund(world.alice, "50earth")
    fields = world.body(price="40")
    world.chain.execute(world.tasks, {"create_task": fields}, sender=world.alice, funds="50earth")
    task = world.task("task-1")
    assert (task["price"], task["denom"]) == ("40", "earth")
    assert world.chain.balance(world.alice, "earth") == 10
    assert world.held("earth") == 40
