"""The rules of a state machine, one a message, and the settings it runs with."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import rule

from chain.testing.clock import CLOCK_BYTES
from chain.testing.options import OPTIONS
from chain.testing.plans import Blueprint, Plan

#: a machine shortens what fails by itself, which is many times faster
WITHOUT_SHRINKING: Final = (Phase.explicit, Phase.reuse, Phase.generate, Phase.target)


def machine_settings() -> settings:
    """What the ``TestCase`` runs with: the profile's, no deadline, the plugin's counts.

    >>> machine_settings().deadline is None
    True
    """
    changes: dict[str, Any] = {}
    if OPTIONS.runs is not None:
        changes["max_examples"] = OPTIONS.runs
    if OPTIONS.depth is not None:
        changes["stateful_step_count"] = OPTIONS.depth
    return settings(
        deadline=None,
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        phases=WITHOUT_SHRINKING,
        **changes,
    )


def rules(blueprint: Blueprint) -> dict[str, Any]:
    """One rule a message and one for time; a weight of three is three rules."""
    made: dict[str, Any] = {}
    for plan in blueprint.plans:
        for copy_number in range(plan.weight):
            rule_name = plan.rule + (f"_{copy_number + 1}" if copy_number else "")
            made[rule_name] = _rule_of(rule_name, plan)
    for copy_number in range(blueprint.time_weight):
        rule_name = "time_passes" + (f"_{copy_number + 1}" if copy_number else "")
        made[rule_name] = _clock_rule(rule_name)
    return made


def _rule_of(name: str, plan: Plan) -> Any:
    size = plan.size
    if plan.draws:

        def drawn(self: Any, choices: bytes, data: Any) -> None:
            self.attack(plan, choices, data.conjecture_data.draw)  # says nothing about it

        drawn.__name__ = name
        return rule(choices=st.binary(min_size=size, max_size=size), data=st.data())(drawn)

    def plain(self: Any, choices: bytes) -> None:
        self.attack(plan, choices)

    plain.__name__ = name
    return rule(choices=st.binary(min_size=size, max_size=size))(plain)


def _clock_rule(name: str) -> Any:
    def time_passes(self: Any, choices: bytes) -> None:
        self.pass_time(choices)

    time_passes.__name__ = name
    strategy = st.binary(min_size=CLOCK_BYTES, max_size=CLOCK_BYTES)
    return rule(choices=strategy)(time_passes)


def class_name(name: str) -> str:
    """The name of the machine of a contract.

    >>> class_name("escrow_v1")
    'EscrowV1Machine'
    """
    words = "".join(char if char.isalnum() else " " for char in name).split()
    return "".join(word[:1].upper() + word[1:] for word in words) + "Machine"
