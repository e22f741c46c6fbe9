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


@pytest.mark.long
def test_MS_4_twenty_thousand_end_at_once() -> None:
    check_crowd(20_000, 4, 1_000)
