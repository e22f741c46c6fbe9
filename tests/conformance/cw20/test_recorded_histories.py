"""The token answers every recorded history of the real cw20-base alike."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from recorded_contracts import load, replay_cw20
from twins.hook import HOOK_CONTRACT

CONTRACTS = {"hook": HOOK_CONTRACT, "cw20_base": "token_v1"}
SEQUENCES = load("cw20_traces.json")["sequences"]
GROUPS = 15


@pytest.mark.parametrize("group", range(GROUPS))
def test_recorded_cw20_histories_replay_alike(group: int) -> None:
    found = []
    for sequence in SEQUENCES[group::GROUPS]:
        found.extend(replay_cw20(sequence, CONTRACTS))
    assert found == []


def test_the_replayer_sees_a_changed_attribute_and_a_changed_answer() -> None:
    sequence: dict[str, Any] = copy.deepcopy(SEQUENCES[0])
    event = next(
        event
        for op in sequence["ops"]
        for event in op.get("ok", {}).get("events", [])
        if event["type"] == "wasm"
    )
    event["attributes"][-1][1] += "x"
    sequence["final"]["queries"][0]["a"] = {"other": "answer"}
    assert len(replay_cw20(sequence, CONTRACTS)) == 2
