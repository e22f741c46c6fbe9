"""MS-4: 20,000 messages that end in the same second."""

from __future__ import annotations

import pytest
from agent_net import AgentNet, events_of

SECOND = 10**9


def crowd_of(count: int, receivers: int, sweep_max: int) -> tuple[AgentNet, list[str]]:
    """So many messages to a few receivers, sent over several blocks, with one end."""
    net = AgentNet(
        constitution=False,
        limits={"rate_messages_max": 1000, "sweep_max": sweep_max},
    )
    names = [net.account(f"receiver {n}") for n in range(receivers)]
    sender = net.account("sender")
    end = net.chain.time + 1_000 * SECOND
    sent = 0
    while sent < count:
        ttl = (end - net.chain.time) // SECOND
        batch = min(1_000, count - sent)
        for n in range(batch):
            net.send(sender, names[(sent + n) % receivers], ttl=ttl)
        sent += batch
        net.later(2)
    net.chain.set_time(end + 1)
    return net, names


def check_crowd(count: int, receivers: int, sweep_max: int) -> None:
    """Every query treats all of them as dead at once, in every block of the sweep."""
    net, names = crowd_of(count, receivers, sweep_max)
    swept = 0
    blocks = 0
    while swept < count:
        for name in (names[0], names[-1]):
            assert net.ask("count_pending_messages", address=name)["count"] == 0
            page = net.ask("list_messages", address=name, status="expired", limit=5)
            assert (page["total"], len(page["messages"])) == (count // receivers, 5)
            assert net.ask("list_messages", address=name, status="pending")["total"] == 0
        result = net.chain.sudo(net.a2a, {"begin_block": {}})
        gone = len(events_of(result, "a2a_message_expired"))
        assert gone == min(sweep_max, count - swept)
        swept += gone
        blocks += 1
        net.later(5)
    assert blocks == -(-count // sweep_max)
    assert events_of(net.chain.sudo(net.a2a, {"begin_block": {}}), "a2a_message_expired") == []


def test_MS_4_a_crowd_ends_at_once() -> None:
    check_crowd(600, 3, 150)


STATUSES = ("pending", "delivered", "read", "expired")
#: messages that ended and that live on, around the number that is found without walking an index
CROWDS = [(1_001, 0), (1_000, 5), (1_001, 5), (5, 1_001), (1_001, 1_001)]


def listing(net: AgentNet, receiver: str, status: str, limit: int) -> tuple[list[str], int]:
    """All of a listing, a page after the other; and the total that each page said."""
    found: list[str] = []
    totals: set[int] = set()
    after = None
    while True:
        page = net.ask(
            "list_messages", address=receiver, status=status, limit=limit, start_after=after
        )
        found += [one["msg_id"] for one in page["messages"]]
        totals.add(page["total"])
        after = page["next"]
        if after is None:
            (total,) = totals
            return found, total


@pytest.mark.parametrize("limit", [30, 100])
@pytest.mark.parametrize(("ended", "alive"), CROWDS)
def test_MS_4_listings_are_whole_and_in_order_however_many_ended(
    ended: int, alive: int, limit: int
) -> None:
    net = AgentNet(constitution=False, limits={"rate_messages_max": 1000, "sweep_max": 40})
    receiver, sender = net.account("receiver"), net.account("sender")
    expected: dict[str, list[str]] = {status: [] for status in STATUSES}
    short = [place * ended // (ended + alive) for place in range(ended + alive + 1)]
    for place in range(ended + alive):
        if place % 900 == 899:
            net.later(2)
        ends = short[place + 1] > short[place]
        msg_id = net.send(sender, receiver, ttl=100 if ends else 100_000)
        kept = STATUSES[place % 3]
        if kept == "delivered":
            net.do(receiver, "mark_delivered", msg_id=msg_id)
        elif kept == "read":
            net.do(receiver, "mark_read", msg_id=msg_id)
        expected["expired" if ends else kept].insert(0, msg_id)
    net.later(1_000)
    for _ in range(2):
        for status in STATUSES:
            found, total = listing(net, receiver, status, limit)
            assert found == expected[status]
            assert total == len(found)
        net.chain.sudo(net.a2a, {"begin_block": {}})  # some are rewritten, most are still owed


@pytest.mark.long
def test_MS_4_twenty_thousand_end_at_once() -> None:
    check_crowd(20_000, 4, 1_000)
