"""``deps.querier``: what a contract may ask the chain, charged on the meter of the asking call
(QRY-1 to QRY-9).

The typed methods raise ``QuerierError`` (a contract error with the text of CosmWasm's client
library); ``raw_query``
takes and gives CosmWasm's own JSON. What the chain knows comes through the ``QueryHost`` that
``chain.app`` passes in.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

from chain.errors import AppError, ContractError, VmError
from chain.gas import GasMeter
from chain.std import Coin
from chain.std import json as cosmwasm_json

_GENERIC: Final = "Generic error: Querier"
#: bytes of a query request (JSON-15)
REQUEST_MAX: Final = 65_536


class NoSuchContract(AppError):
    """The address is no contract; shown to contracts as a system error with the address."""

    def __init__(self, address: str) -> None:
        super().__init__("wasm", 22, f"address {address}: no such contract")
        self.address = address


class NoSuchCode(AppError):
    """The code id is unknown; shown to contracts as a system error with the id."""

    def __init__(self, code_id: int) -> None:
        super().__init__("wasm", 28, f"code id {code_id}: no such code")
        self.code_id = code_id


class HostPanic(VmError):
    """The chain's side of a query broke off: the asking call is aborted (QRY-3)."""

    def __init__(self) -> None:
        super().__init__(
            "Error calling the VM: Error executing Wasm: Wasmer runtime error: RuntimeError: "
            "Error calling into the VM's backend: Panic in FFI call"
        )


class ContractRefused(AppError):
    """A contract's own refusal: the only error whose text other contracts may read (SUB-13)."""


class QuerierError(ContractError):
    """A query failed; a contract that does not catch it passes the text on."""


class InfoLike(Protocol):
    """What a contract info answer has."""

    @property
    def code_id(self) -> int:
        """The code it runs."""

    @property
    def creator(self) -> str:
        """Who made it."""

    @property
    def admin(self) -> str | None:
        """Who may migrate it."""


class QueryHost(Protocol):
    """The chain behind a querier. Every method charges the meter and may raise ``AppError``."""

    def balance(self, address: str, denom: str, meter: GasMeter) -> Coin:
        """One balance; ``denom`` may be a unit, the answer is then rounded down (CH-3)."""

    def balances(self, address: str, meter: GasMeter) -> list[Coin]:
        """All balances, sorted by denomination."""

    def supply(self, denom: str, meter: GasMeter) -> Coin:
        """How much of a denomination exists."""

    def smart(self, address: str, msg: bytes, meter: GasMeter, depth: int) -> bytes:
        """A contract's answer; ``depth`` queries are already running."""

    def raw(self, address: str, key: bytes, meter: GasMeter) -> bytes | None:
        """A value out of a contract's storage; None for a missing key and for what is no
        contract.
        """

    def contract_info(self, address: str, meter: GasMeter) -> InfoLike:
        """A contract's record."""

    def code_info(self, code_id: int, meter: GasMeter) -> tuple[str, bytes]:
        """Creator and checksum of a code."""


class HostSource(Protocol):
    """Gives the host, made when something is asked: most calls ask nothing."""

    def query_host(self) -> QueryHost:
        """The chain behind the querier."""


class Querier:
    """The querier of one call."""

    __slots__ = ("_depth", "_meter", "_source")

    def __init__(self, source: HostSource, meter: GasMeter, depth: int) -> None:
        self._source = source
        self._meter = meter
        self._depth = depth

    def query_balance(self, address: str, denom: str) -> Coin:
        """What an address holds of a denomination; 0 for unknown ones. An invalid denomination
        aborts the call.
        """
        try:
            return self._source.query_host().balance(address, denom, self._meter)
        except VmError:
            raise
        except AppError as error:
            raise _refusal(error) from None

    def query_all_balances(self, address: str) -> list[Coin]:
        """All that an address holds, sorted by denomination."""
        try:
            return self._source.query_host().balances(address, self._meter)
        except AppError as error:
            raise _refusal(error) from None

    def query_supply(self, denom: str) -> Coin:
        """How much of a denomination exists."""
        return self._source.query_host().supply(denom, self._meter)

    def query_wasm_smart(self, address: str, msg: object, type_: Any = None) -> Any:
        """Ask another contract; ``type_`` is the type to decode into, else plain JSON values
        come back.
        """
        raw = msg if isinstance(msg, bytes) else cosmwasm_json.encode_message(msg)
        try:
            found = self._source.query_host().smart(address, raw, self._meter, self._depth)
        except AppError as error:
            raise _refusal(error) from None
        return cosmwasm_json.decode(found, Any if type_ is None else type_)

    def query_wasm_raw(self, address: str, key: bytes) -> bytes | None:
        """A value out of another contract's storage; None when there is none (QRY-5)."""
        try:
            return self._source.query_host().raw(address, key, self._meter) or None
        except AppError as error:
            raise _refusal(error) from None

    def query_contract_info(self, address: str) -> InfoLike:
        """Another contract's code id, creator and admin."""
        try:
            return self._source.query_host().contract_info(address, self._meter)
        except AppError as error:
            raise _refusal(error) from None

    def raw_query(self, request: bytes) -> bytes:
        """Ask in CosmWasm's JSON: ``{"bank": {"balance": …}}`` gives ``{"ok": {"ok":
        "<base64>"}}`` (QRY-3).
        """
        if len(request) > REQUEST_MAX:
            raise VmError(
                "Error calling the VM: Error executing Wasm: Wasmer runtime error: RuntimeError: "
                "Error in guest/host communication: Region length too big. "
                f"Got {len(request)}, limit {REQUEST_MAX}"
            )
        try:
            answer = self._route(_request(request))
        except _Unreadable as error:
            return _system({"invalid_request": {"error": str(error), "request": _b64(request)}})
        except NoSuchContract as error:
            return _system({"no_such_contract": {"addr": error.address}})
        except NoSuchCode as error:
            return _system({"no_such_code": {"code_id": error.code_id}})
        except HostPanic as error:
            raise VmError(error.log.removesuffix(": wasmvm error")) from None
        except AppError as error:
            return _contract_error(error)
        if isinstance(answer, Unsupported):
            return _system(answer.shape)
        return b'{"ok":{"ok":"' + base64.b64encode(answer) + b'"}}'

    def _route(self, asked: Mapping[str, Any]) -> bytes | Unsupported:
        """The answer to a request: the first kind in wasmd's order that is there decides, and
        within it the first known form. Raises: AppError as the chain refuses.
        """
        for kind in _KINDS:
            body = asked.get(kind)
            if body is None:
                continue
            if kind in _DISABLED:
                return _unsupported(_DISABLED[kind])
            forms = _object(body)
            for name, handler in _HANDLERS.get(kind, {}).items():
                fields = forms.get(name)
                if fields is not None:
                    return handler(
                        self._source.query_host(), _object(fields), self._meter, self._depth
                    )
            return _unsupported(_UNKNOWN_FORM[kind])
        return Unsupported({"unknown": {}})


class _Unreadable(Exception):
    """A request that does not have the form of one."""


class Unsupported:
    """A system error in place of an answer."""

    __slots__ = ("shape",)

    def __init__(self, shape: dict[str, object]) -> None:
        self.shape = shape


def redacted(error: AppError) -> str:
    """What a contract may read of an error: its own kind's text, else codespace and code
    (SUB-13).
    """
    if isinstance(error, ContractRefused):
        return error.log
    return f"codespace: {error.codespace}, code: {error.code}"


def _refusal(error: AppError) -> QuerierError:
    if isinstance(error, NoSuchContract):
        return QuerierError(f"{_GENERIC} system error: No such contract: {error.address}")
    if isinstance(error, NoSuchCode):
        return QuerierError(f"{_GENERIC} system error: No such code: {error.code_id}")
    return QuerierError(f"{_GENERIC} contract error: {redacted(error)}")


def _system(shape: Mapping[str, object]) -> bytes:
    return b'{"error":' + cosmwasm_json.encode(shape) + b"}"


def _contract_error(error: AppError) -> bytes:
    return b'{"ok":{"error":' + cosmwasm_json.encode(redacted(error)) + b"}}"


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _coin(coin: Coin) -> dict[str, str]:
    return {"denom": coin.denom, "amount": str(int(coin.amount))}


def _unsupported(kind: str) -> Unsupported:
    return Unsupported({"unsupported_request": {"kind": kind}})


def _request(raw: bytes) -> Mapping[str, Any]:
    try:
        asked = cosmwasm_json.decode(raw, Any)
    except ContractError as error:
        raise _Unreadable(str(error)) from None
    return {} if asked is None else _object(asked)


def _object(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise _Unreadable(f"json: cannot unmarshal {_json_kind(value)} into an object")
    return value


def _json_kind(value: object) -> str:
    if isinstance(value, bool):
        return "bool"
    return {str: "string", int: "number", list: "array"}.get(type(value), "object")


def _bytes_of(fields: Mapping[str, Any], name: str) -> bytes:
    """A member in base64; a missing one is empty, as in all members."""
    try:
        return base64.b64decode(_text_of(fields, name), validate=True)
    except (binascii.Error, ValueError):
        raise _Unreadable("illegal base64 data") from None


def _text_of(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _Unreadable(f"json: cannot unmarshal {_json_kind(value)} into {name} of type string")
    return value


def _balance(host: QueryHost, fields: Mapping[str, Any], meter: GasMeter, _depth: int) -> bytes:
    coin = host.balance(_text_of(fields, "address"), _text_of(fields, "denom"), meter)
    return cosmwasm_json.encode({"amount": _coin(coin)})


def _all_balances(
    host: QueryHost, fields: Mapping[str, Any], meter: GasMeter, _depth: int
) -> bytes:
    coins: Sequence[Coin] = host.balances(_text_of(fields, "address"), meter)
    return cosmwasm_json.encode({"amount": [_coin(coin) for coin in coins]})


def _supply(host: QueryHost, fields: Mapping[str, Any], meter: GasMeter, _depth: int) -> bytes:
    return cosmwasm_json.encode({"amount": _coin(host.supply(_text_of(fields, "denom"), meter))})


def _denom_metadata(
    _host: QueryHost, fields: Mapping[str, Any], _meter: GasMeter, _depth: int
) -> bytes:
    raise AppError.wrap("sdk", 38, _text_of(fields, "denom"))


def _all_denom_metadata(
    _host: QueryHost, _fields: Mapping[str, Any], _meter: GasMeter, _depth: int
) -> bytes:
    return b'{"metadata":[]}'


def _smart(host: QueryHost, fields: Mapping[str, Any], meter: GasMeter, depth: int) -> bytes:
    return host.smart(_text_of(fields, "contract_addr"), _bytes_of(fields, "msg"), meter, depth)


def _raw(host: QueryHost, fields: Mapping[str, Any], meter: GasMeter, _depth: int) -> bytes:
    return host.raw(_text_of(fields, "contract_addr"), _bytes_of(fields, "key"), meter) or b""


def _contract_info(
    host: QueryHost, fields: Mapping[str, Any], meter: GasMeter, _depth: int
) -> bytes:
    info = host.contract_info(_text_of(fields, "contract_addr"), meter)
    shape: dict[str, object] = {"code_id": info.code_id, "creator": info.creator}
    if info.admin is not None:
        shape["admin"] = info.admin
    shape["pinned"] = False
    return cosmwasm_json.encode(shape)


def _code_info(host: QueryHost, fields: Mapping[str, Any], meter: GasMeter, _depth: int) -> bytes:
    code_id = fields.get("code_id")
    if code_id is None:
        code_id = 0
    if type(code_id) is not int or not 0 <= code_id < 1 << 64:
        raise _Unreadable(
            f"json: cannot unmarshal {_json_kind(code_id)} into code_id of type uint64"
        )
    creator, checksum = host.code_info(code_id, meter)
    return cosmwasm_json.encode(
        {"code_id": code_id, "creator": creator, "checksum": checksum.hex()}
    )


_Handler = Callable[[QueryHost, Mapping[str, Any], GasMeter, int], bytes]

_HANDLERS: Final[Mapping[str, Mapping[str, _Handler]]] = {
    "bank": {
        "supply": _supply,
        "balance": _balance,
        "all_balances": _all_balances,
        "denom_metadata": _denom_metadata,
        "all_denom_metadata": _all_denom_metadata,
    },
    "wasm": {
        "smart": _smart,
        "raw": _raw,
        "contract_info": _contract_info,
        "code_info": _code_info,
    },
}
_UNKNOWN_FORM: Final = {
    "bank": "unknown BankQuery variant",
    "wasm": "unknown WasmQuery variant",
}
#: kinds that are refused whatever they ask: modules that this chain lacks, and paths of its node
_DISABLED: Final = {
    "custom": "custom",
    "ibc": "ibc",
    "staking": "staking",
    "stargate": "Stargate queries are disabled",
    "distribution": "distribution",
    "grpc": "gRPC queries are disabled",
}
#: the order in which wasmd looks at a request that names several
_KINDS: Final = (*("bank", "custom", "ibc", "staking", "stargate", "wasm", "distribution", "grpc"),)
