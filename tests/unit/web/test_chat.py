"""States and times of messages as the page shows them, against what the contract says."""

from __future__ import annotations

import pytest

from chain.web.chat import MARKS, STATUSES, TYPES
from chain.web.text import moment
from contracts.agent_a2a_v1.state import MESSAGE_STATUSES, MESSAGE_TYPES


def test_D15_02_every_state_of_the_contract_has_a_mark() -> None:
    assert tuple(MARKS) == MESSAGE_STATUSES
    assert STATUSES == MESSAGE_STATUSES
    assert all(MARKS.values())


def test_types_that_can_be_sent_to_one_are_the_contracts() -> None:
    assert set(TYPES) <= set(MESSAGE_TYPES)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1571797419879305533", "2019-10-23 02:23:39 UTC"),
        ("1699999999999999999", "2023-11-14 22:13:19 UTC"),  # a float would round the second up
        ("9007199254740993000", "2255-06-05 23:47:34 UTC"),
    ],
)
def test_D15_18_nanoseconds_as_decimal_text_stay_exact(text: str, shown: str) -> None:
    assert moment(int(text)) == shown
