"""The guide's chapters 2 to 6 as a reader would try them: its calls with its field names, nothing more.

Where the guide cannot mean what it wrote, the defect's number stands beside the line.
"""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from agent_keys import ml_dsa_key
from agent_net import AgentNet, events_of


@pytest.fixture
def net() -> AgentNet:
    return AgentNet(constitution=False)


def binary(value: Any) -> str:
    """The guide's ``toBinary``."""
    return base64.b64encode(json.dumps(value).encode()).decode()


def test_2_10_a_message_is_in_the_inbox(net: AgentNet) -> None:
    chain, alice, bob = net.chain, net.account("alice"), net.account("bob")
    made = chain.instantiate(
        chain.store_code("agent_a2a_v1"),
        {
            "admin": net.admin,
            "registry_address": net.account("registry"),
            "did_registry_address": net.account("did_registry"),
        },
        sender=net.admin,
        label="A2A",
    )
    body = {"to": bob, "message_type": "request", "payload": binary({"text": "Hello Bob!"})}
    body |= {"priority": 50, "reply_to": None, "ttl": 3600}
    result = chain.execute(made, {"send_message": body}, sender=alice)
    (event,) = events_of(result, "a2a_message_sent")
    asked = {"address": bob, "status": None, "start_after": None, "limit": 10}
    inbox = chain.query(made, {"list_messages": asked})
    assert inbox["total"] == len(inbox["messages"]) == 1
    message = inbox["messages"][0]
    assert (message["sender"], message["receiver"]) == (alice, bob)
    assert message["status"] == "pending"  # D15-01
    assert message["msg_id"] == event["msg_id"]
    assert message["channel_id"] is message["reply_to"] is message["signature"] is None
    assert message["constitution_hash"] is None
    for key in ("priority", "ttl", "height", "message_type"):
        assert event[key] == str(message[key])


def test_2_10_a_channel_is_listed(net: AgentNet) -> None:
    alice, bob = net.account("alice"), net.account("bob")
    body = {"participant": bob, "channel_type": "direct", "metadata": None}
    (event,) = events_of(net.do(alice, "create_channel", **body), "a2a_channel_created")
    assert (event["participant_1"], event["participant_2"]) == (alice, bob)
    for pair in ([alice, bob], [bob, alice]):
        (channel,) = net.ask("list_channels", participants=pair)["channels"]  # D1-10
        low, high = sorted(pair)
        assert channel["channel_id"] == f"ch:{low}-{high}"
        assert (channel["channel_type"], channel["status"]) == ("direct", "open")
        assert (channel["message_count"], channel["metadata"]) == (0, None)


def test_2_10_capabilities_are_found(net: AgentNet) -> None:
    owners = {"alice-agent": net.account("alice"), "bob-agent": net.account("bob")}
    given = (
        ("alice-agent", "text-generation"),
        ("alice-agent", "code-review"),
        ("bob-agent", "data-analysis"),
    )
    for agent_id, owner in owners.items():
        text = net.refused(owner, "add_capability", agent_id=agent_id, capability="x")
        assert "Agent not registered in registry" in text  # D9-01
        net.register(owner, agent_id)
    for agent_id, capability in given:
        net.do(owners[agent_id], "add_capability", agent_id=agent_id, capability=capability)
    asked = {"capability": "text-generation", "start_after": None, "limit": None}
    found = net.ask("find_agents_by_capability", **asked)
    assert (found["count"], found["agents"]) == (1, ["alice-agent"])
    assert net.ask("list_capabilities", agent_id="alice-agent")["capabilities"] == [
        "code-review",
        "text-generation",
    ]
    has = net.ask("has_capability", agent_id="bob-agent", capability="data-analysis")
    assert has["count"] > 0
    again = {"agent_id": "bob-agent", "capability": "data-analysis"}
    owner = owners["bob-agent"]
    text = net.refused(owner, "add_capability", **again)
    assert "Capability already registered: data-analysis" in text
    net.do(owner, "remove_capability", **again)
    assert "Capability not found: data-analysis" in net.refused(owner, "remove_capability", **again)


def test_3_5_times_and_3_6_replies(net: AgentNet) -> None:
    alice, bob, carol = (net.account(name) for name in ("alice", "bob", "carol"))
    lifetimes = {"request": 3600, "notification": 86400, "discovery": 300}
    sent = {
        kind: net.send(alice, bob, message_type=kind, priority=120, ttl=ttl)
        for kind, ttl in lifetimes.items()
    }
    assert "Unauthorized" in net.refused(
        carol, "reply_message", original_msg_id=sent["request"], payload="aGk="
    )
    answered = net.reply(bob, sent["request"])
    reply = net.ask("get_message", msg_id=answered)["message"]
    assert (reply["priority"], reply["ttl"], reply["reply_to"]) == (120, 3600, sent["request"])
    assert reply["message_type"] == "response"
    original = net.ask("get_message", msg_id=sent["request"])["message"]
    assert original["status"] == "replied"
    net.later(300)
    assert net.status(sent["discovery"]) == "pending"  # alive at the very end
    net.later(1)
    assert net.status(sent["discovery"]) == "expired"
    text = net.refused(bob, "reply_message", original_msg_id=sent["discovery"], payload="aGk=")
    assert "Message has expired" in text


def test_4_a_did_leads_to_an_address_and_back(net: AgentNet) -> None:
    """4.2, 4.3, 4.5, with the guide's type name and field ``type_``."""
    alice = net.account("alice")
    net.register(alice, "alice")
    raw = ml_dsa_key(1).pubkey.key
    multibase = "u" + base64.urlsafe_b64encode(raw).decode().rstrip("=")
    key = {
        "id": "did:msg:agent:alice#key-1",
        "type": "Dilithium5VerificationKey2026",
        "publicKeyMultibase": multibase,
    }
    did = "did:msg:agent:alice"
    net.on(net.did, alice, "create_did", did=did, keys=[key])
    answer = net.chain.query(net.did, {"resolve_did": {"did": did}})
    assert answer["active"]
    services = answer["document"]["service"]
    (endpoint,) = [one for one in services if one["type_"] == "AgentEndpoint"]
    assert endpoint["serviceEndpoint"] == alice
    methods = answer["document"]["verificationMethod"]
    (method,) = [one for one in methods if one["type_"] == "Dilithium5VerificationKey2026"]
    assert method["publicKeyMultibase"] == multibase
    assert method["controller"] == did
    assert answer["document"]["authentication"] == [method["id"]]
    back = net.chain.query(net.registry, {"get_agent_by_owner": {"owner": alice}})
    assert f"did:msg:agent:{back['agent']['agent_id']}" == did


def test_4_4_two_agents_prove_who_they_are(net: AgentNet) -> None:
    pairs = {}
    for seed, name in enumerate(("alice", "bob"), 1):
        key = base64.b64encode(ml_dsa_key(seed).pubkey.key).decode()
        did = f"did:msg:agent:{name}"
        body = [{"id": "key-1", "type": "ML-DSA-87", "public_key": key}]
        net.on(net.did, net.account(name), "create_did", did=did, keys=body)
        pairs[name] = (did, ml_dsa_key(seed))
    for asker, answerer in (("alice", "bob"), ("bob", "alice")):
        did, key = pairs[answerer]
        result = net.on(
            net.did,
            net.account(asker),
            "create_challenge",
            target_did=did,
            nonce="random-1",
            required_verification="assertion",
        )
        challenge_id = json.loads(result.data)["challenge_id"]
        asked = {"get_challenge": {"challenge_id": challenge_id}}
        challenge = net.chain.query(net.did, asked)["challenge"]
        assert challenge["challenger_did"] == pairs[asker][0]
        assert challenge["target_did"] == did
        signature = base64.b64encode(key.sign(base64.b64decode(challenge["signed_content"])))
        net.on(
            net.did,
            net.account(answerer),
            "respond_challenge",
            challenge_id=challenge_id,
            target_did=did,
            signature=signature.decode(),
            verification_method_id=f"{did}#key-1",
        )
        assert net.chain.query(net.did, asked)["challenge"]["status"] == "verified"


def test_5_4_a_broadcast_with_the_guides_fields(net: AgentNet) -> None:
    alice = net.account("alice")
    receivers = [net.account(f"r{number}") for number in range(3)]
    body = {"receivers": receivers, "payload": binary({"n": 1}), "priority": 50, "ttl": 60}
    result = net.do(alice, "broadcast", **body)
    (plain,) = [event for event in result.events if event.type == "wasm"]
    assert {("action", "broadcast"), ("count", "3")} <= {(a.key, a.value) for a in plain.attributes}
    for receiver in receivers:
        (message,) = net.ask("list_messages", address=receiver)["messages"]
        assert (message["sender"], message["message_type"]) == (alice, "broadcast")  # D14-01


def test_5_6_a_channels_whole_life(net: AgentNet) -> None:
    alice, bob = net.account("alice"), net.account("bob")
    net.do(alice, "create_channel", participant=bob, channel_type="direct", metadata=None)
    listed = net.ask("list_channels", participants=[alice, bob])
    channel_id = listed["channels"][0]["channel_id"]
    words = {"text": "Hello Bob, let's negotiate.", "session_id": "session-001"}
    sent = net.send(alice, bob, payload=binary(words))
    inbox = net.ask("list_messages", address=bob, status=None, limit=10)
    assert [one["msg_id"] for one in inbox["messages"]] == [sent]
    assert inbox["messages"][0]["channel_id"] == channel_id  # D4-12
    net.reply(bob, sent, payload=binary({"text": "Sure, let's talk.", "price": "5000000"}))
    channel = net.ask("get_channel", channel_id=channel_id)["channel"]
    assert (channel["status"], channel["message_count"]) == ("active", 2)  # D4-14, D5-06
    closed = net.do(alice, "close_channel", channel_id=channel_id)
    (event,) = events_of(closed, "a2a_channel_closed")
    assert event["closed_by"] == alice
    assert net.ask("get_channel", channel_id=channel_id)["channel"]["status"] == "closed"


@pytest.mark.parametrize("word", ["Suspended", "suspended", "SUSPENDED"])
def test_5_2_the_admin_suspends_and_the_channel_comes_back(net: AgentNet, word: str) -> None:
    alice, bob = net.account("alice"), net.account("bob")
    result = net.do(alice, "create_channel", participant=bob, channel_type="direct", metadata=None)
    channel_id = json.loads(result.data)["channel_id"]
    net.send(alice, bob)
    net.do(net.admin, "update_channel", channel_id=channel_id, status=word, metadata=None)
    assert f"Channel is not open: {channel_id}" in net.send_refused(alice, bob)
    net.do(net.admin, "update_channel", channel_id=channel_id, status="Active", metadata=None)
    net.send(alice, bob)


def test_6_3_an_intent_finds_its_agent(net: AgentNet) -> None:
    alice, bob = net.account("alice"), net.account("bob")
    body = {"target_capabilities": ["data-analysis"], "payload": binary({}), "priority": 60}
    made = json.loads(net.do(alice, "submit_intent", **body, ttl=600).data)
    assert made["status"] == "pending"
    net.register(bob, "data-analysis-agent")
    net.do(bob, "add_capability", agent_id="data-analysis-agent", capability="data-analysis")
    intent = net.ask("get_intent", intent_id=made["intent_id"])["intent"]
    assert (intent["status"], intent["matched_agents"]) == ("matched", ["data-analysis-agent"])
    assert intent["source_agent"] == alice
    net.do(alice, "route_intent", intent_id=made["intent_id"])
    assert net.ask("get_intent", intent_id=made["intent_id"])["intent"]["status"] == "routed"
    assert len(net.inbox(bob)) == 1


def test_6_4_discover_verify_choose_connect(net: AgentNet) -> None:
    alice = net.account("alice")
    for name, price in (("dear", 12), ("cheap", 9), ("fair", 10)):
        owner = net.account(name)
        net.register(owner, name, price_model={"price": price})
        net.do(owner, "add_capability", agent_id=name, capability="charts")
    asked = {"capability": "charts", "max_price": 10, "limit": 10}
    found = net.chain.query(net.registry, {"discover_agents": asked})["agents"]
    verified = [
        one
        for one in found
        if net.ask("has_capability", agent_id=one["agent_id"], capability="charts")["count"] > 0
    ]
    best = min(verified, key=lambda one: int(one["price_model"]["price"] or 0))  # D16-05
    assert best["agent_id"] == "cheap"
    for _ in range(2):  # D8-06: a second connection after the first was closed
        body = {"participant": best["owner"], "channel_type": "direct", "metadata": None}
        made = json.loads(net.do(alice, "create_channel", **body).data)
        net.do(alice, "close_channel", channel_id=made["channel_id"])
