"""An owner is asked: about a payment, or about a provider's work."""

from __future__ import annotations

from task_world import NANOS, TaskWorld


def waiting(world: TaskWorld, amount: int = 1000) -> str:
    """A task above Alice's limit."""
    world.alice_is_agent(per_tx_limit="500")
    return world.create(amount)


def test_TK_6_a_payment_above_the_limit_waits_with_the_funds_held(world: TaskWorld) -> None:
    task_id = waiting(world)
    task = world.task(task_id)
    assert (task["state"], task["approval"]) == ("auth_required", "payment")
    assert task["approver"] == world.olga
    assert int(task["approval_deadline"]) == world.chain.time + 86_400 * NANOS
    assert world.balance(world.tasks) == world.held() == 1000


def test_TK_6_the_owner_approves_and_the_task_goes_on(world: TaskWorld) -> None:
    task_id = waiting(world)
    world.do("approve_task", task_id, world.olga)
    task = world.task(task_id)
    assert (task["state"], task["approval"], task["approver"]) == ("submitted", None, None)
    world.do("accept_task", task_id, world.bob)
    world.do("complete_task", task_id, world.bob, content=1)
    assert world.held() == 0


def test_TK_6_the_owner_denies_and_the_requester_is_refunded(world: TaskWorld) -> None:
    before = world.balance(world.alice)
    task_id = waiting(world)
    world.do("deny_task", task_id, world.olga, reason="too dear")
    task = world.task(task_id)
    assert (task["state"], task["error"]) == ("failed", "too dear")
    assert world.balance(world.alice) == before


def test_TK_6_an_approval_that_times_out_refunds(world: TaskWorld) -> None:
    before = world.balance(world.alice)
    task_id = waiting(world)
    world.after(86_400)
    assert "is not past" in world.run("expire_task", task_id, world.carol).log
    world.after(1)
    assert "has timed out" in world.run("approve_task", task_id, world.olga).log
    world.do("expire_task", task_id, world.carol)
    task = world.task(task_id)
    assert (task["state"], task["error"]) == ("failed", "approval timed out")
    assert world.balance(world.alice) == before


def test_the_owner_may_approve_in_the_last_moment(world: TaskWorld) -> None:
    task_id = waiting(world)
    world.after(86_400)
    world.do("approve_task", task_id, world.olga)
    assert world.state(task_id) == "submitted"


def test_an_approval_ends_with_the_deadline_of_the_task(world: TaskWorld) -> None:
    world.alice_is_agent(per_tx_limit="500")
    task_id = world.create(deadline=str(world.chain.time + 50 * NANOS))
    assert world.task(task_id)["approval_deadline"] == world.task(task_id)["deadline"]
    world.after(51)
    assert "Deadline" in world.run("approve_task", task_id, world.olga).log


def test_only_the_agents_owner_decides(world: TaskWorld) -> None:
    task_id = waiting(world)
    for other in (world.alice, world.bob, world.otto, world.carol, world.admin):
        for name in ("approve_task", "deny_task"):
            assert "only the agent's owner" in world.run(name, task_id, other).log


def test_a_new_owner_decides_in_the_old_ones_place(world: TaskWorld) -> None:
    task_id = waiting(world)
    world.agent("alice-agent", owner=world.carol, address=world.alice, price=None)
    assert "only the agent's owner" in world.run("approve_task", task_id, world.olga).log
    world.do("approve_task", task_id, world.carol)


def test_a_policy_changed_meanwhile_decides_nothing_by_itself(world: TaskWorld) -> None:
    task_id = waiting(world)
    world.alice_is_agent(per_tx_limit="5000")
    assert world.state(task_id) == "auth_required"
    world.alice_is_agent(per_tx_limit="1")
    world.do("approve_task", task_id, world.olga)
    assert world.state(task_id) == "submitted"


def test_the_requester_may_cancel_while_the_owner_is_asked(world: TaskWorld) -> None:
    before = world.balance(world.alice)
    task_id = waiting(world)
    world.do("cancel_task", task_id, world.alice)
    assert world.state(task_id) == "canceled"
    assert world.balance(world.alice) == before
    assert "is not possible" in world.run("approve_task", task_id, world.olga).log


def test_the_provider_can_do_nothing_before_the_owner_agreed(world: TaskWorld) -> None:
    task_id = waiting(world)
    for name, fields in (("accept_task", {}), ("reject_task", {}), ("fail_task", {"error": "e"})):
        assert "is auth_required" in world.run(name, task_id, world.bob, **fields).log


def test_TK_6_work_that_needs_approval_pauses_and_goes_on(world: TaskWorld) -> None:
    task_id = world.working()
    world.do("request_approval", task_id, world.bob, reason="needs a purchase")
    task = world.task(task_id)
    assert (task["state"], task["approval"], task["approver"]) == (
        "auth_required",
        "work",
        world.otto,
    )
    assert "only the agent's owner" in world.run("approve_task", task_id, world.olga).log
    world.do("approve_task", task_id, world.otto)
    assert world.state(task_id) == "working"
    world.do("complete_task", task_id, world.bob, content=1)


def test_work_denied_by_the_providers_owner_fails_and_refunds(world: TaskWorld) -> None:
    before = world.balance(world.alice)
    task_id = world.working()
    world.do("request_approval", task_id, world.bob, reason="needs a purchase")
    world.do("deny_task", task_id, world.otto)
    task = world.task(task_id)
    assert (task["state"], task["error"]) == ("failed", "denied by the owner")
    assert world.balance(world.alice) == before


def test_a_second_wait_for_the_owner_has_its_own_time(world: TaskWorld) -> None:
    task_id = world.working()
    for _ in range(2):
        world.do("request_approval", task_id, world.bob, reason="again")
        world.after(80_000)
        world.do("approve_task", task_id, world.otto)
    assert world.state(task_id) == "working"


def test_the_provider_may_fail_while_its_owner_is_asked(world: TaskWorld) -> None:
    before = world.balance(world.alice)
    task_id = world.working()
    world.do("request_approval", task_id, world.bob, reason="r")
    world.do("fail_task", task_id, world.bob, error="never mind")
    assert world.balance(world.alice) == before


def test_both_owners_may_be_asked_one_after_the_other(world: TaskWorld) -> None:
    task_id = waiting(world)
    world.do("approve_task", task_id, world.olga)
    world.do("accept_task", task_id, world.bob)
    world.do("request_approval", task_id, world.bob, reason="r")
    world.do("approve_task", task_id, world.otto)
    world.do("complete_task", task_id, world.bob, content=1)
    assert world.held() == 0
