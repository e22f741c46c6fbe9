"""What an entry point is handed: storage, api, querier, and the facts about the block and the
caller.

Capabilities come by argument: a query gets ``Deps``, everything else ``DepsMut``; the engine gives
a query a storage that refuses writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

from msgspec import Struct

from chain.std.numbers import Addr, Timestamp
from chain.std.records import Coin


@runtime_checkable
class Storage(Protocol):
    """One contract's ordered map from bytes to bytes (STOR-1)."""

    def get(self, key: bytes) -> bytes | None:
        """The value, or None."""

    def set(self, key: bytes, value: bytes) -> None:
        """Write; an empty key aborts the call (STOR-13)."""

    def remove(self, key: bytes) -> None:
        """Delete; a missing key is no error."""

    def range(
        self, start: bytes | None = None, end: bytes | None = None, order: str = "ascending"
    ) -> Iterator[tuple[bytes, bytes]]:
        """Entries from ``start`` (included) to ``end`` (excluded).

        Reversed bounds are an empty range.
        """


@runtime_checkable
class Api(Protocol):
    """Address and signature functions of the host."""

    def addr_validate(self, text: str) -> Addr:
        """The same text, checked. Raises: ContractError."""

    def addr_canonicalize(self, text: str) -> bytes:
        """The bytes behind an address. Raises: ContractError."""

    def addr_humanize(self, canonical: bytes) -> Addr:
        """The address of canonical bytes. Raises: ContractError."""

    def secp256k1_verify(self, message_hash: bytes, signature: bytes, public_key: bytes) -> bool:
        """ECDSA over a 32-byte hash."""

    def ed25519_verify(self, message: bytes, signature: bytes, public_key: bytes) -> bool:
        """Ed25519 over a message."""

    def ml_dsa_verify(
        self, message: bytes, signature: bytes, public_key: bytes, context: bytes = b""
    ) -> bool:
        """ML-DSA-87 over a message with a context string."""


@runtime_checkable
class Querier(Protocol):
    """Reading the chain and other contracts."""

    def raw_query(self, request: bytes) -> bytes:
        """CosmWasm's own JSON in and out."""

    def query_balance(self, address: str, denom: str) -> Coin:
        """One balance, zero when there is none."""

    def query_all_balances(self, address: str) -> list[Coin]:
        """All balances by denomination."""

    def query_supply(self, denom: str) -> Coin:
        """The total of a denomination."""

    def query_wasm_smart(self, address: str, msg: Any, type_: Any = None) -> Any:
        """Ask a contract; the answer as plain values, or as ``type_``."""

    def query_wasm_raw(self, address: str, key: bytes) -> bytes | None:
        """A raw value of a contract's storage."""

    def query_contract_info(self, address: str) -> Any:
        """Code id, creator, admin of a contract."""


class Deps(Struct):
    """Capabilities of a query."""

    storage: Storage
    api: Api
    querier: Querier


class DepsMut(Deps):
    """Capabilities of an entry point that may write."""

    def as_ref(self) -> Deps:
        """The same, for helpers that only read."""
        return Deps(self.storage, self.api, self.querier)


class BlockInfo(Struct, frozen=True):
    """The block an entry point runs in; the only clock there is."""

    height: int
    time: Timestamp
    chain_id: str


class TransactionInfo(Struct, frozen=True):
    """Position of the transaction in its block, from 0 (TX-7)."""

    index: int


class ContractInfo(Struct, frozen=True):
    """The contract that runs."""

    address: Addr


class Env(Struct, frozen=True):
    """Block, transaction (None outside one) and the contract itself (FUND-7)."""

    block: BlockInfo
    transaction: TransactionInfo | None
    contract: ContractInfo


class MessageInfo(Struct, frozen=True):
    """Who calls, and what came with the call."""

    sender: Addr
    funds: tuple[Coin, ...] = ()


__all__ = [
    "Api",
    "BlockInfo",
    "ContractInfo",
    "Deps",
    "DepsMut",
    "Env",
    "MessageInfo",
    "Querier",
    "Storage",
    "TransactionInfo",
]
