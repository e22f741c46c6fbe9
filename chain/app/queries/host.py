"""The chain behind a contract's querier, over the open block's overlay or over a committed view."""

from __future__ import annotations

from typing import Final, Protocol

from chain.app import keys, records, static
from chain.app.bank import Bank
from chain.app.contracts import Contracts
from chain.app.records import ContractRecord
from chain.app.trace import Observer
from chain.app.units import query_denom, valid_denom
from chain.crypto.addresses import AddressError, validate
from chain.errors import AppError, ContractError
from chain.gas import KV_READ, KV_READ_BYTE, GasMeter
from chain.std import Addr, BlockInfo, Coin, ContractInfo, Deps, Env, TransactionInfo
from chain.vm.api import Api
from chain.vm.call import Caller
from chain.vm.querier import ContractRefused, HostPanic, NoSuchCode, NoSuchContract, Querier
from chain.vm.storage import KEY_MAX, QueryStorage, ReadStore

#: queries that may run inside of each other: ten below an execute, one and nine from outside
#: (DISP-5)
QUERY_DEPTH_MAX: Final = 10


class Machine(Protocol):
    """What of the contract keeper a query needs."""

    @property
    def caller(self) -> Caller:
        """Runs entry points."""

    @property
    def contracts(self) -> Contracts:
        """Reads records."""


class ChainHost:
    """Answers queries from one store. Made for one transaction, or for one query from outside."""

    __slots__ = ("_bank", "_block", "_loaded", "_machine", "_observer", "_store", "_transaction")

    def __init__(
        self,
        machine: Machine,
        bank: Bank,
        store: ReadStore,
        block: BlockInfo,
        *,
        transaction: TransactionInfo | None,
        loaded: dict[bytes, None],
        observer: Observer | None = None,
    ) -> None:
        self._machine = machine
        self._bank = bank
        self._store = store
        self._block = block
        self._transaction = transaction
        self._loaded = loaded
        self._observer = observer

    def query_host(self) -> ChainHost:
        """Itself: a nested query asks the same chain."""
        return self

    def balance(self, address: str, denom: str, meter: GasMeter) -> Coin:
        """One balance; a unit's answer is rounded down (CH-3). An invalid denomination aborts the
        caller (QRY-3).
        """
        self._canonical(address)
        if not valid_denom(denom):
            raise HostPanic
        stored, factor = query_denom(denom)
        return Coin(denom, self._bank.balance(self._store, address, stored, meter) // factor)

    def balances(self, address: str, meter: GasMeter) -> list[Coin]:
        """All balances."""
        self._canonical(address)
        return self._bank.balances(self._store, address, meter)

    def supply(self, denom: str, meter: GasMeter) -> Coin:
        """How much of a denomination exists. An invalid denomination aborts the caller (QRY-3)."""
        if not valid_denom(denom):
            raise HostPanic
        stored, factor = query_denom(denom)
        return Coin(denom, self._bank.supply(self._store, stored, meter) // factor)

    def smart(self, address: str, msg: bytes, meter: GasMeter, depth: int) -> bytes:
        """A contract's answer. Raises: AppError as wasmd's querier refuses."""
        canonical = self._canonical(address)
        depth += 1
        if depth > QUERY_DEPTH_MAX:
            raise AppError.wrap("wasm", 27, f"{depth}")
        static.json_payload(msg)
        contracts = self._machine.contracts
        _, code, contract = contracts.load_instance(self._store, address, canonical, meter)
        contracts.load_setup(self._loaded, code.checksum, meter, "query")
        storage = QueryStorage(self._store, keys.CONTRACT_STORAGE + canonical, meter)
        deps = Deps(storage, Api(meter, self._bank.prefix), Querier(self, meter, depth))
        env = Env(self._block, self._transaction, ContractInfo(Addr(address)))
        observer = self._observer
        if observer is not None:
            observer.enter("query", address, "", msg, meter.used)
        outcome = "ok"
        try:
            return self._machine.caller.query(contract, deps, env, msg, meter)
        except ContractError as error:
            wrapped = AppError.wrap("wasm", 9, error.text)
            outcome = wrapped.log
            raise ContractRefused(wrapped.codespace, wrapped.code, wrapped.log) from None
        except AppError as error:
            outcome = error.log
            raise
        finally:
            storage.close()
            if observer is not None:
                observer.leave(outcome, meter.used)

    def raw(self, address: str, key: bytes, meter: GasMeter) -> bytes | None:
        """A value out of a contract's storage, None for a missing one and for what is no contract
        (QRY-5).
        """
        canonical = self._canonical(address)
        if not key or len(key) > KEY_MAX:
            return None
        full = keys.CONTRACT_STORAGE + canonical + key
        value = self._store.get(full)
        meter.consume(KV_READ + KV_READ_BYTE * (len(full) - 1 + len(value or b"")), "ReadPerByte")
        return value

    def contract_info(self, address: str, meter: GasMeter) -> ContractRecord:
        """A contract's record. Raises: NoSuchContract."""
        canonical = self._canonical(address)
        raw = self._store.get(keys.CONTRACT + canonical)
        meter.consume(
            KV_READ + KV_READ_BYTE * (1 + len(canonical) + len(raw or b"")), "ReadPerByte"
        )
        if raw is None:
            raise NoSuchContract(address)
        return records.decode_contract(raw)

    def code_info(self, code_id: int, meter: GasMeter) -> tuple[str, bytes]:
        """Creator and checksum of a code. Raises: NoSuchCode, AppError wasm/12 for id 0."""
        if not code_id:
            raise AppError.wrap("wasm", 12, "code id")
        raw = self._store.get(keys.code(code_id)) if code_id < 1 << 64 else None
        meter.consume(KV_READ + KV_READ_BYTE * (9 + len(raw or b"")), "ReadPerByte")
        if raw is None:
            raise NoSuchCode(code_id)
        code = records.decode_code(raw)
        return code.creator, code.checksum

    def _canonical(self, address: str) -> bytes:
        try:
            return validate(address, self._bank.prefix)
        except AddressError as error:
            raise AppError.wrap("sdk", 7, str(error)) from None
