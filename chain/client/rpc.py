"""A node over its CometBFT-compatible RPC: typed calls, and the ``Transport`` of wallets and
agents.

::

    client = RpcClient("http://127.0.0.1:26657")
    wallet = Wallet(key, client)
    outcome = wallet.pay(bob, "5msg")
    for event in client.subscribe("tm.event = 'Tx'"):
        ...
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from chain.client import rpc_queries as queries
from chain.client.jsonrpc import DEFAULT_URL, JsonRpc, RpcFailed, Unreachable
from chain.client.rpc_types import (
    Accepted,
    Block,
    CodeInfo,
    ContractInfo,
    FoundTx,
    HistoryItem,
    Page,
    RawAnswer,
    Status,
    block_of,
    events_of,
    outcome_of,
    status_of,
    tx_of,
    unbase64,
)
from chain.client.transport import (
    IN_CACHE,
    AccountInfo,
    BlockEvent,
    Outcome,
    QueryRefused,
    Simulated,
    TimedOut,
    TxRefused,
    accepted,
    pool_refusal,
)

if TYPE_CHECKING:
    from chain.client.rpc_socket import Pushed

_FIRST_LOOK: Final = 0.02
_LOOK_MAX: Final = 0.5


class RpcClient:
    """One node. Raises of all methods: Unreachable, and RpcFailed where nothing else is said.

    ``timeout``: seconds that ``broadcast`` waits for a block; ``on_wait`` hears, while it waits,
    how long it has.
    """

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        timeout: float = 60.0,
        on_wait: Callable[[float], None] | None = None,
    ) -> None:
        self.url = url
        self.http = JsonRpc(url)
        self.timeout = timeout
        self.on_wait = on_wait
        self._chain_id = ""

    def close(self) -> None:
        """End the connection."""
        self.http.close()

    def __enter__(self) -> RpcClient:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    # --- the chain ------------------------------------------------------------------------------

    def status(self) -> Status:
        """Where the node stands."""
        return status_of(self.http.call("status"))

    @property
    def chain_id(self) -> str:
        """The chain's id, asked once."""
        if not self._chain_id:
            self._chain_id = self.status().chain_id
        return self._chain_id

    @property
    def gas_price(self) -> int:
        """What one gas costs, in amsg."""
        return queries.gas_price(self.abci)

    def height(self) -> int:
        """The last committed height."""
        return self.status().height

    def block_time(self) -> int:
        """The time of the last committed block."""
        return self.status().time

    def genesis(self) -> dict[str, Any]:
        """The genesis document."""
        chunks = []
        number, total = 0, 1
        while number < total:
            found = self.http.call("genesis_chunked", chunk=str(number))
            chunks.append(unbase64(found["data"]))
            number, total = number + 1, int(found["total"])
        document: dict[str, Any] = json.loads(b"".join(chunks))
        return document

    def block(self, height: int | None = None) -> Block:
        """A block, default the last."""
        return block_of(self.http.call("block", height=None if height is None else str(height)))

    def block_results(self, height: int | None = None) -> dict[str, Any]:
        """What the application answered to a block, as the node shows it."""
        at = None if height is None else str(height)
        found: dict[str, Any] = self.http.call("block_results", height=at)
        return found

    def validators(self, height: int | None = None) -> list[dict[str, Any]]:
        """The validators of a height, as the node shows them."""
        at = None if height is None else str(height)
        found = self.http.call("validators", height=at, per_page="100")
        return list(found["validators"])

    # --- transactions ---------------------------------------------------------------------------

    def broadcast_sync(self, raw: bytes) -> Accepted:
        """Send a transaction; it waits for a block then. Raises: TxRefused."""
        try:
            found = self.http.call("broadcast_tx_sync", tx=_base64(raw))
        except RpcFailed as error:
            raise pool_refusal(str(error)) or error from None
        return Accepted(accepted(found))

    def broadcast(self, raw: bytes) -> Outcome:
        """Send a transaction and wait for its block. Raises: TxRefused, TimedOut."""
        try:
            hash_ = self.broadcast_sync(raw).hash
        except RpcFailed as error:
            if str(error) != IN_CACHE:
                raise
            hash_ = queries.tx_hash(raw)
        return self.wait_for(hash_)

    def broadcast_commit(self, raw: bytes) -> Outcome:
        """Send a transaction and let the node wait for its block. Raises: TxRefused, TimedOut."""
        try:
            found = self.http.call("broadcast_tx_commit", tx=_base64(raw))
        except RpcFailed as error:
            if "timed out waiting" in str(error):
                raise TimedOut(str(error)) from None
            raise
        checked = found["check_tx"]
        if checked["code"]:
            raise TxRefused(str(checked["codespace"]), int(checked["code"]), str(checked["log"]))
        return outcome_of(found["hash"], int(found["height"]), found["tx_result"])

    def wait_for(self, hash_: str) -> Outcome:
        """The outcome of a transaction, when it is in a block. Raises: TimedOut."""
        started = time.monotonic()
        pause = _FIRST_LOOK
        while True:
            found = self.tx(hash_)
            if found is not None:
                return found.outcome
            waited = time.monotonic() - started
            if waited > self.timeout:
                raise TimedOut(f"{hash_} is in no block after {waited:.0f} s")
            if self.on_wait is not None:
                self.on_wait(waited)
            time.sleep(pause)
            pause = min(pause * 1.5, _LOOK_MAX)

    def tx(self, hash_: str) -> FoundTx | None:
        """A transaction by its hash, None for one that is in no block."""
        try:
            return tx_of(self.http.call("tx", hash=_base64(bytes.fromhex(hash_))))
        except RpcFailed as error:
            if "not found" in str(error):
                return None
            raise

    def tx_search(
        self, query: str, *, page: int = 1, per_page: int = 30, newest_first: bool = False
    ) -> Page:
        """Transactions by their events, such as ``wasm._contract_address = 'msg1…'``."""
        found = self.http.call(
            "tx_search",
            query=query,
            page=str(page),
            per_page=str(per_page),
            order_by="desc" if newest_first else "asc",
        )
        return Page([tx_of(one) for one in found["txs"]], int(found["total_count"]))

    def simulate(self, raw: bytes) -> Simulated:
        """What a transaction would do now; its signatures are not looked at."""
        return queries.simulate(self.abci, raw)

    # --- state ----------------------------------------------------------------------------------

    def abci(self, path: str, data: bytes, height: int = 0, *, prove: bool = False) -> RawAnswer:
        """An ABCI query. Raises: QueryRefused."""
        found = self.http.call(
            "abci_query", path=path, data=data.hex(), height=str(height), prove=prove
        )["response"]
        if found["code"]:
            raise QueryRefused(str(found["codespace"]), int(found["code"]), str(found["log"]))
        ops = (found.get("proofOps") or {}).get("ops") or ()
        value = found["value"]
        return RawAnswer(
            unbase64(found["key"]),
            None if value is None else unbase64(value),
            int(found["height"]),
            unbase64(ops[0]["data"]) if ops else b"",
        )

    def store(self, name: str, key: bytes, height: int = 0, *, prove: bool = False) -> RawAnswer:
        """A raw value of a store (``acc bank wasm msg``), with a proof if asked. Raises:
        QueryRefused."""
        return self.abci(f"/store/{name}/key", key, height, prove=prove)

    def smart(self, contract: str, query: dict[str, Any]) -> Any:
        """A contract's answer, as plain JSON. Raises: QueryRefused."""
        return queries.smart(self.abci, contract, query)

    def smart_at(self, contract: str, query: dict[str, Any], height: int) -> Any:
        """A contract's answer at a height. Raises: QueryRefused."""
        return queries.smart(self.abci, contract, query, height)

    def raw(self, contract: str, key: bytes) -> bytes | None:
        """A raw value of a contract's storage. Raises: QueryRefused."""
        return queries.raw(self.abci, contract, key)

    def contract_state(self, contract: str, limit: int = 100) -> list[tuple[bytes, bytes]]:
        """Entries of a contract's storage, from the first on. Raises: QueryRefused."""
        return queries.contract_state(self.abci, contract, limit)

    def balance(self, address: str, denom: str = "amsg") -> int:
        """How much an address has of a denomination. Raises: QueryRefused."""
        return queries.balance(self.abci, address, denom)

    def balances(self, address: str) -> dict[str, int]:
        """All balances of an address by denomination. Raises: QueryRefused."""
        return queries.balances(self.abci, address)

    def supply(self) -> dict[str, int]:
        """How much exists of each denomination."""
        return queries.supply(self.abci)

    def account(self, address: str) -> AccountInfo | None:
        """Number and sequence of an account, None when there is none. Raises: QueryRefused."""
        return queries.account(self.abci, address)

    def contract_info(self, address: str) -> ContractInfo:
        """A contract's record. Raises: QueryRefused."""
        return queries.contract_info(self.abci, address)

    def contract_history(self, address: str) -> list[HistoryItem]:
        """A contract's codes, oldest first. Raises: QueryRefused."""
        return queries.contract_history(self.abci, address)

    def codes(self) -> list[CodeInfo]:
        """All codes."""
        return queries.codes(self.abci)

    def code(self, code_id: int) -> CodeInfo:
        """A code with its source line. Raises: QueryRefused."""
        return queries.code(self.abci, code_id)

    def contracts_by_code(self, code_id: int) -> list[str]:
        """The instances of a code."""
        return queries.contracts_by_code(self.abci, code_id)

    def contracts_by_creator(self, creator: str) -> list[str]:
        """The contracts that an account made."""
        return queries.contracts_by_creator(self.abci, creator)

    # --- what happens ---------------------------------------------------------------------------

    def events(self, after: int) -> Iterator[BlockEvent]:
        """The events of all committed blocks above a height, in their order."""
        last = self.height()
        for height in range(max(after, 0) + 1, last + 1):
            found = self.block_results(height)
            for index, result in enumerate(found["txs_results"] or ()):
                for event in events_of(result["events"]):
                    yield BlockEvent(height, index, event)
            for event in events_of(found["finalize_block_events"]):
                yield BlockEvent(height, None, event)

    def wait(self, seconds: float) -> None:
        """Let so many seconds pass, or less when a block comes before."""
        end = time.monotonic() + seconds
        before = self.height()
        while time.monotonic() < end and self.height() == before:
            time.sleep(min(0.1, max(0.0, end - time.monotonic())))

    def subscribe(self, query: str) -> Iterator[Pushed]:
        """What a query finds in the blocks to come, over WebSocket, until the caller stops.

        Raises: RpcFailed for a query that cannot be read; Unreachable when the connection ends.
        """
        socket: Any = import_module("chain.client.rpc_socket")  # slow to import, rarely wanted
        found: Iterator[Pushed] = socket.subscribe(self.url, query)
        return found


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


__all__ = ["JsonRpc", "RpcClient", "RpcFailed", "Unreachable"]
