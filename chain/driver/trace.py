"""Traces: a transaction run once more, on the state that it met, with an observer."""

from __future__ import annotations

from typing import Final

from chain.app import gov, keys, records
from chain.app.ante import Mode
from chain.app.application import App
from chain.app.context import BlockScope
from chain.app.trace import Trace, Tracer
from chain.app.validators import record_fault
from chain.block.types import BlockInput, TxResult
from chain.driver.genesis import begin, parse
from chain.driver.log.record import BlockRecord
from chain.driver.producer import Producer
from chain.errors import AppError
from chain.std import BlockInfo, Timestamp
from chain.store import MemoryBackend, StateStore
from chain.store.errors import HeightNotKept
from chain.store.overlay import Overlay
from chain.store.types import Reader
from chain.tx.codec import decode_tx

BEGIN_BLOCK: Final = b'{"begin_block":{}}'


class TraceError(Exception):
    """A transaction cannot be run once more; the text says why and what to do."""


def trace_tx(producer: Producer, record: BlockRecord, index: int) -> Trace:
    """What the transaction at ``index`` of a committed block did.

    The block is run up to it on the state before it; the result must be the recorded one. Any
    thread may call this. Raises: TraceError.
    """
    scope = block_scope(_before(producer, record), record.block)
    _begin(producer.app, scope, record.block)
    for raw in record.block.txs[:index]:
        _run(producer.app, scope, raw, None)
    tracer = Tracer()
    result = _run(producer.app, scope, record.block.txs[index], tracer)
    recorded = record.result.tx_results[index]
    if (result.code, result.gas_used) != (recorded.code, recorded.gas_used):
        raise TraceError(
            f"height {record.block.height}, transaction {index}: the run gave code {result.code} "
            f"and gas {result.gas_used}, the block has code {recorded.code} and gas "
            f"{recorded.gas_used}; export the log and replay it to find out why"
        )
    return tracer.finish(result)


def trace_block(app: App, block: BlockInput) -> list[Trace]:
    """What each transaction of the next block will do; nothing is kept."""
    scope = block_scope(app.genesis_view(), block)
    _begin(app, scope, block)
    traces = []
    for raw in block.txs:
        tracer = Tracer()
        traces.append(tracer.finish(_run(app, scope, raw, tracer)))
    return traces


def trace_call(app: App, raw: bytes, time: int) -> Trace:
    """What a transaction would do at ``time``, as a simulation. Raises: AppError for bytes that
    are none.
    """
    scope = block_scope(app.store.view, BlockInput(app.height + 1, time, b""))
    tracer = Tracer()
    result = app.execution.deliver(scope, decode_tx(raw), Mode(simulate=True), tracer)
    return tracer.finish(result)


def block_scope(view: Reader, block: BlockInput) -> BlockScope:
    """A block opened over a state, to run its transactions without keeping what they do."""
    raw = view.get(keys.CHAIN)
    if raw is None:
        raise TraceError("the state before the block has no chain record")
    chain = records.decode_chain(raw)
    info = BlockInfo(block.height, Timestamp(block.time), chain.chain_id)
    return BlockScope(info, Overlay(view), block.proposer_address, chain)


def _begin(app: App, scope: BlockScope, block: BlockInput) -> None:
    """What a block does before its first transaction."""
    params = gov.load_params(scope.overlay)
    for fault in block.misbehavior:
        record_fault(scope, fault, params)
    for contract in params.begin_block_contracts:
        app.execution.privileged_sudo(scope, contract, BEGIN_BLOCK, params.begin_block_gas)


def _run(app: App, scope: BlockScope, raw: bytes, tracer: Tracer | None) -> TxResult:
    try:
        tx = decode_tx(raw)
    except AppError as error:
        return TxResult(error.code, error.codespace, error.log)
    return app.execution.deliver(scope, tx, Mode(), tracer)


def _before(producer: Producer, record: BlockRecord) -> Reader:
    """The state that a block met."""
    height = record.block.height
    store = producer.store
    genesis = parse(producer.genesis_record().genesis)
    if height <= genesis.initial_height:
        app = App(
            StateStore(MemoryBackend(), authenticate=False),
            producer.app.execution.contracts.codes,
            prefix=genesis.prefix,
        )
        begin(app, genesis)
        return app.genesis_view()
    before = height - 1
    try:
        return store.view_at(before)
    except HeightNotKept:
        raise TraceError(
            f"the state of height {before} is not kept, only from {store.oldest} on; "
            "export the log and replay it to look at older blocks"
        ) from None
