"""Number classes, times, checked arithmetic."""

import pytest

from chain.std import (
    ContractError,
    Int64,
    Overflow,
    Timestamp,
    Uint64,
    Uint128,
    Uint256,
    checked_add,
    checked_mul,
    checked_sub,
)


@pytest.mark.parametrize(
    ("cls", "low", "high"),
    [
        (Uint64, 0, 2**64 - 1),
        (Uint128, 0, 2**128 - 1),
        (Uint256, 0, 2**256 - 1),
        (Int64, -(2**63), 2**63 - 1),
        (Timestamp, 0, 2**64 - 1),
    ],
)
def test_construction_checks_the_range(cls, low, high):
    assert cls(low) == low
    assert cls(str(high)) == high
    for wrong in (low - 1, high + 1):
        with pytest.raises(ValueError):
            cls(wrong)
    with pytest.raises(ValueError):
        cls("x")


def test_arithmetic_gives_plain_ints():
    assert type(Uint128(5) + 1) is int
    assert Uint128(5) - 7 == -2


def test_JSON_13_checked_arithmetic_refuses_with_the_texts_of_the_1x_line():
    assert checked_sub(5, 5) == 0
    assert checked_add(1, 2) == 3
    assert checked_mul(2**64, 2**63) == 2**127
    with pytest.raises(Overflow, match=r"^Cannot Sub with 4 and 5$"):
        checked_sub(4, 5)
    with pytest.raises(Overflow, match=r"^Cannot Add with "):
        checked_add(2**128 - 1, 1)
    with pytest.raises(ContractError, match=r"^Cannot Mul with "):
        checked_mul(2**64, 2**64)
    with pytest.raises(Overflow):
        checked_add(2**64 - 1, 1, 64)


def test_JSON_14_timestamps_are_checked():
    time = Timestamp.from_seconds(5)
    assert time == 5_000_000_000
    assert time.plus_nanos(1).minus_seconds(5) == 1
    assert time.plus_minutes(1).seconds() == 65
    assert time.plus_hours(1).seconds() == 3_605
    assert time.plus_days(1).minus_days(1) == time
    assert time.plus_hours(2).minus_hours(1).minus_minutes(60) == time
    assert Timestamp.from_nanos(1_500_000_001).subsec_nanos() == 500_000_001
    assert time.minus_nanos(1).nanos() == 4_999_999_999
    assert time.plus_nanos(7).text() == "5.000000007"
    with pytest.raises(ValueError):
        time.minus_seconds(6)
    with pytest.raises(ValueError):
        Timestamp(2**64 - 1).plus_nanos(1)
    with pytest.raises(ValueError):
        time.plus_seconds(2**40)
