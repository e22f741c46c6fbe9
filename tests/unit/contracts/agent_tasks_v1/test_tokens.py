"""Tasks priced in tokens, and payments that cannot be delivered."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from task_world import TaskWorld


@pytest.fixture
def priced(world: TaskWorld) -> TaskWorld:
    """Bob asks 50 of the token."""
    world.agent(
        "bob-agent", owner=world.otto, address=world.bob, price=50, denom=f"cw20:{world.token}"
    )
    return world


def test_a_task_is_paid_in_a_token(priced: TaskWorld) -> None:
    result = priced.create_with_token(50)
    assert json.loads(result.data)["task_id"] == "task-1" if result.data else result.code == 0
    task = priced.task("task-1")
    assert (task["requester"], task["price"]) == (priced.alice, "50")
    assert task["denom"] == f"cw20:{priced.token}"
    assert priced.tokens(priced.tasks) == priced.held(f"cw20:{priced.token}") == 50
    priced.do("accept_task", "task-1", priced.bob)
    priced.do("complete_task", "task-1", priced.bob, content=1)
    assert (priced.tokens(priced.bob), priced.tokens(priced.tasks)) == (50, 0)
    assert priced.held(f"cw20:{priced.token}") == 0


def test_tokens_come_back_when_the_task_is_rejected(priced: TaskWorld) -> None:
    priced.create_with_token(50)
    priced.do("reject_task", "task-1", priced.bob)
    assert priced.tokens(priced.alice) == 10_000


def test_tokens_above_the_price_come_back_at_once(priced: TaskWorld) -> None:
    priced.create_with_token(80)
    assert (priced.tokens(priced.alice), priced.tokens(priced.tasks)) == (9950, 50)


def test_too_few_tokens_are_refused_and_stay_with_the_sender(priced: TaskWorld) -> None:
    assert "Underpaid" in priced.create_with_token(49).log
    assert priced.tokens(priced.alice) == 10_000


def test_coins_for_a_token_price_are_refused(priced: TaskWorld) -> None:
    assert "Wrong denomination" in priced.try_create(50).log


def test_tokens_for_a_coin_price_are_refused(world: TaskWorld) -> None:
    assert "Wrong denomination" in world.create_with_token(5000).log


def test_a_retry_with_tokens_returns_them(priced: TaskWorld) -> None:
    priced.create_with_token(50, client_ref="r")
    priced.create_with_token(50, client_ref="r")
    assert (priced.tokens(priced.alice), priced.tokens(priced.tasks)) == (9950, 50)


def test_a_hook_that_says_something_else_is_refused(priced: TaskWorld) -> None:
    for hook in (b'{"accept_task":{"task_id":"task-1"}}', b"{}", b"nonsense"):
        body = {
            "contract": priced.tasks,
            "amount": "1",
            "msg": base64.b64encode(hook).decode(),
        }
        result = priced.chain.try_execute(priced.token, {"send": body}, sender=priced.alice)
        assert result.code == 5


@pytest.fixture
def hostile(world: TaskWorld) -> TaskWorld:
    """Bob takes a token that never moves; another task holds real money."""
    world.agent(
        "bob-agent", owner=world.otto, address=world.bob, price=7, denom=f"cw20:{world.hostile}"
    )
    pay_hostile(world)
    world.chain.execute(world.hostile, {"break": True}, sender=world.carol)
    world.agent("bob-agent", owner=world.otto, address=world.bob, price=1000)
    world.create(1000)
    return world


def pay_hostile(world: TaskWorld) -> Any:
    """A task paid in the token of nothing."""
    hook = json.dumps({"create_task": world.body()}).encode()
    body = {"contract": world.tasks, "amount": "7", "msg": base64.b64encode(hook).decode()}
    return world.chain.execute(world.hostile, {"pay": body}, sender=world.alice)


def test_a_token_that_never_moves_does_not_hold_up_the_task(hostile: TaskWorld) -> None:
    hostile.do("accept_task", "task-1", hostile.bob)
    hostile.do("complete_task", "task-1", hostile.bob, content=1)
    assert hostile.state("task-1") == "completed"
    denom = f"cw20:{hostile.hostile}"
    asked = {"claimable": {"address": hostile.bob}}
    assert hostile.chain.query(hostile.tasks, asked)["claims"] == [
        {"address": hostile.bob, "denom": denom, "amount": "7"}
    ]
    assert hostile.held(denom) == 7


def test_other_peoples_money_moves_past_a_token_that_never_does(hostile: TaskWorld) -> None:
    before = hostile.balance(hostile.alice)
    hostile.do("reject_task", "task-1", hostile.bob)
    hostile.do("reject_task", "task-2", hostile.bob)
    assert hostile.balance(hostile.alice) == before + 1000
    assert hostile.held() == 0


def test_what_waits_is_withdrawn_once_the_token_moves(hostile: TaskWorld) -> None:
    hostile.do("reject_task", "task-1", hostile.bob)
    denom = f"cw20:{hostile.hostile}"
    own = {"withdraw": {"denom": denom, "to": hostile.tasks}}
    refused = hostile.chain.try_execute(hostile.tasks, own, sender=hostile.bob)
    assert "The tasks contract cannot be paid itself" in refused.log
    ask = {"withdraw": {"denom": denom, "to": hostile.carol}}
    result = hostile.chain.try_execute(hostile.tasks, ask, sender=hostile.alice)
    assert "never moves" in result.log
    assert hostile.held(denom) == 7
    hostile.chain.execute(hostile.hostile, {"break": False}, sender=hostile.carol)
    hostile.chain.execute(hostile.tasks, ask, sender=hostile.alice)
    assert hostile.held(denom) == 0
    result = hostile.chain.try_execute(hostile.tasks, ask, sender=hostile.alice)
    assert "Nothing to withdraw" in result.log


def test_only_the_payee_withdraws(hostile: TaskWorld) -> None:
    hostile.do("reject_task", "task-1", hostile.bob)
    ask = {"withdraw": {"denom": f"cw20:{hostile.hostile}"}}
    for other in (hostile.bob, hostile.carol):
        result = hostile.chain.try_execute(hostile.tasks, ask, sender=other)
        assert "Nothing to withdraw" in result.log


def test_all_that_waits_is_listed(hostile: TaskWorld) -> None:
    hostile.do("reject_task", "task-1", hostile.bob)
    answer = hostile.chain.query(hostile.tasks, {"list_claimable": {"limit": 1}})
    assert [c["address"] for c in answer["claims"]] == [hostile.alice]
    assert answer["next"] == [hostile.alice, f"cw20:{hostile.hostile}"]
