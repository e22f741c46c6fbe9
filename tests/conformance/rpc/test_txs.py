"""The recorded transactions that need no module we lack: same bytes, same codes and texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from recorded_rpc import GROUPS, Replay, cases, differences, load, replayed
from rpc_differences import NAMED, judge

FOUND = [case for case in cases(*GROUPS) if not case.get("withheld")]


@pytest.fixture(scope="module")
def replay() -> Iterator[Replay]:
    made = replayed()
    yield made
    made.node.stop()


@pytest.mark.parametrize("case", FOUND, ids=lambda case: case["id"])
def test_recorded_transaction(replay: Replay, case: dict[str, Any]) -> None:
    found = differences(case, replay.answers[case["id"]])
    judge(case["id"], found, NAMED)


def test_accounts_end_with_the_recorded_numbers_and_sequences(replay: Replay) -> None:
    for name in ("frank", "q30", "p15"):
        recorded = load("tx_cases")["meta"]["final_accounts"][name]
        found = replay.node.app.queries.account(recorded["address"])
        assert found is not None
        account = found[0]
        assert account.number == int(recorded["account_number"])
        assert account.sequence == int(recorded["sequence"]), name


def test_a_contract_sends_a_protobuf_message_of_its_own(replay: Replay) -> None:
    checked, result = replay.answers["reflect_msg_stargate_send_ok"]
    assert checked["code"] == 0
    assert result is not None
    assert (result["code"], result["events"][-1]["type"]) == (0, "transfer")
