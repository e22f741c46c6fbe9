"""What clients may ask of a committed state. Every method makes its own scopes, so any thread may
call it.

The gRPC paths of Cosmos clients are a table on top of these methods; here are the raw store and
our own plain ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from chain.app import accounts, gov, keys, records
from chain.app.execution import Execution
from chain.app.queries.host import ChainHost
from chain.app.records import (
    Account,
    CodeRecord,
    ContractRecord,
    HistoryEntry,
    Params,
    ValidatorRecord,
)
from chain.crypto.addresses import AddressError, humanize, validate
from chain.crypto.keys import PubKey
from chain.errors import REGISTERED, AppError
from chain.gas import GasMeter, OutOfGas
from chain.std import BlockInfo, Coin
from chain.store.errors import HeightNotKept, StoreError
from chain.store.state import StateStore
from chain.store.types import Reader
from chain.vm.querier import NoSuchContract

_ENDLESS = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class QueryResult:
    """An ABCI query's answer. ``value`` is None for what is not there. ``proof`` is an ICS-23
    ``CommitmentProof``, for the app hash in header ``height`` + 1.
    """

    code: int = 0
    codespace: str = ""
    log: str = ""
    key: bytes = b""
    value: bytes | None = None
    height: int = 0
    proof: bytes = b""


class Queries:
    """Reads a committed height: 0 is the last one. Raises of all methods: AppError sdk/26 for a
    height that is not kept.
    """

    __slots__ = ("_block_info", "_execution", "_store")

    def __init__(
        self, store: StateStore, execution: Execution, block_info: Callable[[int], BlockInfo]
    ) -> None:
        self._store = store
        self._execution = execution
        self._block_info = block_info

    # --- ABCI -----------------------------------------------------------------------------------

    def query(self, path: str, data: bytes, height: int, prove: bool) -> QueryResult:
        """``/store/<name>/key``: a raw value, with a proof if asked."""
        if not self._store.height:
            return QueryResult(18, "sdk", "there is no committed block yet: invalid request")
        parts = path.strip("/").split("/")
        try:
            if len(parts) == 3 and parts[0] == "store" and parts[2] == "key":
                return self._raw_store(parts[1], data, height, prove)
            if path == "/app/version":
                return QueryResult(value=b"", codespace="sdk")
            raise AppError.wrap("sdk", 6, f"unknown query path {path}")
        except AppError as error:
            return QueryResult(error.code, error.codespace, error.log)

    def _raw_store(self, name: str, key: bytes, height: int, prove: bool) -> QueryResult:
        tag = keys.STORES.get(name)
        if tag is None:
            raise AppError.wrap("sdk", 6, f"no such store: {name}")
        if not key:
            raise AppError("store", 4, "key is empty")
        at = height or self._answer_height(prove)
        value = self._view(at).get(tag + key)
        proof = b""
        if prove:
            try:
                proof = self._store.prove(tag + key, at)
            except StoreError as error:
                raise AppError.wrap("sdk", 18, f"no proof: {error}") from None
        return QueryResult(key=key, value=value, height=at, proof=proof)

    def _answer_height(self, prove: bool) -> int:
        """The height a query without one is answered at: with a proof, the one before, whose root
        is in a header.
        """
        height = self._store.height
        return max(1, height - 1) if prove and height > self._store.oldest else height

    # --- contracts ------------------------------------------------------------------------------

    def smart(self, address: str, msg: bytes, height: int = 0) -> bytes:
        """A contract's answer, within the query gas limit. Raises: AppError with the contract's
        text.
        """
        view = self._view(height)
        meter = GasMeter(gov.load_params(view).query_gas_limit)
        host = self.host(view, self._block_info(height or self._store.height))
        return ask(host, address, msg, meter)

    def host(self, view: Reader, block: BlockInfo) -> ChainHost:
        """A query host over any view; outside of transactions there is no transaction index
        (TX-7).
        """
        return ChainHost(
            self._execution.wasm, self._execution.bank, view, block, transaction=None, loaded={}
        )

    def raw(self, address: str, key: bytes, height: int = 0) -> bytes | None:
        """A raw value of a contract's storage. Raises: AppError wasm/22 for what is no contract
        (QRY-5).
        """
        view = self._view(height)
        canonical = self._canonical(address)
        if view.get(keys.CONTRACT + canonical) is None:
            raise NoSuchContract(address)
        return view.get(keys.CONTRACT_STORAGE + canonical + key) if key else None

    def contract_state(
        self, address: str, start: bytes = b"", height: int = 0
    ) -> Iterator[tuple[bytes, bytes]]:
        """A contract's storage from a key on, in key order."""
        prefix = keys.CONTRACT_STORAGE + self._canonical(address)
        for key, value in self._view(height).range(prefix + start, keys.prefix_end(prefix)):
            yield key[len(prefix) :], value

    def contract_info(self, address: str, height: int = 0) -> ContractRecord:
        """A contract's record. Raises: AppError wasm/22."""
        raw = self._view(height).get(keys.CONTRACT + self._canonical(address))
        if raw is None:
            raise NoSuchContract(address)
        return records.decode_contract(raw)

    def code(self, code_id: int, height: int = 0) -> CodeRecord:
        """A code record. Raises: AppError wasm/28."""
        return self._execution.contracts.load_code(self._view(height), code_id, GasMeter(_ENDLESS))

    def codes(self, height: int = 0) -> list[tuple[int, CodeRecord]]:
        """All codes by id."""
        found = self._view(height).range(keys.CODE, keys.prefix_end(keys.CODE))
        return [(int.from_bytes(key[2:], "big"), records.decode_code(raw)) for key, raw in found]

    def history(self, address: str, height: int = 0) -> list[HistoryEntry]:
        """The code history of a contract, oldest first; empty for what is none."""
        prefix = keys.HISTORY + self._canonical(address)
        found = self._view(height).range(prefix, keys.prefix_end(prefix))
        return [records.decode_history(raw) for _, raw in found]

    def contracts_of_code(self, code_id: int, height: int = 0) -> list[str]:
        """Addresses of the contracts of a code in creation order."""
        return self._listed(keys.BY_CODE + code_id.to_bytes(8, "big"), height)

    def contracts_of_creator(self, creator: str, height: int = 0) -> list[str]:
        """Addresses of the contracts of a creator in creation order."""
        canonical = self._canonical(creator)
        return self._listed(keys.BY_CREATOR + bytes((len(canonical),)) + canonical, height)

    def _listed(self, prefix: bytes, height: int) -> list[str]:
        cut = len(prefix) + 16
        found = self._view(height).range(prefix, keys.prefix_end(prefix))
        return [humanize(key[cut:], self._execution.prefix) for key, _ in found]

    # --- bank, accounts, chain ------------------------------------------------------------------

    def balance(self, address: str, denom: str, height: int = 0) -> Coin:
        """One balance; a unit's answer is rounded down."""
        host = self.host(self._view(height), BlockInfo(0, 0, ""))  # type: ignore[arg-type]
        return host.balance(address, denom, GasMeter(_ENDLESS))

    def balances(self, address: str, height: int = 0) -> list[Coin]:
        """All balances by denomination."""
        self._canonical(address)
        return self._execution.bank.balances(self._view(height), address)

    def supply(self, denom: str, height: int = 0) -> Coin:
        """How much of a denomination exists."""
        host = self.host(self._view(height), BlockInfo(0, 0, ""))  # type: ignore[arg-type]
        return host.supply(denom, GasMeter(_ENDLESS))

    def supplies(self, height: int = 0) -> list[Coin]:
        """All supplies by denomination."""
        found = self._view(height).range(keys.SUPPLY, keys.prefix_end(keys.SUPPLY))
        return [Coin(key[2:].decode(), keys.decode_amount(raw)) for key, raw in found]

    def account(self, address: str, height: int = 0) -> tuple[Account, PubKey | None] | None:
        """Number, sequence and key of an account; None when there is none."""
        view = self._view(height)
        canonical = self._canonical(address)
        found = accounts.may_load(view, canonical)
        return None if found is None else (found, accounts.may_load_key(view, canonical))

    def params(self, height: int = 0) -> Params:
        """The parameters."""
        return gov.load_params(self._view(height))

    def validators(self, height: int = 0) -> tuple[ValidatorRecord, ...]:
        """The validators in force."""
        return gov.load_validators(self._view(height))

    # --- inside ---------------------------------------------------------------------------------

    def _view(self, height: int) -> Reader:
        if not height or height == self._store.height:
            return self._store.view
        if height < 0 or height > self._store.height:
            raise AppError(
                "sdk",
                26,
                f"cannot query with height {height}; latest is {self._store.height}: "
                "invalid height",
            )
        try:
            return self._store.view_at(height)
        except HeightNotKept as error:
            raise AppError("sdk", 26, f"{error}: invalid height") from None

    def _canonical(self, address: str) -> bytes:
        try:
            return validate(address, self._execution.prefix)
        except AddressError as error:
            raise AppError.wrap("sdk", 18, str(error)) from None


def ask(host: ChainHost, address: str, msg: bytes, meter: GasMeter) -> bytes:
    """A smart query from outside. Raises: AppError; out of gas is sdk/11."""
    try:
        return host.smart(address, msg, meter, 0)
    except OutOfGas as error:
        raise AppError(
            "sdk",
            11,
            f"out of gas in location: {error.what}; gas limit: {meter.limit}: "
            f"{REGISTERED['sdk', 11]}",
        ) from None
