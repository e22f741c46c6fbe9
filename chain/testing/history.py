"""Snapshots of the test chain, within the open block and across closed ones.

Inside of the open block a snapshot is a checkpoint. Going back to one whose block has closed takes
the closed blocks
back one by one and opens that block again with what it had written by then.
"""

from __future__ import annotations

from chain.testing.engine import Engine, OpenBlock
from chain.testing.log import ClosedBlock


class Mark:
    """One snapshot of a chain."""

    __slots__ = ("block", "clock", "closed", "named", "open", "txs")

    def __init__(self, engine: Engine, closed: int) -> None:
        self.block = engine.block
        #: how many blocks were closed before
        self.closed = closed
        self.clock = (engine.floating, engine.last_height, engine.last_time, engine.nonce)
        self.named = len(engine.named)
        self.txs = len(engine.txs)
        self.open: OpenBlock = engine.mark()

    def same(self, other: Mark) -> bool:
        """Whether nothing happened between the two."""
        mine, its = self.open, other.open
        return (
            mine.scope is its.scope
            and mine.checkpoint == its.checkpoint
            and self.txs == other.txs
            and self.clock == other.clock
            and self.named == other.named
        )


class History:
    """The closed blocks and the snapshots of one chain."""

    __slots__ = ("_marks", "_newest", "_next", "closed")

    def __init__(self) -> None:
        self.closed: list[ClosedBlock] = []
        self._marks: dict[int, Mark] = {}
        self._newest: Mark | None = None
        self._next = 1

    def snapshot(self, engine: Engine) -> int:
        """Remember the chain as it is. The same state has the same number."""
        mark = Mark(engine, len(self.closed))
        newest = self._newest
        if newest is not None and newest.same(mark):
            return self._next - 1
        number = self._next
        self._next = number + 1
        self._marks[number] = self._newest = mark
        return number

    def revert(self, engine: Engine, number: int) -> None:
        """Go back. Raises: ValueError for an unknown snapshot."""
        mark = self._marks.get(number)
        if mark is None:
            raise ValueError(f"there is no snapshot {number}; it was never taken, or reverted past")
        if engine.is_open(mark.open):
            engine.back(mark.open)
            del engine.txs[mark.txs :]
        else:
            self._reopen(engine, mark)
        engine.floating, engine.last_height, engine.last_time, engine.nonce = mark.clock
        if len(engine.named) != mark.named:
            for address in list(engine.named)[mark.named :]:
                del engine.named[address]
        if self._newest is not mark:
            for later in range(number + 1, self._next):
                self._marks.pop(later, None)
            self._next = number + 1
            self._newest = mark

    def _reopen(self, engine: Engine, mark: Mark) -> None:
        """Take closed blocks back until the snapshot's block is the next one, and open it again."""
        for _ in range(len(self.closed) - mark.closed):
            engine.rollback()
        txs = self.closed[mark.closed].txs if mark.closed < len(self.closed) else engine.txs
        engine.txs = txs[: mark.txs]
        del self.closed[mark.closed :]
        engine.reopen(mark.block, mark.open)
        mark.open = engine.mark()
