"""IN-1: intents."""

from __future__ import annotations

import json

import pytest
from agent_net import AgentNet, events_of


def submit(net: AgentNet, sender: str, *targets: str, **fields: object) -> str:
    body = {"target_capabilities": list(targets), "payload": "aGk=", "priority": 60, "ttl": 60}
    result = net.do(sender, "submit_intent", **{**body, **fields})
    intent_id: str = json.loads(result.data)["intent_id"]
    return intent_id


def intent(net: AgentNet, intent_id: str) -> dict[str, object]:
    found: dict[str, object] = net.ask("get_intent", intent_id=intent_id)["intent"]
    return found


def agents(net: AgentNet, **prices: int | None) -> None:
    for name, price in prices.items():
        model = None if price is None else {"price": price}
        net.register(net.account(name), name, capabilities=["x", "y"], price_model=model)


def test_IN_1_matches_cheapest_first_then_by_id(net: AgentNet, alice: str) -> None:
    agents(net, b=10, a=10, c=5, d=None)
    made = intent(net, submit(net, alice, "x", "y"))
    assert made["status"] == "matched"
    assert made["matched_agents"] == ["c", "a", "b", "d"]
    assert intent(net, submit(net, alice, "x", max_price="9"))["matched_agents"] == ["c"]
    assert intent(net, submit(net, alice, "x", max_price=4))["status"] == "pending"


def test_IN_1_needs_all_capabilities(net: AgentNet, alice: str, bob: str, carol: str) -> None:
    net.register(bob, "b", capabilities=["x"])
    net.register(carol, "c", capabilities=["y"])
    assert intent(net, submit(net, alice, "x", "y"))["status"] == "pending"


def test_IN_1_a_waiting_intent_is_matched_when_an_agent_gains_it(
    net: AgentNet, alice: str, bob: str
) -> None:
    waiting = submit(net, alice, "x", "y", max_price=10)
    net.register(bob, "b", capabilities=["x"], price_model={"price": 11})
    net.do(bob, "add_capability", agent_id="b", capability="y")
    assert intent(net, waiting)["status"] == "pending"
    net.on(net.registry, bob, "update_agent", agent_id="b", price_model={"price": 10})
    made = intent(net, waiting)
    assert (made["status"], made["matched_agents"]) == ("matched", ["b"])


def test_IN_1_matching_emits(net: AgentNet, alice: str, bob: str) -> None:
    waiting = submit(net, alice, "x")
    net.register(bob, "b")
    result = net.do(bob, "add_capability", agent_id="b", capability="x")
    event = events_of(result, "a2a_intent_matched")[0]
    assert (event["intent_id"], event["agent_id"], event["actor"]) == (waiting, "b", bob)


def test_IN_1_routing_sends_to_the_best(net: AgentNet, alice: str) -> None:
    agents(net, b=10, c=5)
    made = submit(net, alice, "x")
    result = net.do(alice, "route_intent", intent_id=made)
    routed = json.loads(result.data)
    assert routed["agent_id"] == "c"
    message = net.ask("get_message", msg_id=routed["msg_id"])["message"]
    assert (message["sender"], message["receiver"]) == (alice, net.account("c"))
    assert (message["message_type"], message["payload"]) == ("request", "aGk=")
    assert (message["priority"], message["ttl"]) == (60, 60)
    shown = intent(net, made)
    assert (shown["status"], shown["routed_to"], shown["msg_id"]) == (
        "routed",
        "c",
        routed["msg_id"],
    )
    assert events_of(result, "a2a_intent_routed")[0]["msg_id"] == routed["msg_id"]


def test_IN_1_routing_to_the_chosen(net: AgentNet, alice: str) -> None:
    agents(net, b=10, c=5)
    made = submit(net, alice, "x", max_price=9)
    text = net.refused(alice, "route_intent", intent_id=made, agent_id="b")
    assert "No agent matches the intent" in text
    net.do(alice, "route_intent", intent_id=made, agent_id="c")
    assert intent(net, made)["routed_to"] == "c"


def test_IN_1_routing_looks_again(net: AgentNet, alice: str, bob: str) -> None:
    net.register(bob, "b", capabilities=["x"])
    made = submit(net, alice, "x")
    net.do(bob, "remove_capability", agent_id="b", capability="x")
    assert "No agent matches" in net.refused(alice, "route_intent", intent_id=made)
    net.do(bob, "add_capability", agent_id="b", capability="x")
    net.do(alice, "route_intent", intent_id=made)


def test_IN_1_routing_is_a_send_with_its_checks(net: AgentNet, alice: str, bob: str) -> None:
    net.register(bob, "b", capabilities=["x"])
    made = submit(net, alice, "x")
    net.on(net.constitution, net.admin, "suspend_agent", agent_id=alice)
    text = net.refused(alice, "route_intent", intent_id=made)
    assert "Constitution check failed" in text
    assert intent(net, made)["status"] == "matched"


def test_IN_1_not_to_oneself(net: AgentNet, alice: str) -> None:
    net.register(alice, "a", capabilities=["x"])
    assert intent(net, submit(net, alice, "x"))["status"] == "pending"


def test_IN_1_final_states(net: AgentNet, alice: str, bob: str) -> None:
    net.register(bob, "b", capabilities=["x"])
    routed = submit(net, alice, "x")
    net.do(alice, "route_intent", intent_id=routed)
    cancelled = submit(net, alice, "x")
    net.do(alice, "cancel_intent", intent_id=cancelled)
    for intent_id, word in ((routed, "routed"), (cancelled, "cancelled")):
        text = net.refused(alice, "route_intent", intent_id=intent_id)
        assert f"Invalid intent transition: {word} to routed" in text
        text = net.refused(alice, "cancel_intent", intent_id=intent_id)
        assert f"Invalid intent transition: {word} to cancelled" in text


def test_IN_1_only_its_sender(net: AgentNet, alice: str, bob: str) -> None:
    made = submit(net, alice, "x")
    for variant in ("route_intent", "cancel_intent"):
        assert "Unauthorized" in net.refused(bob, variant, intent_id=made)
        assert "Intent not found: nothing" in net.refused(alice, variant, intent_id="nothing")
    assert net.ask("get_intent", intent_id="nothing") == {"intent": None}


@pytest.mark.parametrize("matched", [False, True])
def test_IN_1_ends_after_its_time(net: AgentNet, alice: str, bob: str, matched: bool) -> None:
    if matched:
        net.register(bob, "b", capabilities=["x"])
    made = submit(net, alice, "x", ttl=10)
    net.later(10)
    assert intent(net, made)["status"] == ("matched" if matched else "pending")
    net.later(1)
    assert intent(net, made)["status"] == "expired"
    for variant in ("route_intent", "cancel_intent"):
        assert "Intent has expired" in net.refused(alice, variant, intent_id=made)
    before = net.ask("list_intents", address=alice, status="expired")
    assert (before["total"], len(before["intents"])) == (1, 1)
    result = net.chain.sudo(net.a2a, {"begin_block": {}})
    assert events_of(result, "a2a_intent_expired")[0]["intent_id"] == made
    assert net.ask("list_intents", address=alice, status="expired") == before
    if not matched:
        net.register(bob, "b", capabilities=["x"])
        assert intent(net, made)["status"] == "expired"


@pytest.mark.parametrize(
    "targets", [[], ["x", "x"], [f"c{n}" for n in range(9)]], ids=["none", "twice", "nine"]
)
def test_IN_1_refuses_odd_targets(net: AgentNet, alice: str, targets: list[str]) -> None:
    text = net.refused(
        alice, "submit_intent", target_capabilities=targets, payload="aGk=", priority=1, ttl=9
    )
    assert "Invalid intent" in text


@pytest.mark.parametrize("price", ["-1", "1.5", "", str(2**128), -1, 2**128])
def test_IN_1_refuses_odd_prices(net: AgentNet, alice: str, price: object) -> None:
    net.refused(
        alice,
        "submit_intent",
        target_capabilities=["x"],
        payload="aGk=",
        priority=1,
        ttl=9,
        max_price=price,
    )


def test_IN_1_open_intents_have_a_limit_that_the_dead_do_not_fill(
    net: AgentNet, alice: str
) -> None:
    net.do(net.admin, "update_config", limits={"intents_open_max": 2})
    for _ in range(2):
        submit(net, alice, "x", ttl=10)
    text = net.refused(
        alice, "submit_intent", target_capabilities=["x"], payload="aGk=", priority=1, ttl=9
    )
    assert "at most 2 open intents" in text
    net.later(11)
    submit(net, alice, "x")
    assert net.ask("list_intents", address=alice, status="pending")["total"] == 1


def test_IN_1_looks_at_a_hundred_candidates(net: AgentNet, alice: str) -> None:
    net.do(net.admin, "update_config", limits={"candidates_max": 2})
    for name in ("a", "b", "c"):
        net.register(net.account(name), name, capabilities=["x", "y"])
    assert intent(net, submit(net, alice, "x"))["matched_agents"] == ["a", "b"]


def test_IN_1_lists_pages(net: AgentNet, alice: str, bob: str) -> None:
    net.register(bob, "b", capabilities=["x"])
    made = [submit(net, alice, "x"), submit(net, alice, "z"), submit(net, alice, "x")]
    net.do(alice, "cancel_intent", intent_id=made[0])
    page = net.ask("list_intents", address=alice, limit=2)
    assert [i["intent_id"] for i in page["intents"]] == made[:0:-1]
    assert (page["total"], page["next"]) == (3, made[1])
    rest = net.ask("list_intents", address=alice, start_after=made[1])
    assert [i["intent_id"] for i in rest["intents"]] == made[:1]
    for status, expected in (("pending", made[1]), ("matched", made[2]), ("cancelled", made[0])):
        page = net.ask("list_intents", address=alice, status=status)
        assert [i["intent_id"] for i in page["intents"]] == [expected]
        assert page["total"] == 1
