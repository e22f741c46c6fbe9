"""Configuration, instantiation, migration."""

from __future__ import annotations

import pytest
from agent_net import AgentNet, code_of, events_of

DEFAULTS = {
    "payload_max_bytes": 262_144,
    "ttl_max_seconds": 31_536_000,
    "reply_depth_max": 10,
    "rate_window_seconds": 1,
    "rate_messages_max": 20,
    "rate_discovery_max": 5,
    "members_max": 100,
    "metadata_max_bytes": 4_096,
    "capabilities_max": 64,
    "candidates_max": 100,
    "intents_open_max": 100,
    "sweep_max": 100,
}


def test_defaults(net: AgentNet) -> None:
    config = net.ask("get_config")
    assert config["limits"] == DEFAULTS
    assert config["admin"] == net.admin
    assert config["registry_address"] == net.registry
    assert config["did_registry_address"] == net.did
    assert config["constitution_address"] == net.constitution
    assert config["relays"] == []


def test_the_admin_changes_what_is_given(net: AgentNet, bob: str, carol: str) -> None:
    result = net.do(net.admin, "update_config", limits={"sweep_max": 7}, relays=[bob], admin=carol)
    assert events_of(result, "a2a_config_updated")[0]["admin"] == carol
    config = net.ask("get_config")
    assert config["limits"] == {**DEFAULTS, "sweep_max": 7}
    assert (config["admin"], config["relays"]) == (carol, [bob])
    assert "Unauthorized" in net.refused(net.admin, "update_config", relays=[])
    net.do(carol, "update_config", registry_address=bob, did_registry_address=bob)
    assert net.ask("get_config")["registry_address"] == bob


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("payload_max_bytes", 0),
        ("payload_max_bytes", 262_145),
        ("ttl_max_seconds", 0),
        ("reply_depth_max", 0),
        ("rate_messages_max", 0),
        ("sweep_max", -1),
        ("members_max", 1_001),
    ],
)
def test_limits_have_bounds(net: AgentNet, name: str, value: int) -> None:
    text = net.refused(net.admin, "update_config", limits={name: value})
    assert f"Invalid limit: {name}" in text


def test_too_many_relays(net: AgentNet, bob: str) -> None:
    assert "Invalid limit: relays" in net.refused(net.admin, "update_config", relays=[bob] * 33)


def test_instantiate_checks_addresses_and_funds(net: AgentNet, alice: str) -> None:
    code = net.chain.store_code(code_of("agent_a2a_v1"))
    good = {"admin": alice, "registry_address": alice, "did_registry_address": alice}
    for name in good:
        result = net.chain.try_instantiate(code, {**good, name: "nobody"}, sender=alice, label="x")
        assert result.code != 0
    result = net.chain.try_instantiate(code, good, sender=alice, label="x", funds="1amsg")
    assert "This message does no accept funds" in result.log
    net.chain.instantiate(code, good, sender=alice, label="x")


def test_migrate_to_itself_keeps_everything(net: AgentNet, alice: str, bob: str) -> None:
    msg_id = net.send(alice, bob)
    code = net.chain.store_code(code_of("agent_a2a_v1"))
    net.chain.migrate(net.a2a, code, {}, sender=net.admin)
    assert net.inbox(bob) == [msg_id]


def test_migrate_refuses_another_contracts_state(net: AgentNet) -> None:
    code = net.chain.store_code(code_of("agent_a2a_v1"))
    result = net.chain.try_migrate(net.did, code, {}, sender=net.admin)
    assert "Cannot migrate: this is agent_a2a_v1, not did_registry_v1" in result.log


def test_unknown_messages_and_fields_are_refused(net: AgentNet, alice: str, bob: str) -> None:
    assert net.chain.try_execute(net.a2a, {"shout": {}}, sender=alice).code != 0
    text = net.send_refused(alice, bob, colour="red")
    assert "colour" in text
