"""MS-5: replies, by either name."""

from __future__ import annotations

import json

from agent_net import AgentNet, events_of


def test_MS_5_links_and_inherits(net: AgentNet, alice: str, bob: str) -> None:
    original = net.send(alice, bob, priority=77, ttl=123)
    reply = net.ask("get_message", msg_id=net.reply(bob, original))["message"]
    assert (reply["sender"], reply["receiver"]) == (bob, alice)
    assert (reply["priority"], reply["ttl"]) == (77, 123)
    assert reply["message_type"] == "response"
    assert reply["reply_to"] == original
    assert reply["depth"] == 1
    assert net.status(original) == "replied"


def test_MS_5_send_with_reply_to_is_the_same_operation(net: AgentNet, alice: str, bob: str) -> None:
    original = net.send(alice, bob, priority=77, ttl=123)
    result = net.do(
        bob,
        "send_message",
        to=alice,
        message_type="response",
        payload="b2s=",
        priority=1,
        ttl=1,
        reply_to=original,
    )
    msg_id = json.loads(result.data)["msg_id"]
    reply = net.ask("get_message", msg_id=msg_id)["message"]
    assert (reply["priority"], reply["ttl"], reply["reply_to"]) == (77, 123, original)
    assert net.status(original) == "replied"
    assert events_of(result, "a2a_message_replied")[0]["original_msg_id"] == original


def test_MS_5_only_the_receiver_replies(net: AgentNet, alice: str, bob: str, carol: str) -> None:
    original = net.send(alice, bob)
    for stranger in (alice, carol):
        text = net.refused(stranger, "reply_message", original_msg_id=original, payload="b2s=")
        assert "Unauthorized" in text
    assert "Unauthorized" in net.send_refused(carol, alice, reply_to=original)


def test_MS_5_a_reply_goes_to_the_sender_only(
    net: AgentNet, alice: str, bob: str, carol: str
) -> None:
    original = net.send(alice, bob)
    assert "Unauthorized" in net.send_refused(bob, carol, reply_to=original)


def test_MS_5_a_message_is_answered_once(net: AgentNet, alice: str, bob: str) -> None:
    original = net.send(alice, bob)
    net.reply(bob, original)
    text = net.refused(bob, "reply_message", original_msg_id=original, payload="b2s=")
    assert "Invalid message transition: replied to replied" in text
    text = net.send_refused(bob, alice, reply_to=original)
    assert "Invalid message transition: replied to replied" in text


def test_MS_5_no_reply_to_a_cancelled_message(net: AgentNet, alice: str, bob: str) -> None:
    original = net.send(alice, bob)
    net.do(alice, "cancel_message", msg_id=original)
    text = net.refused(bob, "reply_message", original_msg_id=original, payload="b2s=")
    assert "Invalid message transition: cancelled to replied" in text


def test_MS_5_no_reply_to_nothing(net: AgentNet, alice: str, bob: str) -> None:
    text = net.refused(bob, "reply_message", original_msg_id="msg:x-y-1-0000000009", payload="b2s=")
    assert "Original message not found for reply" in text
    assert "Original message not found for reply" in net.send_refused(bob, alice, reply_to="x")


def test_MS_5_reply_checks_size_too(net: AgentNet, alice: str, bob: str) -> None:
    original = net.send(alice, bob)
    text = net.refused(bob, "reply_message", original_msg_id=original, payload="")
    assert "Payload is empty" in text


def test_MS_5_depth_ten_is_the_last(net: AgentNet, alice: str, bob: str) -> None:
    last = net.send(alice, bob)
    root = last
    parties = (bob, alice)
    for depth in range(1, 11):
        last = net.reply(parties[(depth - 1) % 2], last)
        assert net.ask("get_message", msg_id=last)["message"]["depth"] == depth
    text = net.refused(bob, "reply_message", original_msg_id=last, payload="b2s=")
    assert "Reply chain too deep: max 10 levels" in text
    assert "Reply chain too deep" in net.send_refused(bob, alice, reply_to=last)
    thread = net.ask("list_thread", msg_id=last, limit=100)
    assert thread["total"] == 11
    assert thread["messages"][-1]["msg_id"] == root
    assert thread["messages"][0]["msg_id"] == last


def test_MS_5_thread_pages(net: AgentNet, alice: str, bob: str) -> None:
    root = net.send(alice, bob)
    first = net.reply(bob, root)
    second = net.reply(alice, first)
    page = net.ask("list_thread", msg_id=root, limit=2)
    assert [m["msg_id"] for m in page["messages"]] == [second, first]
    assert page["next"] == first
    rest = net.ask("list_thread", msg_id=first, start_after=first)
    assert [m["msg_id"] for m in rest["messages"]] == [root]


def test_MS_5_a_delivered_or_read_message_is_answered(net: AgentNet, alice: str, bob: str) -> None:
    for variant in ("mark_delivered", "mark_read"):
        original = net.send(alice, bob)
        net.do(bob, variant, msg_id=original)
        net.reply(bob, original)
        assert net.status(original) == "replied"


def test_replied_event_names_everything(net: AgentNet, alice: str, bob: str) -> None:
    original = net.send(alice, bob)
    result = net.do(bob, "reply_message", original_msg_id=original, payload="b2s=")
    event = events_of(result, "a2a_message_replied")[0]
    assert event["original_msg_id"] == original
    assert event["reply_msg_id"] == json.loads(result.data)["msg_id"]
    assert event["actor"] == event["sender"] == bob
    assert event["receiver"] == alice
    assert event["height"] == str(net.chain.height)
    assert event["message_type"] == "response"
