"""The application: one class with the ABCI 2.0 methods, driven alike by the test chain, the
devnet, replay and CometBFT.

``finalize_block`` is a function of the committed state and the block: it may be repeated and
writes nothing; ``commit`` alone writes. Headers and block hashes never get here. ``check_tx`` has
a state of its own, reset at commit. Queries read an immutable committed view and may run in other
threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from chain.app import fees, genesis, gov, keys, proposals, proving, records
from chain.app.answers import CheckTxResult, Info, InitChainResult, OpenBlock, OpenSnapshot
from chain.app.ante import Mode
from chain.app.context import BlockScope
from chain.app.contracts import CodeSource
from chain.app.events import Event, Said, digested, mark_mode
from chain.app.execution import Execution
from chain.app.known import Known, Memory
from chain.app.proving import TOGETHER
from chain.app.queries.service import Queries, QueryResult
from chain.app.records import ChainRecord
from chain.app.snapshots import Applied, Snapshot, Snapshots
from chain.app.trace import Observer
from chain.app.validators import (
    APP_VERSION,
    engine_params,
    record_fault,
    validator_updates,
)
from chain.block.types import (
    BlockInput,
    BlockResult,
    ConsensusParams,
    TxResult,
    Validator,
)
from chain.crypto.verify import InlineVerifier, Verifier
from chain.errors import AppError, InvariantViolation, invariant
from chain.std import BlockInfo, Timestamp
from chain.store.overlay import Overlay
from chain.store.state import StateStore
from chain.tx.value import Tx
from chain.vm.call import BugWatch
from chain.vm.storage import ReadStore

NAME: Final = "msgchain"
_BEGIN_BLOCK: Final = b'{"begin_block":{}}'


class App:
    """The state machine. Not for several threads, except ``query*``."""

    def __init__(
        self,
        store: StateStore,
        codes: CodeSource,
        *,
        verifier: Verifier | None = None,
        prefix: str = "msg",
        version: str = "",
        on_bug: BugWatch | None = None,
    ) -> None:
        self.store = store
        self.prefix = prefix
        self.version = version
        self.verifier = verifier or InlineVerifier()
        self.execution = Execution(codes, self.verifier, prefix, on_bug)
        self.queries = Queries(store, self.execution, self._block_info_at)
        #: the events of the last closed block's transactions in MessagePack, which its record holds
        self.said: Said = ()
        #: told of what the next transactions do; None costs nothing
        self.observer: Observer | None = None
        self._memory = Memory()
        self._genesis: dict[bytes, bytes | None] | None = None
        self._initial_height = 1
        self._open: OpenBlock | None = None
        self._staged: BlockInput | None = None
        self._check: BlockScope | None = None
        self._last_time = 0
        self._time_of: dict[int, int] = {}
        self._snapshots = Snapshots(store, records.time_row)
        self._restore_time()

    # --- info and genesis -----------------------------------------------------------------------

    @property
    def height(self) -> int:
        """The last committed height, 0 before the first."""
        return self.store.height

    def info(self) -> Info:
        """Where the last commit stands."""
        return Info(NAME, self.version, APP_VERSION, self.store.height, self.store.app_hash)

    def init_chain(  # noqa: PLR0917  # the order of ABCI's InitChain
        self,
        time: int,
        chain_id: str,
        consensus_params: ConsensusParams | None,
        validators: Sequence[Validator],
        app_state: bytes | Mapping[str, object],
        initial_height: int = 1,
    ) -> InitChainResult:
        """Make the genesis state in memory. It may be called again until the first commit, which
        writes it.

        ``app_state`` is JSON (its bytes are not stable, its values are). Raises: GenesisError,
        AppError.
        """
        invariant(self.store.height == 0, "init_chain after a commit")
        state = genesis.read_state(app_state)
        overlay = Overlay(self.store.view)
        info = BlockInfo(initial_height, Timestamp(time), chain_id)
        scope = BlockScope(
            info, overlay, b"", ChainRecord(chain_id, initial_height, state.devnet, time)
        )
        made = genesis.build(
            scope,
            self.execution,
            state,
            consensus_params=consensus_params,
            validators=validators,
        )
        self._genesis = dict(overlay.writes)
        self._initial_height = initial_height
        self._last_time = time
        self._open = self._staged = None
        self._check = None
        root = self.store.stage(initial_height, self._genesis)
        params = engine_params(gov.load_params(overlay), gov.load_engine(overlay))
        return InitChainResult(root, made, params)

    def genesis_view(self) -> ReadStore:
        """The state that the next block starts from: committed, or genesis before the first
        commit.
        """
        if self._genesis is None:
            return self.store.view
        return self._base_overlay()

    def chain_record(self) -> ChainRecord:
        """What genesis fixed."""
        return self._chain(self.genesis_view())

    # --- the pool's checks ----------------------------------------------------------------------

    def check_tx(self, raw: bytes, recheck: bool = False) -> CheckTxResult:
        """Whether bytes may enter the pool, by the check state; a recheck looks at sequence and
        funds only.
        """
        try:
            known = self._memory.find(raw)
        except AppError as error:
            return CheckTxResult(error.code, error.codespace, error.log)
        tx = known.tx
        scope = self._check = self._check or self._trial(self.store.height)
        mode = Mode(False, recheck, known.proofs, known.sound)
        refusal, used, proofs = self.execution.check(scope, tx, mode)
        known.proofs = proofs or known.proofs
        sender = tx.signers[0].address if tx.signers else ""
        if refusal is not None:
            return CheckTxResult(
                refusal.code, refusal.codespace, refusal.log, tx.gas_limit, sender, tx.hash, used
            )
        known.sound = True
        return CheckTxResult(gas_wanted=tx.gas_limit, sender=sender, hash=tx.hash, gas_used=used)

    def transaction(self, raw: bytes) -> Tx:
        """Bytes as a transaction. Raises: AppError sdk/2."""
        return self._memory.find(raw).tx

    def waits_for(self, raw: bytes) -> proposals.Turn | None:
        """The turn that a transaction waits for in the check state; None: it may come now, or its
        turn has passed. Raises: AppError sdk/2.
        """
        scope = self._check or self._trial(self.store.height)
        turn = proposals.waits_for(self.transaction(raw), self._basis(scope.overlay))
        return None if turn is proposals.PAST else turn

    def tx_hash(self, raw: bytes) -> bytes:
        """SHA-256 of a transaction's bytes; they are not hashed again if they were decoded."""
        return self._memory.hash_of(raw)

    def prove(self, raw: bytes) -> None:
        """Decode a transaction and verify its signatures ahead of ``check_tx``, as far as the
        committed state shows their keys. Any thread may do this, also while a block runs.
        """
        next(self.proving([raw]), None)

    def proving(self, *parts: Sequence[bytes]) -> Iterator[None]:
        """Begin the same for several at once; each value of the iterator is one part done, and the
        caller may do something else before.
        """
        if not self.store.height:
            return iter(())
        found = [[self._find(raw) for raw in part] for part in parts]
        return self._proving(found, self.store.view)

    def prepare_proposal(self, txs: Sequence[bytes], max_tx_bytes: int) -> list[bytes]:
        """The transactions to propose: those given that are due, as far as a block goes. Pure."""
        return proposals.prepare(txs, max_tx_bytes, self._basis(self.genesis_view()))

    def process_proposal(self, txs: Sequence[bytes]) -> bool:
        """Whether an honest ``prepare_proposal`` can have made this. Pure."""
        return proposals.accepts(txs, self._basis(self.genesis_view()))

    # --- a block --------------------------------------------------------------------------------

    def finalize_block(self, block: BlockInput) -> BlockResult:
        """Run a whole block from the committed state. Writes nothing; may be repeated."""
        self.open_block(block)
        opened = self._opened()
        found = [self._find(raw) for raw in block.txs]
        parts = [found[at : at + TOGETHER] for at in range(0, len(found), TOGETHER)]
        proven = self._proving(parts, opened.scope.overlay)
        for part in parts:
            next(proven)  # the next parts are verified while this one runs
            for known in part:
                self._deliver(opened, known)
        return self.close_block()

    def open_block(self, block: BlockInput) -> None:
        """Start a block: misbehaviour, then the contracts that asked for its beginning.
        ``block.txs`` is not run.
        """
        first, expected = self._genesis is not None, self._next_height()
        invariant(self.store.height > 0 or first, "a block before init_chain")
        overlay = self._base_overlay()
        chain = self._chain(overlay)
        may_skip = first or chain.devnet  # a tester may move the height
        invariant(
            block.height == expected or (may_skip and block.height > expected),
            f"height {block.height}",
        )
        info = BlockInfo(block.height, Timestamp(block.time), chain.chain_id)
        scope = BlockScope(info, overlay, block.proposer_address, chain)
        validators = gov.load_validators(overlay)
        params = gov.load_params(overlay)
        self._staged, self.said = None, ()
        self._open = OpenBlock(scope, validators, params)
        for fault in block.misbehavior:
            record_fault(scope, fault, params)
        for contract in params.begin_block_contracts:
            error = self.execution.privileged_sudo(
                scope, contract, _BEGIN_BLOCK, params.begin_block_gas
            )
            if error is not None:
                scope.events.append(
                    Event(
                        "begin_block_failed",
                        [
                            ("_contract_address", contract),
                            ("codespace", error.codespace),
                            ("code", str(error.code)),
                        ],
                    )
                )
        self._open.begun = len(scope.events)

    def deliver(self, raw: bytes) -> TxResult:
        """Run one transaction in the open block."""
        return self._deliver(self._opened(), self._find(raw))

    def deliver_tx(self, tx: Tx) -> TxResult:
        """As ``deliver`` for a decoded transaction; of its ``raw`` only the length counts."""
        opened = self._opened()
        result = self.execution.deliver(opened.scope, tx, _PLAIN, self.observer)
        opened.results.append(result)
        return result

    def close_block(self) -> BlockResult:
        """End the block: settle fees, gather updates, digest events, compute the hash."""
        opened = self._opened()
        scope = opened.scope
        overlay = scope.overlay
        params = gov.load_params(overlay)
        if scope.fees:
            payout = next(
                (v.payout or "" for v in opened.validators if v.address == scope.proposer), ""
            )
            fees.settle(
                self.execution.bank,
                overlay,
                scope.events,
                scope.fees,
                payout=payout,
                treasury=params.treasury,
            )
        mark_mode(scope.events, opened.begun)
        updates = validator_updates(opened.validators, gov.load_validators(overlay))
        if opened.results or scope.events:
            self.said, digest = digested(opened.results, scope.events)
            overlay.set(keys.EVENTS_DIGEST, digest)
        changed = (params.block_max_bytes, params.block_max_gas) != (
            opened.params.block_max_bytes,
            opened.params.block_max_gas,
        )
        root = self.store.stage(scope.info.height, overlay.writes)
        self._staged = BlockInput(scope.info.height, int(scope.info.time), scope.proposer)
        return BlockResult(
            opened.results,
            scope.events,
            updates,
            engine_params(params, gov.load_engine(overlay)) if changed else None,
            root,
        )

    def commit(self, rows: Mapping[bytes, bytes | None] | None = None) -> int:
        """Write the finalized block and the driver's ``rows`` in one synced batch. Returns the
        retain height (0: all).
        """
        staged = self._staged
        if staged is None:
            raise InvariantViolation("commit without a finalized block")
        kept = {records.time_row(staged.height): staged.time.to_bytes(8, "big")}
        self.store.commit({**(rows or {}), **kept})
        self._genesis = None
        self._staged = self._open = None
        self._last_time = staged.time
        self._check = None
        return 0

    # --- the open block of a test chain ---------------------------------------------------------

    def snapshot(self) -> int:
        """Remember the open block as it is; gives the number to ``revert`` to."""
        opened = self._opened()
        scope = opened.scope
        opened.snapshots.append(
            OpenSnapshot(
                scope.overlay.checkpoint(),
                scope.index,
                scope.gas_wanted,
                list(scope.fees),
                len(scope.events),
                len(opened.results),
            )
        )
        return len(opened.snapshots) - 1

    def revert(self, snapshot: int) -> None:
        """Bring the open block back to a snapshot of it; later snapshots are gone. Raises:
        KeyError.
        """
        opened = self._opened()
        if not 0 <= snapshot < len(opened.snapshots):
            raise KeyError(snapshot)
        kept = opened.snapshots[snapshot]
        del opened.snapshots[snapshot:]
        scope = opened.scope
        scope.overlay.rollback(kept.checkpoint)
        scope.index = kept.index
        scope.gas_wanted = kept.gas_wanted
        scope.fees = kept.fees
        del scope.events[kept.events :]
        del opened.results[kept.results :]

    @property
    def open_scope(self) -> BlockScope:
        """The open block, for reading: queries of a test chain see its overlay."""
        return self._opened().scope

    @property
    def open_results(self) -> list[TxResult]:
        """The results of the open block so far."""
        return self._opened().results

    # --- reading --------------------------------------------------------------------------------

    def query(self, path: str, data: bytes, height: int = 0, prove: bool = False) -> QueryResult:
        """Answer an ABCI query from a committed state; usable from other threads."""
        return self.queries.query(path, data, height, prove, self.simulate)

    def query_smart(self, address: str, msg: bytes, height: int = 0) -> bytes:
        """A contract's answer from a committed state. Raises: AppError."""
        return self.queries.smart(address, msg, height)

    def simulate(self, raw: bytes) -> TxResult:
        """What a transaction would do now, without signatures and fee; nothing stays."""
        scope = self._trial(self._next_height())
        return self.execution.deliver(scope, self.transaction(raw), Mode(simulate=True), None)

    # --- heights --------------------------------------------------------------------------------

    def rollback(self) -> None:
        """Go back by one committed height."""
        self.store.rollback()
        self.reload()

    def reload(self) -> None:
        """Stand where the store stands after it was changed from outside."""
        self._open = self._staged = None
        self._restore_time()
        self._check = None

    def list_snapshots(self) -> list[Snapshot]:
        """The states that a fresh node may fetch; usable from other threads."""
        return self._snapshots.on_offer()

    def load_snapshot_chunk(self, height: int, format_: int, chunk: int) -> bytes:
        """A chunk of a snapshot; empty for one that is not here."""
        return self._snapshots.load(height, format_, chunk)

    def offer_snapshot(self, snapshot: Snapshot, app_hash: bytes) -> int:
        """Whether an empty store would take this snapshot; ``app_hash`` is what is trusted."""
        return self._snapshots.offer(snapshot, app_hash)

    def apply_snapshot_chunk(self, index: int, chunk: bytes) -> Applied:
        """Take a chunk. The last one writes the state, if its root is the app hash."""
        applied = self._snapshots.apply(index, chunk)
        self._genesis = self._open = self._staged = self._check = None
        self._restore_time()
        return applied

    # --- inside ---------------------------------------------------------------------------------

    def _basis(self, state: ReadStore) -> proposals.Basis:
        params, height = gov.load_params(state), self._next_height()
        return proposals.Basis(state, params, height, self.transaction, self.prefix)

    def _next_height(self) -> int:
        return self._initial_height if self._genesis is not None else self.store.height + 1

    def _find(self, raw: bytes) -> Known | AppError:
        """A transaction, or why its bytes are none."""
        try:
            return self._memory.find(raw)
        except AppError as error:
            return error

    def _deliver(self, opened: OpenBlock, known: Known | AppError) -> TxResult:
        if isinstance(known, AppError):
            result = TxResult(known.code, known.codespace, known.log)
        else:
            mode = Mode(False, False, known.proofs, known.sound)
            result = self.execution.deliver(opened.scope, known.tx, mode, self.observer)
        opened.results.append(result)
        return result

    def _proving(
        self, parts: Sequence[Sequence[Known | AppError]], state: ReadStore
    ) -> Iterator[None]:
        chain_id = self._chain(state).chain_id
        return proving.begin(self.execution.ante, self.verifier, parts, state, chain_id)

    def _opened(self) -> OpenBlock:
        if self._open is None:
            raise InvariantViolation("no block is open")
        return self._open

    def _base_overlay(self) -> Overlay:
        overlay = Overlay(self.store.view)
        if self._genesis is not None:
            for key, value in self._genesis.items():
                if value is not None:
                    overlay.set(key, value)
            overlay.settle()
        return overlay

    def _trial(self, height: int) -> BlockScope:
        """The committed state for what is tried: checks see the last height, as the SDK's do."""
        overlay = self._base_overlay()
        chain = self._chain(overlay)
        info = BlockInfo(height, Timestamp(self._last_time), chain.chain_id)
        return BlockScope(info, overlay, b"", chain)

    def _chain(self, store: ReadStore) -> ChainRecord:
        raw = store.get(keys.CHAIN)
        if raw is None:
            raise InvariantViolation("no chain record: init_chain has not run")
        return records.decode_chain(raw)

    def _block_info_at(self, height: int) -> BlockInfo:
        """Height, time and chain of a committed block, for queries."""
        raw = self.store.view.get(keys.CHAIN)
        chain_id = records.decode_chain(raw).chain_id if raw is not None else ""
        time = self.store.row(records.time_row(height))
        return BlockInfo(height, Timestamp(int.from_bytes(time or b"", "big")), chain_id)

    def _restore_time(self) -> None:
        height = self.store.height
        self._last_time = int(self._block_info_at(height).time) if height else 0


_PLAIN: Final = Mode()

__all__ = ["APP_VERSION", "App", "CheckTxResult", "Info", "InitChainResult"]
