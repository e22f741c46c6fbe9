"""The constitution: order of rules, versions, suspension."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from agent_net import AgentNet, code_of, events_of


def check(net: AgentNet, agent: str, action: str = "a2a:notify", tier: str = "low") -> Any:
    question = {"agent_id": agent, "action": action, "risk_tier": tier}
    return net.chain.query(net.constitution, {"check_action": question})


def amend(net: AgentNet, variant: str, **fields: Any) -> Any:
    return net.on(net.constitution, net.admin, variant, **fields)


def refused(net: AgentNet, variant: str, sender: str | None = None, **fields: Any) -> str:
    return net.on_refused(net.constitution, sender or net.admin, variant, **fields)


def test_the_default_holds_without_rules(net: AgentNet, alice: str) -> None:
    answer = check(net, alice)
    assert (answer["allowed"], answer["reason"], answer["rule"]) == (True, "default", None)
    amend(net, "set_rules", rules=[], default="Deny")
    assert check(net, alice)["allowed"] is False


def test_the_first_rule_that_fits_decides(net: AgentNet, alice: str, bob: str) -> None:
    rules = [
        {"effect": "allow", "agent": alice, "action": "a2a:broadcast"},
        {"effect": "deny", "action": "a2a:broadcast", "risk_tier": "high"},
        {"effect": "DENY", "agent": bob, "action": "a2a:*"},
    ]
    amend(net, "set_rules", rules=rules)
    assert check(net, alice, "a2a:broadcast", "high")["rule"] == 0
    answer = check(net, bob, "a2a:broadcast", "High")
    assert (answer["allowed"], answer["rule"], answer["reason"]) == (False, 1, "rule")
    assert check(net, bob, "a2a:broadcast")["rule"] == 2
    assert check(net, bob, "a2a")["rule"] is None
    assert check(net, alice, "a2a:notify", "high")["allowed"] is True


def test_every_change_is_a_version_with_a_hash(net: AgentNet, alice: str) -> None:
    rule = {"effect": "deny", "agent": alice, "action": "a2a:notify", "note": "why"}
    result = amend(net, "add_rule", rule=rule)
    lines = f"default allow\ndeny {alice} a2a:notify *"
    expected = hashlib.sha256(lines.encode()).hexdigest()
    assert events_of(result, "constitution_amended")[0]["constitution_hash"] == expected
    assert check(net, alice)["constitution_hash"] == expected
    amend(net, "add_rule", rule={"effect": "allow"}, position=0)
    assert check(net, alice)["allowed"] is True
    amend(net, "remove_rule", position=0)
    answer = check(net, alice)
    assert (answer["version"], answer["constitution_hash"]) == (4, expected)

    def ask(variant: str, **fields: Any) -> Any:
        return net.chain.query(net.constitution, {variant: fields})

    assert ask("get_rules")["rules"] == [{**rule, "risk_tier": "*"}]
    assert [r["effect"] for r in ask("get_rules", version=3)["rules"]] == ["allow", "deny"]
    page = ask("list_versions", limit=3)
    assert ([v["version"] for v in page["versions"]], page["total"]) == ([4, 3, 2], 4)
    assert [v["version"] for v in ask("list_versions", start_after=2)["versions"]] == [1]
    assert ask("list_versions", limit=0)["versions"] == []
    with pytest.raises(Exception, match="Version not found: 9"):
        ask("get_rules", version=9)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ({"effect": "maybe"}, "Invalid effect: maybe"),
        ({"effect": "deny", "action": ""}, "Invalid action"),
        ({"effect": "deny", "action": "A2A"}, "Invalid action"),
        ({"effect": "deny", "action": "a*b"}, "Invalid action"),
        ({"effect": "deny", "risk_tier": "mid"}, "Invalid risk tier: mid"),
        ({"effect": "deny", "agent": "nobody"}, "Agent not found: nobody"),
        ({"effect": "deny", "note": "x" * 257}, "Invalid note"),
    ],
)
def test_odd_rules_are_refused(net: AgentNet, rule: dict[str, str], text: str) -> None:
    assert text in refused(net, "add_rule", rule=rule)


def test_odd_questions_are_refused(net: AgentNet, alice: str) -> None:
    for question in ({"action": "a2a:*"}, {"action": ""}, {"tier": "mid"}, {"agent": "nobody"}):
        with pytest.raises(Exception, match=r"Invalid|not found"):
            check(net, **{"agent": alice, **question})


def test_sixty_four_rules_and_no_more(net: AgentNet) -> None:
    amend(net, "set_rules", rules=[{"effect": "allow"}] * 64)
    assert "Too many rules: max 64" in refused(net, "add_rule", rule={"effect": "allow"})
    assert "Too many rules" in refused(net, "set_rules", rules=[{"effect": "allow"}] * 65)


def test_positions_that_are_none(net: AgentNet) -> None:
    assert "Rule not found: 0" in refused(net, "remove_rule", position=0)
    assert "Rule not found: 1" in refused(net, "add_rule", rule={"effect": "allow"}, position=1)


@pytest.mark.parametrize(
    ("variant", "fields"),
    [
        ("set_rules", {"rules": []}),
        ("add_rule", {"rule": {"effect": "deny"}}),
        ("remove_rule", {"position": 0}),
        ("suspend_agent", {"agent_id": "x"}),
        ("reinstate_agent", {"agent_id": "x"}),
        ("update_authority", {"authority": "x"}),
        ("update_config", {"registry_address": "x"}),
    ],
)
def test_only_the_authority_changes_it(
    net: AgentNet, alice: str, variant: str, fields: dict[str, Any]
) -> None:
    assert "Unauthorized" in refused(net, variant, sender=alice, **fields)


def test_the_authority_hands_over(net: AgentNet, alice: str) -> None:
    amend(net, "update_authority", authority=alice)
    assert "Unauthorized" in refused(net, "set_rules", rules=[])
    net.on(net.constitution, alice, "set_rules", rules=[])


def test_suspension_beats_every_rule(net: AgentNet, alice: str, bob: str) -> None:
    amend(net, "set_rules", rules=[{"effect": "allow", "agent": alice}])
    result = amend(net, "suspend_agent", agent_id=alice, reason="spam")
    assert events_of(result, "constitution_agent_suspended")[0]["agent"] == alice
    answer = check(net, alice)
    assert (answer["allowed"], answer["reason"]) == (False, "suspended")
    assert check(net, bob)["allowed"] is True
    assert f"Already suspended: {alice}" in refused(net, "suspend_agent", agent_id=alice)

    def ask(variant: str, **fields: Any) -> Any:
        return net.chain.query(net.constitution, {variant: fields})

    assert ask("get_suspension", agent_id=alice)["suspension"]["reason"] == "spam"
    amend(net, "suspend_agent", agent_id=bob)
    low, high = sorted([alice, bob])
    page = ask("list_suspensions", limit=1)
    assert ([s["agent"] for s in page["suspensions"]], page["total"]) == ([low], 2)
    rest = ask("list_suspensions", start_after=low)["suspensions"]
    assert [s["agent"] for s in rest] == [high]
    amend(net, "reinstate_agent", agent_id=alice)
    assert check(net, alice)["allowed"] is True
    assert ask("get_suspension", agent_id=alice) == {"suspension": None}
    assert f"Not suspended: {alice}" in refused(net, "reinstate_agent", agent_id=alice)


def test_a_registered_agent_goes_by_its_id(net: AgentNet, alice: str) -> None:
    net.register(alice, "alice-agent")
    amend(net, "suspend_agent", agent_id="alice-agent")
    assert check(net, alice)["reason"] == "suspended"
    assert check(net, "alice-agent")["reason"] == "suspended"
    amend(net, "add_rule", rule={"effect": "deny", "agent": "alice-agent"})
    rules = net.chain.query(net.constitution, {"get_rules": {}})["rules"]
    assert rules[0]["agent"] == alice


def test_funds_are_refused(net: AgentNet) -> None:
    result = net.chain.try_execute(
        net.constitution, {"set_rules": {"rules": []}}, sender=net.admin, funds="1amsg"
    )
    assert "This message does no accept funds" in result.log


def test_without_a_registry_only_addresses_count(net: AgentNet, alice: str) -> None:
    code = net.chain.store_code(code_of("ai_agent_constitution_v1"))
    address = net.chain.instantiate(code, {"authority": alice}, sender=alice, label="c")
    text = net.on_refused(address, alice, "suspend_agent", agent_id="alice-agent")
    assert "Agent not found: alice-agent" in text
    net.on(address, alice, "update_config", registry_address=net.registry)
    config = net.chain.query(address, {"get_config": {}})
    assert (config["authority"], config["registry_address"]) == (alice, net.registry)
    assert config["version"] == 1
