"""Token buckets (RL-1)."""

from __future__ import annotations

from chain.gateway.limits import Bucket, Buckets, Limits


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_RL_1_the_standard_limits() -> None:
    limits = Limits()
    assert (limits.requests, limits.requests_burst) == (100, 200)
    assert (limits.messages, limits.messages_burst) == (20, 50)


def test_RL_1_a_burst_then_the_rate() -> None:
    clock = Clock()
    bucket = Bucket(20, 50, clock)
    assert sum(bucket.take() == 0 for _ in range(60)) == 50
    assert 0 < bucket.take() <= 1 / 20
    clock.now += 0.5
    assert sum(bucket.take() == 0 for _ in range(60)) == 10
    clock.now += 1_000
    assert sum(bucket.take() == 0 for _ in range(60)) == 50


def test_a_rate_of_zero_sets_no_limit() -> None:
    bucket = Bucket(0, 0, Clock())
    assert not any(bucket.take() for _ in range(1_000))


def test_names_have_buckets_of_their_own() -> None:
    buckets = Buckets(1, 2, Clock())
    assert [buckets.take("a") for _ in range(2)] == [0, 0]
    assert buckets.take("a") > 0
    assert buckets.take("b") == 0


def test_the_names_that_are_kept_are_bounded() -> None:
    buckets = Buckets(1, 1, Clock())
    for number in range(10_001):
        buckets.take(str(number))
    assert len(buckets._buckets) == 10_000
