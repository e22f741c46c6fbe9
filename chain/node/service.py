"""The node: one chain thread that makes blocks, and what other threads may ask of it.

Who touches what:

=====================  ==================================  =====================================
state                  written by                          guarded by
=====================  ==================================  =====================================
App, producer, store   the chain thread alone              only it calls them
check state, pool      any thread that broadcasts, and     ``pool_lock``: held for one check, and
                       the chain thread after a block      from before a commit until the recheck
                                                           is done; not while a block executes
committed views        nobody: each commit makes another   nothing
index                  the chain thread, after a commit    its own key space; readers see rows
=====================  ==================================  =====================================

A check runs in an overlay of its own over a committed view, which execution never touches: they
share only pure functions with remembered results and the verifier, which has its own lock. A
commit swaps the view under the lock, so no transaction is checked against a state that is gone
and then waits unnoticed.
"""

from __future__ import annotations

import hashlib
import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any, Final, TypeVar

import msgspec

from chain.app.application import CheckTxResult
from chain.app.queries.service import QueryResult
from chain.block.hashing import tx_hash
from chain.driver.log.record import BlockRecord, GenesisRecord
from chain.driver.mempool import (
    BYTES_MAX,
    CACHE_MAX,
    TX_BYTES_MAX,
    TXS_MAX,
    Mempool,
    MempoolError,
)
from chain.driver.producer import Producer
from chain.index.index import Index, Tip
from chain.node import rounds
from chain.node.bus import Bus, Push
from chain.node.clock import SECOND, Cadence, Clock
from chain.node.gate import Gate
from chain.node.metrics import Metrics

LOG: Final = logging.getLogger("msgchain.node")
INSTANT: Final = "instant"
MANUAL: Final = "manual"
_FRAME: Final = 10_000  # bytes of a block that are not transactions, as CometBFT counts
_RECORDS: Final = 64  # decoded records kept for readers
_RECORDS_TXS: Final = 4_000  # and the transactions in them: 15 kB each where ML-DSA signs
_RECORDS_MIN: Final = 2
_COMMIT_WAIT: Final = 10.0  # seconds that ``broadcast_tx_commit`` waits

T = TypeVar("T")


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How a node runs. ``block_time``: nanoseconds, or ``instant`` or ``manual``; ``unsafe``: the
    RPC also offers what only the node's operator should do."""

    block_time: int | str = 5 * SECOND
    moniker: str = "msgchain"
    mempool_txs: int = TXS_MAX
    mempool_bytes: int = BYTES_MAX
    mempool_cache: int = CACHE_MAX
    tx_bytes: int = TX_BYTES_MAX
    devnet: bool = False
    unsafe: bool = False


class NodeFailed(Exception):
    """The chain thread met what must not happen; nothing more is committed."""


class TimedOut(Exception):
    """A transaction was not in a block in time."""


class Node:
    """One chain, its pool and its clock. ``start`` before use, ``stop`` at the end."""

    def __init__(self, producer: Producer, index: Index, options: Options) -> None:
        self.producer = producer
        self.app = producer.app
        self.index = index
        self.options = options
        self.clock = Clock()
        self.metrics = Metrics()
        self.bus = Bus(self._on_the_way)
        self.pool_lock = threading.RLock()
        self.mempool = Mempool(
            self.app.check_tx,
            key_of=self.app.tx_hash,
            txs_max=options.mempool_txs,
            bytes_max=options.mempool_bytes,
            tx_bytes_max=options.tx_bytes,
            cache_max=options.mempool_cache,
        )
        self.identity = b""
        self.rpc_address = "tcp://127.0.0.1:26657"
        self.first_height = 1
        #: more RPC methods, by name (the controls of a devnet): see ``chain.node.methods``
        self.extra_methods: dict[str, Any] = {}
        #: told in the chain thread of each block that was committed
        self.on_block: list[Callable[[BlockRecord], None]] = []
        #: told once when the chain thread ends by a failure
        self.on_failure: Callable[[], None] | None = None
        self.failure: BaseException | None = None
        self.paused = False
        self._interval: int | str = options.block_time
        self._cadence = Cadence(options.block_time if isinstance(options.block_time, int) else 1)
        self._jobs: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = (
            queue.SimpleQueue()
        )
        self._waiting: dict[bytes, list[Future[tuple[BlockRecord, int]]]] = {}
        self._records: dict[int, BlockRecord] = {}
        self._gate = Gate(self._prove, self._admit)
        self._thread = threading.Thread(target=self._run, name="chain", daemon=True)
        self._stopping = False

    # --- life -----------------------------------------------------------------------------------

    def start(self) -> None:
        """Bring the index up to date, make the first block if there is none, start the clock."""
        self._catch_up()
        if self.app.height == 0:
            self._make_block([])
        self.clock.catch_up(self.producer.state.time)
        self._introduce()
        self._cadence.restart()
        self._thread.start()

    def _introduce(self) -> None:
        """Take name and first height from the genesis."""
        genesis = self.producer.genesis_record()
        self.first_height = int(str(genesis.genesis.get("initial_height", "1")))
        name = b"node/" + self.producer.chain_id.encode() + genesis.hash
        self.identity = hashlib.sha256(name).digest()[:20]

    def stop(self) -> None:
        """End the chain thread after the block it is in; nothing is half done."""
        self._stopping = True
        self._gate.close()
        self._jobs.put(None)
        if self._thread.is_alive():
            self._thread.join()
        with self.pool_lock:
            waiting = [future for found in self._waiting.values() for future in found]
            self._waiting.clear()
        for future in waiting:
            future.cancel()

    def close(self) -> None:
        """Close the files, after ``stop``, and end what verifies."""
        self.app.verifier.close()
        self.index.close()
        self.producer.store.backend.close()

    # --- for any thread -------------------------------------------------------------------------

    @property
    def height(self) -> int:
        """The last committed height."""
        return self.app.height

    @property
    def block_time(self) -> int | str:
        """Nanoseconds between blocks, or ``instant`` or ``manual``."""
        return self._interval

    def set_block_time(self, value: int | str) -> None:
        """Change how blocks come."""

        def change() -> None:
            self._interval = value
            self._cadence = Cadence(value if isinstance(value, int) else 1)

        self.exclusive(change).result()

    def broadcast(self, raw: bytes) -> CheckTxResult:
        """Check a transaction and let it wait for a block. Raises: MempoolError, NodeFailed."""
        if self.failure is not None:
            raise NodeFailed
        if len(raw) <= self.options.tx_bytes and len(self.mempool) < self.options.mempool_txs:
            self.app.prove(raw)  # beside other checks and the running block
        return self._admit(raw)

    def submit(self, raw: bytes) -> Future[CheckTxResult]:
        """The same for who does not wait for the answer: what comes together is verified together.
        Waits itself where too many are on the way. The future raises what ``broadcast`` raises.
        """
        return self._gate.submit(raw)

    def _prove(self, raws: list[bytes]) -> Iterator[None]:
        limit = self.options.tx_bytes
        return self.app.proving([raw for raw in raws if len(raw) <= limit])

    def _admit(self, raw: bytes) -> CheckTxResult:
        if self.failure is not None:
            raise NodeFailed
        with self.pool_lock:
            result: CheckTxResult = self.mempool.add(raw)  # type: ignore[assignment]
            size = len(self.mempool)
        self.metrics.checked(result.code, size)
        if result.code == 0 and self._interval == INSTANT and not self.paused:
            self.exclusive(self._make_instant)
        return result

    def check(self, raw: bytes) -> CheckTxResult:
        """Check a transaction against the pool's state without keeping it."""
        with self.pool_lock:
            return self.app.check_tx(raw)

    def broadcast_and_wait(
        self, raw: bytes, timeout: float = _COMMIT_WAIT
    ) -> tuple[CheckTxResult, tuple[BlockRecord, int] | None]:
        """The same, then wait for its block. Raises: MempoolError, TimedOut."""
        future: Future[tuple[BlockRecord, int]] = Future()
        key = tx_hash(raw)
        with self.pool_lock:
            self._waiting.setdefault(key, []).append(future)
        try:
            checked = self.broadcast(raw)
            if checked.code:
                return checked, None
            return checked, future.result(timeout)
        except TimeoutError:
            raise TimedOut from None
        finally:
            self._forget(key, future)

    def _forget(self, key: bytes, future: Future[tuple[BlockRecord, int]]) -> None:
        with self.pool_lock:
            found = self._waiting.get(key)
            if found is not None and future in found:
                found.remove(future)
                if not found:
                    del self._waiting[key]

    def unconfirmed(self, limit: int | None = None) -> tuple[list[bytes], int, int]:
        """Waiting transactions up to a limit, how many wait, and their bytes."""
        with self.pool_lock:
            waiting = [raw for raw, _ in zip(self.mempool, range(limit or 0), strict=False)]
            return waiting, len(self.mempool), self.mempool.size_bytes

    def flush(self) -> None:
        """Forget all waiting transactions."""
        with self.pool_lock:
            self.mempool.flush()

    def query(self, path: str, data: bytes, height: int = 0, *, prove: bool = False) -> QueryResult:
        """Answer an ABCI query from a committed state."""
        return self.app.query(path, data, height, prove)

    def record(self, height: int) -> BlockRecord | None:
        """The record of a block, None for one that is not there."""
        found = self._records.get(height)
        if found is None:
            found = self.producer.record(height)
            if found is not None:
                self._keep(found)
        return found

    def _keep(self, record: BlockRecord) -> None:
        records = self._records
        records[record.block.height] = record
        try:
            txs = sum([len(kept.block.txs) for kept in records.values()])
            while len(records) > _RECORDS or (txs > _RECORDS_TXS and len(records) > _RECORDS_MIN):
                oldest = next(iter(records))
                txs -= len(records[oldest].block.txs)
                del records[oldest]
        except (KeyError, RuntimeError, StopIteration):
            pass  # another reader was quicker

    def genesis(self) -> GenesisRecord:
        """The first record of the log."""
        return self.producer.genesis_record()

    # --- what changes the chain -----------------------------------------------------------------

    def exclusive(self, work: Callable[[], T]) -> Future[T]:
        """Have something done by the chain thread between blocks."""
        future: Future[T] = Future()
        if self._stopping or self.failure is not None:
            future.set_exception(NodeFailed("the node is stopping"))
            return future
        self._jobs.put((future, work))
        return future

    def mine(self, count: int = 1) -> list[BlockRecord]:
        """Make blocks now, each with what waits."""
        return [self.exclusive(self._make_pending).result() for _ in range(count)]

    def produce(self, txs: list[bytes]) -> BlockRecord:
        """Make a block of these transactions now (and of nothing that waits)."""
        return self.exclusive(lambda: self._make_block(txs)).result()

    def make(self, txs: list[bytes] | None = None, time: int | None = None) -> BlockRecord:
        """Make a block of these transactions, or of what waits, at a time of one's own; in the
        chain thread."""
        return self._make_block(self._reaped() if txs is None else txs, time)

    def pause(self) -> None:
        """Make no blocks until ``resume``, except those that are asked for."""
        self.paused = True

    def resume(self) -> None:
        """Make blocks again; in instant mode what waits now."""

        def again() -> None:
            self.paused = False
            self._cadence.restart()
            while self._interval == INSTANT and len(self.mempool):
                self._make_instant()

        self.exclusive(again).result()

    def restore(self, *, paused: bool, block_time: int | str) -> None:
        """Make blocks as at another moment; in the chain thread."""
        self.paused = paused
        self._interval = block_time
        self._cadence = Cadence(block_time if isinstance(block_time, int) else 1)

    def rewound(self, removed: list[BlockRecord]) -> None:
        """Forget blocks that were taken back, newest first; in the chain thread, after it."""
        self._records.clear()
        for record in removed:
            before = record.block.height - 1
            kept = self.producer.record(before)
            self.index.remove(record, Tip(before, kept.hash) if kept is not None else Tip(0, b""))

    def reloaded(self) -> None:
        """Begin anew with what the store holds now; in the chain thread, after it changed."""
        self._records.clear()
        with self.pool_lock:
            self.mempool.flush()
        self.index.clear()
        self._catch_up()
        self.clock.catch_up(self.producer.state.time)
        self._introduce()

    # --- the chain thread -----------------------------------------------------------------------

    def _run(self) -> None:
        try:
            while not self._stopping:
                self._turn()
        except BaseException as error:
            self.failure = error
            LOG.critical("the chain stopped: %s", error, exc_info=error)
            if self.on_failure is not None:
                self.on_failure()
        self._refuse_jobs()

    def _refuse_jobs(self) -> None:
        while True:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                return
            if job is not None:
                job[0].set_exception(NodeFailed("the node is stopping"))

    def _turn(self) -> None:
        ticking = isinstance(self._interval, int) and not self.paused
        try:
            job = self._jobs.get(timeout=self._cadence.remaining() if ticking else None)
        except queue.Empty:
            if self.paused:
                return
            self.metrics.late(self._cadence.lateness())
            self._make_pending()
            self._cadence.step()
            return
        if job is None:
            return
        future, work = job
        try:
            future.set_result(work())
        except Exception as error:
            if self.failure is not None:
                future.set_exception(NodeFailed("the node is stopping"))
                raise
            future.set_exception(error)

    def _make_pending(self) -> BlockRecord:
        return self._make_block(self._reaped())

    def _reaped(self) -> list[bytes]:
        params = self.producer.state.params
        with self.pool_lock:
            return self.mempool.reap(params.max_bytes - _FRAME, params.max_gas)

    def _make_instant(self) -> None:
        """One block for the transaction that has waited longest."""
        with self.pool_lock:
            first = next(iter(self.mempool), None)
        if first is not None and not self.paused:
            self._make_block([first])

    def _make_block(self, txs: list[bytes], time_ns: int | None = None) -> BlockRecord:
        """Execute without the pool's lock, commit and recheck with it."""
        started = time.monotonic_ns()
        producer = self.producer
        first = self.app.height == 0
        try:
            moment = self.clock.now() if time_ns is None else time_ns
            executed = producer.execute(txs, 0 if first else moment)
            with self.pool_lock:
                record = producer.seal(executed)
                results = record.result.tx_results
                self.mempool.update(
                    [(raw, result.code) for raw, result in zip(txs, results, strict=True)]
                )
                waiting = [self._waiting.pop(self.app.tx_hash(raw), []) for raw in txs]
            self.index.add(record)
        except BaseException as error:
            self.failure = error
            raise
        self._keep(record)
        self.metrics.block(record, time.monotonic_ns() - started, len(self.mempool))
        self._announce(record, waiting)
        return record

    def _announce(
        self, record: BlockRecord, waiting: list[list[Future[tuple[BlockRecord, int]]]]
    ) -> None:
        height = record.block.height
        for index, futures in enumerate(waiting):
            for future in futures:
                if future.set_running_or_notify_cancel():
                    future.set_result((record, index))
        gas = sum(result.gas_used for result in record.result.tx_results)
        LOG.info("block", extra={"height": height, "txs": len(record.block.txs), "gas": gas})
        self.bus.publish(record)
        for listener in self.on_block:
            listener(record)

    def _on_the_way(self, record: BlockRecord) -> Iterator[Push]:
        """What a consensus would have said before a block."""
        keys = self.producer.signers
        members = self.index.validators(record.block.height)
        for kind, value, name in rounds.said(record, members, keys.get):
            yield Push(f"tendermint/event/{kind}", value, {"tm.event": [name]})

    def _catch_up(self) -> None:
        """Index what the index lacks; begin it anew where it is not of this chain."""
        index, producer = self.index, self.producer
        tip = index.tip
        known = producer.record(tip.height) if tip.height else None
        if tip.height and (known is None or known.hash != tip.record_hash):
            LOG.warning("the index is of another chain and is made anew")
            index.clear()
            tip = Tip(0, b"")
        if not tip.height:
            self._begin_index()
        if tip.height < producer.height:
            LOG.info("indexing", extra={"from": tip.height + 1, "to": producer.height})
            for record in producer.records(max(tip.height + 1, 1)):
                if isinstance(record, BlockRecord):
                    index.add(record)

    def _begin_index(self) -> None:
        first = next(self.producer.records(1, None), None) if self.producer.height else None
        if isinstance(first, BlockRecord):
            height = first.block.height
        else:
            height = self.producer.height + 1
        members, params = self.producer.initial()
        self.index.begin(height, members, params)


__all__ = ["INSTANT", "MANUAL", "MempoolError", "Node", "NodeFailed", "Options", "TimedOut"]
