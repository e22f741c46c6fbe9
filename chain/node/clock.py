"""The only clock: wall time with an offset that a tester may move, and deadlines that do not
drift."""

from __future__ import annotations

import time

SECOND = 1_000_000_000


class Clock:
    """Nanoseconds since 1970, moved by ``offset``."""

    def __init__(self) -> None:
        self.offset = 0

    def now(self) -> int:
        """The time that the next block gets."""
        return time.time_ns() + self.offset

    def advance(self, nanos: int) -> None:
        """Move the clock on."""
        self.offset += nanos

    def catch_up(self, nanos: int) -> None:
        """Let it be ``nanos`` at least, so that a chain that is ahead goes on in real time."""
        if self.now() < nanos:
            self.set(nanos)

    def set(self, nanos: int) -> None:
        """Let it be ``nanos`` now."""
        self.offset = nanos - time.time_ns()


class Cadence:
    """Deadlines one interval apart; one that was missed by a whole interval is left out."""

    def __init__(self, interval: int) -> None:
        self.interval = interval
        self.deadline = time.monotonic_ns() + interval

    def remaining(self) -> float:
        """Seconds to the deadline, 0 when it is over."""
        return max(0, self.deadline - time.monotonic_ns()) / SECOND

    def lateness(self) -> int:
        """Nanoseconds since the deadline, negative before it."""
        return time.monotonic_ns() - self.deadline

    def step(self) -> None:
        """Go to the next deadline that is not over yet."""
        passed = time.monotonic_ns() - self.deadline
        self.deadline += self.interval * max(1, -(-passed // self.interval))

    def restart(self) -> None:
        """Begin anew from now."""
        self.deadline = time.monotonic_ns() + self.interval
