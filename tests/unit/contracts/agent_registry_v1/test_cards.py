"""TK-1, TK-2: cards and their announcements."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from agent_keys import b64
from agent_net import AgentNet, events_of

from chain.std import Addr
from chain.testing.engine import account_address as address_of
from chain.testing.mocks import mock_deps, mock_env
from contracts.agent_registry_v1 import query
from contracts.agent_registry_v1.msg import Discover
from contracts.agent_registry_v1.state import (
    ACTIVE,
    AGENTS,
    ANNOUNCEMENTS,
    CARDS,
    INACTIVE,
    AgentRecord,
    AnnouncementRecord,
    CardRecord,
)

CARD = b'{"name":"Alice"}'
TOPIC = "logos-agent-discovery-v1"


def ask(net: AgentNet, variant: str, **fields: Any) -> Any:
    return net.chain.query(net.registry, {variant: fields})


def do(net: AgentNet, sender: str, variant: str, **fields: Any) -> Any:
    return net.on(net.registry, sender, variant, agent_id="a", **fields)


def refused(net: AgentNet, sender: str, variant: str, **fields: Any) -> str:
    return net.on_refused(net.registry, sender, variant, **{"agent_id": "a", **fields})


def live(net: AgentNet, **fields: Any) -> list[str]:
    return [a["agent_id"] for a in ask(net, "discover", **fields)["announcements"]]


@pytest.fixture
def listed(net: AgentNet, alice: str, bob: str) -> None:
    net.register(alice, "a", owner=bob)
    do(net, alice, "set_card", card=b64(CARD))


@pytest.mark.usefixtures("listed")
def test_TK_1_a_card_by_hash_and_content(net: AgentNet, bob: str) -> None:
    card = ask(net, "get_card", agent_id="a")["card"]
    assert (card["card"], card["card_hash"]) == (b64(CARD), hashlib.sha256(CARD).hexdigest())
    assert ask(net, "get_agent", agent_id="a")["agent"]["card_hash"] == card["card_hash"]
    other = b64(b"{}")
    do(net, bob, "set_card", card=other, card_hash=hashlib.sha256(b"{}").hexdigest())
    assert ask(net, "get_card", agent_id="a")["card"]["card"] == other
    assert ask(net, "get_card", agent_id="b") == {"card": None}


@pytest.mark.usefixtures("listed")
def test_TK_1_odd_cards_are_refused(net: AgentNet, alice: str, carol: str) -> None:
    assert "Invalid card: empty" in refused(net, alice, "set_card", card="")
    text = refused(net, alice, "set_card", card=b64(CARD), card_hash="00")
    assert "the hash is not the card's" in text
    big = b64(bytes(65_537))
    assert "Too large: card, max 65536" in refused(net, alice, "set_card", card=big)
    do(net, alice, "set_card", card=b64(bytes(65_536)))
    assert "Unauthorized" in refused(net, carol, "set_card", card=b64(CARD))


@pytest.mark.usefixtures("listed")
def test_TK_2_announced_and_found(net: AgentNet, alice: str, bob: str) -> None:
    result = do(net, alice, "announce_card")
    event = events_of(result, "agent_card_announced")[0]
    assert (event["topic"], event["card_hash"]) == (TOPIC, hashlib.sha256(CARD).hexdigest())
    found = ask(net, "discover", topic=TOPIC)["announcements"][0]
    assert (found["agent_id"], found["owner"], found["address"]) == ("a", bob, alice)
    assert found["card"] == b64(CARD)
    assert live(net, topic="another") == []


@pytest.mark.usefixtures("listed")
@pytest.mark.parametrize(("seconds", "there"), [(3_600, True), (3_601, False)])
def test_TK_2_lapses_by_itself(net: AgentNet, alice: str, seconds: int, there: bool) -> None:
    do(net, alice, "announce_card")
    net.later(seconds)
    assert live(net) == (["a"] if there else [])
    result = net.chain.sudo(net.registry, {"begin_block": {}})
    assert len(events_of(result, "agent_card_lapsed")) == (0 if there else 1)
    assert live(net) == (["a"] if there else [])


@pytest.mark.usefixtures("listed")
def test_TK_2_refresh_keeps_it(net: AgentNet, alice: str) -> None:
    do(net, alice, "announce_card")
    net.later(3_000)
    do(net, alice, "announce_card")
    net.later(3_000)
    assert live(net) == ["a"]
    net.chain.sudo(net.registry, {"begin_block": {}})
    assert live(net) == ["a"]


@pytest.mark.usefixtures("listed")
def test_TK_2_withdrawn(net: AgentNet, alice: str) -> None:
    do(net, alice, "announce_card")
    do(net, alice, "withdraw_card")
    assert live(net) == []
    assert "Card is not announced" in refused(net, alice, "withdraw_card")


@pytest.mark.usefixtures("listed")
def test_TK_2_gone_with_the_agent(net: AgentNet, alice: str, bob: str) -> None:
    do(net, alice, "announce_card")
    net.on(net.registry, bob, "update_agent", agent_id="a", status="inactive")
    assert live(net) == []
    assert "Agent not active: a" in refused(net, alice, "announce_card")
    net.on(net.registry, bob, "update_agent", agent_id="a", status="active")
    assert live(net) == ["a"]
    do(net, bob, "deregister_agent")
    assert live(net) == []
    assert ask(net, "get_card", agent_id="a") == {"card": None}


@pytest.mark.usefixtures("listed")
def test_TK_2_odd_announcements_are_refused(net: AgentNet, alice: str, carol: str) -> None:
    for ttl in (0, 3_601):
        text = refused(net, alice, "announce_card", ttl_seconds=ttl)
        assert "Invalid TTL: 1 to 3600 seconds" in text
    assert "Invalid topic" in refused(net, alice, "announce_card", topic="A")
    assert "Unauthorized" in refused(net, carol, "announce_card")
    net.register(carol, "c")
    text = refused(net, carol, "announce_card", agent_id="c")
    assert "Card not found: c" in text
    for n in range(16):
        do(net, alice, "announce_card", topic=f"t{n}")
    assert "Too large: topics, max 16" in refused(net, alice, "announce_card", topic="more")


def test_TK_2_pages_by_agent_id(net: AgentNet) -> None:
    for name in ("c", "a", "b"):
        sender = net.account(name)
        net.register(sender, name)
        net.on(net.registry, sender, "set_card", agent_id=name, card=b64(CARD))
        net.on(net.registry, sender, "announce_card", agent_id=name)
    page = ask(net, "discover", limit=2)
    assert [a["agent_id"] for a in page["announcements"]] == ["a", "b"]
    assert page["next"] == "b"
    assert live(net, start_after="b") == ["c"]
    assert live(net, limit=0) == []


def test_TK_2_a_page_looks_at_a_bounded_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many inactive agents in front hold nothing up: pages are short, and the cursor goes on."""
    monkeypatch.setattr(query, "SCAN_MAX", 4)
    deps, env = mock_deps(), mock_env()
    addr = Addr(address_of("somebody", "msg"))
    for number in range(11):
        name = f"agent-{number:02}"
        status = ACTIVE if number in (6, 9) else INACTIVE
        agent = AgentRecord(addr, addr, None, status, None, None, "00", (), 0, 0)
        AGENTS.save(deps.storage, name, agent)
        CARDS.save(deps.storage, name, CardRecord(CARD, "00", 0))
        ends = env.block.time.nanos()
        ANNOUNCEMENTS.save(deps.storage, ("t", name), AnnouncementRecord(0, ends))
    pages, cursor = [], None
    while True:
        page = query.query_discover(deps, env, Discover(topic="t", start_after=cursor))
        pages.append([one.agent_id for one in page.announcements])
        cursor = page.next
        if cursor is None:
            break
    assert pages == [[], ["agent-06"], ["agent-09"]]
