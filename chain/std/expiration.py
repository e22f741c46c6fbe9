"""When something ends, and how long something lasts (cw-utils' ``Expiration`` and ``Duration``)."""

from __future__ import annotations

from typing import Protocol

from chain.errors import ContractError
from chain.std.errors import checked_add, checked_mul
from chain.std.numbers import U64, Timestamp
from chain.std.records import Empty, OneOf

HEIGHT_BITS = 64


class CannotAdd(ContractError):
    """Blocks and seconds do not add up (cw-utils)."""

    def __init__(self) -> None:
        super().__init__("Cannot add height and time")


class BlockLike(Protocol):
    """What an expiration looks at."""

    @property
    def height(self) -> int:
        """Number of the block."""

    @property
    def time(self) -> Timestamp:
        """Time of the block."""


class Duration(OneOf, frozen=True):
    """So many blocks, or so many seconds."""

    height: U64 | None = None
    time: U64 | None = None

    def after(self, block: BlockLike) -> Expiration:
        """What ends so long after a block. Raises: Overflow."""
        if self.height is not None:
            return Expiration(at_height=checked_add(block.height, self.height, HEIGHT_BITS))
        return Expiration(at_time=Timestamp(block.time).plus_seconds(self.time or 0))

    def plus_one(self) -> Duration:
        """A block or a second more. Raises: Overflow."""
        return self + (Duration(time=1) if self.height is None else Duration(height=1))

    def __add__(self, other: Duration) -> Duration:
        """Blocks and blocks, or seconds and seconds. Raises: CannotAdd, Overflow."""
        if self.height is not None and other.height is not None:
            return Duration(height=checked_add(self.height, other.height, HEIGHT_BITS))
        if self.time is not None and other.time is not None:
            return Duration(time=checked_add(self.time, other.time, HEIGHT_BITS))
        raise CannotAdd

    def times(self, factor: int) -> Duration:
        """So many times as long; in a contract ``*`` is for numbers. Raises: Overflow."""
        if self.height is not None:
            return Duration(height=checked_mul(self.height, factor, HEIGHT_BITS))
        return Duration(time=checked_mul(self.time or 0, factor, HEIGHT_BITS))

    def __mul__(self, factor: int) -> Duration:
        return self.times(factor)

    def __str__(self) -> str:
        return f"time: {self.time}" if self.height is None else f"height: {self.height}"


class Expiration(OneOf, frozen=True):
    """When something ends: at a height, at a time, never (JSON-11)."""

    at_height: U64 | None = None
    at_time: Timestamp | None = None
    never: Empty | None = None

    def is_expired(self, block: BlockLike) -> bool:
        """True from the height or time on."""
        if self.at_height is not None:
            return block.height >= self.at_height
        if self.at_time is not None:
            return block.time >= self.at_time
        return False

    def compare(self, other: Expiration) -> int | None:
        """-1, 0 or 1; None for a height beside a time. Never is greater than both."""
        if self.never is not None or other.never is not None:
            return int(self.never is not None) - int(other.never is not None)
        if self.at_height is not None and other.at_height is not None:
            return _sign(self.at_height, other.at_height)
        if self.at_time is not None and other.at_time is not None:
            return _sign(self.at_time, other.at_time)
        return None

    def __lt__(self, other: Expiration) -> bool:
        """Whether it ends earlier; like the other three, False where there is no order."""
        return self.compare(other) == -1

    def __le__(self, other: Expiration) -> bool:
        return self.compare(other) in (-1, 0)

    def __gt__(self, other: Expiration) -> bool:
        return self.compare(other) == 1

    def __ge__(self, other: Expiration) -> bool:
        return self.compare(other) in (0, 1)

    def __add__(self, duration: Duration) -> Expiration:
        """So much later; never stays never. Raises: CannotAdd, Overflow."""
        if self.at_height is not None and duration.height is not None:
            return Expiration(at_height=checked_add(self.at_height, duration.height, HEIGHT_BITS))
        if self.at_time is not None and duration.time is not None:
            return Expiration(at_time=Timestamp(self.at_time).plus_seconds(duration.time))
        if self.never is not None:
            return self
        raise CannotAdd

    def __str__(self) -> str:
        if self.at_height is not None:
            return f"expiration height: {self.at_height}"
        if self.at_time is not None:
            return f"expiration time: {Timestamp(self.at_time).text()}"
        return "expiration: never"


HOUR = Duration(time=3_600)
DAY = HOUR * 24
WEEK = DAY * 7


def _sign(left: int, right: int) -> int:
    return int(left > right) - int(left < right)
