"""CN-3: topics."""

from __future__ import annotations

import json

import pytest
from agent_net import AgentNet, events_of


@pytest.fixture
def hub(net: AgentNet, alice: str) -> str:
    result = net.do(alice, "create_channel", channel_type="pubsub")
    channel_id: str = json.loads(result.data)["channel_id"]
    return channel_id


def publish(net: AgentNet, sender: str, hub: str, topic: str = "news", **fields: object) -> str:
    result = net.do(
        sender, "publish", **{"channel_id": hub, "topic": topic, "payload": "aGk=", **fields}
    )
    msg_id: str = json.loads(result.data)["msg_id"]
    return msg_id


def read(net: AgentNet, hub: str, topic: str = "news", **fields: object) -> list[str]:
    page = net.ask("list_topic_messages", channel_id=hub, topic=topic, **fields)
    return [message["msg_id"] for message in page["messages"]]


def test_CN_3_a_message_is_stored_once_per_topic(
    net: AgentNet, alice: str, bob: str, hub: str
) -> None:
    net.do(bob, "subscribe", channel_id=hub, topic="news")
    first = publish(net, alice, hub)
    other = publish(net, alice, hub, topic="weather")
    assert read(net, hub) == [first]
    assert read(net, hub, "weather") == [other]
    message = net.ask("get_message", msg_id=first)["message"]
    assert (message["topic"], message["channel_id"]) == ("news", hub)
    assert net.inbox(bob) == []
    assert net.ask("list_sent_messages", address=alice)["total"] == 2
    assert net.ask("get_channel", channel_id=hub)["channel"]["status"] == "active"


def test_CN_3_subscribers_read_from_their_cursor(
    net: AgentNet, alice: str, bob: str, hub: str
) -> None:
    publish(net, alice, hub)
    net.do(bob, "subscribe", channel_id=hub, topic="news")
    made = [publish(net, alice, hub) for _ in range(3)]
    assert read(net, hub, subscriber=bob) == made
    net.do(bob, "mark_read", msg_id=made[1])
    assert read(net, hub, subscriber=bob) == made[2:]
    net.do(bob, "mark_read", msg_id=made[0])
    assert read(net, hub, subscriber=bob) == made[2:]
    assert read(net, hub, subscriber=bob, start_after=made[2]) == []


def test_CN_3_publishing_costs_the_same_for_any_crowd(net: AgentNet, alice: str, hub: str) -> None:
    def cost() -> int:
        net.later()
        result = net.do(alice, "publish", channel_id=hub, topic="news", payload="aGk=")
        gas: int = result.gas_used
        return gas

    net.chain.set_height(1_000)
    cost()
    before = cost()
    for n in range(40):
        net.do(net.account(f"reader {n}"), "subscribe", channel_id=hub, topic="news")
    assert cost() == before


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("message_type = request", [0, 2]),
        ("message_type != request", [1]),
        ("priority >= 100", [1, 2]),
        ("priority > 100", [2]),
        ("priority < 100 and message_type = 'request'", [0]),
        ("priority<=100 AND priority!=10", [1]),
        ("priority = 200", [2]),
    ],
)
def test_CN_3_filters(
    net: AgentNet, alice: str, bob: str, hub: str, *, text: str, expected: list[int]
) -> None:
    net.do(bob, "subscribe", channel_id=hub, topic="news", filter=text)
    made = [
        publish(net, alice, hub, message_type="request", priority=10),
        publish(net, alice, hub, message_type="notification", priority=100),
        publish(net, alice, hub, message_type="request", priority=200),
    ]
    assert read(net, hub, subscriber=bob) == [made[n] for n in expected]


def test_CN_3_filters_by_sender(net: AgentNet, alice: str, bob: str, carol: str, hub: str) -> None:
    net.do(alice, "update_channel", channel_id=hub, add_members=[carol])
    net.do(bob, "subscribe", channel_id=hub, topic="news", filter=f"sender = {carol}")
    publish(net, alice, hub)
    wanted = publish(net, carol, hub)
    assert read(net, hub, subscriber=bob) == [wanted]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "priority",
        "priority = high",
        "priority = 1000",
        "colour = red",
        "sender > msg1",
        "message_type >= request",
        "message_type = gossip",
        "priority = 1 AND",
        "priority = 1 OR priority = 2",
        " AND ".join(["priority > 1"] * 9),
    ],
)
def test_CN_3_refuses_filters_that_mean_nothing(
    net: AgentNet, bob: str, hub: str, text: str
) -> None:
    refusal = net.refused(bob, "subscribe", channel_id=hub, topic="news", filter=text)
    assert "Invalid filter" in refusal


def test_CN_3_a_new_filter_replaces_the_old(net: AgentNet, alice: str, bob: str, hub: str) -> None:
    net.do(bob, "subscribe", channel_id=hub, topic="news", filter="priority > 200")
    msg_id = publish(net, alice, hub)
    assert read(net, hub, subscriber=bob) == []
    net.do(bob, "subscribe", channel_id=hub, topic="news")
    assert read(net, hub, subscriber=bob) == [msg_id]


def test_CN_3_unsubscribe(net: AgentNet, alice: str, bob: str, hub: str) -> None:
    refusal = net.refused(bob, "unsubscribe", channel_id=hub, topic="news")
    assert "Not subscribed" in refusal
    net.do(bob, "subscribe", channel_id=hub, topic="news")
    msg_id = publish(net, alice, hub)
    result = net.do(bob, "unsubscribe", channel_id=hub, topic="news")
    assert events_of(result, "a2a_unsubscribed")[0]["subscriber"] == bob
    assert "Not subscribed" in net.refused(bob, "mark_read", msg_id=msg_id)
    assert "Not subscribed" in net.refused(bob, "unsubscribe", channel_id=hub, topic="news")
    shown = net.ask("list_subscriptions", subscriber=bob)["subscriptions"]
    assert [s["active"] for s in shown] == [False]


def test_CN_3_list_subscriptions_pages(net: AgentNet, bob: str, hub: str) -> None:
    for topic in ("a", "b", "c"):
        net.do(bob, "subscribe", channel_id=hub, topic=topic)
    page = net.ask("list_subscriptions", subscriber=bob, limit=2)
    assert [s["topic"] for s in page["subscriptions"]] == ["a", "b"]
    assert page["next"] == [hub, "b"]
    rest = net.ask("list_subscriptions", subscriber=bob, start_after=page["next"])
    assert [s["topic"] for s in rest["subscriptions"]] == ["c"]
    assert rest["next"] is None


def test_CN_3_only_participants_publish(net: AgentNet, bob: str, hub: str) -> None:
    text = net.refused(bob, "publish", channel_id=hub, topic="news", payload="aGk=")
    assert "Unauthorized" in text


@pytest.mark.parametrize("topic", ["", "News", "a b", "x" * 65])
def test_CN_3_refuses_odd_topics(net: AgentNet, alice: str, hub: str, topic: str) -> None:
    text = net.refused(alice, "publish", channel_id=hub, topic=topic, payload="aGk=")
    assert f"Invalid topic: {topic}" in text


def test_CN_3_topics_live_in_pubsub_channels_only(net: AgentNet, alice: str, bob: str) -> None:
    result = net.do(alice, "create_channel", channel_type="broadcast", members=[bob])
    other = json.loads(result.data)["channel_id"]
    text = net.refused(alice, "publish", channel_id=other, topic="news", payload="aGk=")
    assert "Invalid channel type: broadcast" in text
    text = net.refused(bob, "subscribe", channel_id=other, topic="news")
    assert "Invalid channel type: broadcast" in text


def test_CN_3_nothing_direct_over_a_pubsub_channel(
    net: AgentNet, alice: str, bob: str, hub: str
) -> None:
    net.do(alice, "update_channel", channel_id=hub, add_members=[bob])
    text = net.send_refused(alice, bob, channel_id=hub)
    assert "Invalid channel type: pubsub" in text


def test_CN_3_closed_is_closed(net: AgentNet, alice: str, bob: str, hub: str) -> None:
    net.do(alice, "close_channel", channel_id=hub)
    text = net.refused(alice, "publish", channel_id=hub, topic="news", payload="aGk=")
    assert "Channel is not open" in text
    assert "Channel is not open" in net.refused(bob, "subscribe", channel_id=hub, topic="news")


def test_CN_3_topic_messages_end_too(net: AgentNet, alice: str, hub: str) -> None:
    msg_id = publish(net, alice, hub, ttl=10)
    net.later(11)
    assert net.status(msg_id) == "expired"
    assert "Unauthorized" in net.refused(alice, "cancel_message", msg_id=msg_id)


def test_CN_3_a_sparse_filter_reads_in_bounded_steps(
    net: AgentNet, alice: str, bob: str, hub: str
) -> None:
    net.do(net.admin, "update_config", limits={"rate_messages_max": 1000})
    net.do(bob, "subscribe", channel_id=hub, topic="news", filter="priority = 255")
    for _ in range(2):
        for _ in range(505):
            publish(net, alice, hub, priority=1)
        net.later()
    rare = publish(net, alice, hub, priority=255)
    page = net.ask("list_topic_messages", channel_id=hub, topic="news", subscriber=bob)
    assert page["messages"] == []
    assert page["next"] is not None
    assert read(net, hub, subscriber=bob, start_after=page["next"]) == [rare]
