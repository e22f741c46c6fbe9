"""From events to what an agent hears of."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from chain.block.types import Event
from chain.gateway.events import BlockEvents, Happened, Position
from chain.gateway.rest_updates import Update, Updates

A2A = "msg1a2a"


class Reads:
    """Knows one channel."""

    def __init__(self) -> None:
        self.asked = 0

    async def ask(self, contract: str, variant: str, /, **fields: Any) -> Any:
        self.asked += 1
        view = {"participants": ["alice", "bob"], "owner": "alice", "channel_type": "direct"}
        return {"channel": view if fields["channel_id"] == "ch:1" else None}


def block(height: int, *events: Event) -> BlockEvents:
    found = [Happened(Position(height, n), "AB", one) for n, one in enumerate(events, 1)]
    return BlockEvents(height, f"H{height}", 5, {}, found)


def event(kind: str, contract: str = A2A, **attributes: str) -> Event:
    return Event(kind, [("_contract_address", contract), *attributes.items()])


def updates(reads: Reads, *events: Event) -> list[Update]:
    return asyncio.run(Updates(A2A, reads).of(block(3, *events)))  # type: ignore[arg-type]


def test_a_message_concerns_its_two_sides() -> None:
    sent = event("wasm-a2a_message_sent", sender="alice", receiver="bob", priority="75", msg_id="9")
    (found,) = updates(Reads(), sent)
    assert (found.topic, found.parties) == ("a2a_message", {"alice", "bob"})
    frame = json.loads(found.frame)
    assert frame["id"] == frame["payload"]["id"] == "3-1"
    assert frame["payload"]["priority"] == 75
    assert frame["payload"]["msg_id"] == "9"
    assert frame["payload"]["event"] == "a2a_message_sent"
    assert frame["payload"]["event_type"] == "wasm-a2a_message_sent"


def test_events_of_other_contracts_do_not_count() -> None:
    forged = event("wasm-a2a_message_sent", "msg1evil", sender="alice", receiver="bob")
    other = event("wasm-transfer", sender="alice")
    bare = Event("wasm-a2a_message_sent", [("sender", "alice")])
    assert updates(Reads(), forged, other, bare) == []


def test_a_channel_concerns_all_who_take_part() -> None:
    reads = Reads()
    closed = event("wasm-a2a_channel_closed", channel_id="ch:1", actor="alice")
    found = updates(reads, closed, closed)
    assert [one.parties for one in found] == [{"alice", "bob"}] * 2
    assert reads.asked == 1
    gone = event("wasm-a2a_channel_closed", channel_id="ch:2", actor="carol")
    assert updates(reads, gone)[0].parties == {"carol"}
