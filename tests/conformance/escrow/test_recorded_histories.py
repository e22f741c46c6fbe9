"""The escrow answers every recorded history of the real cw20-escrow alike, where that has a way out."""

from __future__ import annotations

import pytest
from recorded_contracts import is_locked, load, replay_escrow

CONTRACTS = {"cw20_base": "token_v1", "cw20_escrow": "escrow_v1"}
SEQUENCES = load("escrow_traces.json")["sequences"]
GROUPS = 10


@pytest.mark.parametrize("group", range(GROUPS))
def test_recorded_escrow_histories_replay_alike(group: int) -> None:
    found = []
    for sequence in SEQUENCES[group::GROUPS]:
        found.extend(replay_escrow(sequence, CONTRACTS))
    assert found == []


def test_few_operations_are_left_out() -> None:
    operations = [op for sequence in SEQUENCES for op in sequence["ops"]]
    left_out = [op for op in operations if is_locked(op)]
    assert 0 < len(left_out) < len(operations) // 50
