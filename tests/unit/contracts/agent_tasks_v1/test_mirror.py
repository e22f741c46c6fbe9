"""Task messages in the mailbox: the binding's envelope, and what a broken mailbox changes."""

from __future__ import annotations

from typing import Any

from task_world import TaskWorld


def last(world: TaskWorld) -> Any:
    """The last message."""
    return world.sent()[-1]


def test_TK_7_a_request_goes_to_the_provider_in_the_requesters_name(world: TaskWorld) -> None:
    world.create()
    message = last(world)
    assert (message["on_behalf_of"], message["to"]) == (world.alice, world.bob)
    assert message["by"] == world.tasks
    assert message["message_type"] == "request"
    assert message["envelope"] == {
        "type": "task_request",
        "task_id": "task-1",
        "skill": "charts",
        "state": "submitted",
        "lez_price": "0.000000000000001",
        "params": {"of": [1, 2]},
    }


def test_TK_7_status_and_result_go_to_the_requester(world: TaskWorld) -> None:
    task_id = world.working()
    message = last(world)
    assert (message["on_behalf_of"], message["to"]) == (world.bob, world.alice)
    assert (message["envelope"]["type"], message["envelope"]["state"]) == ("task_status", "working")
    world.do("complete_task", task_id, world.bob, content={"n": 1}, reference="r")
    message = last(world)
    assert message["message_type"] == "response"
    assert message["envelope"]["type"] == "task_result"
    assert message["envelope"]["result"] == {"content": {"n": 1}, "reference": "r"}


def test_questions_and_answers_travel_as_params(world: TaskWorld) -> None:
    task_id = world.working()
    world.do("request_input", task_id, world.bob, question="which?")
    assert last(world)["envelope"]["params"] == "which?"
    world.do("provide_input", task_id, world.alice, input="that")
    message = last(world)
    assert (message["on_behalf_of"], message["to"]) == (world.alice, world.bob)
    assert message["envelope"]["params"] == "that"


def test_failure_rejection_and_cancel_are_told(world: TaskWorld) -> None:
    world.do("fail_task", world.working(), world.bob, error="no data")
    assert last(world)["envelope"]["error"] == "no data"
    world.do("reject_task", world.create(), world.bob)
    assert last(world)["envelope"]["state"] == "rejected"
    world.do("cancel_task", world.create(), world.alice)
    assert last(world)["envelope"]["type"] == "cancelled"
    assert last(world)["to"] == world.bob


def test_an_owner_whose_approval_is_awaited_gets_a_message(world: TaskWorld) -> None:
    world.alice_is_agent(per_tx_limit="1")
    world.create()
    assert len(world.sent()) == 1
    message = last(world)
    assert (message["on_behalf_of"], message["to"]) == (world.alice, world.olga)
    assert message["envelope"]["type"] == "approval_request"
    assert message["envelope"]["params"]["price"] == "1000"
    world.do("approve_task", "task-1", world.olga)
    assert (last(world)["to"], last(world)["envelope"]["type"]) == (world.bob, "task_request")


def test_a_providers_owner_gets_a_message_too(world: TaskWorld) -> None:
    task_id = world.working()
    world.do("request_approval", task_id, world.bob, reason="a purchase")
    status, request = world.sent()[-2:]
    assert (status["to"], status["envelope"]["state"]) == (world.alice, "auth_required")
    assert (request["to"], request["envelope"]["params"]["reason"]) == (world.otto, "a purchase")


def test_a_provider_hears_nothing_of_a_payment_that_was_denied(world: TaskWorld) -> None:
    world.alice_is_agent(per_tx_limit="1")
    world.do("deny_task", world.create(), world.olga)
    world.do("cancel_task", world.create(), world.alice)
    assert [m for m in world.sent() if m["to"] == world.bob] == []


def test_an_expired_task_is_told_in_the_contracts_own_name(world: TaskWorld) -> None:
    task_id = world.working()
    world.after(604_801)
    world.do("expire_task", task_id, world.carol)
    both = world.sent()[-2:]
    assert {m["to"] for m in both} == {world.alice, world.bob}
    assert all("on_behalf_of" not in m for m in both)


def test_a_broken_mailbox_does_not_hold_up_money(world: TaskWorld) -> None:
    world.chain.execute(world.mailbox, {"break": True}, sender=world.carol)
    before = world.balance(world.bob)
    task_id = world.create()
    world.do("accept_task", task_id, world.bob)
    result = world.do("complete_task", task_id, world.bob, content=1)
    assert world.balance(world.bob) == before + 1000
    assert world.sent() == []
    keys = [a.key for event in result.events for a in event.attributes]
    assert "mirror_failed" in keys


def test_without_a_mailbox_nothing_is_sent(world: TaskWorld) -> None:
    change = {"update_config": {"a2a_address": ""}}
    world.chain.execute(world.tasks, change, sender=world.admin)
    world.do("accept_task", world.create(), world.bob)
    assert world.sent() == []


def test_a_token_price_has_no_price_in_msg(world: TaskWorld) -> None:
    world.agent(
        "bob-agent", owner=world.otto, address=world.bob, price=5, denom=f"cw20:{world.token}"
    )
    world.create_with_token(5)
    assert "lez_price" not in last(world)["envelope"]
