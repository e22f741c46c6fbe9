"""MS-1, MS-2, MS-8: what may be sent, how it is named, in which order it is refused."""

from __future__ import annotations

import base64
import json
import re

import pytest
from agent_net import AgentNet, events_of


def test_MS_1_stores_what_was_sent(net: AgentNet, alice: str, bob: str) -> None:
    msg_id = net.send(alice, bob, message_type="Request", priority=75, ttl=60)
    message = net.ask("get_message", msg_id=msg_id)["message"]
    assert message["sender"] == alice
    assert message["receiver"] == bob
    assert message["message_type"] == "request"
    assert message["payload"] == "aGk="
    assert message["priority"] == 75
    assert message["status"] == "pending"
    assert int(message["expires_at"]) - int(message["created_at"]) == 60 * 10**9
    assert net.inbox(bob) == [msg_id]


@pytest.mark.parametrize("word", ["request", "response", "broadcast", "notification", "DISCOVERY"])
def test_MS_1_takes_each_type_in_any_case(net: AgentNet, alice: str, bob: str, word: str) -> None:
    message = net.ask("get_message", msg_id=net.send(alice, bob, message_type=word))["message"]
    assert message["message_type"] == word.lower()


@pytest.mark.parametrize("word", ["", "gossip", "requests", "ｒequest"])
def test_MS_1_refuses_other_types(net: AgentNet, alice: str, bob: str, word: str) -> None:
    assert f"Invalid message type: {word}" in net.send_refused(alice, bob, message_type=word)


@pytest.mark.parametrize("size", [1, 262_144])
def test_MS_1_takes_payloads_up_to_256_kib(net: AgentNet, alice: str, bob: str, size: int) -> None:
    payload = base64.b64encode(bytes(size)).decode()
    msg_id = net.send(alice, bob, payload=payload)
    assert net.ask("get_message", msg_id=msg_id)["message"]["payload"] == payload


def test_MS_1_refuses_no_payload(net: AgentNet, alice: str, bob: str) -> None:
    assert "Payload is empty" in net.send_refused(alice, bob, payload="")


def test_MS_1_refuses_a_byte_more_than_256_kib(net: AgentNet, alice: str, bob: str) -> None:
    payload = base64.b64encode(bytes(262_145)).decode()
    assert "Message too large: max 256 KB" in net.send_refused(alice, bob, payload=payload)


@pytest.mark.parametrize("ttl", [1, 31_536_000])
def test_MS_1_takes_lifetimes_up_to_a_year(net: AgentNet, alice: str, bob: str, ttl: int) -> None:
    assert net.ask("get_message", msg_id=net.send(alice, bob, ttl=ttl))["message"]["ttl"] == ttl


@pytest.mark.parametrize(
    ("ttl", "text"),
    [
        (0, "TTL must be greater than 0"),
        (-1, "TTL must be greater than 0"),
        (31_536_001, "TTL must be at most 31536000 seconds"),
        (2**64 - 1, "TTL must be at most 31536000 seconds"),
        (18_446_744_074, "TTL must be at most 31536000 seconds"),
    ],
)
def test_MS_1_refuses_other_lifetimes(
    net: AgentNet, alice: str, bob: str, ttl: int, text: str
) -> None:
    assert text in net.send_refused(alice, bob, ttl=ttl)


@pytest.mark.parametrize(
    ("priority", "label"),
    [
        (0, "low"),
        (49, "low"),
        (50, "normal"),
        (99, "normal"),
        (100, "high"),
        (199, "high"),
        (200, "critical"),
        (255, "critical"),
    ],
)
def test_MS_1_names_the_band_of_a_priority(
    net: AgentNet, alice: str, bob: str, priority: int, label: str
) -> None:
    message = net.ask("get_message", msg_id=net.send(alice, bob, priority=priority))["message"]
    assert (message["priority"], message["priority_label"]) == (priority, label)


@pytest.mark.parametrize("priority", [256, -1])
def test_MS_1_refuses_priorities_out_of_range(
    net: AgentNet, alice: str, bob: str, priority: int
) -> None:
    text = net.send_refused(alice, bob, priority=priority)
    assert "Invalid priority: must be 0-255" in text


@pytest.mark.parametrize("priority", ['"5"', "1.0", "true", "null"])
def test_MS_1_refuses_priorities_that_are_no_integers(
    net: AgentNet, alice: str, bob: str, priority: str
) -> None:
    body = (
        f'{{"send_message":{{"to":"{bob}","message_type":"request","payload":"aGk=",'
        f'"priority":{priority},"ttl":60}}}}'
    )
    result = net.chain.try_execute(net.a2a, body.encode(), sender=alice)
    assert result.code != 0
    assert "Error parsing into type" in result.log


def test_MS_2_gives_ids_that_name_parties_height_and_number(
    net: AgentNet, alice: str, bob: str
) -> None:
    msg_id = net.send(alice, bob)
    height = net.chain.height
    assert re.fullmatch(rf"msg:{alice[:8]}-{bob[:8]}-{height}-\d+", msg_id)
    reply = net.reply(bob, msg_id)
    assert re.fullmatch(rf"reply:{bob[:8]}-{alice[:8]}-{height}-\d+", reply)


def test_MS_2_returns_the_id_in_data_attribute_and_event(
    net: AgentNet, alice: str, bob: str
) -> None:
    result = net.do(
        alice, "send_message", to=bob, message_type="request", payload="aGk=", priority=1, ttl=9
    )
    msg_id = json.loads(result.data)["msg_id"]
    attributes = [a for event in result.events if event.type == "wasm" for a in event.attributes]
    assert ("msg_id", msg_id) in [(a.key, a.value) for a in attributes]
    event = events_of(result, "a2a_message_sent")[0]
    assert event["msg_id"] == msg_id


def test_MS_2_keeps_twenty_messages_of_one_block_apart(net: AgentNet, alice: str, bob: str) -> None:
    texts = [base64.b64encode(f"text {n}".encode()).decode() for n in range(20)]
    ids = [net.send(alice, bob, payload=text) for text in texts]
    assert len(dict.fromkeys(ids)) == 20
    page = net.ask("list_messages", address=bob, limit=100)
    assert [m["payload"] for m in page["messages"]] == texts[::-1]
    assert page["total"] == 20


def test_MS_2_knows_no_id_that_differs_anywhere(net: AgentNet, alice: str, bob: str) -> None:
    msg_id = net.send(alice, bob)
    assert net.ask("get_message", msg_id=msg_id)["message"] is not None
    for position in range(len(msg_id)):
        other = (
            msg_id[:position] + ("x" if msg_id[position] != "x" else "y") + msg_id[position + 1 :]
        )
        assert net.ask("get_message", msg_id=other)["message"] is None


def test_MS_8_event_carries_actor_ids_and_height(net: AgentNet, alice: str, bob: str) -> None:
    result = net.do(
        alice, "send_message", to=bob, message_type="request", payload="aGk=", priority=1, ttl=9
    )
    event = events_of(result, "a2a_message_sent")[0]
    assert event["actor"] == event["sender"] == alice
    assert event["receiver"] == bob
    assert event["height"] == str(net.chain.height)
    assert event["message_type"] == "request"
    assert (event["priority"], event["ttl"]) == ("1", "9")
    assert event["_contract_address"] == net.a2a


def test_MS_8_refuses_in_the_guides_order(net: AgentNet, alice: str, bob: str) -> None:
    bad: dict[str, object] = {
        "payload": "",
        "priority": 256,
        "ttl": 0,
        "message_type": "gossip",
        "constitution_hash": "other",
    }
    good: dict[str, object] = {
        "payload": "aGk=",
        "priority": 5,
        "ttl": 5,
        "message_type": "request",
        "constitution_hash": None,
    }
    texts = (
        "Payload is empty",
        "Invalid priority",
        "TTL must be",
        "Invalid message type",
        "Constitution hash mismatch",
    )
    for name, text in zip(list(bad), texts, strict=True):
        assert text in net.send_refused(alice, bob, **bad)
        bad[name] = good[name]
    net.send(alice, bob, **bad)


def test_refuses_a_message_to_oneself(net: AgentNet, alice: str) -> None:
    assert "Sender and receiver are the same" in net.send_refused(alice, alice)


def test_refuses_a_receiver_that_is_no_address(net: AgentNet, alice: str) -> None:
    net.send_refused(alice, "pay:1700000000")


def test_refuses_funds_with_every_message(net: AgentNet, alice: str, bob: str) -> None:
    body = {
        "to": bob,
        "message_type": "request",
        "payload": "aGk=",
        "priority": 1,
        "ttl": 9,
    }
    result = net.chain.try_execute(net.a2a, {"send_message": body}, sender=alice, funds="1amsg")
    assert "This message does no accept funds" in result.log


def test_takes_a_first_message_to_an_account_never_seen(net: AgentNet, alice: str) -> None:
    stranger = net.account("a stranger")
    assert net.inbox(stranger) == []
    net.send(alice, stranger)
    assert net.ask("count_pending_messages", address=stranger) == {"count": 1}


def test_a_relay_names_the_sender_and_others_may_not(
    net: AgentNet, alice: str, bob: str, carol: str
) -> None:
    body = {
        "to": bob,
        "message_type": "request",
        "payload": "aGk=",
        "priority": 1,
        "ttl": 9,
        "on_behalf_of": alice,
    }
    assert "Unauthorized" in net.refused(carol, "send_message", **body)
    net.do(net.admin, "update_config", relays=[carol])
    result = net.do(carol, "send_message", **body)
    message = net.ask("get_message", msg_id=json.loads(result.data)["msg_id"])["message"]
    assert (message["sender"], message["via"]) == (alice, carol)
    assert net.ask("rate_limit_status", address=alice)["messages_used"] == 0
    assert events_of(result, "a2a_message_sent")[0]["via"] == carol


def test_gas_of_a_send_is_the_same_at_any_size(net: AgentNet, alice: str, bob: str) -> None:
    def cost() -> int:
        net.later()
        result = net.do(
            alice, "send_message", to=bob, message_type="request", payload="aGk=", priority=1, ttl=9
        )
        gas: int = result.gas_used
        return gas

    cost()
    net.chain.set_height(1_000)
    first = cost()
    crowd = [net.account(f"crowd {n}") for n in range(12)]
    for sender in crowd:
        for receiver in (bob, *crowd[:3]):
            if sender != receiver:
                net.send(sender, receiver)
    assert cost() == first
