"""CP-1: who can do what, and who may say so."""

from __future__ import annotations

import pytest
from agent_net import AgentNet, events_of


def find(net: AgentNet, capability: str, **fields: object) -> list[str]:
    found: list[str] = net.ask("find_agents_by_capability", capability=capability, **fields)[
        "agents"
    ]
    return found


def test_CP_1_the_owner_adds_and_removes(net: AgentNet, alice: str) -> None:
    net.register(alice, "alice-agent")
    result = net.do(alice, "add_capability", agent_id="alice-agent", capability="text-generation")
    event = events_of(result, "a2a_capability_added")[0]
    assert (event["actor"], event["agent_id"]) == (alice, "alice-agent")
    net.do(alice, "add_capability", agent_id="alice-agent", capability="code-review")
    listed = net.ask("list_capabilities", agent_id="alice-agent")["capabilities"]
    assert listed == ["code-review", "text-generation"]
    found = net.ask("find_agents_by_capability", capability="text-generation")
    assert (found["agents"], found["count"]) == (["alice-agent"], 1)
    assert found["entries"][0]["address"] == found["entries"][0]["owner"] == alice
    net.do(alice, "remove_capability", agent_id="alice-agent", capability="text-generation")
    assert find(net, "text-generation") == []


def test_CP_1_has_capability(net: AgentNet, alice: str) -> None:
    net.register(alice, "alice-agent", capabilities=["code-review"])
    asked = net.ask("has_capability", agent_id="alice-agent", capability="code-review")
    assert asked == {"agents": ["alice-agent"], "count": 1, "has": True}
    asked = net.ask("has_capability", agent_id="alice-agent", capability="other")
    assert asked == {"agents": [], "count": 0, "has": False}


def test_CP_1_nobody_else_does(net: AgentNet, alice: str, bob: str) -> None:
    net.register(alice, "alice-agent", capabilities=["code-review"])
    for variant in ("add_capability", "remove_capability"):
        for stranger in (bob, net.admin):
            text = net.refused(stranger, variant, agent_id="alice-agent", capability="code-review")
            assert "Unauthorized" in text


def test_CP_1_an_unregistered_agent_has_its_error(net: AgentNet, alice: str) -> None:
    text = net.refused(alice, "add_capability", agent_id="ghost", capability="x")
    assert "Agent not registered in registry" in text


def test_CP_1_not_twice_and_not_what_is_not_there(net: AgentNet, alice: str) -> None:
    net.register(alice, "alice-agent", capabilities=["a"])
    text = net.refused(alice, "add_capability", agent_id="alice-agent", capability="a")
    assert "Capability already registered: a" in text
    text = net.refused(alice, "remove_capability", agent_id="alice-agent", capability="b")
    assert "Capability not found: b" in text


@pytest.mark.parametrize("name", ["a", "chart-generation", "nlp:translate:zh-en", "9", "a" * 64])
def test_CP_1_names(net: AgentNet, alice: str, name: str) -> None:
    net.register(alice, "alice-agent")
    net.do(alice, "add_capability", agent_id="alice-agent", capability=name)
    assert find(net, name) == ["alice-agent"]


@pytest.mark.parametrize(
    "name", ["", "A", "a b", "-a", "a-", "a--b", ":a", "a:", "a::b", "a_b", "a" * 65, "é"]
)
def test_CP_1_names_that_are_none(net: AgentNet, alice: str, name: str) -> None:
    net.register(alice, "alice-agent")
    text = net.refused(alice, "add_capability", agent_id="alice-agent", capability=name)
    assert f"Invalid capability: {name}" in text


def test_CP_1_sixty_four_and_no_more(net: AgentNet, alice: str) -> None:
    net.register(alice, "alice-agent", capabilities=[f"c{n}" for n in range(63)])
    net.do(alice, "add_capability", agent_id="alice-agent", capability="last")
    text = net.refused(alice, "add_capability", agent_id="alice-agent", capability="more")
    assert "Too many capabilities: max 64" in text


def test_CP_1_ownership_takes_the_right_along(net: AgentNet, alice: str, bob: str) -> None:
    net.register(alice, "alice-agent", capabilities=["a"])
    net.on(net.registry, alice, "transfer_ownership", agent_id="alice-agent", new_owner=bob)
    text = net.refused(alice, "add_capability", agent_id="alice-agent", capability="b")
    assert "Unauthorized" in text
    net.do(bob, "add_capability", agent_id="alice-agent", capability="b")
    entry = net.ask("find_agents_by_capability", capability="b")["entries"][0]
    assert (entry["owner"], entry["address"]) == (bob, alice)


def test_CP_1_deregistering_removes_them(net: AgentNet, alice: str) -> None:
    net.register(alice, "alice-agent", capabilities=["a", "b"])
    net.on(net.registry, alice, "deregister_agent", agent_id="alice-agent")
    assert find(net, "a") == find(net, "b") == []
    assert net.ask("list_capabilities", agent_id="alice-agent")["capabilities"] == []
    text = net.refused(alice, "add_capability", agent_id="alice-agent", capability="c")
    assert "Agent not registered in registry" in text
    net.register(alice, "alice-agent")
    assert find(net, "a") == []


def test_CP_1_an_inactive_agent_is_not_found(net: AgentNet, alice: str) -> None:
    net.register(alice, "alice-agent", capabilities=["a"])
    net.on(net.registry, alice, "update_agent", agent_id="alice-agent", status="inactive")
    assert find(net, "a") == []
    assert net.ask("list_capabilities", agent_id="alice-agent")["capabilities"] == ["a"]
    net.on(net.registry, alice, "update_agent", agent_id="alice-agent", status="Active")
    assert find(net, "a") == ["alice-agent"]


def test_CP_1_only_the_registry_reports(net: AgentNet, alice: str) -> None:
    text = net.refused(
        alice,
        "sync_agent",
        agent_id="x",
        owner=alice,
        address=alice,
        price=None,
        active=True,
    )
    assert "Unauthorized" in text


def test_CP_1_an_agent_from_before_is_asked_for(net: AgentNet, alice: str) -> None:
    late = AgentNet(constitution=False)
    code = late.chain.store_code(net.chain and __import__("agent_net").code_of("agent_a2a_v1"))
    late.register(late.account("alice"), "alice-agent", price_model={"price": 7})
    late.a2a = late.chain.instantiate(
        code,
        {
            "admin": late.admin,
            "registry_address": late.registry,
            "did_registry_address": late.did,
        },
        sender=late.admin,
        label="late",
    )
    late.do(late.account("alice"), "add_capability", agent_id="alice-agent", capability="a")
    entry = late.ask("find_agents_by_capability", capability="a")["entries"][0]
    assert (entry["agent_id"], entry["price"]) == ("alice-agent", "7")


def test_CP_1_pages_by_id(net: AgentNet) -> None:
    names = [f"agent-{n}" for n in range(7)]
    for name in names:
        net.register(net.account(name), name, capabilities=["a"])
    first = net.ask("find_agents_by_capability", capability="a", limit=3)
    assert (first["agents"], first["count"], first["next"]) == (names[:3], 7, "agent-2")
    assert find(net, "a", start_after="agent-2", limit=3) == names[3:6]
    assert find(net, "a", start_after="agent-5") == names[6:]
    assert find(net, "a", limit=0) == []


def test_CP_1_cheapest_first(net: AgentNet) -> None:
    prices = {"a": 30, "b": None, "c": 10, "d": 0, "e": 10}
    for name, price in prices.items():
        model = None if price is None else {"price": str(price)}
        net.register(net.account(name), name, capabilities=["x"], price_model=model)
    assert find(net, "x", order="price") == ["d", "c", "e", "a", "b"]
    assert find(net, "x", max_price=10) == ["d", "c", "e"]
    assert find(net, "x", max_price="9") == ["d"]
    page = net.ask("find_agents_by_capability", capability="x", order="price", limit=2)
    assert (page["agents"], page["next"]) == (["d", "c"], "10/c")
    assert find(net, "x", order="price", start_after="10/c") == ["e", "a", "b"]
    assert find(net, "x", order="price", start_after="c") == ["e", "a", "b"]
    net.on(
        net.registry,
        net.account("a"),
        "update_agent",
        agent_id="a",
        price_model={"price": 1},
    )
    assert find(net, "x", order="price") == ["d", "a", "c", "e", "b"]


def test_CP_1_a_price_in_msg_is_compared_in_amsg(net: AgentNet, alice: str, bob: str) -> None:
    net.register(alice, "a", capabilities=["x"], price_model={"price": 1, "denom": "umsg"})
    net.register(bob, "b", capabilities=["x"], price_model={"price": 1, "denom": "earth"})
    entries = net.ask("find_agents_by_capability", capability="x", order="price")["entries"]
    assert [e["price"] for e in entries] == [str(10**12), None]
