"""Token buckets: how many requests a second, and how many at once.

They guard the process, so each gateway has its own. What an account may send is the contract's
rule, which holds for all gateways together.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

import msgspec

#: buckets that are kept; the one that was not used longest goes first
_KEPT_MAX: Final = 10_000


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Rates a second and bursts (RL-1); a rate of 0 sets no limit."""

    requests: int = 100
    requests_burst: int = 200
    messages: int = 20
    messages_burst: int = 50


class Bucket:
    """Holds up to ``burst`` tokens and gets ``rate`` a second."""

    __slots__ = ("_at", "_burst", "_clock", "_rate", "_tokens")

    def __init__(
        self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._tokens = float(burst)
        self._at = clock()

    def take(self) -> float:
        """Take a token: 0 if there was one, else the seconds until there will be."""
        if not self._rate:
            return 0.0
        now = self._clock()
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
        self._at = now
        if self._tokens >= 1:
            self._tokens -= 1
            return 0.0
        return (1 - self._tokens) / self._rate


class Buckets:
    """A bucket for each name."""

    def __init__(
        self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._buckets: dict[str, Bucket] = {}

    def take(self, name: str) -> float:
        """Take a token of a name's bucket: 0, or the seconds until there will be one."""
        found = self._buckets.pop(name, None) or Bucket(self._rate, self._burst, self._clock)
        self._buckets[name] = found
        if len(self._buckets) > _KEPT_MAX:
            del self._buckets[next(iter(self._buckets))]
        return found.take()
