"""MS-6 for every listing of the four agent contracts: pages of any sizes, with writes between them.

Each item that was there at the start is seen exactly once, in the listing's order; what is written meanwhile is seen at
most once.
"""

from __future__ import annotations

import functools
import json
from typing import Any, NamedTuple

import pytest
from agent_keys import create_did, ed25519_key, key_input
from agent_net import AgentNet
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

COUNT = 9
CONTENT = {"payload": "aGk=", "priority": 50, "ttl": 3_600}
SIZES = st.lists(st.integers(min_value=1, max_value=6), min_size=1, max_size=4)


class Listing(NamedTuple):
    """A question, and where its items and their names are."""

    contract: str
    variant: str
    fields: dict[str, Any]
    items: str
    key: str


class Shelf:
    """A chain on which every listing has several pages."""

    def __init__(self) -> None:
        self.net = net = AgentNet(limits={"rate_messages_max": 1_000})
        self.alice, self.bob = net.account("alice"), net.account("bob")
        self.round = 0
        self.hub = self.made("create_channel", channel_type="pubsub")
        made = {"participant": self.bob, "channel_type": "direct"}
        self.line = self.made("create_channel", **made)
        self.did = create_did(net, self.alice, "alice", key_input("k", ed25519_key(1)))
        create_did(net, self.bob, "bob", key_input("k", ed25519_key(2)))
        self.root = net.send(self.alice, self.bob)
        last, who, whom = self.root, self.bob, self.alice
        for _ in range(COUNT):
            last, who, whom = net.reply(who, last), whom, who
        for _ in range(COUNT):
            self.grow()
        closed = self.line
        for _ in range(COUNT):  # a pair's channels one after the other
            net.do(self.alice, "close_channel", channel_id=closed)
            closed = self.made("create_channel", **made)
        self.fresh = closed
        net.later()

    def made(self, variant: str, **fields: Any) -> str:
        """Do something as alice; the id in its data."""
        data = json.loads(self.net.do(self.alice, variant, **fields).data)
        found: str = next(iter(data.values()))
        return found

    def grow(self) -> None:
        """One more of everything."""
        net, alice, bob, n = self.net, self.alice, self.bob, self.round
        self.round += 1
        net.later()
        net.send(alice, bob)
        net.send(bob, alice)
        net.do(alice, "publish", channel_id=self.hub, topic="news", **CONTENT)
        for topic in ("news", f"topic-{n}"):
            net.do(bob, "subscribe", channel_id=self.hub, topic=topic, filter="priority >= 1")
        self.made("submit_intent", target_capabilities=["none"], **CONTENT)
        self.made("create_channel", channel_type="pubsub", members=[bob])
        name = f"agent-{(n * 7) % 100:02}"
        account = net.account(name)
        net.register(account, name, owner=alice, capabilities=["x"], price_model={"price": n % 3})
        net.on(net.registry, account, "set_card", agent_id=name, card="aGk=")
        net.on(net.registry, account, "announce_card", agent_id=name)
        body = {"target_did": self.did, "nonce": f"n{n}"}
        net.on(net.did, bob, "create_challenge", **body)
        net.on(net.constitution, net.admin, "set_rules", rules=[], default="allow")
        suspect = net.account(f"suspect {n}")
        net.on(net.constitution, net.admin, "suspend_agent", agent_id=suspect)

    def listings(self) -> list[Listing]:
        """All of them, with the filters and orders they have."""
        a2a, registry = self.net.a2a, self.net.registry
        pair = {"participants": [self.alice, self.bob]}
        hub = {"channel_id": self.hub, "topic": "news"}
        mail = ("messages", "msg_id")
        finds = ("find_agents_by_capability", "agents", "")
        return [
            Listing(a2a, "list_messages", {"address": self.bob}, *mail),
            Listing(a2a, "list_messages", {"address": self.bob, "status": "pending"}, *mail),
            Listing(a2a, "list_messages", {"address": self.bob, "status": "replied"}, *mail),
            Listing(a2a, "list_sent_messages", {"address": self.alice}, *mail),
            Listing(a2a, "list_conversation", pair, *mail),
            Listing(a2a, "list_channel_messages", {"channel_id": self.line}, *mail),
            Listing(a2a, "list_thread", {"msg_id": self.root}, *mail),
            Listing(a2a, "list_topic_messages", hub, *mail),
            Listing(a2a, "list_topic_messages", {**hub, "subscriber": self.bob}, *mail),
            Listing(a2a, "list_channels", pair, "channels", "channel_id"),
            Listing(a2a, "list_channels_of", {"address": self.bob}, "channels", "channel_id"),
            Listing(a2a, "list_subscriptions", {"subscriber": self.bob}, "subscriptions", "topic"),
            Listing(a2a, "list_intents", {"address": self.alice}, "intents", "intent_id"),
            Listing(
                a2a,
                "list_intents",
                {"address": self.alice, "status": "pending"},
                *("intents", "intent_id"),
            ),
            *(
                Listing(a2a, finds[0], {"capability": "x", **order}, *finds[1:])
                for order in ({}, {"order": "price"}, {"max_price": 1})
            ),
            Listing(registry, "discover_agents", {"capability": "x"}, "agents", "agent_id"),
            Listing(registry, "list_agents", {}, "agents", "agent_id"),
            Listing(registry, "get_agent_by_owner", {"owner": self.alice}, "agents", "agent_id"),
            Listing(registry, "discover", {}, "announcements", "agent_id"),
            Listing(
                self.net.did,
                "list_challenges",
                {"target_did": self.did},
                *("challenges", "challenge_id"),
            ),
            Listing(self.net.constitution, "list_versions", {}, "versions", "version"),
            Listing(self.net.constitution, "list_suspensions", {}, "suspensions", "agent"),
        ]

    def walk(self, listing: Listing, sizes: list[int], *, writes: bool) -> list[Any]:
        """All pages; where an answer has no ``next``, the last item is the cursor."""
        seen: list[Any] = []
        cursor = None
        for turn in range(1_000):
            size = sizes[turn % len(sizes)]
            asked = {**listing.fields, "start_after": cursor, "limit": size}
            page = self.net.chain.query(listing.contract, {listing.variant: asked})
            items = page[listing.items]
            seen += [item[listing.key] if listing.key else item for item in items]
            cursor = page["next"] if "next" in page else (seen[-1] if len(items) == size else None)
            if cursor is None:
                return seen
            if writes and turn < 4:
                self.grow()
        raise AssertionError(f"{listing.variant} does not end")


@functools.cache
def shelf() -> Shelf:
    """One a process; what a test writes is taken back."""
    return Shelf()


@pytest.mark.parametrize("number", range(24))
def test_MS_6_every_listing_shows_each_item_once_in_order(number: int) -> None:
    here = shelf()
    listing = here.listings()[number]
    whole = here.walk(listing, [100], writes=False)
    assert len(whole) > 3
    assert len(set(whole)) == len(whole)

    @settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
    @given(sizes=SIZES, writes=st.booleans())
    def check(sizes: list[int], writes: bool) -> None:
        mark, count = here.net.chain.snapshot(), here.round
        seen = here.walk(listing, sizes, writes=writes)
        here.net.chain.revert(mark)
        here.round = count
        assert len(set(seen)) == len(seen)
        assert [one for one in seen if one in whole] == whole
        assert writes or seen == whole

    check()


def test_MS_6_no_listing_is_left_out() -> None:
    assert len(shelf().listings()) == 24
