"""Snapshots of the test chain, within the open block and across closed ones.

Inside of the open block a snapshot is a checkpoint. When that block closes, the snapshots that were taken in
it are turned into what the block had written by then; going back to one takes the closed blocks back one by one and
opens its block again with those writes.
"""

from __future__ import annotations

from typing import NamedTuple

from chain.block.types import BlockInput, BlockResult
from chain.testing.engine import Engine, OpenBlock
from chain.tx.value import Tx


class ClosedBlock(NamedTuple):
    """A block as it was closed. ``result`` is None for the open block, as the log shows it."""

    block: BlockInput
    txs: list[Tx]
    result: BlockResult | None


class Mark:
    """One snapshot of a chain."""

    __slots__ = ("block", "clock", "closed", "named", "open", "txs")

    def __init__(self, engine: Engine, closed: int) -> None:
        self.block = engine.block
        #: how many blocks were closed before
        self.closed = closed
        self.clock = (engine.floating, engine.last_time, engine.nonce)
        self.named = len(engine.named)
        self.txs = len(engine.txs)
        self.open: OpenBlock = engine.mark()


class History:
    """The closed blocks and the snapshots of one chain."""

    __slots__ = ("_live", "_marks", "_next", "closed")

    def __init__(self) -> None:
        self.closed: list[ClosedBlock] = []
        self._marks: dict[int, Mark] = {}
        self._live: list[Mark] = []  # those whose block is open, oldest first
        self._next = 1

    def snapshot(self, engine: Engine) -> int:
        """Remember the chain as it is."""
        number = self._next
        self._next = number + 1
        mark = Mark(engine, len(self.closed))
        self._marks[number] = mark
        self._live.append(mark)
        return number

    def before_close(self, engine: Engine) -> None:
        """The open block is about to close: keep what its snapshots need."""
        for mark in self._live:
            engine.keep(mark.open)
        self._live = []

    def revert(self, engine: Engine, number: int) -> None:
        """Go back. Raises: ValueError for an unknown snapshot."""
        mark = self._marks.get(number)
        if mark is None:
            raise ValueError(f"there is no snapshot {number}; it was never taken, or reverted past")
        if mark.open.writes is None:
            engine.back(mark.open)
            del engine.txs[mark.txs :]
            while self._live[-1] is not mark:
                self._live.pop()
        else:
            self._reopen(engine, mark)
        engine.floating, engine.last_time, engine.nonce = mark.clock
        if len(engine.named) != mark.named:
            for address in list(engine.named)[mark.named :]:
                del engine.named[address]
        for later in range(number + 1, self._next):
            self._marks.pop(later, None)
        self._next = number + 1

    def _reopen(self, engine: Engine, mark: Mark) -> None:
        """Take closed blocks back until the snapshot's block is the next one, and open it again."""
        for _ in range(len(self.closed) - mark.closed):
            engine.rollback()
        txs = self.closed[mark.closed].txs if mark.closed < len(self.closed) else engine.txs
        engine.txs = txs[: mark.txs]
        del self.closed[mark.closed :]
        engine.reopen(mark.block, mark.open)
        mark.open = engine.mark()
        self._live = [mark]
