"""MS-8 for every operation of `agent_registry_v1`: checks speak in the order that the README gives."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest
from agent_keys import b64
from check_ladder import Ladder, Rung, by_variant, climb_as_documented, variants
from order_scene import FUNDS, scene


def agents() -> Iterator[Ladder]:
    s = scene()
    here = ("agent_registry_v1", s.net.registry)
    missing = Rung("AgentNotFound", {"agent_id": "nobody"})
    stranger = Rung("Unauthorized", sender=s.carol)
    waiting = Rung("AgentNotActive", {"agent_id": "waits"})
    price = Rung("InvalidPrice", {"price_model": {"price": -1}})
    yield Ladder(
        *here,
        "register_agent",
        s.carol,
        {"agent_id": "new"},
        (
            FUNDS,
            Rung("InvalidAgentId", {"agent_id": "No"}),
            Rung("Unauthorized", {"owner": s.dave, "address": s.erin}),
            Rung("AgentAlreadyRegistered", {"agent_id": "bot"}),
            Rung("AddressAlreadyRegistered", {"address": s.bob}),
            Rung("TooLarge", {"name": "x" * 129}),
            price,
        ),
    )
    yield Ladder(
        *here,
        "confirm_agent",
        s.dave,
        {"agent_id": "waits"},
        (
            FUNDS,
            missing,
            Rung("NotPending", {"agent_id": "bot"}),
            stranger,
            Rung("AddressAlreadyRegistered", before=lambda: s.net.register(s.dave, "quick")),
        ),
    )
    yield Ladder(
        *here,
        "update_agent",
        s.bob,
        {"agent_id": "bot", "status": "inactive"},
        (
            FUNDS,
            missing,
            stranger,
            Rung("TooLarge", {"name": "x" * 129}),
            Rung("InvalidStatus", {"status": "gone"}),
            waiting,
            price,
        ),
    )
    for variant, fields in (
        ("transfer_ownership", {"new_owner": s.dave}),
        ("deregister_agent", {}),
    ):
        good = {"agent_id": "bot", **fields}
        yield Ladder(*here, variant, s.bob, good, (FUNDS, missing, stranger))


def settings() -> Iterator[Ladder]:
    s = scene()
    here = ("agent_registry_v1", s.net.registry)
    missing = Rung("AgentNotFound", {"agent_id": "nobody"})
    stranger = Rung("Unauthorized", sender=s.carol)
    yield Ladder(
        *here,
        "set_spending_policy",
        s.bob,
        {"agent_id": "bot", "policy": {"per_tx_limit": "1", "period_seconds": 1}},
        (FUNDS, missing, stranger, Rung("InvalidPolicy", {"policy": {"period_seconds": 0}})),
    )
    yield Ladder(
        *here,
        "update_config",
        s.net.admin,
        {"card_max_bytes": 5},
        (
            FUNDS,
            stranger,
            Rung("InvalidTopic", {"discovery_topic": "No"}),
            Rung("InvalidLimit", {"card_max_bytes": 0}),
        ),
    )


def cards() -> Iterator[Ladder]:
    s = scene()
    here = ("agent_registry_v1", s.net.registry)
    missing = Rung("AgentNotFound", {"agent_id": "nobody"})
    stranger = Rung("Unauthorized", sender=s.carol)
    waiting = Rung("AgentNotActive", {"agent_id": "waits"})
    yield Ladder(
        *here,
        "set_card",
        s.bob,
        {"agent_id": "bot", "card": "aGk="},
        (
            FUNDS,
            missing,
            stranger,
            waiting,
            Rung("InvalidCard", {"card": ""}),
            Rung("TooLarge", {"card": b64(bytes(131_073))}),
            Rung("InvalidCard", {"card_hash": "other"}),
        ),
    )

    def topics() -> None:
        for number in range(16):
            body = {"agent_id": "bot", "topic": f"topic-{number}"}
            s.net.on(s.net.registry, s.bob, "announce_card", **body)

    yield Ladder(
        *here,
        "announce_card",
        s.bob,
        {"agent_id": "bot"},
        (
            FUNDS,
            missing,
            stranger,
            Rung("AgentNotActive", {"agent_id": "waits"}, sender=s.bob),
            Rung("CardNotFound", {"agent_id": "bare"}, sender=s.erin),
            Rung("InvalidTopic", {"topic": "No"}),
            Rung("InvalidTtl", {"ttl_seconds": 0}),
            Rung("TooLarge", before=topics),
        ),
        prepare=lambda: s.net.register(s.erin, "bare"),
    )
    yield Ladder(
        *here,
        "withdraw_card",
        s.bob,
        {"agent_id": "bot"},
        (FUNDS, missing, stranger, Rung("NotAnnounced", {"topic": "other"})),
        prepare=lambda: s.net.on(s.net.registry, s.bob, "announce_card", agent_id="bot"),
    )


@functools.cache
def ladders() -> dict[str, Ladder]:
    """Every ladder; made when the first test asks, not when tests are collected."""
    return by_variant(agents, settings, cards)


@pytest.mark.parametrize("variant", variants("agent_registry_v1"))
def test_MS_8_checks_speak_in_the_readmes_order(variant: str) -> None:
    climb_as_documented(scene().net.chain, ladders()[variant])
