"""Registering agents, and what their owners change."""

from __future__ import annotations

from typing import Any

import pytest
from agent_net import AgentNet, code_of, events_of


def ask(net: AgentNet, variant: str, **fields: Any) -> Any:
    return net.chain.query(net.registry, {variant: fields})


def do(net: AgentNet, sender: str, variant: str, **fields: Any) -> Any:
    return net.on(net.registry, sender, variant, **fields)


def refused(net: AgentNet, sender: str, variant: str, **fields: Any) -> str:
    return net.on_refused(net.registry, sender, variant, **fields)


def agent(net: AgentNet, agent_id: str) -> Any:
    return ask(net, "get_agent", agent_id=agent_id)["agent"]


def account_of(net: AgentNet, address: str) -> bytes | None:
    """What the chain's safety boundary reads."""
    key = b"\x00\x0eagent_accounts" + address.encode()
    raw: bytes | None = net.chain.query_raw(net.registry, key)
    return raw


def test_an_agent_registers_itself(net: AgentNet, alice: str) -> None:
    result = do(
        net,
        alice,
        "register_agent",
        agent_id="alice-agent",
        name="Alice",
        price_model={"price": 5, "model": "Per_Message"},
        metadata="aGk=",
    )
    event = events_of(result, "agent_registered")[0]
    assert (event["actor"], event["status"]) == (alice, "active")
    shown = agent(net, "alice-agent")
    assert shown["owner"] == shown["address"] == alice
    assert (shown["name"], shown["metadata"]) == ("Alice", "aGk=")
    assert shown["price_model"] == {"price": "5", "denom": "amsg", "model": "per_message"}
    raw = account_of(net, alice)
    assert raw is not None
    assert alice.encode() in raw


def test_an_agent_names_its_owner(net: AgentNet, alice: str, bob: str) -> None:
    net.register(alice, "a", owner=bob)
    shown = agent(net, "a")
    assert (shown["owner"], shown["address"], shown["status"]) == (bob, alice, "active")
    assert bob.encode() in (account_of(net, alice) or b"")
    assert account_of(net, bob) is None


def test_an_owner_registers_and_the_agent_confirms(net: AgentNet, alice: str, bob: str) -> None:
    net.register(bob, "a", address=alice, capabilities=["x"])
    assert agent(net, "a")["status"] == "pending"
    assert account_of(net, alice) is None
    assert net.ask("find_agents_by_capability", capability="x")["agents"] == []
    for stranger in (bob, net.admin):
        text = refused(net, stranger, "confirm_agent", agent_id="a")
        assert "Unauthorized: only the agent's account" in text
    do(net, alice, "confirm_agent", agent_id="a")
    shown = agent(net, "a")
    assert (shown["status"], shown["owner"]) == ("active", bob)
    assert account_of(net, alice) is not None
    assert net.ask("find_agents_by_capability", capability="x")["agents"] == ["a"]
    assert "Agent is not pending: a" in refused(net, alice, "confirm_agent", agent_id="a")


def test_nobody_registers_two_others(net: AgentNet, alice: str, bob: str, carol: str) -> None:
    text = refused(net, carol, "register_agent", agent_id="a", address=alice, owner=bob)
    assert "Unauthorized: only the agent's account or its owner" in text


def test_ids_and_accounts_are_taken_once(net: AgentNet, alice: str, bob: str) -> None:
    net.register(alice, "a")
    assert "Agent already registered: a" in refused(net, bob, "register_agent", agent_id="a")
    text = refused(net, alice, "register_agent", agent_id="b")
    assert f"Address already registered: {alice}" in text


def test_a_pending_agent_whose_account_was_taken_since(net: AgentNet, alice: str, bob: str) -> None:
    net.register(bob, "a", address=alice)
    net.register(alice, "b")
    text = refused(net, alice, "confirm_agent", agent_id="a")
    assert f"Address already registered: {alice}" in text


@pytest.mark.parametrize("agent_id", ["", "A", "a b", "a/b", "x" * 65, "ä"])
def test_odd_ids_are_refused(net: AgentNet, alice: str, agent_id: str) -> None:
    text = refused(net, alice, "register_agent", agent_id=agent_id)
    assert f"Invalid agent id: {agent_id}" in text


@pytest.mark.parametrize(
    ("odd", "text"),
    [
        ({"name": "x" * 129}, "Too large: name, max 128"),
        ({"metadata": "A" * 5464}, "Too large: metadata, max 4096"),
        ({"capabilities": ["x"] * 65}, "Too large: capabilities, max 64"),
        ({"price_model": {"price": "x"}}, "Invalid price"),
        ({"price_model": {"price": -1}}, "Invalid price"),
        ({"price_model": {"price": str(2**128)}}, "Invalid price"),
        ({"price_model": {"price": str(2**127), "denom": "msg"}}, "Invalid price"),
        ({"price_model": {"price": 1, "denom": "!"}}, "Invalid price"),
        ({"price_model": {"price": 1, "model": "barter"}}, "Invalid price: unknown model barter"),
        ({"capabilities": ["Not Kebab"]}, "Invalid capability"),
    ],
)
def test_odd_fields_are_refused(net: AgentNet, alice: str, odd: dict[str, Any], text: str) -> None:
    assert text in refused(net, alice, "register_agent", agent_id="a", **odd)
    assert agent(net, "a") is None


def test_update(net: AgentNet, alice: str, bob: str) -> None:
    net.register(alice, "a", owner=bob)
    text = refused(net, alice, "update_agent", agent_id="a", name="x")
    assert "Unauthorized: only the agent's owner" in text
    do(net, bob, "update_agent", agent_id="a", name="new", metadata="aGk=")
    assert (agent(net, "a")["name"], agent(net, "a")["metadata"]) == ("new", "aGk=")
    text = refused(net, bob, "update_agent", agent_id="a", status="deregistered")
    assert "Invalid status: deregistered" in text


def test_a_pending_agent_is_not_made_active_by_its_owner(
    net: AgentNet, alice: str, bob: str
) -> None:
    net.register(bob, "a", address=alice)
    text = refused(net, bob, "update_agent", agent_id="a", status="active")
    assert "Agent not active: a" in text


def test_transfer_moves_everything_but_the_policy(
    net: AgentNet, alice: str, bob: str, carol: str
) -> None:
    net.register(alice, "a", owner=bob)
    do(net, bob, "set_spending_policy", agent_id="a", policy={"per_tx_limit": "5"})
    do(net, bob, "transfer_ownership", agent_id="a", new_owner=carol)
    assert agent(net, "a")["owner"] == carol
    assert carol.encode() in (account_of(net, alice) or b"")
    assert ask(net, "get_spending_policy", address=alice) == {
        "agent_id": "a",
        "owner": carol,
        "policy": None,
    }
    assert ask(net, "get_agent_by_owner", owner=bob)["total"] == 0
    assert ask(net, "get_agent_by_owner", owner=carol)["agent"]["agent_id"] == "a"
    assert "Unauthorized" in refused(net, bob, "deregister_agent", agent_id="a")


def test_deregister_frees_the_account_and_keeps_the_id(net: AgentNet, alice: str, bob: str) -> None:
    net.register(alice, "a")
    do(net, alice, "deregister_agent", agent_id="a")
    assert agent(net, "a")["status"] == "deregistered"
    assert account_of(net, alice) is None
    assert ask(net, "list_agents")["total"] == 0
    assert "Agent not found: a" in refused(net, alice, "update_agent", agent_id="a", name="x")
    assert "Agent already registered: a" in refused(net, bob, "register_agent", agent_id="a")
    net.register(alice, "a")
    assert agent(net, "a")["status"] == "active"


def test_deregister_a_pending_agent(net: AgentNet, alice: str, bob: str) -> None:
    net.register(bob, "a", address=alice)
    net.register(alice, "b")
    do(net, bob, "deregister_agent", agent_id="a")
    assert account_of(net, alice) is not None
    assert ask(net, "get_agent_by_address", address=alice)["agent"]["agent_id"] == "b"


def test_by_address(net: AgentNet, alice: str, bob: str) -> None:
    net.register(alice, "a", owner=bob)
    assert ask(net, "get_agent_by_address", address=alice)["agent"]["agent_id"] == "a"
    assert ask(net, "get_agent_by_address", address=bob) == {"agent": None}


def test_by_owner_pages(net: AgentNet, bob: str) -> None:
    for name in ("c", "a", "b"):
        net.register(net.account(name), name, owner=bob)
    page = ask(net, "get_agent_by_owner", owner=bob, limit=2)
    assert [a["agent_id"] for a in page["agents"]] == ["a", "b"]
    assert (page["agent"]["agent_id"], page["total"]) == ("a", 3)
    page = ask(net, "get_agent_by_owner", owner=bob, start_after="b")
    assert [a["agent_id"] for a in page["agents"]] == ["c"]
    assert ask(net, "get_agent_by_owner", owner=bob, limit=0)["agents"] == []


def test_list_agents_pages(net: AgentNet) -> None:
    for name in ("c", "a", "b"):
        net.register(net.account(name), name)
    page = ask(net, "list_agents", limit=2)
    assert [a["agent_id"] for a in page["agents"]] == ["a", "b"]
    assert (page["total"], page["next"]) == (3, "b")
    rest = ask(net, "list_agents", start_after="b")
    assert ([a["agent_id"] for a in rest["agents"]], rest["next"]) == (["c"], None)


def test_discover_agents_in_the_guides_words(net: AgentNet) -> None:
    for name, price in (("a", 30), ("b", 10), ("c", 20)):
        net.register(net.account(name), name, capabilities=["x"], price_model={"price": price})
    found = ask(net, "discover_agents", capability="x", max_price=20, limit=10)
    assert [a["agent_id"] for a in found["agents"]] == ["b", "c"]
    assert found["agents"][0]["price_model"]["price"] == "10"
    page = ask(net, "discover_agents", capability="x", limit=1)
    assert (page["agents"][0]["agent_id"], page["total"], page["next"]) == ("b", 3, "10/b")
    rest = ask(net, "discover_agents", capability="x", start_after=page["next"])
    assert [a["agent_id"] for a in rest["agents"]] == ["c", "a"]


def test_discover_agents_needs_a2a(net: AgentNet, alice: str) -> None:
    code = net.chain.store_code(code_of("agent_registry_v1"))
    address = net.chain.instantiate(code, {"admin": alice}, sender=alice, label="r")
    with pytest.raises(Exception, match="agent_a2a_v1 is not configured"):
        net.chain.query(address, {"discover_agents": {"capability": "x"}})


@pytest.mark.parametrize(
    "policy",
    [
        {"period_seconds": 0},
        {"period_seconds": 31_536_001},
        {"denom": "x"},
        {"per_tx_limit": str(2**127), "denom": "msg"},
    ],
    ids=str,
)
def test_odd_policies_are_refused(net: AgentNet, alice: str, policy: dict[str, Any]) -> None:
    net.register(alice, "a")
    text = refused(net, alice, "set_spending_policy", agent_id="a", policy=policy)
    assert "Invalid policy" in text


def test_a_policy_is_the_owners_word(net: AgentNet, alice: str, bob: str) -> None:
    net.register(alice, "a", owner=bob)
    policy = {"per_tx_limit": "5", "per_period_limit": "7", "period_seconds": 60, "denom": "umsg"}
    text = refused(net, alice, "set_spending_policy", agent_id="a", policy=policy)
    assert "Unauthorized: only the agent's owner" in text
    do(net, bob, "set_spending_policy", agent_id="a", policy=policy)
    answer = ask(net, "get_spending_policy", address=alice)
    assert (answer["agent_id"], answer["owner"]) == ("a", bob)
    assert answer["policy"] == {
        "per_tx_limit": str(5 * 10**12),
        "per_period_limit": str(7 * 10**12),
        "period_seconds": 60,
        "denom": "amsg",
    }
    do(net, bob, "set_spending_policy", agent_id="a", policy=None)
    assert ask(net, "get_spending_policy", address=alice)["policy"] is None
    unknown = {"agent_id": None, "owner": None, "policy": None}
    assert ask(net, "get_spending_policy", address=bob) == unknown


def test_config(net: AgentNet, alice: str) -> None:
    text = refused(net, alice, "update_config", announce_ttl_seconds=5)
    assert "Unauthorized: only the admin" in text
    for odd in ({"announce_ttl_seconds": 0}, {"card_max_bytes": 0}):
        assert "Invalid limit" in refused(net, net.admin, "update_config", **odd)
    assert "Invalid topic" in refused(net, net.admin, "update_config", discovery_topic="A")
    fields = {"announce_ttl_seconds": 5, "discovery_topic": "t", "card_max_bytes": 9}
    do(net, net.admin, "update_config", admin=alice, **fields)
    assert ask(net, "get_config") == {"admin": alice, "a2a_address": net.a2a, **fields}


def test_funds_are_refused(net: AgentNet, alice: str) -> None:
    result = net.chain.try_execute(
        net.registry, {"register_agent": {"agent_id": "a"}}, sender=alice, funds="1amsg"
    )
    assert "This message does no accept funds" in result.log
