"""Deadlines that do not drift, and a clock that may be moved."""

from __future__ import annotations

import pytest

from chain.node import clock
from chain.node.clock import SECOND, Cadence, Clock


class Time:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1_000 * SECOND

    def monotonic_ns(self) -> int:
        return self.now

    def time_ns(self) -> int:
        return self.now


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    made = Time()
    monkeypatch.setattr(clock, "time", made)
    return made


def test_deadlines_stay_on_their_grid_however_late_a_block_is(time: Time) -> None:
    cadence = Cadence(5 * SECOND)
    first = cadence.deadline
    for late in (0, SECOND, 4 * SECOND):
        time.now = cadence.deadline + late
        assert cadence.lateness() == late
        cadence.step()
        assert (cadence.deadline - first) % (5 * SECOND) == 0
        assert cadence.remaining() == (5 * SECOND - late) / SECOND


def test_a_deadline_that_was_missed_is_left_out(time: Time) -> None:
    cadence = Cadence(SECOND)
    time.now = cadence.deadline + 7 * SECOND // 2
    cadence.step()
    assert cadence.deadline - time.now == SECOND // 2


def test_the_clock_moves_with_its_offset(time: Time) -> None:
    moved = Clock()
    moved.advance(60 * SECOND)
    assert moved.now() == time.now + 60 * SECOND
    moved.set(5)
    assert moved.now() == 5
