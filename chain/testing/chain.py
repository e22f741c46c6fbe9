"""The test chain: an App in memory with one block open, driven by plain calls.

Every change of state is a transaction in that block, delivered through ``App`` as any other driver
delivers it; raw
bytes, hashes and records are made when the log is asked for. Calls about contracts and coins are in
``calls``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chain.block.types import BlockInput
from chain.testing.calls import ChainCalls
from chain.testing.engine import Engine
from chain.testing.genesis import ChainGenesis
from chain.testing.history import History
from chain.testing.log import ChainLog, ClosedBlock
from chain.testing.results import ExecTxResult
from chain.testing.scripts import lines_of
from chain.testing.tracing import TraceView, trace_again


class Chain(ChainCalls):
    """One chain in memory. ``genesis`` is a genesis as a devnet's, default none of its own.

    ``auto_block`` closes the block after every transaction; ``fees`` charges gas at the chain's
    price.

    Examples of its methods go on from here:

    >>> from chain.testing import Chain
    >>> from chain.testing.examples import counter
    >>> chain = Chain()
    >>> alice, bob = chain.account("alice", "5msg"), chain.account("bob", "")
    >>> code = chain.store_code(counter)
    >>> address = chain.instantiate(code, {"start": 0}, alice, "counter", admin=alice)
    """

    def __init__(
        self,
        genesis: Mapping[str, Any] | None = None,
        *,
        chain_id: str = "msg-chain-1",
        prefix: str = "msg",
        auto_block: bool = False,
        fees: bool = False,
    ) -> None:
        made = ChainGenesis(genesis, chain_id=chain_id, prefix=prefix, fees=fees)
        self._setup(Engine(made), auto_block=auto_block)
        self._history = History()

    # --- blocks and time ------------------------------------------------------------------------

    @property
    def height(self) -> int:
        """Height of the open block.

        >>> before = chain.height
        >>> chain.next_block()
        >>> chain.height - before
        1
        """
        return self._engine.block.height

    @property
    def time(self) -> int:
        """Time of the open block, nanoseconds.

        >>> before = chain.time
        >>> chain.next_block(seconds=5)
        >>> chain.time - before
        5000000000
        """
        return self._engine.block.time

    def next_block(self, blocks: int = 1, seconds: int | None = None) -> None:
        """Close the open block and open the next, ``blocks`` times; ``seconds`` each, default the
        genesis interval.

        Raises: ValueError for a step that is not positive: block time strictly increases.

        >>> before = chain.height
        >>> chain.next_block(3, seconds=60)
        >>> chain.height - before
        3
        """
        engine = self._engine
        step = engine.genesis.genesis.interval if seconds is None else seconds * 1_000_000_000
        if step <= 0:
            raise ValueError("a block is later than the one before it; seconds must be positive")
        for _ in range(blocks):
            before = engine.block
            self._close()
            engine.open(before.height + 1, before.time + int(step))

    def set_time(self, time_ns: int) -> None:
        """Give the open block this time, closing it first if it holds transactions.

        Raises: ValueError for a time before the open block's.

        >>> chain.set_time(chain.time + 1)
        >>> chain.set_time(0)
        Traceback (most recent call last):
        ...
        ValueError: time 0 is before ...
        """
        block = self._engine.block
        if time_ns == block.time:
            self._engine.floating = False
            return
        floor = self._engine.last_time + 1 if self._engine.floating else block.time
        if time_ns < floor:
            raise ValueError(f"time {time_ns} is before the open block's, {block.time}")
        self._move(block.height, time_ns)
        self._engine.floating = False

    def set_height(self, height: int) -> None:
        """Give the open block this height, closing it first if it holds transactions.

        Raises: ValueError for a height below the open block's.

        >>> chain.set_height(1_000)
        >>> chain.height
        1000
        """
        block = self._engine.block
        if height == block.height:
            return
        if height < block.height:
            raise ValueError(f"height {height} is below the open block's, {block.height}")
        self._move(height, block.time)

    def _move(self, height: int, time_ns: int) -> None:
        """Open a block at ``height`` and ``time_ns``, instead of the open one if that is empty."""
        engine = self._engine
        block = engine.block
        if not engine.txs:
            engine.abandon()
            engine.open(height, time_ns)
            return
        self._close()
        height = max(height, block.height + 1)
        if time_ns > block.time:
            engine.open(height, time_ns)
        else:
            engine.open(height, block.time + engine.genesis.genesis.interval)
            engine.floating = True  # nobody asked for this time; a set_time may still lower it

    def _close(self) -> None:
        engine = self._engine
        block, txs, results = engine.block, engine.txs, engine.app.open_results
        engine.close()
        self._history.closed.append(ClosedBlock(block, txs, results))

    def _end_of_transaction(self) -> None:
        self.next_block()

    @property
    def bugs(self) -> list[str]:
        """Tracebacks of what contracts raised that is no refusal (wasm/29), the newest last.

        >>> chain.bugs
        []
        """
        return list(self._engine.bugs)

    def trace(self, which: ExecTxResult | int = -1) -> TraceView:
        """What a transaction did: its calls as a tree with gas, storage and events. By its result,
        or by number, the last one by default. Print it, or take ``to_json()``.

        Raises: ValueError for a result that is not of this chain, or of before a revert;
        TypeError for what is neither result nor number.

        >>> _ = chain.execute(address, {"add": {"by": "3"}}, sender=alice)
        >>> "add" in str(chain.trace())
        True
        """
        places = [
            (block.block, block.txs, index, result)
            for block in [*self._history.closed, self._open_block()]
            for index, result in enumerate(block.results)
        ]
        if isinstance(which, int):
            if not -len(places) <= which < len(places):
                raise ValueError(f"there is no transaction {which}; there are {len(places)}")
            found = [places[which]]
        elif not isinstance(which, ExecTxResult):
            raise TypeError(f"trace takes a result or a number, not {type(which).__name__}")
        else:
            found = [place for place in places if place[3] is which._raw]
        if not found:
            raise ValueError("this result is of no transaction of the chain as it stands")
        block, txs, index, _ = found[-1]
        trace, _ = trace_again(self._engine, block, txs, index)
        return TraceView(trace, self._engine.named, lines_of(self, txs[index]))

    def _open_block(self) -> ClosedBlock:
        engine = self._engine
        return ClosedBlock(engine.block, engine.txs, engine.app.open_results)

    # --- going back -----------------------------------------------------------------------------

    def snapshot(self) -> int:
        """Remember the whole chain: state, clock, height, counters. Costs next to nothing.

        >>> mark = chain.snapshot()
        >>> _ = chain.send(alice, bob, "1msg")
        >>> chain.revert(mark)
        >>> chain.balance(bob)
        0
        """
        return self._history.snapshot(self._engine)

    def revert(self, mark: int) -> None:
        """Go back to a snapshot, also across closed blocks; it stays valid, later ones do not.

        Raises: ValueError for a snapshot that does not exist any more.

        >>> chain.revert(99)
        Traceback (most recent call last):
        ...
        ValueError: ...
        """
        self._history.revert(self._engine, mark)

    # --- the log --------------------------------------------------------------------------------

    @property
    def log(self) -> ChainLog:
        """The event log so far: closed blocks, and the open one as it stands when saved.

        >>> _ = chain.log.save("chain.jsonl")
        >>> from pathlib import Path
        >>> len(Path("chain.jsonl").read_text().splitlines()) > 1
        True
        """
        engine = self._engine
        blocks = list(self._history.closed)
        if engine.txs:
            blocks.append(ClosedBlock(engine.block, engine.txs))
        made = engine.genesis
        return ChainLog(made.genesis, blocks, engine.codes, made.key, engine.prefix)

    def __repr__(self) -> str:
        block: BlockInput = self._engine.block
        chain_id = self._engine.genesis.genesis.chain_id
        return f"<Chain {chain_id} height={block.height} txs={len(self._engine.txs)}>"
