"""Who hears of what is published under a topic: filters, subscriptions, and the real contract's."""

from __future__ import annotations

import asyncio
import itertools
from types import SimpleNamespace
from typing import Any

import pytest

from chain.block.types import Event
from chain.gateway.events import BlockEvents, Happened, Position
from chain.gateway.rest_events import Hub
from chain.gateway.rest_topics import Published, follows, passes
from contracts.agent_a2a_v1.filters import parse_filter
from contracts.agent_a2a_v1.filters import passes as contract_passes
from contracts.agent_a2a_v1.state import MESSAGE_TYPES, TopicEntry

FILTERS = [
    "priority >= 100",
    "priority<50",
    "PRIORITY = 075",
    "message_type = request",
    "Message_Type != 'REQUEST'",
    "sender = msg1bob",
    "sender != 'msg1bob' and priority > 10",
    "message_type = notification AND priority <= 200  AND  sender=msg1bob",
]


@pytest.mark.parametrize("text", FILTERS)
def test_filters_mean_what_they_mean_to_the_contract(text: str) -> None:
    conditions = parse_filter(text)
    for kind, priority, sender in itertools.product(
        ("request", "notification"), (0, 10, 49, 75, 100, 255), ("msg1bob", "msg1carol")
    ):
        entry = TopicEntry(
            **{
                **dict.fromkeys(TopicEntry.__struct_fields__, 0),
                "message_type": MESSAGE_TYPES.index(kind),
                "priority": priority,
                "sender": sender,
            }
        )
        found = Published("ch:1", "news", kind, priority, sender, 5)
        assert passes(text, found) is contract_passes(conditions, entry)


def test_what_is_no_filter_passes_nothing_and_none_passes_all() -> None:
    found = Published("ch:1", "news", "request", 1, "bob", 5)
    assert passes(None, found)
    for text in ("", "priority", "colour = red", "priority = x"):
        assert not passes(text, found)


class Reads:
    """Knows the subscriptions of some."""

    def __init__(self, **subscriptions: list[dict[str, Any]]) -> None:
        self.subscriptions = subscriptions

    async def ask(self, contract: str, variant: str, /, **fields: Any) -> Any:
        if variant == "get_channel":
            return {"channel": None}
        assert variant == "list_subscriptions"
        listed = self.subscriptions.get(fields["subscriber"], [])
        first = 0 if fields["start_after"] is None else int(fields["start_after"][1])
        more = [str(first), str(first + 1)] if first + 1 < len(listed) else None
        return {"subscriptions": listed[first : first + 1], "next": more}


def subscription(topic: str, **changed: Any) -> dict[str, Any]:
    found = {"channel_id": "ch:1", "topic": topic, "active": True, "created_at": "3"}
    return {**found, "filter": None, **changed}


@pytest.mark.parametrize(
    ("changed", "hears"),
    [
        ({}, True),
        ({"active": False}, False),
        ({"created_at": "6"}, False),
        ({"filter": "priority > 100"}, False),
        ({"filter": "priority > 10"}, True),
        ({"channel_id": "ch:2"}, False),
    ],
)
def test_a_subscription_counts_as_it_is(changed: dict[str, Any], hears: bool) -> None:
    reads: Any = Reads(bob=[subscription("other"), subscription("news", **changed)])
    found = Published("ch:1", "news", "notification", 75, "alice", 5)
    assert asyncio.run(follows(reads, "msg1a2a", "bob", found)) is hears
    assert not asyncio.run(follows(reads, "msg1a2a", "carol", found))


def test_who_follows_a_topic_is_pushed_to_and_hears_of_it_later_as_well() -> None:
    attributes = {
        "_contract_address": "msg1a2a",
        "msg_id": "m",
        "sender": "alice",
        "channel_id": "ch:1",
        "topic": "news",
        "message_type": "notification",
        "priority": "75",
    }
    event = Event("wasm-a2a_message_published", list(attributes.items()))
    block = BlockEvents(3, "H", 5, {}, [Happened(Position(3, 1), "T", event)])
    listeners: list[Any] = []

    async def since(after: Position) -> Any:
        yield block

    follower = SimpleNamespace(
        listen=listeners.append, when_gone_back=lambda one: None, since=since, end=block.end
    )
    reads = Reads(bob=[subscription("news")], carol=[subscription("other")])
    core: Any = SimpleNamespace(
        contracts=SimpleNamespace(a2a="msg1a2a"), reads=reads, follower=follower
    )

    async def play() -> None:
        hub = Hub(core)
        queues: dict[str, asyncio.Queue[Any]] = {
            name: asyncio.Queue() for name in ("alice", "bob", "carol")
        }
        for name, queue in queues.items():
            hub.join(name, queue)
        listeners[0](block)
        for name in ("alice", "bob"):
            (update,) = await asyncio.wait_for(queues[name].get(), 2)
            assert update.at == Position(3, 1)
        assert queues["carol"].empty()
        for name, count in (("bob", 1), ("carol", 0)):
            page = await hub.poll(name, Position(2, 0), 10, 0)
            assert len(page["events"]) == count
        assert hub._worker is not None
        hub._worker.cancel()

    asyncio.run(play())
