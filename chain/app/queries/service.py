"""What clients may ask of a committed state. Every method makes its own scopes, so any thread may
call it.

The gRPC paths of Cosmos clients are a table on top of these methods; here are the raw store and
our own plain ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from chain.app import accounts, gov, keys, records
from chain.app.execution import Execution
from chain.app.queries.desk import PAGE_BYTES, Desk, Service
from chain.app.queries.failure import Failure
from chain.app.queries.host import ChainHost
from chain.app.records import (
    Account,
    CodeRecord,
    ContractRecord,
    HistoryEntry,
    Params,
    ValidatorRecord,
)
from chain.block.types import TxResult
from chain.crypto.addresses import AddressError, humanize, validate
from chain.crypto.keys import PubKey
from chain.errors import REGISTERED, AppError
from chain.gas import GasMeter, OutOfGas
from chain.protowire import bytes_field
from chain.std import BlockInfo, Coin
from chain.store.errors import HeightNotKept, StoreError
from chain.store.state import StateStore
from chain.store.types import Reader
from chain.vm.querier import NoSuchContract

_ENDLESS = (1 << 63) - 1
_SIMULATE = "/cosmos.tx.v1beta1.Service/Simulate"


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

    __slots__ = ("_block_info", "_execution", "_store", "services")

    def __init__(
        self, store: StateStore, execution: Execution, block_info: Callable[[int], BlockInfo]
    ) -> None:
        self._store = store
        self._execution = execution
        self._block_info = block_info
        #: gRPC paths and what answers them; a driver that serves clients fills it with
        #: ``chain.app.queries.grpc.SERVICES``
        self.services: Mapping[str, Service] = {}

    # --- ABCI -----------------------------------------------------------------------------------

    def query(
        self,
        path: str,
        data: bytes,
        height: int,
        prove: bool,
        simulate: Callable[[bytes], TxResult] | None = None,
    ) -> QueryResult:
        """Answer a path: the services, the raw stores, ``/app`` and ``/p2p``."""
        if not self._store.height:
            return QueryResult(18, "sdk", "there is no committed block yet: invalid request")
        service = self.services.get(path)
        if service is not None:
            return self._serve(service, data, height, prove, simulate)
        parts = path.removeprefix("/").split("/")
        try:
            if parts[0] == "store":
                return self._raw_store("/".join(parts[1:]), data, height, prove)
            if parts[0] == "app":
                return self._about_app(parts, data, simulate)
            if parts[0] == "p2p":
                return self._about_peers(parts)
            if not path:
                raise AppError.wrap("sdk", 6, "no query path provided")
            raise AppError.wrap("sdk", 6, "unknown query path")
        except AppError as error:
            return QueryResult(error.code, error.codespace, error.log)

    def desk(
        self, height: int, prove: bool = False, simulate: Callable[[bytes], TxResult] | None = None
    ) -> Desk:
        """What handlers of a height get. Raises: AppError in the words of the SDK's router."""
        last = self._store.height
        if height < 0:
            raise AppError.wrap(
                "sdk", 18, "cannot query with height < 0; please provide a valid height"
            )
        if height > last:
            raise AppError.wrap(
                "sdk", 26, "cannot query with height in the future; please provide a valid height"
            )
        at = height or last
        if prove and at <= 1:
            raise AppError.wrap(
                "sdk",
                18,
                "cannot query with proof when height <= 1; please provide a valid height",
            )
        try:
            view: Reader = self._store.view if at == last else self._store.view_at(at)
        except HeightNotKept:
            raise AppError.wrap(
                "sdk",
                18,
                f"failed to load state at height {at}; version mismatch on immutable IAVL tree; "
                "version does not exist. Version has either been pruned, or is for a future block "
                f"height (latest height: {last})",
            ) from None
        time = int(self._block_info(at).time)
        return Desk(self, self._execution, view, at, time, simulate or _no_simulation)

    def _serve(
        self,
        service: Service,
        data: bytes,
        height: int,
        prove: bool,
        simulate: Callable[[bytes], TxResult] | None,
    ) -> QueryResult:
        try:
            desk = self.desk(height, prove, simulate)
        except AppError as error:
            return QueryResult(error.code, error.codespace, error.log)
        try:
            return QueryResult(value=service(desk, data), height=desk.height)
        except Failure as failure:
            return QueryResult(failure.code, "sdk", failure.log, height=desk.height)

    def _about_app(
        self, parts: list[str], data: bytes, simulate: Callable[[bytes], TxResult] | None
    ) -> QueryResult:
        if len(parts) < 2:
            raise AppError.wrap(
                "sdk",
                6,
                "expected second parameter to be either 'simulate' or 'version', neither was "
                "present",
            )
        if parts[1] == "version":
            return QueryResult(value=b"", codespace="sdk", height=self._store.height)
        if parts[1] != "simulate":
            raise AppError.wrap("sdk", 6, f"unknown query: [{' '.join(parts)}]")
        try:
            desk = self.desk(0, False, simulate)
            value = self.services[_SIMULATE](desk, bytes_field(2, data))
        except KeyError:
            raise AppError.wrap("sdk", 6, "unknown query: [simulate]") from None
        except Failure as failure:
            raise AppError("sdk", failure.code, failure.log) from None
        return QueryResult(value=value, codespace="sdk", height=desk.height)

    def _about_peers(self, parts: list[str]) -> QueryResult:
        if len(parts) < 4:
            raise AppError.wrap("sdk", 6, "path should be p2p filter <addr|id> <parameter>")
        if parts[1] != "filter":
            raise AppError.wrap("sdk", 6, "expected second parameter to be 'filter'")
        return QueryResult()

    def _raw_store(self, path: str, key: bytes, height: int, prove: bool) -> QueryResult:
        """``<name>/key`` and ``<name>/subspace`` of a store, with a proof of a key if asked."""
        name, _, what = path.partition("/")
        tag = keys.STORES.get(name)
        if tag is None:
            raise AppError("store", 4, f"no such store: {name}: unknown request")
        if prove and height and height <= 1:
            raise AppError.wrap(
                "sdk",
                18,
                "cannot query with proof when height <= 1; please provide a valid height",
            )
        if not key:
            raise AppError("store", 3, "query cannot be zero length: tx parse error")
        at = height or self._answer_height(prove)
        if what not in ("key", "subspace"):
            asked = f"/{what}" if what else ""
            raise AppError("store", 4, f"unexpected query path: {asked}: unknown request")
        try:
            view = self._view(at)
        except AppError:
            if what == "subspace":
                raise
            return QueryResult(key=key, log="version does not exist", height=at)
        if what == "subspace":
            rows = view.range(tag + key, keys.prefix_end(tag + key))
            return QueryResult(key=key, value=_pairs(rows), height=at)
        value = view.get(tag + key)
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
        """Addresses of the contracts of a code in the order in which they came to it."""
        return self._listed(keys.BY_CODE + code_id.to_bytes(8, "big"), height)

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


def _pairs(rows: Iterator[tuple[bytes, bytes]]) -> bytes:
    """Keys of one store and their values as the SDK's ``Pairs``, up to 4 MiB."""
    out = bytearray()
    for key, value in rows:
        out += bytes_field(1, bytes_field(1, key[keys.STORE_BYTE :]) + bytes_field(2, value))
        if len(out) > PAGE_BYTES:
            break
    return bytes(out)


def _no_simulation(raw: bytes) -> TxResult:
    raise AppError.wrap("sdk", 6, "simulation is not available here")


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
