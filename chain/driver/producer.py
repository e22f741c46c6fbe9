"""The embedded producer: blocks that the App executed become headers, commits and records.

It has no clock and no socket; whoever drives it says which transactions and which time. Formulas
are CometBFT's (``chain.block.hashing``), so that its light client accepts the chain. The driver's
state is one row beside the App's state, written in the same batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

import msgspec

from chain.app import keys, records
from chain.app.application import APP_VERSION, App
from chain.block.commit import sign_commit
from chain.block.hashing import (
    block_id,
    commit_hash,
    consensus_hash,
    data_hash,
    evidence_hash,
    results_hash,
    sort_validators,
    validator_address,
    validators_hash,
)
from chain.block.types import (
    FLAG_COMMIT,
    Block,
    BlockId,
    BlockInput,
    BlockResult,
    Commit,
    ConsensusParams,
    Header,
    TxResult,
    Validator,
    Vote,
)
from chain.crypto.keys import Ed25519Key
from chain.driver.genesis import Genesis, begin, parse
from chain.driver.log.record import (
    FORMAT,
    BlockRecord,
    GenesisRecord,
    pack,
    sealed,
    sealed_block,
    unpack_block,
)
from chain.store import StateStore
from chain.store.errors import StoreError
from chain.store.types import Reader

ROW_GENESIS: Final = b"rG"
ROW_DRIVER: Final = b"rS"
ROW_BLOCK: Final = b"rB"
ROW_HASH: Final = b"rH"


class Sources(Protocol):
    """Where the source of a stored code comes from."""

    def source(self, checksum: bytes) -> dict[str, str] | None:
        """Files of a contract folder by path, or how a contract of functions is imported; None if
        unknown."""


class DriverState(msgspec.Struct, array_like=True):
    """What the next header needs of the past."""

    height: int
    time: int
    last_block_id: BlockId
    last_results_hash: bytes
    app_hash: bytes
    record_hash: bytes
    last_validators: list[Validator]
    validators: list[Validator]
    next_validators: list[Validator]
    params: ConsensusParams


class Executed(NamedTuple):
    """A block that was run and is not committed yet."""

    block: BlockInput
    result: BlockResult
    #: the App's encoding of its transactions' events; without it they are encoded again
    said: Sequence[msgspec.Raw] = ()


def block_row(height: int) -> bytes:
    """The row key of a block record."""
    return ROW_BLOCK + height.to_bytes(8, "big")


def update_validators(
    members: Sequence[Validator], updates: Sequence[Validator]
) -> list[Validator]:
    """The set after updates, in CometBFT's order: power descending, then address."""
    by_key = {member.pubkey: member for member in members}
    for update in updates:
        if update.power == 0:
            by_key.pop(update.pubkey, None)
        else:
            by_key[update.pubkey] = update
    return sort_validators(by_key.values())


def _checksums(view: Reader) -> list[bytes]:
    found = view.range(keys.CODE, keys.prefix_end(keys.CODE))
    return [records.decode_code(raw).checksum for _, raw in found]


class Producer:
    """One chain of blocks over one App.

    ``signers`` are the consensus keys it signs for, by 20-byte address; validators without a key
    here are absent in the commits.
    """

    def __init__(
        self, app: App, store: StateStore, sources: Sources, signers: Sequence[Ed25519Key]
    ) -> None:
        self.app = app
        self.store = store
        self._sources = sources
        self._keys = {key.validator_address: key for key in signers}
        self.chain_id = ""
        self._genesis: GenesisRecord | None = None
        self._state: DriverState | None = None
        self._open: BlockInput | None = None
        self._txs: list[bytes] = []

    # --- the start of a chain --------------------------------------------------------------------

    def start(
        self, genesis: Genesis, sources: Mapping[str, dict[str, str]] | None = None
    ) -> None:
        """Continue the chain in the store, or begin the one that ``genesis`` describes.

        Before the first commit nothing is on disk, so a chain of height 0 is begun again.
        ``sources``: of contracts that later blocks store, where they are known beforehand.
        """
        raw = self.store.row(ROW_DRIVER)
        if raw is not None:
            self._state = msgspec.msgpack.decode(raw, type=DriverState)
            self.chain_id = self.app.chain_record().chain_id
            return
        answer = begin(self.app, genesis)
        self.chain_id = genesis.chain_id
        members = update_validators((), answer.validators)
        stored = self._sources_of(_checksums(self.app.genesis_view())) | dict(sources or {})
        self._genesis = sealed(GenesisRecord(FORMAT, genesis.document, stored))
        self._state = DriverState(
            height=genesis.initial_height - 1,
            time=genesis.time - 1,
            last_block_id=BlockId(),
            last_results_hash=results_hash(()),
            app_hash=answer.app_hash,
            record_hash=self._genesis.hash,
            last_validators=[],
            validators=members,
            next_validators=members,
            params=answer.consensus_params,
        )

    def _sources_of(self, checksums: Sequence[bytes]) -> dict[str, dict[str, str]]:
        found = ((checksum, self._sources.source(checksum)) for checksum in checksums)
        return {checksum.hex(): files for checksum, files in found if files is not None}

    @property
    def state(self) -> DriverState:
        """What the next block builds on."""
        if self._state is None:
            raise RuntimeError("the chain was not started")
        return self._state

    @property
    def signers(self) -> Mapping[bytes, Ed25519Key]:
        """The consensus keys that this producer signs with, by 20-byte address."""
        return self._keys

    @property
    def height(self) -> int:
        """The height of the last whole block."""
        return self.state.height

    def initial(self) -> tuple[list[Validator], ConsensusParams]:
        """The validators and parameters that the genesis file gave, for read models."""
        genesis = parse(self.genesis_record().genesis)
        members = genesis.validators or tuple(
            [Validator(one.key_type, one.key, one.power) for one in self._genesis_validators()]
        )
        return update_validators((), members), genesis.params or ConsensusParams(
            app_version=APP_VERSION
        )

    def _genesis_validators(self) -> Sequence[records.ValidatorRecord]:
        return records.decode_validators(self.app.genesis_view().get(keys.VALIDATORS) or b"\x90")

    # --- blocks ----------------------------------------------------------------------------------

    def proposer(self) -> bytes:
        """The 20-byte address of the next block's proposer: round robin over the set in its
        order."""
        members = self.state.validators
        return validator_address(members[self.state.height % len(members)].pubkey)

    def open(self, time: int, height: int | None = None) -> BlockInput:
        """Open the next block at ``time`` nanoseconds, moved up where block time would not rise.

        A devnet may leave heights out: ``height`` is then the next one.
        """
        block = self._next(time, ())
        if height is not None:
            block = msgspec.structs.replace(block, height=height)
        self._open, self._txs = block, []
        self.app.open_block(self._open)
        return self._open

    def _next(self, time: int, txs: tuple[bytes, ...]) -> BlockInput:
        state = self.state
        votes = tuple(
            Vote(address, member.power, FLAG_COMMIT)
            for member in state.last_validators
            if (address := validator_address(member.pubkey)) in self._keys
        )
        return BlockInput(
            height=state.height + 1,
            time=max(time, state.time + 1),
            proposer_address=self.proposer(),
            txs=txs,
            last_commit_votes=votes,
        )

    def deliver(self, raw: bytes) -> TxResult:
        """Execute one transaction in the open block."""
        result = self.app.deliver(raw)
        self._txs.append(raw)
        return result

    def close(self) -> BlockRecord:
        """Close the open block, commit it with its record in one batch, and return the record."""
        if self._open is None:
            raise RuntimeError("no block is open")
        result = self.app.close_block()
        block = msgspec.structs.replace(self._open, txs=tuple(self._txs))
        self._open = None
        return self._commit(Executed(block, result, self.app.said))

    def produce(self, txs: Sequence[bytes], time: int) -> BlockRecord:
        """A whole block: what ``open``, ``deliver`` each and ``close`` give, signatures in one
        go."""
        return self.seal(self.execute(txs, time))

    def execute(self, txs: Sequence[bytes], time: int) -> Executed:
        """The next block run, nothing written: the first half of ``produce``."""
        block = self._next(time, tuple(txs))
        return Executed(block, self.app.finalize_block(block), self.app.said)

    def seal(self, executed: Executed) -> BlockRecord:
        """Commit what ``execute`` gave: the second half."""
        return self._commit(executed)

    def abandon(self) -> None:
        """Drop the open block as if it had never been."""
        self._open = None

    def take_over(
        self, record: BlockRecord, accept: Callable[[BlockResult], None] = lambda result: None
    ) -> None:
        """Run the block of a log's record and keep the record, header and commit, as it is.

        ``accept`` sees what the run gave, and raises to keep nothing. Raises: ValueError for a
        record that does not follow the last one.
        """
        if record.prev != self.state.record_hash:
            raise ValueError(f"height {record.block.height} does not follow {self.height}")
        accept(self.app.finalize_block(record.block))
        self._keep(record, pack(record))

    def _commit(self, executed: Executed) -> BlockRecord:
        block, result, said = executed
        header, last_commit = self._header(block)
        record, packed = sealed_block(
            BlockRecord(
                block,
                result,
                header,
                last_commit,
                self._new_sources(result),
                self.state.record_hash,
            ),
            said,
        )
        self._keep(record, packed)
        return record

    def _keep(self, record: BlockRecord, packed: bytes) -> None:
        """Commit the block that the App has just run, with its record."""
        state, block, result = self.state, record.block, record.result
        block_ref = block_id(Block(record.header, block.txs, record.last_commit))
        members = update_validators(state.next_validators, result.validator_updates)
        after = DriverState(
            height=block.height,
            time=block.time,
            last_block_id=block_ref,
            last_results_hash=results_hash(result.tx_results),
            app_hash=result.app_hash,
            record_hash=record.hash,
            last_validators=state.validators,
            validators=state.next_validators,
            next_validators=members,
            params=result.consensus_param_updates or state.params,
        )
        rows = {
            block_row(block.height): packed,
            ROW_HASH + block_ref.hash: block.height.to_bytes(8, "big"),
            ROW_DRIVER: msgspec.msgpack.encode(after),
        }
        if self._genesis is not None:
            rows[ROW_GENESIS] = msgspec.msgpack.encode(self._genesis)
        self.app.commit(rows)
        self._genesis = None
        self._state = after

    def _header(self, block: BlockInput) -> tuple[Header, Commit]:
        state = self.state
        last_commit = self.commit_of_last(block.time)
        header = Header(
            chain_id=self.chain_id,
            height=block.height,
            time=block.time,
            last_block_id=state.last_block_id,
            last_commit_hash=commit_hash(last_commit),
            data_hash=data_hash(block.txs, self.app.tx_hash),
            validators_hash=validators_hash(state.validators),
            next_validators_hash=validators_hash(state.next_validators),
            consensus_hash=consensus_hash(state.params),
            app_hash=state.app_hash,
            last_results_hash=state.last_results_hash,
            evidence_hash=evidence_hash(()),
            proposer_address=block.proposer_address,
            version_app=state.params.app_version,
        )
        return header, last_commit

    def commit_of_last(self, time: int) -> Commit:
        """The precommits for the last block, signed at ``time``; empty before the first block."""
        state = self.state
        if not state.last_block_id.hash:
            return Commit()
        return sign_commit(
            self.chain_id,
            state.height,
            state.last_block_id,
            time,
            self._keys.values(),
            validators=state.last_validators,
        )

    def _new_sources(self, result: BlockResult) -> dict[str, dict[str, str]]:
        stored = [
            bytes.fromhex(value)
            for tx in result.tx_results
            for event in tx.events
            if event.type == "store_code"
            for key, value in event.attributes
            if key == "code_checksum"
        ]
        return self._sources_of(stored)

    # --- going back ------------------------------------------------------------------------------

    def rollback(self) -> BlockRecord:
        """Take the last block back and return its record. Raises: StoreError where its undo
        record is gone, or for the first block."""
        removed = self.record(self.height)
        before = self.record(self.height - 1)
        if removed is None or before is None:
            raise StoreError("the first block that is kept cannot be taken back")
        self.app.rollback()
        self._reread()
        return removed

    def reload(self, signers: Sequence[Ed25519Key]) -> None:
        """Go on from what the store holds after it was changed from outside."""
        self._keys = {key.validator_address: key for key in signers}
        self.app.reload()
        self._reread()

    def _reread(self) -> None:
        raw = self.store.row(ROW_DRIVER)
        if raw is None:
            raise RuntimeError("the store holds no driver state")
        self._open, self._genesis = None, None
        self._state = msgspec.msgpack.decode(raw, type=DriverState)
        self.chain_id = self.app.chain_record().chain_id

    # --- reading ---------------------------------------------------------------------------------

    def record(self, height: int) -> BlockRecord | None:
        """The record of a height, or None if it is not kept."""
        raw = self.store.row(block_row(height))
        return None if raw is None else unpack_block(raw)

    def genesis_record(self) -> GenesisRecord:
        """The first record of the log."""
        return self._genesis or _stored_genesis(self.store)

    def records(
        self, first: int = 0, last: int | None = None
    ) -> Iterator[GenesisRecord | BlockRecord]:
        """The log from the store: the genesis record when ``first`` is 0, then block records up to
        ``last``."""
        if first == 0:
            yield self.genesis_record()
        yield from _stored_blocks(self.store, first, self.height if last is None else last)


def driver_state(store: StateStore) -> DriverState | None:
    """What the driver knew at the last commit of a store that no producer drives."""
    raw = store.row(ROW_DRIVER)
    return None if raw is None else msgspec.msgpack.decode(raw, type=DriverState)


def read_records(store: StateStore) -> Iterator[GenesisRecord | BlockRecord]:
    """The whole log out of a store that no producer drives."""
    yield _stored_genesis(store)
    yield from _stored_blocks(store, 0, store.height)


def _stored_genesis(store: StateStore) -> GenesisRecord:
    raw = store.row(ROW_GENESIS)
    if raw is None:
        raise RuntimeError("the store holds no genesis record")
    return msgspec.msgpack.decode(raw, type=GenesisRecord)


def _stored_blocks(store: StateStore, first: int, last: int) -> Iterator[BlockRecord]:
    for _, raw in store.rows(block_row(max(first, 0)), block_row(last + 1)):
        yield unpack_block(raw)
