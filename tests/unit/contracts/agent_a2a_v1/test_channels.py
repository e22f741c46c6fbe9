"""CN-1: channels between two, and the life of every channel."""

from __future__ import annotations

import json

import pytest
from agent_net import AgentNet, events_of


def open_direct(net: AgentNet, sender: str, other: str) -> str:
    result = net.do(sender, "create_channel", participant=other, channel_type="direct")
    channel_id: str = json.loads(result.data)["channel_id"]
    return channel_id


def channel(net: AgentNet, channel_id: str) -> dict[str, object]:
    found: dict[str, object] = net.ask("get_channel", channel_id=channel_id)["channel"]
    return found


def test_CN_1_opens_for_both(net: AgentNet, alice: str, bob: str) -> None:
    channel_id = open_direct(net, alice, bob)
    found = channel(net, channel_id)
    assert found["participants"] == [alice, bob]
    assert (found["status"], found["channel_type"], found["message_count"]) == ("open", "direct", 0)
    low, high = sorted([alice, bob])
    assert channel_id == f"ch:{low}-{high}"
    for pair in ([alice, bob], [bob, alice]):
        listed = net.ask("list_channels", participants=pair)
        assert [c["channel_id"] for c in listed["channels"]] == [channel_id]


def test_CN_1_event_names_both_sides(net: AgentNet, alice: str, bob: str) -> None:
    result = net.do(alice, "create_channel", participant=bob, channel_type="direct")
    event = events_of(result, "a2a_channel_created")[0]
    assert (event["participant_1"], event["participant_2"]) == (alice, bob)
    assert (event["actor"], event["channel_type"]) == (alice, "direct")
    assert event["height"] == str(net.chain.height)


def test_CN_1_first_message_makes_it_active(net: AgentNet, alice: str, bob: str) -> None:
    channel_id = open_direct(net, alice, bob)
    msg_id = net.send(bob, alice)
    assert net.ask("get_message", msg_id=msg_id)["message"]["channel_id"] == channel_id
    assert channel(net, channel_id)["status"] == "active"


def test_CN_1_sends_and_replies_both_count(net: AgentNet, alice: str, bob: str) -> None:
    channel_id = open_direct(net, alice, bob)
    original = net.send(alice, bob)
    reply = net.reply(bob, original)
    assert channel(net, channel_id)["message_count"] == 2
    page = net.ask("list_channel_messages", channel_id=channel_id)
    assert [m["msg_id"] for m in page["messages"]] == [reply, original]
    assert page["total"] == 2


def test_CN_1_messages_before_the_channel_stay_outside(net: AgentNet, alice: str, bob: str) -> None:
    early = net.send(alice, bob)
    channel_id = open_direct(net, alice, bob)
    assert net.ask("get_message", msg_id=early)["message"]["channel_id"] is None
    reply = net.reply(bob, early)
    assert net.ask("get_message", msg_id=reply)["message"]["channel_id"] == channel_id
    assert channel(net, channel_id)["status"] == "active"


def test_CN_1_no_second_live_channel(net: AgentNet, alice: str, bob: str) -> None:
    open_direct(net, alice, bob)
    for sender, other in ((alice, bob), (bob, alice)):
        text = net.refused(sender, "create_channel", participant=other, channel_type="direct")
        assert "Channel already exists for these participants" in text


def test_CN_1_a_new_one_after_closing(net: AgentNet, alice: str, bob: str) -> None:
    first = open_direct(net, alice, bob)
    net.do(bob, "close_channel", channel_id=first)
    second = open_direct(net, bob, alice)
    assert second != first
    listed = net.ask("list_channels", participants=[alice, bob])
    assert [c["channel_id"] for c in listed["channels"]] == [second, first]
    assert listed["total"] == 2
    assert (channel(net, first)["status"], channel(net, second)["status"]) == ("closed", "open")


def test_CN_1_no_channel_with_oneself(net: AgentNet, alice: str) -> None:
    text = net.refused(alice, "create_channel", participant=alice, channel_type="direct")
    assert "Invalid participants" in text


@pytest.mark.parametrize("word", ["", "group", "directs"])
def test_CN_1_refuses_other_types(net: AgentNet, alice: str, bob: str, word: str) -> None:
    text = net.refused(alice, "create_channel", participant=bob, channel_type=word)
    assert f"Invalid channel type: {word}" in text


def test_CN_1_refuses_a_direct_channel_with_nobody_or_two(
    net: AgentNet, alice: str, bob: str, carol: str
) -> None:
    for members in ([], [bob, carol]):
        text = net.refused(alice, "create_channel", channel_type="direct", members=members)
        assert "a direct channel has one other participant" in text


def test_CN_1_closed_is_final(net: AgentNet, alice: str, bob: str) -> None:
    channel_id = open_direct(net, alice, bob)
    result = net.do(alice, "close_channel", channel_id=channel_id)
    assert events_of(result, "a2a_channel_closed")[0]["closed_by"] == alice
    text = net.refused(bob, "close_channel", channel_id=channel_id)
    assert "Invalid channel transition: closed to closed" in text
    for status in ("open", "active", "closed"):
        text = net.refused(bob, "update_channel", channel_id=channel_id, status=status)
        assert f"Invalid channel transition: closed to {status}" in text
    text = net.refused(net.admin, "update_channel", channel_id=channel_id, status="suspended")
    assert "Invalid channel transition: closed to suspended" in text
    text = net.refused(bob, "update_channel", channel_id=channel_id, metadata="aGk=")
    assert "Channel is not open" in text


def test_CN_1_messages_over_a_closed_channel_are_refused(
    net: AgentNet, alice: str, bob: str
) -> None:
    channel_id = open_direct(net, alice, bob)
    original = net.send(alice, bob)
    net.do(alice, "close_channel", channel_id=channel_id)
    assert "Channel is not open" in net.send_refused(alice, bob, channel_id=channel_id)
    text = net.refused(bob, "reply_message", original_msg_id=original, payload="b2s=")
    assert f"Channel is not open: {channel_id}" in text
    assert net.ask("get_message", msg_id=net.send(alice, bob))["message"]["channel_id"] is None


def test_CN_1_only_the_admin_suspends_and_resumes(net: AgentNet, alice: str, bob: str) -> None:
    channel_id = open_direct(net, alice, bob)
    net.send(alice, bob)
    text = net.refused(alice, "update_channel", channel_id=channel_id, status="suspended")
    assert "Unauthorized" in text
    net.do(net.admin, "update_channel", channel_id=channel_id, status="Suspended")
    assert channel(net, channel_id)["status"] == "suspended"
    assert f"Channel is not open: {channel_id}" in net.send_refused(alice, bob)
    assert "Channel is not open" in net.send_refused(alice, bob, channel_id=channel_id)
    text = net.refused(alice, "update_channel", channel_id=channel_id, status="active")
    assert "Unauthorized" in text
    net.do(net.admin, "update_channel", channel_id=channel_id, status="active")
    net.send(alice, bob)


def test_CN_1_the_constitution_authority_suspends_too(
    net: AgentNet, alice: str, bob: str, carol: str
) -> None:
    channel_id = open_direct(net, alice, bob)
    net.send(alice, bob)
    net.on(net.constitution, net.admin, "update_authority", authority=carol)
    net.do(net.admin, "update_config", admin=bob)
    text = net.refused(net.admin, "update_channel", channel_id=channel_id, status="suspended")
    assert "Unauthorized" in text
    net.do(carol, "update_channel", channel_id=channel_id, status="suspended")
    assert channel(net, channel_id)["status"] == "suspended"


def test_CN_1_a_suspended_channel_may_be_closed(net: AgentNet, alice: str, bob: str) -> None:
    channel_id = open_direct(net, alice, bob)
    net.send(alice, bob)
    net.do(net.admin, "update_channel", channel_id=channel_id, status="suspended")
    result = net.do(bob, "update_channel", channel_id=channel_id, status="closed")
    assert events_of(result, "a2a_channel_closed")[0]["actor"] == bob
    assert channel(net, channel_id)["status"] == "closed"


@pytest.mark.parametrize(
    ("status", "text"),
    [
        ("active", "Invalid channel transition: open to active"),
        ("lost", "Invalid status: lost"),
    ],
)
def test_CN_1_illegal_moves_are_refused_by_name(
    net: AgentNet, alice: str, bob: str, status: str, text: str
) -> None:
    channel_id = open_direct(net, alice, bob)
    assert text in net.refused(alice, "update_channel", channel_id=channel_id, status=status)


def test_CN_1_an_open_channel_is_not_suspended(net: AgentNet, alice: str, bob: str) -> None:
    channel_id = open_direct(net, alice, bob)
    text = net.refused(net.admin, "update_channel", channel_id=channel_id, status="suspended")
    assert "Invalid channel transition: open to suspended" in text


def test_CN_1_metadata_changes_alone(net: AgentNet, alice: str, bob: str) -> None:
    channel_id = open_direct(net, alice, bob)
    net.send(alice, bob)
    net.do(bob, "update_channel", channel_id=channel_id, metadata="aGk=")
    found = channel(net, channel_id)
    assert (found["metadata"], found["status"]) == ("aGk=", "active")
    net.do(bob, "update_channel", channel_id=channel_id, status="active", metadata="")
    assert channel(net, channel_id)["metadata"] is None


def test_CN_1_metadata_has_a_limit(net: AgentNet, alice: str, bob: str) -> None:
    text = net.refused(
        alice,
        "create_channel",
        participant=bob,
        channel_type="direct",
        metadata="A" * 5464,
    )
    assert "Metadata too large: max 4096 bytes" in text


def test_CN_1_strangers_operate_nothing(net: AgentNet, alice: str, bob: str, carol: str) -> None:
    channel_id = open_direct(net, alice, bob)
    assert "Unauthorized" in net.refused(carol, "close_channel", channel_id=channel_id)
    text = net.refused(carol, "update_channel", channel_id=channel_id, metadata="aGk=")
    assert "Unauthorized" in text
    assert "Unauthorized" in net.send_refused(carol, alice, channel_id=channel_id)
    text = net.send_refused(alice, carol, channel_id=channel_id)
    assert "receiver is not in the channel" in text


def test_CN_1_unknown_channels_have_their_error(net: AgentNet, alice: str, bob: str) -> None:
    assert "Channel not found: ch:x" in net.refused(alice, "close_channel", channel_id="ch:x")
    assert "Channel not found: ch:x" in net.send_refused(alice, bob, channel_id="ch:x")
    assert net.ask("get_channel", channel_id="ch:x") == {"channel": None}


def test_channels_of_an_address_page_newest_first(
    net: AgentNet, alice: str, bob: str, carol: str, dave: str
) -> None:
    made = [open_direct(net, alice, other) for other in (bob, carol, dave)]
    first = net.ask("list_channels_of", address=alice, limit=2)
    assert [c["channel_id"] for c in first["channels"]] == made[:0:-1]
    assert (first["total"], first["next"]) == (3, made[1])
    rest = net.ask("list_channels_of", address=alice, start_after=made[1])
    assert [c["channel_id"] for c in rest["channels"]] == made[:1]
    assert rest["next"] is None


def test_channels_of_a_pair_page(net: AgentNet, alice: str, bob: str) -> None:
    made = []
    for _ in range(4):
        made.append(open_direct(net, alice, bob))
        net.do(alice, "close_channel", channel_id=made[-1])
    seen = []
    cursor = None
    while True:
        page = net.ask("list_channels", participants=[alice, bob], start_after=cursor, limit=3)
        seen += [c["channel_id"] for c in page["channels"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert seen == made[::-1]


def test_list_channels_checks_both_addresses(net: AgentNet, alice: str, bob: str) -> None:
    for pair in ([alice, "nobody"], [bob.upper(), alice]):
        with pytest.raises(Exception, match=r"(?i)addr|bech32|decoding"):
            net.ask("list_channels", participants=pair)
