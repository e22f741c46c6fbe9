"""Recorded transactions of a real chain, played in file order: CheckTx and block answers are equal."""

from __future__ import annotations

from recorded_rpc import DIFFERENCES, RecordedChain, cases, differences


def test_recorded_transactions_get_the_recorded_answers():
    surprises = {}
    for case, checked, result in RecordedChain().replay():
        found = differences(case, checked, result)
        if bool(found) != (case["id"] in DIFFERENCES):
            surprises[case["id"]] = found
    assert surprises == {}


def test_every_named_difference_is_a_case():
    assert set(DIFFERENCES) <= {case["id"] for case in cases()}
