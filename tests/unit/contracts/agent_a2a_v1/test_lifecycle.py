"""MS-3, MS-4: status, and the end of a message."""

from __future__ import annotations

import pytest
from agent_net import AgentNet, events_of

SECOND = 10**9


def test_MS_3_pending_delivered_read_replied(net: AgentNet, alice: str, bob: str) -> None:
    msg_id = net.send(alice, bob)
    seen = [net.status(msg_id)]
    for variant in ("mark_delivered", "mark_read"):
        net.do(bob, variant, msg_id=msg_id)
        seen.append(net.status(msg_id))
    net.reply(bob, msg_id)
    seen.append(net.status(msg_id))
    assert seen == ["pending", "delivered", "read", "replied"]


def test_MS_3_read_at_once(net: AgentNet, alice: str, bob: str) -> None:
    msg_id = net.send(alice, bob)
    result = net.do(bob, "mark_read", msg_id=msg_id)
    assert net.status(msg_id) == "read"
    assert events_of(result, "a2a_message_read")[0]["previous_status"] == "pending"


@pytest.mark.parametrize("variant", ["mark_delivered", "mark_read"])
def test_MS_3_only_the_receiver_marks(
    net: AgentNet, alice: str, bob: str, carol: str, variant: str
) -> None:
    msg_id = net.send(alice, bob)
    for stranger in (alice, carol):
        assert "Unauthorized" in net.refused(stranger, variant, msg_id=msg_id)


def test_MS_3_only_the_sender_cancels(net: AgentNet, alice: str, bob: str) -> None:
    msg_id = net.send(alice, bob)
    assert "Unauthorized" in net.refused(bob, "cancel_message", msg_id=msg_id)
    result = net.do(alice, "cancel_message", msg_id=msg_id)
    assert net.status(msg_id) == "cancelled"
    event = events_of(result, "a2a_message_cancelled")[0]
    assert event["cancelled_by"] == event["actor"] == alice


@pytest.mark.parametrize(
    ("moves", "last", "text"),
    [
        (["mark_delivered"], "mark_delivered", "delivered to delivered"),
        (["mark_read"], "mark_delivered", "read to delivered"),
        (["mark_read"], "mark_read", "read to read"),
        (["mark_delivered"], "cancel_message", "delivered to cancelled"),
        (["mark_read"], "cancel_message", "read to cancelled"),
        (["cancel_message"], "cancel_message", "cancelled to cancelled"),
        (["cancel_message"], "mark_read", "cancelled to read"),
        (["reply_message"], "mark_read", "replied to read"),
        (["reply_message"], "cancel_message", "replied to cancelled"),
    ],
)
def test_MS_3_refuses_other_moves_by_name(
    net: AgentNet, alice: str, bob: str, *, moves: list[str], last: str, text: str
) -> None:
    msg_id = net.send(alice, bob)

    def who(variant: str) -> str:
        return alice if variant == "cancel_message" else bob

    for variant in moves:
        if variant == "reply_message":
            net.reply(bob, msg_id)
        else:
            net.do(who(variant), variant, msg_id=msg_id)
    refusal = net.refused(who(last), last, msg_id=msg_id)
    assert f"Invalid message transition: {text}" in refusal


@pytest.mark.parametrize("variant", ["mark_delivered", "mark_read", "cancel_message"])
def test_MS_3_names_an_unknown_message(net: AgentNet, alice: str, variant: str) -> None:
    assert "Message not found: msg:x" in net.refused(alice, variant, msg_id="msg:x")


def test_MS_3_cancelling_a_reply_leaves_the_original_replied(
    net: AgentNet, alice: str, bob: str
) -> None:
    original = net.send(alice, bob)
    reply = net.reply(bob, original)
    net.do(bob, "cancel_message", msg_id=reply)
    assert (net.status(original), net.status(reply)) == ("replied", "cancelled")


@pytest.mark.parametrize(("offset", "status"), [(-1, "pending"), (0, "pending"), (1, "expired")])
def test_MS_4_alive_up_to_and_at_expires_at(
    net: AgentNet, alice: str, bob: str, offset: int, status: str
) -> None:
    end = net.chain.time + 10 * SECOND + offset
    msg_id = net.send(alice, bob, ttl=10)
    net.chain.set_time(end)
    assert net.status(msg_id) == status
    alive = status == "pending"
    assert net.inbox(bob, status="pending") == ([msg_id] if alive else [])
    assert net.inbox(bob, status="expired") == ([] if alive else [msg_id])
    assert net.ask("count_pending_messages", address=bob)["count"] == (1 if alive else 0)


@pytest.mark.parametrize("variant", ["mark_delivered", "mark_read", "cancel_message"])
def test_MS_4_every_operation_sees_the_end(
    net: AgentNet, alice: str, bob: str, variant: str
) -> None:
    msg_id = net.send(alice, bob, ttl=10)
    net.later(11)
    who = alice if variant == "cancel_message" else bob
    assert "Message has expired" in net.refused(who, variant, msg_id=msg_id)
    assert "Message has expired" in net.send_refused(bob, alice, reply_to=msg_id)


@pytest.mark.parametrize("variant", [None, "mark_delivered", "mark_read"])
def test_MS_4_live_messages_of_every_status_end(
    net: AgentNet, alice: str, bob: str, variant: str | None
) -> None:
    msg_id = net.send(alice, bob, ttl=10)
    if variant is not None:
        net.do(bob, variant, msg_id=msg_id)
    net.later(11)
    assert net.status(msg_id) == "expired"
    before = net.ask("list_messages", address=bob, status="expired")
    net.begin_block()
    assert net.ask("list_messages", address=bob, status="expired") == before


def test_MS_4_final_messages_do_not_end(net: AgentNet, alice: str, bob: str) -> None:
    cancelled = net.send(alice, bob, ttl=10)
    net.do(alice, "cancel_message", msg_id=cancelled)
    replied = net.send(alice, bob, ttl=10)
    net.reply(bob, replied)
    net.later(11)
    net.begin_block()
    assert (net.status(cancelled), net.status(replied)) == ("cancelled", "replied")


def test_MS_4_the_sweep_tells_the_sender(net: AgentNet, alice: str, bob: str) -> None:
    msg_id = net.send(alice, bob, ttl=10)
    net.do(bob, "mark_delivered", msg_id=msg_id)
    net.later(11)
    result = net.chain.sudo(net.a2a, {"begin_block": {}})
    event = events_of(result, "a2a_message_expired")[0]
    assert event["msg_id"] == msg_id
    assert (event["sender"], event["receiver"]) == (alice, bob)
    assert event["previous_status"] == "delivered"
    assert events_of(net.chain.sudo(net.a2a, {"begin_block": {}}), "a2a_message_expired") == []


def test_MS_4_the_sweep_is_bounded_and_goes_on(net: AgentNet, alice: str, bob: str) -> None:
    net.do(net.admin, "update_config", limits={"sweep_max": 3})
    for _ in range(7):
        net.send(alice, bob, ttl=10)
    net.later(11)
    swept = []
    for _ in range(4):
        result = net.chain.sudo(net.a2a, {"begin_block": {}})
        swept.append(len(events_of(result, "a2a_message_expired")))
        page = net.ask("list_messages", address=bob, status="expired")
        assert (page["total"], len(page["messages"])) == (7, 7)
        assert net.ask("count_pending_messages", address=bob)["count"] == 0
    assert swept == [3, 3, 1, 0]


def test_status_words_go_in_in_any_case(net: AgentNet, alice: str, bob: str) -> None:
    msg_id = net.send(alice, bob)
    assert net.inbox(bob, status="Pending") == net.inbox(bob, status="PENDING") == [msg_id]


def test_an_unknown_status_is_refused(net: AgentNet, bob: str) -> None:
    with pytest.raises(Exception, match="Invalid status: lost"):
        net.inbox(bob, status="lost")


def test_status_query_answers_without_the_payload(net: AgentNet, alice: str, bob: str) -> None:
    answer = net.ask("get_message_status", msg_id=net.send(alice, bob))
    assert list(answer) == ["msg_id", "status", "expires_at"]
    unknown = net.ask("get_message_status", msg_id="nothing")
    assert unknown == {"msg_id": "nothing", "status": None, "expires_at": None}
