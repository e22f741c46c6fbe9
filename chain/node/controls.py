"""What a tester may do to a devnet by hand: go back, move the clock, make blocks, give coins, act
as somebody else.

Everything runs in the chain thread, between blocks. What changes state is a developer transaction
in a block of its own, and so in the log; its nonce is the height of that block, so that the same
steps give the same hashes everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec

from chain.app.trace import Trace
from chain.block.hashing import tx_hash
from chain.block.types import TxResult
from chain.crypto.addresses import AddressError, validate
from chain.crypto.keys import Ed25519Key
from chain.driver.log.record import BlockRecord, GenesisRecord
from chain.driver.trace import trace_call, trace_tx
from chain.node import dump as dumps
from chain.node.service import Node
from chain.store import StateStore
from chain.store.errors import StoreError
from chain.tx.builder import build_dev, coins
from chain.tx.messages import (
    SIGNED,
    Coins,
    DevExecute,
    DevFund,
    DevSetParams,
    DevSudo,
    DevTime,
    Msg,
)

#: blocks of one call; more are several calls
MINE_MAX: Final = 10_000
SNAPSHOTS_MAX: Final = 1_000
#: seconds that one step may move the clock: 100 years
_STEP_MAX: Final = 100 * 366 * 86_400
_YEAR_9999: Final = 253_402_300_799 * 10**9
SECOND: Final = 1_000_000_000

T = TypeVar("T")


class ControlError(Exception):
    """A step that cannot be taken; the text says what to do."""


class Done(msgspec.Struct, frozen=True):
    """A developer transaction in its block."""

    hash: bytes
    record: BlockRecord

    @property
    def result(self) -> TxResult:
        """What it came to."""
        return self.record.result.tx_results[0]


class Snapshot(msgspec.Struct, frozen=True):
    """Where a chain stood: what ``revert`` brings back."""

    height: int
    record_hash: bytes
    offset: int
    waiting: tuple[bytes, ...]
    paused: bool
    block_time: int | str


class Controls:
    """The controls of one node. ``began_anew`` is told the genesis of a loaded chain, and gives
    the keys that sign for it; raises ``DumpError``."""

    def __init__(
        self, node: Node, began_anew: Callable[[GenesisRecord], Sequence[Ed25519Key]]
    ) -> None:
        self._node = node
        self._began_anew = began_anew
        self._snapshots: dict[int, Snapshot] = {}
        self._last_id = 0

    def _do(self, work: Callable[[], T]) -> T:
        return self._node.exclusive(work).result()

    # --- going back -----------------------------------------------------------------------------

    @property
    def snapshots(self) -> Mapping[int, Snapshot]:
        """The snapshots that can be gone back to, by number."""
        return self._snapshots

    def snapshot(self) -> int:
        """Remember chain, clock and pool; gives the number to ``revert`` to."""
        return self._do(self._snapshot)

    def _snapshot(self) -> int:
        if len(self._snapshots) >= SNAPSHOTS_MAX:
            raise ControlError(f"there are {SNAPSHOTS_MAX} snapshots; revert to one of them first")
        node = self._node
        state = node.producer.state
        with node.pool_lock:
            waiting = tuple(node.mempool)
        self._last_id += 1
        self._snapshots[self._last_id] = Snapshot(
            state.height,
            state.record_hash,
            node.clock.offset,
            waiting,
            node.paused,
            node.block_time,
        )
        return self._last_id

    def revert(self, number: int) -> Snapshot:
        """Go back to a snapshot; it stays, later ones are gone. Raises: ControlError."""
        return self._do(lambda: self._revert(number))

    def _revert(self, number: int) -> Snapshot:
        node = self._node
        mark = self._snapshots.get(number)
        if mark is None:
            known = ", ".join(map(str, self._snapshots)) or "none"
            raise ControlError(f"there is no snapshot {number}; there are: {known}")
        producer = node.producer
        if mark.height < producer.store.oldest:
            del self._snapshots[number]
            raise ControlError(
                f"snapshot {number} is of height {mark.height}, and only heights from "
                f"{producer.store.oldest} on are kept"
            )
        removed = []
        with node.pool_lock:
            try:
                while producer.height > mark.height:
                    removed.append(producer.rollback())
            except StoreError as error:
                raise ControlError(f"going back ended at {producer.height}: {error}") from None
            finally:
                node.mempool.flush()
                node.rewound(removed)
            node.app.reload()  # also without a block between: the check state knew of later ones
            for raw in mark.waiting:
                node.mempool.add(raw)
        node.clock.offset = mark.offset
        node.clock.catch_up(producer.state.time)
        self._last_id = number
        self._snapshots = {one: kept for one, kept in self._snapshots.items() if one <= number}
        node.restore(paused=mark.paused, block_time=mark.block_time)
        return mark

    # --- clock and blocks -----------------------------------------------------------------------

    def now(self) -> int:
        """What the chain's clock shows."""
        return self._node.clock.now()

    def set_time(self, nanos: int) -> Done:
        """Make it ``nanos`` now, in a block that says so. Raises: ControlError for the past."""
        return self._do(lambda: self._set_time(nanos))

    def advance_time(self, nanos: int) -> Done:
        """Move the clock on, in a block that says so. Raises: ControlError."""
        if not 0 < nanos <= _STEP_MAX * SECOND:
            raise ControlError("time moves forward only, by more than 0 and at most 100 years")
        return self._do(lambda: self._set_time(self._node.clock.now() + nanos))

    def _set_time(self, nanos: int) -> Done:
        last = self._node.producer.state.time
        if nanos <= last:
            raise ControlError(
                f"time moves forward only: the last block has {last} ns, {nanos} is not after it; "
                "revert to a snapshot to go back"
            )
        if nanos > _YEAR_9999:
            raise ControlError("times end with the year 9999")
        done = self._make(DevTime(nanos), time=nanos)
        self._node.clock.set(nanos)
        return done

    def mine(self, blocks: int = 1, interval: int | None = None) -> list[BlockRecord]:
        """Make blocks with what waits; with ``interval`` each is so many nanoseconds later than
        the one before. Raises: ControlError."""
        if not 0 < blocks <= MINE_MAX:
            raise ControlError(f"1 to {MINE_MAX} blocks at once")
        if interval is not None and not 0 < interval <= _STEP_MAX * SECOND:
            raise ControlError("an interval is more than 0 and at most 100 years")
        return self._do(lambda: [self._mine(interval) for _ in range(blocks)])

    def _mine(self, interval: int | None) -> BlockRecord:
        node = self._node
        if interval is None:
            return node.make()
        time = node.producer.state.time + interval
        if time > _YEAR_9999:
            raise ControlError("times end with the year 9999")
        record = node.make(time=time)
        node.clock.catch_up(time)
        return record

    def pause(self) -> None:
        """Make no blocks but those that are asked for."""
        self._do(self._node.pause)

    def resume(self) -> None:
        """Make blocks again."""
        self._node.resume()

    # --- changes of state -----------------------------------------------------------------------

    def fund(self, address: str, amount: str) -> Done:
        """Create coins in an account. Raises: ControlError."""
        try:
            validate(address)
            found: Coins = coins(amount)
        except AddressError as error:
            raise ControlError(f"{address!r} is no address: {error}") from None
        except ValueError:
            found = ()
        if not found:
            raise ControlError(f"{amount!r} is no amount; write for example 1000msg")
        return self.run(DevFund(address, found))

    def impersonate(self, messages: Sequence[Msg], gas_limit: int = 0) -> Done:
        """Run messages as their senders, without signatures. Raises: ControlError."""
        if not messages:
            raise ControlError("there is no message to run")
        for message in messages:
            if not isinstance(message, SIGNED):
                raise ControlError(f"{type(message).__name__} has no sender to act as")
        return self.run(DevExecute(tuple(messages)), gas_limit=gas_limit)  # type: ignore[arg-type]  # checked above

    def set_params(self, changes: Mapping[str, Any]) -> Done:
        """Change parameters by name. Raises: ControlError."""
        frozen = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in changes.items()
        }
        if not frozen:
            raise ControlError("there is no parameter to change")
        return self.run(DevSetParams(frozen))

    def sudo(self, contract: str, msg: bytes) -> Done:
        """Call a contract's ``sudo``. Raises: ControlError."""
        return self.run(DevSudo(contract, msg))

    def run(self, message: Msg, *, gas_limit: int = 0) -> Done:
        """One developer message in a block of its own. Raises: ControlError where the chain would
        not take it; what fails in its block is in the result."""
        return self._do(lambda: self._make(message, gas_limit=gas_limit))

    def _make(self, message: Msg, *, gas_limit: int = 0, time: int | None = None) -> Done:
        node = self._node
        try:
            raw = build_dev(
                [message],
                chain_id=node.producer.chain_id,
                nonce=node.producer.height + 1,
                gas_limit=gas_limit,
            )
        except (msgspec.MsgspecError, TypeError, ValueError, OverflowError) as error:
            raise ControlError(f"this is no developer transaction: {error}") from None
        checked = node.check(raw)
        if checked.code:
            raise ControlError(checked.log)
        return Done(tx_hash(raw), node.make([raw], time))

    # --- dumps ----------------------------------------------------------------------------------

    def dump(self) -> bytes:
        """The whole chain with its clock, for ``load`` anywhere."""
        node = self._node
        return self._do(lambda: dumps.take(node.producer, node.clock.offset))

    def load(self, raw: bytes) -> dumps.Dump:
        """Put a dump in place of this chain. Raises: DumpError; then nothing changed."""
        found = dumps.read(raw)
        store = dumps.unpack(found, self._node.app.execution.contracts.codes)
        self._do(lambda: self._load(found, store))
        return found

    def _load(self, found: dumps.Dump, store: StateStore) -> None:
        node = self._node
        signers = self._began_anew(found.genesis())
        with node.pool_lock:
            node.producer.store.adopt(store)
            node.producer.reload(signers)
            node.clock.offset = found.offset
            node.reloaded()
        self._snapshots.clear()

    # --- traces ---------------------------------------------------------------------------------

    def trace(self, hash_: bytes) -> tuple[BlockRecord, int, Trace]:
        """What a committed transaction did. Raises: ControlError, TraceError."""
        node = self._node
        place = node.index.find(hash_)
        record = None if place is None else node.record(place[0])
        if place is None or record is None:
            raise ControlError(f"transaction {hash_.hex().upper()} is in no block")
        return record, place[1], trace_tx(node.producer, record, place[1])

    def trace_call(self, raw: bytes) -> Trace:
        """What a transaction would do now. Raises: AppError, TraceError."""
        return trace_call(self._node.app, raw, max(self.now(), self._node.producer.state.time + 1))
