"""MS-6: order, cursors, limits, totals."""

from __future__ import annotations

import base64
import json

import pytest
from agent_net import AgentNet

from benchmarks.a2a import World, account_address, once, operations
from contracts.agent_a2a_v1.state import MESSAGE_STATUSES

SENDER, RECEIVER = account_address("measured a"), account_address("measured b")


def ids(page: dict[str, list[dict[str, str]]]) -> list[str]:
    return [message["msg_id"] for message in page["messages"]]


@pytest.fixture
def mail(net: AgentNet, alice: str, bob: str) -> list[str]:
    made = []
    net.chain.set_height(9)
    for _ in range(7):
        for _ in range(15):
            made.append(net.send(alice, bob))
        net.later(5)
    return made


@pytest.mark.parametrize(
    ("limit", "size"),
    [(None, 30), (0, 0), (1, 1), (30, 30), (100, 100), (101, 100), (2**32 - 1, 100)],
)
def test_MS_6_limits(
    net: AgentNet, bob: str, mail: list[str], limit: int | None, size: int
) -> None:
    page = net.ask("list_messages", address=bob, limit=limit)
    assert ids(page) == mail[::-1][:size]
    assert page["total"] == 105


@pytest.mark.parametrize("limit", [-1, 2**32, "5", True])
def test_MS_6_limits_that_are_none(net: AgentNet, bob: str, limit: object) -> None:
    with pytest.raises(Exception, match="Error parsing"):
        net.ask("list_messages", address=bob, limit=limit)


def test_MS_6_the_cursor_is_exclusive_and_counts_on(
    net: AgentNet, bob: str, mail: list[str]
) -> None:
    first = net.ask("list_messages", address=bob, limit=40)
    assert first["next"] == mail[::-1][39]
    second = net.ask("list_messages", address=bob, limit=40, start_after=first["next"])
    third = net.ask("list_messages", address=bob, limit=40, start_after=second["next"])
    assert ids(first) + ids(second) + ids(third) == mail[::-1]
    assert third["next"] is None


def test_MS_6_a_page_that_ends_exactly_has_no_next(net: AgentNet, alice: str, bob: str) -> None:
    made = [net.send(alice, bob) for _ in range(3)]
    page = net.ask("list_messages", address=bob, limit=3)
    assert (ids(page), page["next"]) == (made[::-1], None)


@pytest.mark.parametrize("cursor", ["", "nothing", "msg:a-b-1-xyz", "-1"])
def test_MS_6_refuses_cursors_that_are_none(net: AgentNet, bob: str, cursor: str) -> None:
    with pytest.raises(Exception, match="Invalid start_after"):
        net.ask("list_messages", address=bob, start_after=cursor)


def test_MS_6_a_page_ends_before_four_mebibytes(net: AgentNet, alice: str, bob: str) -> None:
    payload = base64.b64encode(bytes(262_144)).decode()
    made = [net.send(alice, bob, payload=payload) for _ in range(14)]
    page = net.ask("list_messages", address=bob, limit=100)
    assert ids(page) == made[::-1][:11]
    assert sum(len(m["payload"]) for m in page["messages"]) < 4 * 1024 * 1024
    assert (page["total"], page["next"]) == (14, made[3])
    assert ids(net.ask("list_messages", address=bob, start_after=made[3])) == made[2::-1]


def test_MS_6_sent_conversation_and_inbox_agree(
    net: AgentNet, alice: str, bob: str, carol: str
) -> None:
    one = net.send(alice, bob)
    two = net.send(bob, alice)
    three = net.send(alice, carol)
    assert ids(net.ask("list_sent_messages", address=alice)) == [three, one]
    for pair in ([alice, bob], [bob, alice]):
        page = net.ask("list_conversation", participants=pair)
        assert (ids(page), page["total"]) == ([two, one], 2)
    assert ids(net.ask("list_messages", address=alice)) == [two]
    page = net.ask("list_conversation", participants=[alice, bob], start_after=two)
    assert ids(page) == [one]


def test_MS_6_status_pages_follow_the_cursor(net: AgentNet, alice: str, bob: str) -> None:
    made = [net.send(alice, bob, ttl=10 if n % 2 else 1000) for n in range(8)]
    net.do(bob, "mark_read", msg_id=made[2])
    net.do(bob, "mark_read", msg_id=made[3])
    net.later(11)
    expected = {
        "pending": [made[6], made[4], made[0]],
        "read": [made[2]],
        "expired": [made[7], made[5], made[3], made[1]],
        "delivered": [],
        "replied": [],
        "cancelled": [],
    }
    for swept in range(3):
        net.do(net.admin, "update_config", limits={"sweep_max": swept})
        net.begin_block()
        for status, wanted in expected.items():
            seen = []
            cursor = None
            while True:
                page = net.ask(
                    "list_messages", address=bob, status=status, start_after=cursor, limit=2
                )
                assert page["total"] == len(wanted)
                assert all(m["status"] == status for m in page["messages"])
                seen += ids(page)
                cursor = page["next"]
                if cursor is None:
                    break
            assert seen == wanted
        assert net.ask("count_pending_messages", address=bob)["count"] == 3


def test_MS_6_a_message_that_moves_on_does_not_break_the_walk(
    net: AgentNet, alice: str, bob: str
) -> None:
    made = [net.send(alice, bob) for _ in range(4)]
    page = net.ask("list_messages", address=bob, status="pending", limit=2)
    net.do(bob, "mark_read", msg_id=page["next"])
    net.send(alice, bob)
    rest = net.ask("list_messages", address=bob, status="pending", start_after=page["next"])
    assert ids(page) + ids(rest) == made[::-1]


def test_MS_6_addresses_are_checked(net: AgentNet) -> None:
    for variant in ("list_messages", "list_sent_messages", "count_pending_messages"):
        with pytest.raises(Exception, match=r"(?i)addr|bech32|decoding"):
            net.ask(variant, address="nobody")


def test_MS_6_unknown_channels_have_no_messages(net: AgentNet) -> None:
    page = net.ask("list_channel_messages", channel_id="ch:x")
    assert page == {"messages": [], "total": 0, "next": None}
    with pytest.raises(Exception, match="Message not found"):
        net.ask("list_thread", msg_id="nothing")
    with pytest.raises(Exception, match="Channel not found"):
        net.ask("list_topic_messages", channel_id="ch:x", topic="news")


#: questions about the two parties that have half of a world's messages
LISTINGS = [
    *(
        f'{{"list_messages":{{"address":"{RECEIVER}",{status}"limit":30}}}}'
        for status in ("", *(f'"status":"{word}",' for word in MESSAGE_STATUSES))
    ),
    f'{{"list_sent_messages":{{"address":"{SENDER}","limit":30}}}}',
    f'{{"list_conversation":{{"participants":["{SENDER}","{RECEIVER}"],"limit":30}}}}',
    f'{{"list_channels":{{"participants":["{SENDER}","{RECEIVER}"],"limit":30}}}}',
    f'{{"list_channels_of":{{"address":"{SENDER}","limit":30}}}}',
    f'{{"count_pending_messages":{{"address":"{RECEIVER}"}}}}',
    f'{{"rate_limit_status":{{"address":"{SENDER}"}}}}',
]


@pytest.fixture(scope="module")
def worlds() -> list[World]:
    return [World(size, 0) for size in (200, 3_000)]


@pytest.mark.parametrize("body", LISTINGS)
def test_no_listing_scans_however_many_messages_an_address_has(
    worlds: list[World], body: str
) -> None:
    gas = [once(world, lambda w=world: w.ask(body.encode()))[1] for world in worlds]
    assert gas[0] == gas[1]


@pytest.mark.parametrize("variant", ["mark_delivered", "mark_read", "cancel_message"])
def test_no_step_of_a_message_costs_more_however_many_an_address_has(
    worlds: list[World], variant: str
) -> None:
    who = SENDER if variant == "cancel_message" else RECEIVER
    gas = []
    for world in worlds:
        page = json.loads(world.ask(LISTINGS[1].encode()))["messages"]
        for place in (0, -1):
            body = f'{{"{variant}":{{"msg_id":"{page[place]["msg_id"]}"}}}}'.encode()
            gas.append(once(world, lambda w=world, b=body: w.call(who, b))[1])
    assert len({*gas}) == 1, gas


def test_no_operation_costs_more_however_many_messages_its_parties_have(
    worlds: list[World],
) -> None:
    few, many = (operations(world) for world in worlds)
    for name in few:
        assert once(worlds[0], few[name])[1] == once(worlds[1], many[name])[1], name
