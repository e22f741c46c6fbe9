"""Every planted bug is found, with a sequence of at most eight steps; sound contracts stay sound."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test
from lab_machines import a2a_machine, tasks_machine, token_machine
from lab_mutants import MUTANTS, SETTINGS, attack, machine, steps
from readme_law import escrow_machine

STEPS_MAX = 8
SOUND = {
    "escrow_v1": escrow_machine,
    "token_v1": token_machine,
    "agent_tasks_v1": tasks_machine,
    "agent_a2a_v1": a2a_machine,
}


@pytest.mark.parametrize("name", MUTANTS)
def test_planted_bug_is_found(name: str, tmp_path: Path) -> None:
    attacked = machine(name, tmp_path)
    with pytest.raises(AssertionError) as found:
        attack(name, attacked)
    text = "\n".join(getattr(found.value, "__notes__", []))
    assert 1 <= steps(text) <= STEPS_MAX, text
    assert f"chain.store_code('{tmp_path / MUTANTS[name].contract}')" in text
    assert len(list((tmp_path / "failures").glob("*.jsonl"))) == 1


@pytest.mark.parametrize("name", SOUND)
def test_sound_contract_passes(name: str, tmp_path: Path) -> None:
    attacked = SOUND[name](name, failures=tmp_path)
    run_state_machine_as_test(attacked, settings=settings(SETTINGS, max_examples=25))
    assert attacked.report.calls > 100
