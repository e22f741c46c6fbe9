"""The tables in the agent contracts' READMEs say what the code does."""

from __future__ import annotations

import base64
import importlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_keys import b64, create_did, key_input, ml_dsa_key
from agent_net import AgentNet

ROOT = Path(__file__).parents[2] / "contracts"
NAMES = ("agent_a2a_v1", "agent_registry_v1", "did_registry_v1", "ai_agent_constitution_v1")
BEHIND_TABLES = {"MigrationRefused"}


def sections(name: str) -> dict[str, dict[str, str]]:
    """Variant to row label to cell, in order."""
    found: dict[str, dict[str, str]] = {}
    current = ""
    for line in (ROOT / name / "README.md").read_text().splitlines():
        if line.startswith("#"):
            heading = re.fullmatch(r"### `(\w+)`", line)
            current = heading.group(1) if heading else ""
            if current:
                found[current] = {}
        elif current and line.startswith("| ") and not line.startswith("| |"):
            label, cell = (part.strip() for part in line.strip("|").split("|", 1))
            found[current][label] = cell.strip()
    return found


def words(cell: str) -> list[str]:
    """The words in backticks."""
    return re.findall(r"`([^`]+)`", cell)


def errors(name: str) -> list[str]:
    """Error classes of a contract."""
    module = importlib.import_module(f"contracts.{name}.error")
    return [
        key
        for key, value in vars(module).items()
        if getattr(value, "__module__", "") == module.__name__
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_message_and_question_has_a_table(name: str) -> None:
    msg = importlib.import_module(f"contracts.{name}.msg")
    expected = [cls.variant for cls in (*msg.EXECUTE, *msg.QUERY)]
    assert list(sections(name)) == expected


@pytest.mark.parametrize("name", NAMES)
def test_fields_and_answers_are_the_types(name: str) -> None:
    msg = importlib.import_module(f"contracts.{name}.msg")
    tables = sections(name)
    for cls in (*msg.EXECUTE, *msg.QUERY):
        cell = tables[cls.variant]["Fields"]
        assert words(cell) == list(cls.__struct_fields__), cls.variant
    for cls in msg.QUERY:
        answer = list(msg.ANSWERS[cls.variant].__struct_fields__)
        assert words(tables[cls.variant]["Answer"]) == answer, cls.variant


@pytest.mark.parametrize("name", NAMES)
def test_checks_name_errors_and_every_error_is_named(name: str) -> None:
    known = errors(name)
    text = (ROOT / name / "README.md").read_text()
    named: set[str] = set()
    for rows in sections(name).values():
        for error in words(rows.get("Errors", "")):
            assert error in known, error
            named.add(error)
        checks = rows.get("Checks in order")
        if checks is None:
            continue
        for check in checks.split("; "):
            first = words(check)[0]
            assert first in known, first
            named.add(first)
    for error in known:
        assert error in named or (error in BEHIND_TABLES and f"`{error}`" in text), error


def test_limits_are_the_defaults() -> None:
    limits = importlib.import_module("contracts.agent_a2a_v1.config").LIMITS
    text = (ROOT / "agent_a2a_v1" / "README.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| ([\d,]+) \|", text, re.MULTILINE)
    assert [(key, int(value.replace(",", ""))) for key, value in rows] == [
        (limit[0], limit[1]) for limit in limits
    ]


# --- what a successful call emits -----------------------------------------------------------------

Step = tuple[str, Callable[[], Any]]


def a2a_steps(net: AgentNet, alice: str, bob: str) -> Iterator[Step]:
    ids: dict[str, str] = {}
    content = {"payload": "aGk=", "priority": 50, "ttl": 60}

    def data(result: Any, key: str) -> str:
        found = re.search(rf'"{key}":"([^"]+)"', result.data.decode())
        assert found is not None
        return found.group(1)

    def create(**fields: Any) -> Any:
        result = net.do(alice, "create_channel", **fields)
        ids[fields["channel_type"]] = data(result, "channel_id")
        return result

    def submit() -> Any:
        result = net.do(alice, "submit_intent", target_capabilities=["x"], **content)
        ids["intent"] = data(result, "intent_id")
        return result

    hub = {"topic": "news"}
    yield "create_channel", lambda: create(channel_type="direct", participant=bob)
    yield "create_channel", lambda: create(channel_type="broadcast", members=[bob])
    yield "create_channel", lambda: create(channel_type="pubsub")
    yield (
        "send_message",
        lambda: net.do(alice, "send_message", to=bob, message_type="request", **content),
    )
    yield (
        "reply_message",
        lambda: net.do(bob, "reply_message", original_msg_id=net.inbox(bob)[0], payload="aGk="),
    )
    yield "mark_delivered", lambda: net.do(bob, "mark_delivered", msg_id=net.send(alice, bob))
    yield "mark_read", lambda: net.do(bob, "mark_read", msg_id=net.send(alice, bob))
    yield "cancel_message", lambda: net.do(alice, "cancel_message", msg_id=net.send(alice, bob))
    yield (
        "update_channel",
        lambda: net.do(bob, "update_channel", channel_id=ids["direct"], metadata="aGk="),
    )
    yield "broadcast", lambda: net.do(alice, "broadcast", channel_id=ids["broadcast"], **content)
    yield "broadcast", lambda: net.do(alice, "broadcast", receivers=[bob], **content)
    yield (
        "subscribe",
        lambda: net.do(bob, "subscribe", channel_id=ids["pubsub"], filter="priority > 1", **hub),
    )
    yield (
        "publish",
        lambda: net.do(alice, "publish", channel_id=ids["pubsub"], **hub, **content),
    )
    yield "unsubscribe", lambda: net.do(bob, "unsubscribe", channel_id=ids["pubsub"], **hub)
    yield "close_channel", lambda: net.do(bob, "close_channel", channel_id=ids["direct"])
    net.register(bob, "b")
    yield (
        "add_capability",
        lambda: net.do(bob, "add_capability", agent_id="b", capability="x"),
    )
    yield "submit_intent", submit
    yield "route_intent", lambda: net.do(alice, "route_intent", intent_id=ids["intent"])
    yield (
        "remove_capability",
        lambda: net.do(bob, "remove_capability", agent_id="b", capability="x"),
    )

    def cancel() -> Any:
        submit()
        return net.do(alice, "cancel_intent", intent_id=ids["intent"])

    yield "cancel_intent", cancel
    report = {"agent_id": "b", "owner": bob, "address": bob, "price": None, "active": True}
    yield "sync_agent", lambda: net.do(net.registry, "sync_agent", **report)
    yield "update_config", lambda: net.do(net.admin, "update_config", relays=[])


def registry_steps(net: AgentNet, alice: str, bob: str) -> Iterator[Step]:
    def on(sender: str, variant: str, **fields: Any) -> Step:
        return variant, lambda: net.on(net.registry, sender, variant, agent_id="a", **fields)

    yield on(bob, "register_agent", address=alice)
    yield on(alice, "confirm_agent")
    yield on(bob, "update_agent", name="x")
    yield on(bob, "set_spending_policy", policy=None)
    yield on(bob, "set_card", card="aGk=")
    yield on(bob, "announce_card")
    yield on(bob, "withdraw_card")
    yield on(bob, "transfer_ownership", new_owner=alice)
    yield on(alice, "deregister_agent")
    yield "update_config", lambda: net.on(net.registry, net.admin, "update_config")


def did_steps(net: AgentNet, alice: str, bob: str) -> Iterator[Step]:
    did = "did:msg:agent:a"
    key = key_input("k", ml_dsa_key(1))

    def on(sender: str, variant: str, **fields: Any) -> Step:
        return variant, lambda: net.on(net.did, sender, variant, **fields)

    create_did(net, bob, "b", key)
    yield on(alice, "create_did", did=did, keys=[key])
    yield on(alice, "update_did", did=did)
    yield on(bob, "create_challenge", target_did=did, nonce="n")

    def respond() -> Any:
        listed = net.chain.query(net.did, {"list_challenges": {"target_did": did}})
        made = listed["challenges"][0]
        raw = ml_dsa_key(1).sign(base64.b64decode(made["signed_content"]))
        return net.on(
            net.did,
            alice,
            "respond_challenge",
            challenge_id=made["challenge_id"],
            signature=b64(raw),
            verification_method_id=f"{did}#k",
        )

    yield "respond_challenge", respond
    yield on(alice, "rotate_key", did=did, old_key="k", new_key=key_input("k", ml_dsa_key(2)))
    yield on(alice, "transfer_did", did=did, new_controller=bob)
    yield on(bob, "deactivate_did", did=did)


def constitution_steps(net: AgentNet, alice: str, bob: str) -> Iterator[Step]:
    def on(variant: str, **fields: Any) -> Step:
        return variant, lambda: net.on(net.constitution, net.admin, variant, **fields)

    yield on("set_rules", rules=[])
    yield on("add_rule", rule={"effect": "deny"})
    yield on("remove_rule", position=0)
    yield on("suspend_agent", agent_id=alice)
    yield on("reinstate_agent", agent_id=alice)
    yield on("update_config", registry_address=net.registry)
    yield on("update_authority", authority=bob)


STEPS = {
    "agent_a2a_v1": ("a2a", a2a_steps, set()),
    "agent_registry_v1": ("registry", registry_steps, set()),
    "did_registry_v1": ("did", did_steps, {"update_config"}),
    "ai_agent_constitution_v1": ("constitution", constitution_steps, set()),
}


@pytest.mark.parametrize("name", NAMES)
def test_events_and_attributes_are_as_the_tables_say(name: str) -> None:
    attribute, steps, beside = STEPS[name]
    net = AgentNet()
    address = getattr(net, attribute)
    alice, bob = net.account("alice"), net.account("bob")
    tables = sections(name)
    seen = set()
    for variant, act in steps(net, alice, bob):
        seen.add(variant)
        net.later()
        result = act()
        rows = tables[variant]
        own = [
            event
            for event in result.events
            if event.type.startswith("wasm") and event.attributes[0].value == address
        ]
        attributes = [
            a.key
            for event in own
            if event.type == "wasm"
            for a in event.attributes
            if a.key not in ("_contract_address", "msg_index")
        ]
        assert attributes == words(rows["Attributes"]), variant
        event_type = words(rows["Event"])[0]
        (event,) = [event for event in own if event.type == f"wasm-{event_type}"]
        keys = [a.key for a in event.attributes if a.key not in ("_contract_address", "msg_index")]
        documented = rows["Event"].split(": ", 1)[1]
        optional = set(re.findall(r"\[`(\w+)`\]", documented))
        assert [key for key in words(documented) if key in keys or key not in optional] == keys
        assert ("Data" in rows) == bool(result.data), variant
    msg = importlib.import_module(f"contracts.{name}.msg")
    assert seen | beside == {cls.variant for cls in msg.EXECUTE}
