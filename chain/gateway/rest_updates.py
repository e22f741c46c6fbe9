"""From a block's events to what an agent hears of: topic, names, attributes, and whom it concerns.

Only events of the configured ``agent_a2a_v1`` count: any contract can give its events any name.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from chain.client.transport import CONTRACT_PREFIX
from chain.gateway.events import BlockEvents, Happened, Position
from chain.gateway.reads import Reads
from chain.gateway.rest_topics import Published, follows, published

MESSAGE: Final = "a2a_message"
CHANNEL: Final = "a2a_channel"
TOPICS: Final = (MESSAGE, CHANNEL)
_ADDRESS: Final = "_contract_address"
_NUMBERS: Final = ("height", "priority", "ttl", "count")
_PARTIES: Final = ("sender", "receiver", "actor", "participant_1", "participant_2", "subscriber")
_MESSAGE_EVENTS: Final = ("a2a_message_", "a2a_broadcast_")
_CHANNEL_EVENTS: Final = ("a2a_channel_", "a2a_subscribed", "a2a_unsubscribed", "a2a_topic_")
_CHANNELS_KEPT: Final = 10_000


class Update(msgspec.Struct, frozen=True):
    """One thing to tell: ``frame`` is the JSON that WebSockets get."""

    at: Position
    topic: str
    parties: frozenset[str]
    frame: bytes
    published: Published | None = None


class Updates:
    """Makes updates of blocks; each block's are made once."""

    def __init__(self, contract: str, reads: Reads) -> None:
        self._contract = contract
        self._reads = reads
        self._channels: OrderedDict[str, frozenset[str]] = OrderedDict()
        self._last: tuple[str, list[Update]] = ("", [])

    def forget(self) -> None:
        """A channel's id may be another's now."""
        self._channels.clear()
        self._last = ("", [])

    async def of(self, block: BlockEvents) -> list[Update]:
        """The updates of a block, in their order."""
        if self._last[0] == block.hash:
            return self._last[1]
        found = []
        for happened in block.events:
            update = await self._update(block, happened)
            if update is not None:
                found.append(update)
        self._last = (block.hash, found)
        return found

    async def _update(self, block: BlockEvents, happened: Happened) -> Update | None:
        event = happened.event
        name = event.type.removeprefix(CONTRACT_PREFIX)
        topic = _topic(name)
        if not topic:
            return None
        attributes = dict(event.attributes)
        if attributes.pop(_ADDRESS, None) != self._contract:
            return None
        parties = frozenset(attributes[one] for one in _PARTIES if one in attributes)
        if topic == CHANNEL and "channel_id" in attributes:
            parties |= await self._members(attributes["channel_id"])
        frame = {
            "type": topic,
            "id": str(happened.at),
            "payload": {
                "event": name,
                "event_type": event.type,
                "id": str(happened.at),
                "tx_hash": happened.tx or None,
                "time": str(block.time),
                **_typed(attributes),
            },
        }
        told = published(name, attributes, block.time)
        return Update(happened.at, topic, parties, msgspec.json.encode(frame), told)

    async def concerns(self, update: Update, address: str) -> bool:
        """Whether an address hears of an update: as a party, or as one who follows its topic."""
        if address in update.parties:
            return True
        told = update.published
        return told is not None and await follows(self._reads, self._contract, address, told)

    async def _members(self, channel_id: str) -> frozenset[str]:
        """Who takes part in a channel; for a pair this never changes."""
        known = self._channels.get(channel_id)
        if known is not None:
            return known
        answer = await self._reads.ask(self._contract, "get_channel", channel_id=channel_id)
        view = answer["channel"]
        if view is None:
            return frozenset()
        found = frozenset([*view["participants"], view["owner"]])
        if view["channel_type"] == "direct":
            self._channels[channel_id] = found
            if len(self._channels) > _CHANNELS_KEPT:
                self._channels.popitem(last=False)
        return found


def _topic(name: str) -> str:
    if name.startswith(_MESSAGE_EVENTS):
        return MESSAGE
    return CHANNEL if name.startswith(_CHANNEL_EVENTS) else ""


def _typed(attributes: Mapping[str, str]) -> dict[str, Any]:
    """Attributes, with whole numbers as numbers where they fit a double."""
    return {
        name: int(value) if name in _NUMBERS and value.isdigit() else value
        for name, value in attributes.items()
    }
