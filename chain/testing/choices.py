"""Choices read from bytes: what turns one byte string of Hypothesis into a whole message.

A derived rule draws one byte string a step instead of a tree of strategies, which is several times
faster and shrinks well: every choice is a byte or a few, and zero is always the simplest choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

Picked = TypeVar("Picked")


class Choices:
    """Reads choices from bytes; behind their end every choice is the simplest one.

    >>> choices = Choices(bytes([5, 0, 200]))
    >>> choices.below(3), choices.pick(["alice", "bob"]), choices.chance(100), choices.below(9)
    (2, 'alice', True, 0)
    """

    __slots__ = ("_at", "_raw")

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._at = 0

    def byte(self) -> int:
        """The next byte, 0 behind the end."""
        at = self._at
        self._at = at + 1
        raw = self._raw
        return raw[at] if at < len(raw) else 0

    def below(self, count: int) -> int:
        """A number from 0 to ``count - 1``."""
        at = self._at
        self._at = at + 1
        raw = self._raw
        return raw[at] % count if at < len(raw) else 0

    def chance(self, of_256: int) -> bool:
        """True about ``of_256`` times in 256; False is the simple answer."""
        return self.byte() >= 256 - of_256

    def pick(self, options: Sequence[Picked]) -> Picked:
        """One of several; the first is the simplest."""
        return options[self.below(len(options))]

    def number(self, size: int) -> int:
        """An unsigned integer of ``size`` bytes."""
        result = 0
        for _ in range(size):
            result = result << 8 | self.byte()
        return result
