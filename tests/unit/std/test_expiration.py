"""Cases C053 to C055: when something ends, and how long something lasts."""

from __future__ import annotations

import itertools

import pytest

from chain.std import (
    DAY,
    HOUR,
    WEEK,
    BlockInfo,
    ContractError,
    Duration,
    Empty,
    Expiration,
    Overflow,
    Timestamp,
    decode,
    encode,
)

NEVER = Expiration(never=Empty())
BLOCK = BlockInfo(1_000, Timestamp.from_seconds(7_777), "msg-chain-1")


def height(number: int) -> Expiration:
    return Expiration(at_height=number)


def seconds(number: int) -> Expiration:
    return Expiration(at_time=Timestamp.from_seconds(number))


def test_C053_heights_compare_with_heights_and_times_with_times() -> None:
    assert height(5) < height(10)
    assert height(8) == height(8)
    assert height(8) <= height(8)
    assert height(8) >= height(8)
    assert seconds(1_234) > seconds(1_000)
    assert [height(1).compare(height(n)) for n in (0, 1, 2)] == [1, 0, -1]


def test_C053_never_is_greater_than_both() -> None:
    never = Expiration(never=Empty())
    for other in (height(2**64 - 1), Expiration(at_time=Timestamp(2**64 - 1))):
        assert never > other
        assert other < never
        assert not never <= other
    assert NEVER.compare(never) == 0


def test_C053_a_height_and_a_time_have_no_order() -> None:
    for left, right in itertools.permutations((height(5), seconds(5)), 2):
        assert left.compare(right) is None
        assert left != right
        assert [left < right, left <= right, left > right, left >= right] == [False] * 4


def test_C054_an_end_moves_by_its_own_kind_of_duration() -> None:
    assert height(12_345) + Duration(height=400) == height(12_745)
    assert seconds(55_544_433) + Duration(time=40_300) == seconds(55_584_733)
    assert NEVER + Duration(height=400) == NEVER
    assert NEVER + Duration(time=400) == NEVER


@pytest.mark.parametrize(
    ("end", "duration"),
    [(height(12_345), Duration(time=1)), (seconds(12_345), Duration(height=1))],
)
def test_C054_height_and_time_do_not_add_up(end: Expiration, duration: Duration) -> None:
    with pytest.raises(ContractError, match="Cannot add height and time"):
        _ = end + duration


def test_C054_an_end_does_not_leave_64_bits() -> None:
    with pytest.raises(Overflow):
        _ = height(2**64 - 1) + Duration(height=1)


def test_C055_a_duration_after_a_block() -> None:
    assert Duration(height=456).after(BLOCK) == height(1_456)
    assert Duration(time=1_212).after(BLOCK) == seconds(8_989)


def test_durations_add_and_multiply() -> None:
    assert Duration(height=2) + Duration(height=3) == Duration(height=5)
    assert (HOUR * 24, DAY.times(7)) == (DAY, WEEK)
    assert WEEK.time == 604_800
    assert Duration(height=0).plus_one() == Duration(height=1)
    assert Duration(time=0).plus_one() == Duration(time=1)
    assert (str(Duration(height=5)), str(HOUR)) == ("height: 5", "time: 3600")
    with pytest.raises(ContractError, match="Cannot add height and time"):
        _ = Duration(height=1) + Duration(time=1)


def test_a_duration_is_a_number_in_json() -> None:
    assert encode(Duration(time=7)) == b'{"time":7}'
    assert decode(b'{"height":3}', Duration) == Duration(height=3)
    with pytest.raises(ContractError):
        decode(b'{"height":3,"time":1}', Duration)
