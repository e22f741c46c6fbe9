"""RL-1, CS-1: the rate limit, and what the constitution says."""

from __future__ import annotations

import pytest
from agent_net import AgentNet

SECOND = 10**9


def used(net: AgentNet, address: str) -> tuple[int, int]:
    status = net.ask("rate_limit_status", address=address)
    return (status["messages_used"], status["discovery_used"])


def test_RL_1_twenty_and_no_more(net: AgentNet, alice: str, bob: str) -> None:
    for _ in range(20):
        net.send(alice, bob)
    assert "Rate limit exceeded" in net.send_refused(alice, bob)
    assert used(net, alice) == (20, 0)


def test_RL_1_five_discoveries_and_no_more(net: AgentNet, alice: str, bob: str) -> None:
    for _ in range(5):
        net.send(alice, bob, message_type="discovery")
    assert "Rate limit exceeded" in net.send_refused(alice, bob, message_type="discovery")
    net.send(alice, bob)
    assert used(net, alice) == (6, 5)


def test_RL_1_senders_do_not_touch_each_other(net: AgentNet, alice: str, bob: str) -> None:
    for _ in range(20):
        net.send(alice, bob)
    net.send(bob, alice)


def test_RL_1_refused_sends_do_not_count(net: AgentNet, alice: str, bob: str) -> None:
    for _ in range(30):
        net.send_refused(alice, bob, payload="")
        net.send_refused(alice, bob, channel_id="ch:x")
    assert used(net, alice) == (0, 0)


def test_RL_1_replies_count(net: AgentNet, alice: str, bob: str) -> None:
    originals = [net.send(alice, bob) for _ in range(20)]
    net.later()
    originals.append(net.send(alice, bob))
    for original in originals[:20]:
        net.reply(bob, original)
    text = net.refused(bob, "reply_message", original_msg_id=originals[20], payload="b2s=")
    assert "Rate limit exceeded" in text


def test_RL_1_the_window_slides_over_block_times(net: AgentNet, alice: str, bob: str) -> None:
    start = net.chain.time
    for _ in range(12):
        net.send(alice, bob)
    net.chain.set_time(start + SECOND // 2)
    for _ in range(8):
        net.send(alice, bob)
    assert "Rate limit exceeded" in net.send_refused(alice, bob)
    net.chain.set_time(start + SECOND - 1)
    assert "Rate limit exceeded" in net.send_refused(alice, bob)
    net.chain.set_time(start + SECOND)
    for _ in range(12):
        net.send(alice, bob)
    assert "Rate limit exceeded" in net.send_refused(alice, bob)
    net.chain.set_time(start + SECOND + SECOND // 2)
    for _ in range(8):
        net.send(alice, bob)
    assert "Rate limit exceeded" in net.send_refused(alice, bob)


def test_RL_1_limits_are_configuration(net: AgentNet, alice: str, bob: str) -> None:
    limits = {"rate_messages_max": 1, "rate_window_seconds": 10}
    net.do(net.admin, "update_config", limits=limits)
    net.send(alice, bob)
    net.later(9)
    assert "Rate limit exceeded" in net.send_refused(alice, bob)
    net.later(1)
    net.send(alice, bob)


def rule(net: AgentNet, **fields: str) -> None:
    net.on(net.constitution, net.admin, "add_rule", rule={"effect": "deny", **fields})


@pytest.mark.parametrize(
    ("message_type", "action"),
    [
        ("request", "a2a:send_request"),
        ("response", "a2a:send_response"),
        ("broadcast", "a2a:broadcast"),
        ("notification", "a2a:notify"),
        ("discovery", "a2a:discover"),
    ],
)
def test_CS_1_asks_by_type(
    net: AgentNet, alice: str, bob: str, message_type: str, action: str
) -> None:
    rule(net, action=action)
    text = net.send_refused(alice, bob, message_type=message_type)
    assert "Constitution check failed: action not allowed" in text
    other = "notification" if message_type != "notification" else "request"
    net.send(alice, bob, message_type=other)


@pytest.mark.parametrize(
    ("priority", "tier"),
    [(0, "low"), (74, "low"), (75, "medium"), (149, "medium"), (150, "high"), (255, "high")],
)
def test_CS_1_asks_by_tier(net: AgentNet, alice: str, bob: str, priority: int, tier: str) -> None:
    rule(net, risk_tier=tier)
    assert "Constitution check failed" in net.send_refused(alice, bob, priority=priority)
    for other in (0, 75, 150):
        if (other >= 150, other >= 75) != (priority >= 150, priority >= 75):
            net.send(alice, bob, priority=other)


def test_CS_1_asks_by_agent(net: AgentNet, alice: str, bob: str) -> None:
    rule(net, agent=alice)
    assert "Constitution check failed" in net.send_refused(alice, bob)
    net.send(bob, alice)


def test_CS_1_a_denied_send_changes_nothing(net: AgentNet, alice: str, bob: str) -> None:
    rule(net, agent=alice)
    before = net.chain.storage(net.a2a)
    net.send_refused(alice, bob)
    assert net.chain.storage(net.a2a) == before
    assert used(net, alice) == (0, 0)


def test_CS_1_the_rules_in_force_are_recorded(net: AgentNet, alice: str, bob: str) -> None:
    def in_force() -> str:
        config = net.chain.query(net.constitution, {"get_config": {}})
        found: str = config["constitution_hash"]
        return found

    def recorded(msg_id: str) -> str:
        found: str = net.ask("get_message", msg_id=msg_id)["message"]["constitution_hash"]
        return found

    first = in_force()
    early = net.send(alice, bob, constitution_hash=first)
    rule(net, agent=bob)
    assert in_force() != first
    late = net.send(alice, bob)
    assert (recorded(early), recorded(late)) == (first, in_force())
    text = net.send_refused(alice, bob, constitution_hash=first)
    assert "Constitution hash mismatch" in text


def test_CS_1_a_suspended_agent_does_not_send(net: AgentNet, alice: str, bob: str) -> None:
    original = net.send(bob, alice)
    net.on(net.constitution, net.admin, "suspend_agent", agent_id=alice)
    assert "Constitution check failed" in net.send_refused(alice, bob)
    for variant, fields in (
        ("reply_message", {"original_msg_id": original, "payload": "b2s="}),
        ("broadcast", {"receivers": [bob], "payload": "b2s=", "priority": 1, "ttl": 9}),
    ):
        assert "Constitution check failed" in net.refused(alice, variant, **fields)
    net.on(net.constitution, net.admin, "reinstate_agent", agent_id=alice)
    net.send(alice, bob)


def test_CS_1_without_a_constitution_what_is_named_is_recorded(
    net: AgentNet, alice: str, bob: str
) -> None:
    net.do(net.admin, "update_config", constitution_address="")
    msg_id = net.send(alice, bob, constitution_hash="claimed")
    assert net.ask("get_message", msg_id=msg_id)["message"]["constitution_hash"] == "claimed"
