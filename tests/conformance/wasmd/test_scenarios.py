"""Replays what a real wasmd answered: 690 scenarios and 576 single cases."""

import pytest
from recorded_wasmd import fill, load
from wasmd_differences import CASES, REASONS

SCENARIOS = [*load("reflect_scenarios.json"), *load("script_scenarios.json")]
LIMITS = load("limits.json")


def replay(world, case):
    found = world.replay(case)
    allowed, _ = CASES.get(case["id"], (frozenset(), ""))
    surprises = [entry for entry in found if entry[0] not in allowed]
    assert not surprises, surprises
    stale = allowed - {aspect for aspect, _ in found}
    assert not stale, f"{case['id']} does not differ in {sorted(stale)} any more"


def test_the_world_is_set_up_as_recorded(world):
    recorded = world.recorded["setup"]
    for step, result in zip(recorded, world.setup_results, strict=True):
        if not isinstance(result, int):
            expected = fill(step["result"], world.lookup)
            assert list(world.result_differences(expected, result)) == []
    state = {"balances": {}, "contracts": {}}
    assert list(world.state_differences(state)) == []


@pytest.mark.parametrize("case", SCENARIOS, ids=lambda case: case["id"])
def test_scenario(world, case):
    replay(world, case)


@pytest.mark.parametrize("case", LIMITS, ids=lambda case: f"{case['id']}-{case['category']}")
def test_limit(world, case):
    replay(world, case)


def test_every_difference_has_a_reason_and_a_case():
    known = {case["id"] for case in (*SCENARIOS, *LIMITS)}
    assert CASES.keys() <= known
    assert {reason for _, reason in CASES.values()} == set(REASONS)
