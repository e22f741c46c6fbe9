"""``cosmwasm.wasm.v1.Query``: codes, contracts and their state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from chain.app import keys, records
from chain.app.printable import is_printable
from chain.app.queries.desk import Desk
from chain.app.queries.failure import Failure
from chain.app.queries.paging import only_key, plain
from chain.app.records import CodeRecord
from chain.app.static import json_payload
from chain.crypto.addresses import AddressError, predictable_address, validate
from chain.errors import AppError
from chain.tx.proto import message
from chain.vm.querier import NoSuchCode, NoSuchContract

_WASM: Final = "cosmwasm.wasm.v1."
_NOBODY, _EVERYBODY, _ANY_OF = 1, 3, 4
_OPERATIONS: Final = {"init": 1, "migrate": 2, "genesis": 3}
_POSITION: Final = 16  # bytes of height and index in the keys of lists
_CODE_MAX: Final = 1 << 64
_HEX: Final = frozenset(b"0123456789abcdefABCDEF")


def _response(name: str) -> Any:
    return message(f"{_WASM}Query{name}Response")()


def _code(desk: Desk, code_id: int) -> CodeRecord:
    """A code record. Raises: Failure."""
    if not code_id:
        raise Failure.of(AppError("wasm", 14, "code id: invalid"))
    raw = desk.view.get(keys.code(code_id)) if code_id < _CODE_MAX else None
    if raw is None:
        raise Failure.of(NoSuchCode(code_id))
    return records.decode_code(raw)


def _fill_access(made: Any, code: CodeRecord) -> None:
    if code.permission is None:
        made.permission = _EVERYBODY
    elif code.permission:
        made.permission = _ANY_OF
        made.addresses.extend(code.permission)
    else:
        made.permission = _NOBODY


def _fill_code(made: Any, code_id: int, code: CodeRecord) -> None:
    made.code_id, made.creator, made.data_hash = code_id, code.creator, code.checksum
    _fill_access(made.instantiate_permission, code)


def code(desk: Desk, request: Any) -> Any:
    """A code with its bytes, which are the line that stands for it."""
    found = _code(desk, request.code_id)
    answer = _response("Code")
    _fill_code(answer.code_info, request.code_id, found)
    answer.data = found.source.encode()
    return answer


def code_info(desk: Desk, request: Any) -> Any:
    """A code without its bytes."""
    found = _code(desk, request.code_id)
    answer = _response("CodeInfo")
    answer.code_id, answer.creator = request.code_id, found.creator
    answer.checksum = found.checksum
    _fill_access(answer.instantiate_permission, found)
    return answer


def codes(desk: Desk, request: Any) -> Any:
    """All codes."""
    page = plain(desk.view, keys.CODE, request)
    answer = _response("Codes")
    for key, raw in page.rows:
        _fill_code(answer.code_infos.add(), int.from_bytes(key, "big"), records.decode_code(raw))
    answer.pagination.CopyFrom(page.pagination)
    return answer


def pinned_codes(desk: Desk, request: Any) -> Any:
    """None: nothing is pinned here."""
    only_key(request.pagination)
    answer = _response("PinnedCodes")
    answer.pagination.SetInParent()
    return answer


def params(desk: Desk, request: Any) -> Any:
    """Everybody may store and instantiate."""
    answer = _response("Params")
    answer.params.code_upload_access.permission = _EVERYBODY
    answer.params.instantiate_default_permission = _EVERYBODY
    return answer


def contracts_by_code(desk: Desk, request: Any) -> Any:
    """Contracts of a code in creation order; none for an unknown one."""
    if not request.code_id:
        raise Failure.of(AppError("wasm", 14, "code id: invalid"))
    prefix = keys.BY_CODE + request.code_id.to_bytes(8, "big")
    page = plain(desk.view, prefix, request)
    answer = _response("ContractsByCode")
    answer.contracts.extend([desk.text(key[_POSITION:]) for key, _ in page.rows])
    answer.pagination.CopyFrom(page.pagination)
    return answer


def contracts_by_creator(desk: Desk, request: Any) -> Any:
    """Contracts of a creator in creation order."""
    creator = desk.canonical(request.creator_address)
    page = plain(desk.view, keys.BY_CREATOR + bytes((len(creator),)) + creator, request)
    answer = _response("ContractsByCreator")
    answer.contract_addresses.extend([desk.text(key[_POSITION:]) for key, _ in page.rows])
    answer.pagination.CopyFrom(page.pagination)
    return answer


def contract_info(desk: Desk, request: Any) -> Any:
    """A contract's record."""
    canonical = desk.canonical(request.address)
    raw = desk.view.get(keys.CONTRACT + canonical)
    if raw is None:
        raise Failure.of(NoSuchContract(request.address))
    found = records.decode_contract(raw)
    answer = _response("ContractInfo")
    answer.address = request.address
    made = answer.contract_info
    made.code_id, made.creator, made.label = found.code_id, found.creator, found.label
    made.admin = found.admin or ""
    made.created.block_height, made.created.tx_index = found.created
    made.created.SetInParent()
    return answer


def contract_history(desk: Desk, request: Any) -> Any:
    """The codes a contract had, oldest first; nothing for what is no contract."""
    prefix = keys.HISTORY + desk.canonical(request.address)
    page = plain(desk.view, prefix, request)
    answer = _response("ContractHistory")
    for _, raw in page.rows:
        entry = records.decode_history(raw)
        made = answer.entries.add(
            operation=_OPERATIONS[entry.operation], code_id=entry.code_id, msg=entry.msg
        )
        made.updated.block_height, made.updated.tx_index = entry.height, entry.index
        made.updated.SetInParent()
    answer.pagination.CopyFrom(page.pagination)
    return answer


def _contract(desk: Desk, address: str) -> bytes:
    """Canonical bytes of a contract. Raises: Failure."""
    canonical = desk.canonical(address)
    if desk.view.get(keys.CONTRACT + canonical) is None:
        raise Failure.of(NoSuchContract(address))
    return canonical


def all_state(desk: Desk, request: Any) -> Any:
    """Everything that a contract stored."""
    canonical = _contract(desk, request.address)
    page = plain(desk.view, keys.contract_storage(canonical), request)
    answer = _response("AllContractState")
    for key, value in page.rows:
        answer.models.add(key=key, value=value)
    answer.pagination.CopyFrom(page.pagination)
    return answer


def raw_state(desk: Desk, request: Any) -> Any:
    """One value that a contract stored; empty for none."""
    canonical = _contract(desk, request.address)
    answer = _response("RawContractState")
    if request.query_data:
        full = keys.contract_storage(canonical) + request.query_data
        answer.data = desk.view.get(full) or b""
    return answer


def smart_state(desk: Desk, request: Any) -> Any:
    """A contract's answer to a question."""
    try:
        json_payload(request.query_data)
    except AppError:
        raise Failure.argument("invalid query data") from None
    desk.canonical(request.address)
    answer = _response("SmartContractState")
    answer.data = desk.queries.smart(request.address, request.query_data, desk.height)
    return answer


def _hex(text: str, what: str) -> bytes:
    """Bytes of hex text. Raises: Failure in the words of Go's decoder."""
    for char in text.encode():
        if char not in _HEX:
            shown = f" '{chr(char)}'" if is_printable(chr(char)) else ""
            raise Failure.plain(f"invalid {what}: encoding/hex: invalid byte: U+{char:04X}{shown}")
    if len(text) % 2:
        raise Failure.plain(f"invalid {what}: encoding/hex: odd length hex string")
    return bytes.fromhex(text)


def build_address(desk: Desk, request: Any) -> Any:
    """The address that ``instantiate2`` would give."""
    checksum = _hex(request.code_hash, "code hash")
    try:
        creator = validate(request.creator_address, desk.prefix)
    except AddressError as error:
        raise Failure.plain(f"invalid creator address: {error}") from None
    salt = _hex(request.salt, "salt")
    if not salt:
        raise Failure.argument("empty salt")
    if request.init_args:
        try:
            json_payload(request.init_args)
        except AppError:
            raise Failure.of(AppError("wasm", 14, "invalid")) from None
    answer = _response("BuildAddress")
    try:
        answer.address = predictable_address(
            checksum, creator, salt, request.init_args, desk.prefix
        )
    except AddressError as error:
        raise Failure.argument(str(error)) from None
    return answer


HANDLERS: Final[dict[str, Callable[[Desk, Any], Any]]] = {
    "Code": code,
    "CodeInfo": code_info,
    "Codes": codes,
    "PinnedCodes": pinned_codes,
    "Params": params,
    "ContractsByCode": contracts_by_code,
    "ContractsByCreator": contracts_by_creator,
    "ContractInfo": contract_info,
    "ContractHistory": contract_history,
    "AllContractState": all_state,
    "RawContractState": raw_state,
    "SmartContractState": smart_state,
    "BuildAddress": build_address,
}
