"""For tests of one handler without a chain: storage in memory, addresses checked, balances by hand.

deps = mock_deps()
instantiate(deps, mock_env(), message_info(CREATOR, "5earth"), msg)
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from sortedcontainers import SortedDict

from chain.app.units import convert as in_base_units
from chain.crypto import addresses, ed25519, mldsa, secp256k1
from chain.errors import ContractError
from chain.std.decode import convert, decode
from chain.std.deps import (
    BlockInfo,
    ContractInfo,
    DepsMut,
    Env,
    MessageInfo,
    TransactionInfo,
)
from chain.std.encode import encode, encode_message
from chain.std.numbers import Addr, Binary, Timestamp
from chain.std.records import Coin
from chain.testing.coins import CoinsLike, parse_coins

MOCK_HEIGHT: Final = 12_345  # FUND-8
MOCK_TIME: Final = Timestamp(1_571_797_419_879_305_533)
MOCK_CHAIN_ID: Final = "cosmos-testnet-14002"
MOCK_CONTRACT: Final = Addr("msg1w0w8sasnut0jx0vvsnvlc8nayq0q2ej8xgrpwgel05tn6wy4r57qnuev0s")


class MemoryStorage:
    """A sorted map of bytes; writing while a range is read is refused."""

    __slots__ = ("_data", "_version")

    def __init__(self, entries: Mapping[bytes, bytes] | None = None) -> None:
        self._data: Any = SortedDict(entries or {})
        self._version = 0

    def get(self, key: bytes) -> bytes | None:
        """The value, or None."""
        found: bytes | None = self._data.get(key)
        return found

    def set(self, key: bytes, value: bytes) -> None:
        """Write. Raises: ContractError for an empty key (STOR-13)."""
        if not key:
            raise ContractError("key must not be empty")
        if key not in self._data:
            self._version += 1
        self._data[key] = value

    def remove(self, key: bytes) -> None:
        """Delete; nothing there is no error."""
        if self._data.pop(key, None) is not None:
            self._version += 1

    def range(
        self, start: bytes | None = None, end: bytes | None = None, order: str = "ascending"
    ) -> Iterator[tuple[bytes, bytes]]:
        """Entries from ``start`` (included) to ``end`` (excluded)."""
        if order not in ("ascending", "descending"):
            raise ValueError(f"order is ascending or descending, not {order!r}")
        version = self._version
        if start is not None and end is not None and start >= end:
            return
        keys = self._data.irange(start, end, (True, False), reverse=order == "descending")
        for key in keys:
            yield key, self._data[key]
            if version != self._version:
                raise RuntimeError("storage was written while a range over it was read")

    def entries(self) -> dict[bytes, bytes]:
        """Everything, in key order."""
        return dict(self._data)


class MockApi:
    """Real addresses of one prefix; signatures through the chain's own crypto."""

    __slots__ = ("prefix",)

    def __init__(self, prefix: str = "msg") -> None:
        self.prefix = prefix

    def addr_validate(self, text: str) -> Addr:
        """The same text, checked. Raises: ContractError."""
        self.addr_canonicalize(text)
        return Addr(text)

    def addr_canonicalize(self, text: str) -> bytes:
        """The bytes behind an address. Raises: ContractError."""
        try:
            return addresses.validate(text, self.prefix)
        except addresses.AddressError as error:
            raise ContractError(f"Generic error: addr_validate errored: {error}") from None

    def addr_humanize(self, canonical: bytes) -> Addr:
        """The address of canonical bytes. Raises: ContractError."""
        try:
            return Addr(addresses.humanize(canonical, self.prefix))
        except addresses.AddressError as error:
            raise ContractError(f"Generic error: addr_humanize errored: {error}") from None

    def secp256k1_verify(self, message_hash: bytes, signature: bytes, public_key: bytes) -> bool:
        """ECDSA over a 32-byte hash."""
        return secp256k1.verify_digest(public_key, message_hash, signature)

    def ed25519_verify(self, message: bytes, signature: bytes, public_key: bytes) -> bool:
        """Ed25519 over a message."""
        return ed25519.verify(public_key, message, signature)

    def ml_dsa_verify(
        self, message: bytes, signature: bytes, public_key: bytes, context: bytes = b""
    ) -> bool:
        """ML-DSA-87 over a message with a context string."""
        return mldsa.verify(public_key, message, signature, context)


SmartHandler = Callable[[str, Any], Any]


class MockQuerier:
    """Balances and contract answers that a test sets.

    ``on_smart`` answers smart queries: a function of address and decoded message; its answer is a
    value or bytes, its ``ContractError`` is the queried contract's. Texts and the JSON of
    ``raw_query`` are those of a chain.
    """

    __slots__ = ("balances", "contracts", "on_smart", "raw")

    def __init__(self, balances: Mapping[str, CoinsLike] | None = None) -> None:
        self.balances: dict[str, list[Coin]] = {}
        self.raw: dict[tuple[str, bytes], bytes] = {}
        self.contracts: dict[str, Any] = {}
        self.on_smart: SmartHandler | None = None
        for address, held in (balances or {}).items():
            self.set_balance(address, held)

    def set_balance(self, address: str, held: CoinsLike) -> None:
        """Give an address exactly these coins."""
        self.balances[address] = sorted(c for c in _std_coins(held) if c.amount)

    def query_balance(self, address: str, denom: str) -> Coin:
        """One balance, zero when there is none."""
        for held in self.balances.get(address, []):
            if held.denom == denom:
                return held
        return Coin(denom, 0)

    def query_all_balances(self, address: str) -> list[Coin]:
        """All balances by denomination."""
        return list(self.balances.get(address, []))

    def query_supply(self, denom: str) -> Coin:
        """The sum over all addresses that the test gave coins."""
        total = sum(c.amount for held in self.balances.values() for c in held if c.denom == denom)
        return Coin(denom, total)

    def query_wasm_smart(self, address: str, msg: Any, type_: Any = None) -> Any:
        """Ask ``on_smart``."""
        try:
            raw = self._smart(address, encode_message(msg))
        except _NoSuchContract:
            raise _no_contract(address) from None
        except ContractError as error:
            raise ContractError(f"Generic error: Querier contract error: {error}") from None
        return decode(raw, type_)

    def query_wasm_raw(self, address: str, key: bytes) -> bytes | None:
        """A raw value from ``raw``."""
        return self.raw.get((address, key))

    def query_contract_info(self, address: str) -> Any:
        """What the test put under ``contracts``."""
        if address not in self.contracts:
            raise _no_contract(address)
        return self.contracts[address]

    def raw_query(self, request: bytes) -> bytes:
        """Bank balances, smart and raw queries in CosmWasm's JSON: ``{"ok": {"ok": "<base64>"}}``
        for an answer.
        """
        try:
            answer = self._route(decode(request))
        except _NoSuchContract as error:
            return encode({"error": {"no_such_contract": {"addr": error.address}}})
        except ContractError as error:
            return encode({"ok": {"error": str(error)}})
        if answer is None:
            return encode({"error": {"unknown": {}}})
        return encode({"ok": {"ok": base64.b64encode(answer).decode()}})

    def _route(self, asked: Any) -> bytes | None:
        """The answer to a request, None for one of another kind."""
        match asked:
            case {"bank": {"balance": {"address": address, "denom": denom}}}:
                return encode({"amount": self.query_balance(address, denom)})
            case {"bank": {"all_balances": {"address": address}}}:
                return encode({"amount": self.query_all_balances(address)})
            case {"bank": {"supply": {"denom": denom}}}:
                return encode({"amount": self.query_supply(denom)})
            case {"wasm": {"smart": {"contract_addr": address, "msg": msg}}}:
                return self._smart(address, _from_base64(msg))
            case {"wasm": {"raw": {"contract_addr": address, "key": key}}}:
                return self.query_wasm_raw(address, _from_base64(key)) or b""
            case {"wasm": {"contract_info": {"contract_addr": address}}}:
                if address not in self.contracts:
                    raise _NoSuchContract(address)
                return encode(self.contracts[address])
        return None

    def _smart(self, address: str, msg: bytes) -> bytes:
        if self.on_smart is None:
            raise _NoSuchContract(address)
        answer = self.on_smart(address, decode(msg))
        return answer if isinstance(answer, bytes) else encode(answer)


class _NoSuchContract(Exception):
    """Nothing answers at an address."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.address = address


def _no_contract(address: str) -> ContractError:
    return ContractError(f"Generic error: Querier system error: No such contract: {address}")


def _std_coins(coins: CoinsLike) -> tuple[Coin, ...]:
    """Coins as a contract sees them: a text in base units, a list as it stands."""
    parsed = parse_coins(coins)
    if isinstance(coins, str):
        return in_base_units(parsed)
    return tuple([Coin(coin.denom, int(coin.amount)) for coin in parsed])


def _from_base64(text: str) -> bytes:
    from_text: bytes = convert(text, Binary)
    return from_text


def mock_deps(balances: Mapping[str, CoinsLike] | None = None, *, prefix: str = "msg") -> DepsMut:
    """Empty storage, real address checks, a querier with the given balances.

    >>> deps = mock_deps({"msg1holder": "5earth"})
    >>> deps.storage.set(b"key", b"value")
    >>> deps.storage.get(b"key")
    b'value'
    """
    return DepsMut(MemoryStorage(), MockApi(prefix), MockQuerier(balances))


def mock_env(
    height: int = MOCK_HEIGHT,
    time: int = MOCK_TIME,
    *,
    chain_id: str = MOCK_CHAIN_ID,
    contract: str = MOCK_CONTRACT,
    transaction: int | None = 3,
) -> Env:
    """CosmWasm's test block (FUND-8): height 12345, its time in nanoseconds, its chain id.

    >>> mock_env().block.height, mock_env(height=7).block.height
    (12345, 7)
    """
    index = None if transaction is None else TransactionInfo(transaction)
    block = BlockInfo(height, Timestamp(time), chain_id)
    return Env(block, index, ContractInfo(Addr(contract)))


def message_info(sender: str, funds: CoinsLike = ()) -> MessageInfo:
    """A call by ``sender`` with ``funds``: a list goes in as it stands, text in base units.

    >>> info = message_info("msg1sender", "5earth")
    >>> [(coin.denom, int(coin.amount)) for coin in info.funds]
    [('earth', 5)]
    """
    return MessageInfo(Addr(sender), _std_coins(funds))
