"""CN-2: one to many."""

from __future__ import annotations

import json

import pytest
from agent_net import AgentNet, events_of


def open_broadcast(net: AgentNet, owner: str, members: list[str]) -> str:
    result = net.do(owner, "create_channel", channel_type="broadcast", members=members)
    channel_id: str = json.loads(result.data)["channel_id"]
    return channel_id


def test_CN_2_each_member_gets_its_own_message(
    net: AgentNet, alice: str, bob: str, carol: str
) -> None:
    channel_id = open_broadcast(net, alice, [bob, carol])
    result = net.do(alice, "broadcast", channel_id=channel_id, payload="aGk=", priority=9, ttl=60)
    ids = json.loads(result.data)["msg_ids"]
    assert len(dict.fromkeys(ids)) == 2
    for member, msg_id in zip((bob, carol), ids, strict=True):
        message = net.ask("get_message", msg_id=msg_id)["message"]
        assert (message["sender"], message["receiver"]) == (alice, member)
        assert (message["message_type"], message["channel_id"]) == ("broadcast", channel_id)
        assert net.inbox(member) == [msg_id]
    channel = net.ask("get_channel", channel_id=channel_id)["channel"]
    assert (channel["message_count"], channel["status"]) == (2, "active")
    assert events_of(result, "a2a_broadcast_sent")[0]["count"] == "2"
    assert len(events_of(result, "a2a_message_sent")) == 2


def test_CN_2_members_answer_the_agent_itself(
    net: AgentNet, alice: str, bob: str, carol: str
) -> None:
    channel_id = open_broadcast(net, alice, [bob, carol])
    net.do(alice, "broadcast", channel_id=channel_id, payload="aGk=", priority=9, ttl=60)
    reply = net.reply(bob, net.inbox(bob)[0])
    assert net.inbox(alice) == [reply]
    assert net.ask("get_message", msg_id=reply)["message"]["channel_id"] == channel_id


def test_CN_2_to_named_receivers(net: AgentNet, alice: str, bob: str, carol: str) -> None:
    net.do(alice, "broadcast", receivers=[carol, bob], payload="aGk=", priority=9, ttl=60)
    assert len(net.inbox(bob)) == len(net.inbox(carol)) == 1
    assert net.ask("list_sent_messages", address=alice)["total"] == 2


def test_CN_2_all_or_nothing(net: AgentNet, alice: str, bob: str) -> None:
    net.refused(alice, "broadcast", receivers=[bob, "nobody"], payload="aGk=", priority=9, ttl=60)
    assert net.inbox(bob) == []


@pytest.mark.parametrize("case", ["twice", "oneself", "nobody", "both", "neither"])
def test_CN_2_refuses_odd_receivers(net: AgentNet, alice: str, bob: str, case: str) -> None:
    channel_id = open_broadcast(net, alice, [])
    fields: dict[str, object] = {
        "twice": {"receivers": [bob, bob]},
        "oneself": {"receivers": [alice]},
        "nobody": {"channel_id": channel_id},
        "both": {"channel_id": channel_id, "receivers": [bob]},
        "neither": {},
    }[case]  # type: ignore[assignment]
    text = net.refused(alice, "broadcast", payload="aGk=", priority=9, ttl=60, **fields)  # type: ignore[arg-type]
    assert "Invalid participants" in text


def test_CN_2_a_hundred_members_and_no_more(net: AgentNet, alice: str) -> None:
    crowd = [net.account(f"member {n}") for n in range(101)]
    text = net.refused(alice, "create_channel", channel_type="broadcast", members=crowd)
    assert "at most 100 members" in text
    channel_id = open_broadcast(net, alice, crowd[:100])
    text = net.refused(alice, "update_channel", channel_id=channel_id, add_members=crowd[100:])
    assert "at most 100 members" in text
    result = net.do(alice, "broadcast", channel_id=channel_id, payload="aGk=", priority=9, ttl=60)
    assert len(json.loads(result.data)["msg_ids"]) == 100
    assert net.ask("rate_limit_status", address=alice)["messages_used"] == 1


def test_CN_2_gas_in_proportion(net: AgentNet, alice: str) -> None:
    crowd = [net.account(f"member {n}") for n in range(100)]
    costs = []
    for count in (25, 50, 100):
        channel_id = open_broadcast(net, alice, crowd[:count])
        result = net.do(
            alice, "broadcast", channel_id=channel_id, payload="aGk=", priority=9, ttl=60
        )
        costs.append(result.gas_used)
    assert 1.8 < (costs[2] - costs[1]) / (costs[1] - costs[0]) < 2.2


def test_CN_2_only_the_owner_broadcasts_and_closes(
    net: AgentNet, alice: str, bob: str, carol: str
) -> None:
    channel_id = open_broadcast(net, alice, [bob])
    for stranger in (bob, carol):
        text = net.refused(
            stranger, "broadcast", channel_id=channel_id, payload="aGk=", priority=9, ttl=60
        )
        assert "Unauthorized" in text
        assert "Unauthorized" in net.refused(stranger, "close_channel", channel_id=channel_id)
    net.do(alice, "close_channel", channel_id=channel_id)
    text = net.refused(
        alice, "broadcast", channel_id=channel_id, payload="aGk=", priority=9, ttl=60
    )
    assert "Channel is not open" in text


def test_CN_2_not_over_a_direct_channel(net: AgentNet, alice: str, bob: str) -> None:
    result = net.do(alice, "create_channel", participant=bob, channel_type="direct")
    channel_id = json.loads(result.data)["channel_id"]
    text = net.refused(
        alice, "broadcast", channel_id=channel_id, payload="aGk=", priority=9, ttl=60
    )
    assert "Invalid channel type: direct" in text


def test_CN_2_a_member_leaves_by_itself(net: AgentNet, alice: str, bob: str, carol: str) -> None:
    channel_id = open_broadcast(net, alice, [bob, carol])
    text = net.refused(bob, "update_channel", channel_id=channel_id, remove_members=[carol])
    assert "Unauthorized" in text
    net.do(bob, "update_channel", channel_id=channel_id, remove_members=[bob])
    channel = net.ask("get_channel", channel_id=channel_id)["channel"]
    assert channel["participants"] == [alice, carol]
    assert net.ask("list_channels_of", address=bob)["total"] == 0
    net.do(alice, "update_channel", channel_id=channel_id, add_members=[bob])
    assert net.ask("list_channels_of", address=bob)["total"] == 1


def test_CN_2_checks_content_like_a_send(net: AgentNet, alice: str, bob: str) -> None:
    text = net.refused(alice, "broadcast", receivers=[bob], payload="", priority=9, ttl=60)
    assert "Payload is empty" in text


def test_CN_2_a_suspended_pair_stops_it(net: AgentNet, alice: str, bob: str, carol: str) -> None:
    result = net.do(alice, "create_channel", participant=bob, channel_type="direct")
    channel_id = json.loads(result.data)["channel_id"]
    net.send(alice, bob)
    net.do(net.admin, "update_channel", channel_id=channel_id, status="suspended")
    text = net.refused(
        alice, "broadcast", receivers=[carol, bob], payload="aGk=", priority=9, ttl=60
    )
    assert "Channel is not open" in text
    assert net.inbox(carol) == []
