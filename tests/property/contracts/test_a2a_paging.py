"""MS-6: following the cursor visits each matching item once, in order, whatever is written meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from agent_net import AgentNet
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

SHARED = AgentNet(
    constitution=False, limits={"rate_messages_max": 1000, "rate_discovery_max": 1000}
)
ALICE, BOB, CAROL = (SHARED.account(name) for name in ("alice", "bob", "carol"))
SHARED.later()
QUIET = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
SIZES = st.lists(st.integers(min_value=1, max_value=7), min_size=1, max_size=5)
MAIL = st.lists(
    st.tuples(st.booleans(), st.sampled_from([5, 1000]), st.sampled_from(["", "read", "cancel"])),
    max_size=25,
)


@pytest.fixture
def net() -> Iterator[AgentNet]:
    mark = SHARED.chain.snapshot()
    yield SHARED
    SHARED.chain.revert(mark)


def walk(
    net: AgentNet, ask: Callable[..., Any], sizes: list[int], between: Callable[[], None]
) -> list[str]:
    """All ids, with pages of changing sizes and something written between them."""
    seen: list[str] = []
    cursor = None
    turn = 0
    while True:
        page = ask(start_after=cursor, limit=sizes[turn % len(sizes)])
        (items,) = [value for value in page.values() if isinstance(value, list)]
        seen += [
            item.get("msg_id") or item.get("channel_id") or item["intent_id"] for item in items
        ]
        cursor = page["next"]
        if cursor is None:
            return seen
        turn += 1
        between()


@QUIET
@given(mail=MAIL, sizes=SIZES, swept=st.integers(min_value=0, max_value=10), n=st.integers(0, 3))
def test_every_listing_of_messages(
    net: AgentNet, mail: list[tuple[bool, int, str]], sizes: list[int], *, swept: int, n: int
) -> None:
    mark = net.chain.snapshot()
    made = []
    for to_bob, ttl, then in mail:
        msg_id = net.send(ALICE, BOB if to_bob else CAROL, ttl=ttl)
        if then == "cancel":
            net.do(ALICE, "cancel_message", msg_id=msg_id)
        elif then == "read":
            net.do(BOB if to_bob else CAROL, "mark_read", msg_id=msg_id)
        made.append((msg_id, to_bob, ttl, then))
    net.later(6)
    net.do(net.admin, "update_config", limits={"sweep_max": swept})
    net.begin_block()

    def between() -> None:
        for _ in range(n):
            net.send(ALICE, BOB)
            net.send(CAROL, BOB)
        net.begin_block()

    def status(ttl: int, then: str) -> str:
        if then == "cancel":
            return "cancelled"
        return "expired" if ttl == 5 else ("read" if then == "read" else "pending")

    for wanted in (None, "pending", "read", "expired", "cancelled"):
        expected = [
            msg_id
            for msg_id, to_bob, ttl, then in made[::-1]
            if to_bob and wanted in (None, status(ttl, then))
        ]
        before = net.chain.snapshot()
        seen = walk(
            net,
            lambda status=wanted, **f: net.ask("list_messages", address=BOB, status=status, **f),
            sizes,
            between,
        )
        assert seen == expected
        net.chain.revert(before)
    expected = [item[0] for item in made[::-1]]
    seen = walk(net, lambda **f: net.ask("list_sent_messages", address=ALICE, **f), sizes, between)
    assert seen == expected
    net.chain.revert(mark)


@QUIET
@given(count=st.integers(0, 12), sizes=SIZES)
def test_every_listing_of_channels(net: AgentNet, count: int, sizes: list[int]) -> None:
    mark = net.chain.snapshot()
    for _ in range(count):
        result = net.do(ALICE, "create_channel", participant=BOB, channel_type="direct")
        channel_id = result.data.decode().split('"')[3]
        net.do(ALICE, "close_channel", channel_id=channel_id)
        net.do(ALICE, "create_channel", channel_type="pubsub")

    def between() -> None:
        net.do(ALICE, "create_channel", channel_type="pubsub")
        result = net.do(ALICE, "create_channel", participant=BOB, channel_type="direct")
        net.do(ALICE, "close_channel", channel_id=result.data.decode().split('"')[3])

    for variant, fields in (
        ("list_channels", {"participants": [ALICE, BOB]}),
        ("list_channels_of", {"address": ALICE}),
    ):
        expected = walk(
            net, lambda v=variant, g=fields, **f: net.ask(v, **g, **f), [100], lambda: None
        )
        assert len(expected) == (count if variant == "list_channels" else 2 * count)
        before = net.chain.snapshot()
        assert (
            walk(net, lambda v=variant, g=fields, **f: net.ask(v, **g, **f), sizes, between)
            == expected
        )
        net.chain.revert(before)
    net.chain.revert(mark)


@QUIET
@given(prices=st.lists(st.sampled_from([None, 0, 1, 7]), max_size=9), size=st.integers(1, 4))
def test_searches_by_price(net: AgentNet, prices: list[int | None], size: int) -> None:
    mark = net.chain.snapshot()
    names = []
    for number, price in enumerate(prices):
        name = f"agent-{number}"
        model = None if price is None else {"price": price}
        net.register(net.account(name), name, capabilities=["x"], price_model=model)
        names.append((price is None, price or 0, name))
    seen: list[str] = []
    cursor = None
    while True:
        page = net.ask(
            "find_agents_by_capability",
            capability="x",
            order="price",
            start_after=cursor,
            limit=size,
        )
        seen += page["agents"]
        assert page["count"] == len(prices)
        cursor = page["next"]
        if cursor is None:
            break
    assert seen == [name for _, _, name in sorted(names)]
    net.chain.revert(mark)
