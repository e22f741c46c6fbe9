"""Who follows a topic: a subscription of the ledger, and whether a message passes its filter.

The contract keeps subscriptions by subscriber, so they are asked for each address that listens,
once a block.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from chain.gateway.reads import Reads

PUBLISHED: Final = "a2a_message_published"
_PAGE: Final = 100
_PAGES_MAX: Final = 10
_CONDITION: Final = re.compile(r"([a-z_]+)(!=|>=|<=|=|>|<)(.*)", re.IGNORECASE)
_AND: Final = re.compile(r" +and +", re.IGNORECASE)
_COMPARE: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "=": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


class Published(msgspec.Struct, frozen=True):
    """A topic's message as filters see it; ``at`` is its block's time."""

    channel_id: str
    topic: str
    message_type: str
    priority: int
    sender: str
    at: int


def published(name: str, attributes: Mapping[str, str], at: int) -> Published | None:
    """What an event published under a topic, if it did."""
    if name != PUBLISHED:
        return None
    return Published(
        attributes["channel_id"],
        attributes["topic"],
        attributes["message_type"],
        int(attributes["priority"]),
        attributes["sender"],
        at,
    )


async def follows(reads: Reads, contract: str, address: str, found: Published) -> bool:
    """Whether an address has subscribed to what was published, before it was."""
    cursor = None
    for _ in range(_PAGES_MAX):
        page = await reads.ask(
            contract, "list_subscriptions", subscriber=address, start_after=cursor, limit=_PAGE
        )
        for one in page["subscriptions"]:
            if (one["channel_id"], one["topic"]) == (found.channel_id, found.topic):
                early = int(one["created_at"]) <= found.at
                return bool(one["active"]) and early and passes(one["filter"], found)
        cursor = page["next"]
        if cursor is None:
            break
    return False


def passes(text: str | None, found: Published) -> bool:
    """Whether a message meets every condition of a filter that the contract took."""
    if text is None:
        return True
    for condition in _AND.split(text.strip()):
        match = _CONDITION.fullmatch(condition.replace(" ", ""))
        if match is None:
            return False
        field, how, value = match[1].lower(), match[2], match[3].strip("'")
        if field == "priority":
            good = value.isdigit() and _COMPARE[how](found.priority, int(value))
        elif field == "message_type":
            good = _COMPARE[how](found.message_type, value.lower())
        else:
            good = field == "sender" and _COMPARE[how](found.sender, value)
        if not good:
            return False
    return True
