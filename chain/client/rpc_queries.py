"""The application's queries, as Cosmos clients ask them: protobuf over ``abci_query``."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final, Protocol

from chain.client.rpc_types import CodeInfo, ContractInfo, HistoryItem, RawAnswer
from chain.client.transport import AccountInfo, QueryRefused, Simulated
from chain.tx.proto import message

_AUTH: Final = "cosmos.auth.v1beta1."
_BANK: Final = "cosmos.bank.v1beta1."
_WASM: Final = "cosmwasm.wasm.v1."
_PAGE: Final = 100
_NOT_FOUND: Final = 22  # the SDK's code for a gRPC "not found"
_OPERATIONS: Final = {1: "init", 2: "migrate", 3: "genesis"}
_ACCESS: Final = {1: "nobody", 3: "everybody", 4: "these addresses"}
_UMSG: Final = 10**12
_GAS_PRICE: Final = re.compile(r"(\d+)(?:\.(\d+))?umsg")
_SIMULATED: Final = re.compile(
    r"(?:rpc error: code = \w+ desc = )?(.*) with gas used: '(\d+)'.*", re.DOTALL
)


class Ask(Protocol):
    """``RpcClient.abci``."""

    def __call__(
        self, path: str, data: bytes, height: int = 0, *, prove: bool = False
    ) -> RawAnswer:
        """An ABCI query. Raises: QueryRefused."""
        ...


def query(ask: Ask, service: str, name: str, height: int = 0, **fields: Any) -> Any:
    """A method of a query service: its decoded response. Raises: QueryRefused."""
    request = message(f"{service}Query{name}Request")(**fields)
    answer = ask(f"/{service}Query/{name}", request.SerializeToString(), height)
    return message(f"{service}Query{name}Response").FromString(answer.value or b"")


def pages(ask: Ask, service: str, name: str, limit: int = 0, **fields: Any) -> Iterator[Any]:
    """The responses of a listing, page by page; ``limit`` ends it early."""
    key = b""
    asked = 0
    while True:
        size = min(_PAGE, limit - asked) if limit else _PAGE
        page = {"key": key, "limit": size}
        found = query(ask, service, name, pagination=page, **fields)
        yield found
        asked += size
        key = found.pagination.next_key
        if not key or (limit and asked >= limit):
            return


def tx_hash(raw: bytes) -> str:
    """The hash of a transaction, as nodes show it."""
    return hashlib.sha256(raw).hexdigest().upper()


def gas_price(ask: Ask) -> int:
    """What one gas costs, in amsg."""
    answer = ask("/cosmos.base.node.v1beta1.Service/Config", b"")
    return gas_price_of(answer.value or b"")


def gas_price_of(value: bytes) -> int:
    """The price that a node's configuration names."""
    text = message("cosmos.base.node.v1beta1.ConfigResponse").FromString(value)
    match = _GAS_PRICE.match(text.minimum_gas_price)
    if match is None:
        return 0
    return int(match[1]) * _UMSG + int((match[2] or "0")[:12].ljust(12, "0"))


def simulate(ask: Ask, raw: bytes) -> Simulated:
    """What a transaction would do now."""
    request = message("cosmos.tx.v1beta1.SimulateRequest")(tx_bytes=raw)
    try:
        answer = ask("/cosmos.tx.v1beta1.Service/Simulate", request.SerializeToString())
    except QueryRefused as error:
        return simulated_of(error)
    found = message("cosmos.tx.v1beta1.SimulateResponse").FromString(answer.value or b"")
    return Simulated(0, "", "", int(found.gas_info.gas_used))


def simulated_of(error: QueryRefused) -> Simulated:
    """What a refused simulation says."""
    match = _SIMULATED.match(error.log)
    text, used = (match[1], int(match[2])) if match else (error.log, 0)
    return Simulated(error.code, error.codespace, text, used)


# --- accounts and coins ---------------------------------------------------------------------------


def account(ask: Ask, address: str) -> AccountInfo | None:
    """Number and sequence of an account."""
    try:
        found = query(ask, _AUTH, "AccountInfo", address=address).info
    except QueryRefused as error:
        if error.code == _NOT_FOUND:
            return None
        raise
    has_key = bool(found.pub_key.type_url)
    return AccountInfo(found.address, int(found.account_number), int(found.sequence), has_key)


def balance(ask: Ask, address: str, denom: str) -> int:
    """One balance."""
    found = query(ask, _BANK, "Balance", address=address, denom=denom)
    return int(found.balance.amount or 0)


def balances(ask: Ask, address: str) -> dict[str, int]:
    """All balances by denomination."""
    return {
        coin.denom: int(coin.amount)
        for page in pages(ask, _BANK, "AllBalances", address=address)
        for coin in page.balances
    }


def supply(ask: Ask) -> dict[str, int]:
    """All supplies by denomination."""
    return {
        coin.denom: int(coin.amount)
        for page in pages(ask, _BANK, "TotalSupply")
        for coin in page.supply
    }


# --- contracts ------------------------------------------------------------------------------------


def smart(ask: Ask, contract: str, msg: dict[str, Any], height: int = 0) -> Any:
    """A contract's answer."""
    data = json.dumps(msg, ensure_ascii=False).encode()
    fields = {"address": contract, "query_data": data}
    found = query(ask, _WASM, "SmartContractState", height, **fields)
    return json.loads(found.data)


def raw(ask: Ask, contract: str, key: bytes) -> bytes | None:
    """A raw value; a missing one and an empty one look the same on the wire."""
    found = query(ask, _WASM, "RawContractState", address=contract, query_data=key)
    return found.data or None


def contract_state(ask: Ask, contract: str, limit: int) -> list[tuple[bytes, bytes]]:
    """Entries of a contract's storage."""
    return [
        (model.key, model.value)
        for page in pages(ask, _WASM, "AllContractState", limit, address=contract)
        for model in page.models
    ]


def contract_info(ask: Ask, address: str) -> ContractInfo:
    """A contract's record."""
    found = query(ask, _WASM, "ContractInfo", address=address)
    info = found.contract_info
    return ContractInfo(
        address=found.address,
        code_id=int(info.code_id),
        creator=info.creator,
        admin=info.admin,
        label=info.label,
        created_height=int(info.created.block_height),
        created_index=int(info.created.tx_index),
    )


def contract_history(ask: Ask, address: str) -> list[HistoryItem]:
    """A contract's codes."""
    return [
        HistoryItem(
            _OPERATIONS.get(entry.operation, str(entry.operation)),
            int(entry.code_id),
            int(entry.updated.block_height),
            entry.msg.decode("utf-8", "replace"),
        )
        for page in pages(ask, _WASM, "ContractHistory", address=address)
        for entry in page.entries
    ]


def _code(found: Any, source: bytes = b"") -> CodeInfo:
    access = found.instantiate_permission
    permission = _ACCESS.get(access.permission, str(access.permission))
    if access.addresses:
        permission = ", ".join(access.addresses)
    return CodeInfo(
        int(found.code_id),
        found.creator,
        found.data_hash,
        permission,
        source.decode("utf-8", "replace"),
    )


def codes(ask: Ask) -> list[CodeInfo]:
    """All codes."""
    return [_code(one) for page in pages(ask, _WASM, "Codes") for one in page.code_infos]


def code(ask: Ask, code_id: int) -> CodeInfo:
    """A code with its source line."""
    found = query(ask, _WASM, "Code", code_id=code_id)
    return _code(found.code_info, found.data)


def _addresses(ask: Ask, name: str, take: Callable[[Any], Any], **fields: Any) -> list[str]:
    return [one for page in pages(ask, _WASM, name, **fields) for one in take(page)]


def contracts_by_code(ask: Ask, code_id: int) -> list[str]:
    """The instances of a code."""
    return _addresses(ask, "ContractsByCode", lambda page: page.contracts, code_id=code_id)


def contracts_by_creator(ask: Ask, creator: str) -> list[str]:
    """The contracts of a creator."""
    return _addresses(
        ask,
        "ContractsByCreator",
        lambda page: page.contract_addresses,
        creator_address=creator,
    )
