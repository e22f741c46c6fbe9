"""The App behind a test chain: one open block, transactions delivered as values, reading of what is
open.
"""

from __future__ import annotations

import hashlib
import traceback
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from chain.app import gov, keys, records
from chain.app.application import App
from chain.app.context import BlockScope
from chain.app.queries.service import ask
from chain.app.records import ContractRecord
from chain.app.units import query_denom
from chain.block.types import BlockInput, TxResult
from chain.crypto.addresses import AddressError, humanize, validate
from chain.errors import AppError
from chain.gas import GasMeter
from chain.std import Coin
from chain.store.memory import MemoryBackend
from chain.store.state import StateStore
from chain.testing.codes import ChainCodes
from chain.testing.genesis import ChainGenesis
from chain.testing.results import QueryFailed
from chain.tx.builder import build_dev
from chain.tx.dev import decode_dev
from chain.tx.messages import DevExecute, Msg
from chain.tx.value import DEV, Tx
from chain.vm.contract import Contract

#: gas limit of a transaction that names none; far above any honest call, so that an endless one
#: still ends
GAS_LIMIT: Final = 100_000_000
_GAS_END: Final = 1 << 64
_KEEP_HEIGHTS: Final = 1 << 40
_BUGS_KEPT: Final = 8
#: told of each transaction of each chain of this process: (engine, messages, result)
WATCHERS: Final[list[Callable[[Engine, tuple[Msg, ...], TxResult], None]]] = []
#: the files whose frames are left out of a contract's traceback
_KIT: Final = str(Path(__file__).resolve().parents[1])
_QUERY_FAILED: Final = ": query wasm contract failed"


def account_address(name: str, prefix: str) -> str:
    """The address that stands for a name: bech32 of the first 20 bytes of its SHA-256."""
    return humanize(hashlib.sha256(name.encode()).digest()[:20], prefix)


def _check_writable(messages: tuple[Msg, ...], gas_limit: int) -> None:
    """Refuse what no transaction can carry: lone surrogates, numbers beyond 64 bits, other types.
    Raises: ValueError.
    """
    try:
        raw = build_dev(messages, chain_id="", gas_limit=gas_limit)
        decode_dev(raw)
    except (TypeError, ValueError, OverflowError, AppError) as error:
        raise ValueError(f"no transaction can carry this: {error}") from None


class OpenBlock:
    """An open block at one moment: the block itself, and how far it had come.

    Nothing is copied: what a block writes later stands behind ``checkpoint`` in its overlay, what
    it says later behind
    the counts of its lists, also when it has been closed since.
    """

    __slots__ = (
        "checkpoint",
        "events",
        "fees",
        "gas_wanted",
        "index",
        "results",
        "results_list",
        "scope",
    )

    def __init__(self, scope: BlockScope, results: list[TxResult]) -> None:
        self.scope = scope
        self.results_list = results
        self.checkpoint = scope.overlay.checkpoint()
        self.index = scope.index
        self.gas_wanted = scope.gas_wanted
        self.fees = list(scope.fees)
        self.events = len(scope.events)
        self.results = len(results)


class Engine:
    """One App with one open block. ``floating``: nobody asked for the open block's time."""

    __slots__ = (
        "app",
        "attacked",
        "block",
        "bugs",
        "codes",
        "floating",
        "genesis",
        "last_height",
        "last_time",
        "named",
        "nonce",
        "prefix",
        "store",
        "txs",
    )

    def __init__(self, genesis: ChainGenesis) -> None:
        self.genesis = genesis
        self.prefix = prefix = genesis.genesis.prefix
        self.codes = ChainCodes()
        self.store = StateStore(MemoryBackend(), keep_heights=_KEEP_HEIGHTS, authenticate=False)
        #: tracebacks of what contracts raised that is no refusal, the newest last
        self.bugs: deque[str] = deque(maxlen=_BUGS_KEPT)
        self.app = App(self.store, self.codes, prefix=prefix, on_bug=self.note_bug)
        genesis.begin(self.app)
        self.named: dict[str, str] = {}
        self.nonce = 0
        self.txs: list[Tx] = []
        self.floating = False
        #: whether a state machine makes the calls
        self.attacked = False
        first = genesis.genesis
        self.last_height = first.initial_height - 1
        self.last_time = first.time - 1
        self.block = BlockInput(0, 0, b"")
        self.open(first.initial_height, first.time)

    def note_bug(self, contract: Contract, kind: str, error: BaseException) -> None:
        """Keep the traceback of a contract's own mistake."""
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if not frame.filename.startswith(_KIT)]
        text = "".join([*traceback.format_list(own), *traceback.format_exception_only(error)])
        self.bugs.append(f"{kind} of {contract.name}:\n{text}")

    # --- blocks ---------------------------------------------------------------------------------

    def open(self, height: int, time: int) -> None:
        """Open a block."""
        self.block = BlockInput(height, time, self.genesis.proposer(self.last_height))
        self.txs = []
        self.floating = False
        self.app.open_block(self.block)

    def abandon(self) -> None:
        """Drop the open block; another one is opened next."""
        self.txs = []

    def close(self) -> None:
        """Close and commit the open block."""
        self.app.close_block()
        self.app.commit()
        self.last_height, self.last_time = self.block.height, self.block.time

    def deliver(self, messages: tuple[Msg, ...], gas_limit: int | None) -> TxResult:
        """One transaction of messages by their senders, who need no keys."""
        limit = GAS_LIMIT
        if gas_limit is not None:
            if not 0 <= gas_limit < _GAS_END:
                raise ValueError(f"a gas limit has 64 bits; {gas_limit} does not fit")
            limit = gas_limit
        result = self._deliver((DevExecute(messages),), limit)  # type: ignore[arg-type]
        if WATCHERS:
            for watcher in WATCHERS:
                watcher(self, messages, result)
        return result

    def deliver_developer(self, message: Msg) -> TxResult:
        """One transaction of a developer message."""
        return self._deliver((message,), GAS_LIMIT)

    def _deliver(self, messages: tuple[Msg, ...], gas_limit: int) -> TxResult:
        self.nonce += 1
        tx = Tx(
            DEV,
            messages,
            (),
            gas_limit,
            (),
            "",
            "",
            0,
            None,
            b"",
            b"",
            has_fee=False,
            nonce=self.nonce,
        )
        self.txs.append(tx)
        scope = self.app.open_scope
        checkpoint, index, wanted = scope.overlay.checkpoint(), scope.index, scope.gas_wanted
        try:
            result = self.app.deliver_tx(tx)
        except (TypeError, AttributeError, ValueError, OverflowError):
            scope.overlay.rollback(checkpoint)
            scope.index = index
            self.txs.pop()
            _check_writable(messages, gas_limit)
            raise
        if result.code:
            try:
                _check_writable(messages, gas_limit)
            except ValueError:
                scope.index, scope.gas_wanted = index, wanted
                self.txs.pop()
                self.app.open_results.pop()
                raise
        return result

    # --- snapshots ------------------------------------------------------------------------------

    def mark(self) -> OpenBlock:
        """Remember the open block."""
        return OpenBlock(self.app.open_scope, self.app.open_results)

    def is_open(self, mark: OpenBlock) -> bool:
        """Whether the block of a mark is the open one."""
        return mark.scope is self.app.open_scope

    def back(self, mark: OpenBlock) -> None:
        """Bring the open block back to a mark of it."""
        scope = mark.scope
        scope.overlay.rollback(mark.checkpoint)
        scope.index = mark.index
        scope.gas_wanted = mark.gas_wanted
        scope.fees[:] = mark.fees
        del scope.events[mark.events :]
        del mark.results_list[mark.results :]

    def rollback(self) -> None:
        """Take the last closed block back; before the first one stands the genesis."""
        self.app.rollback()
        if self.app.height == 0:
            self.genesis.begin(self.app)

    def reopen(self, block: BlockInput, mark: OpenBlock) -> None:
        """Open a closed block again as it was at a mark; the committed state must be the one before
        it.
        """
        app = self.app
        app.open_block(block)
        self.block = block
        scope = app.open_scope
        overlay = scope.overlay
        for key, value in mark.scope.overlay.writes_at(mark.checkpoint).items():
            if value is None:
                overlay.remove(key)
            else:
                overlay.set(key, value)
        scope.index, scope.gas_wanted = mark.index, mark.gas_wanted
        scope.fees[:] = mark.fees
        scope.events[:] = mark.scope.events[: mark.events]
        app.open_results[:] = mark.results_list[: mark.results]

    # --- reading --------------------------------------------------------------------------------

    def query(self, address: str, msg: bytes) -> Any:
        """A contract's answer on the open block. Raises: QueryFailed with the contract's text."""
        app = self.app
        scope = app.open_scope
        overlay = scope.overlay
        host = app.queries.host(overlay, scope.info)
        try:
            raw = ask(host, address, msg, GasMeter(gov.load_params(overlay).query_gas_limit))
        except AppError as error:
            raise QueryFailed(error.log.removesuffix(_QUERY_FAILED)) from None
        try:
            return msgspec.json.decode(raw)
        except msgspec.DecodeError:
            return raw

    def query_raw(self, address: str, key: bytes) -> bytes | None:
        """A raw value of a contract's storage on the open block. Raises: QueryFailed."""
        self.contract_record(address)
        if not key:
            return None
        overlay = self.app.open_scope.overlay
        return overlay.get(keys.contract_storage(validate(address, self.prefix)) + key)

    def contract_record(self, address: str) -> ContractRecord:
        """A contract's record on the open block. Raises: QueryFailed."""
        try:
            raw = self.app.open_scope.overlay.get(keys.contract(validate(address, self.prefix)))
        except AddressError as error:
            raise QueryFailed(str(error)) from None
        if raw is None:
            raise QueryFailed(f"address {address}: no such contract")
        return records.decode_contract(raw)

    def contract_name(self, address: str) -> str:
        """The name of a contract's source; its address where there is none."""
        try:
            code = self.contract_record(address).code_id
        except QueryFailed:
            return address
        raw = self.app.open_scope.overlay.get(keys.code(code))
        source = None if raw is None else records.decode_code(raw).checksum
        found = None if source is None else self.codes.named(source)
        return found or address

    def storage(self, address: str) -> dict[bytes, bytes]:
        """A contract's raw storage on the open block."""
        prefix = keys.contract_storage(validate(address, self.prefix))
        entries = self.app.open_scope.overlay.range(prefix, keys.prefix_end(prefix))
        size = len(prefix)
        return {key[size:]: bytes(value) for key, value in entries}

    def balance(self, address: str, denom: str) -> int:
        """One balance; a unit's answer is rounded down."""
        stored, factor = query_denom(denom)
        bank = self.app.execution.bank
        return bank.balance(self.app.open_scope.overlay, address, stored) // factor

    def balances(self, address: str) -> list[Coin]:
        """All balances."""
        return self.app.execution.bank.balances(self.app.open_scope.overlay, address)

    def supply(self, denom: str) -> int:
        """How much of a denomination exists."""
        stored, factor = query_denom(denom)
        return self.app.execution.bank.supply(self.app.open_scope.overlay, stored) // factor
