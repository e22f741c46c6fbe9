"""MS-8 for every operation of `ai_agent_constitution_v1`: checks speak in the order that the README gives."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest
from check_ladder import Ladder, Rung, by_variant, climb_as_documented, variants
from order_scene import FUNDS, scene

NOTE = "x" * 257


def rules() -> Iterator[Ladder]:
    s = scene()
    here = ("ai_agent_constitution_v1", s.net.constitution)
    stranger = Rung("Unauthorized", sender=s.carol)
    rule = {"effect": "deny"}
    bad = {"action": "No", "note": NOTE, "effect": "no", "agent": "nobody", "risk_tier": "no"}

    def worse(*mended: str) -> dict[str, str]:
        return {**rule, **{name: value for name, value in bad.items() if name not in mended}}

    yield Ladder(
        *here,
        "set_rules",
        s.net.admin,
        {"rules": [rule]},
        (
            FUNDS,
            stranger,
            Rung("InvalidEffect", {"default": "no"}),
            Rung("TooManyRules", {"rules": [bad] * 65}),
            Rung("InvalidAction", {"rules": [bad]}),
            Rung("InvalidNote", {"rules": [worse("action")]}),
            Rung("InvalidEffect", {"rules": [worse("action", "note")]}),
            Rung("AgentNotFound", {"rules": [worse("action", "note", "effect")]}),
            Rung("InvalidRiskTier", {"rules": [{**rule, "risk_tier": "no"}]}),
        ),
    )

    def fill() -> None:
        s.net.on(s.net.constitution, s.net.admin, "set_rules", rules=[rule] * 64)

    yield Ladder(
        *here,
        "add_rule",
        s.net.admin,
        {"rule": rule},
        (
            FUNDS,
            stranger,
            Rung("RuleNotFound", {"position": 65}),
            Rung("InvalidAction", {"rule": {"action": "No"}}),
            Rung("InvalidNote", {"rule": {"note": NOTE}}),
            Rung("InvalidEffect", {"rule": {"effect": "no"}}),
            Rung("AgentNotFound", {"rule": {"agent": "nobody"}}),
            Rung("InvalidRiskTier", {"rule": {"risk_tier": "no"}}),
            Rung("TooManyRules", before=fill),
        ),
    )
    yield Ladder(
        *here,
        "remove_rule",
        s.net.admin,
        {"position": 0},
        (FUNDS, stranger, Rung("RuleNotFound", {"position": 1})),
        prepare=lambda: s.net.on(s.net.constitution, s.net.admin, "add_rule", rule=rule),
    )


def suspensions() -> Iterator[Ladder]:
    s = scene()
    here = ("ai_agent_constitution_v1", s.net.constitution)
    stranger = Rung("Unauthorized", sender=s.carol)
    missing = Rung("AgentNotFound", {"agent_id": "nobody"})
    yield Ladder(
        *here,
        "suspend_agent",
        s.net.admin,
        {"agent_id": "bot"},
        (
            FUNDS,
            stranger,
            Rung("InvalidNote", {"reason": NOTE}),
            missing,
            Rung("AlreadySuspended", {"agent_id": s.carol}),
        ),
        prepare=lambda: s.net.on(
            s.net.constitution, s.net.admin, "suspend_agent", agent_id=s.carol
        ),
    )
    yield Ladder(
        *here,
        "reinstate_agent",
        s.net.admin,
        {"agent_id": s.carol},
        (FUNDS, stranger, missing, Rung("NotSuspended", {"agent_id": s.dave})),
        prepare=lambda: s.net.on(
            s.net.constitution, s.net.admin, "suspend_agent", agent_id=s.carol
        ),
    )
    for variant, fields in (
        ("update_authority", {"authority": s.bob}),
        ("update_config", {"registry_address": s.net.registry}),
    ):
        yield Ladder(*here, variant, s.net.admin, fields, (FUNDS, stranger))


@functools.cache
def ladders() -> dict[str, Ladder]:
    """Every ladder; made when the first test asks, not when tests are collected."""
    return by_variant(rules, suspensions)


@pytest.mark.parametrize("variant", variants("ai_agent_constitution_v1"))
def test_MS_8_checks_speak_in_the_readmes_order(variant: str) -> None:
    climb_as_documented(scene().net.chain, ladders()[variant])
