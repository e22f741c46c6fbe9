"""cosmwasm.wasm: messages, answers and queries."""

from __future__ import annotations

from typing import Final

_WASM: Final = "cosmwasm.wasm.v1."
_PAGE: Final = "cosmos.base.query.v1beta1."
_COIN: Final = "cosmos.base.v1beta1.Coin"
_INSTANTIATE: Final = (
    (1, "sender", "string"),
    (2, "admin", "string"),
    (3, "code_id", "uint64"),
    (4, "label", "string"),
    (5, "msg", "bytes"),
    (6, "funds", "*" + _COIN),
)

MESSAGES: Final[dict[str, tuple[tuple[int, str, str], ...]]] = {
    _WASM + "AccessConfig": ((1, "permission", "enum"), (3, "addresses", "*string")),
    _WASM + "Params": (
        (1, "code_upload_access", _WASM + "AccessConfig"),
        (2, "instantiate_default_permission", "enum"),
    ),
    _WASM + "MsgStoreCode": (
        (1, "sender", "string"),
        (2, "wasm_byte_code", "bytes"),
        (5, "instantiate_permission", _WASM + "AccessConfig"),
    ),
    _WASM + "MsgStoreCodeResponse": ((1, "code_id", "uint64"), (2, "checksum", "bytes")),
    _WASM + "MsgInstantiateContract": _INSTANTIATE,
    _WASM + "MsgInstantiateContractResponse": ((1, "address", "string"), (2, "data", "bytes")),
    _WASM + "MsgInstantiateContract2": (
        *_INSTANTIATE,
        (7, "salt", "bytes"),
        (8, "fix_msg", "bool"),
    ),
    _WASM + "MsgInstantiateContract2Response": ((1, "address", "string"), (2, "data", "bytes")),
    _WASM + "MsgExecuteContract": (
        (1, "sender", "string"),
        (2, "contract", "string"),
        (3, "msg", "bytes"),
        (5, "funds", "*" + _COIN),
    ),
    _WASM + "MsgExecuteContractResponse": ((1, "data", "bytes"),),
    _WASM + "MsgMigrateContract": (
        (1, "sender", "string"),
        (2, "contract", "string"),
        (3, "code_id", "uint64"),
        (4, "msg", "bytes"),
    ),
    _WASM + "MsgMigrateContractResponse": ((1, "data", "bytes"),),
    _WASM + "MsgUpdateAdmin": (
        (1, "sender", "string"),
        (2, "new_admin", "string"),
        (3, "contract", "string"),
    ),
    _WASM + "MsgUpdateAdminResponse": (),
    _WASM + "MsgClearAdmin": ((1, "sender", "string"), (3, "contract", "string")),
    _WASM + "MsgClearAdminResponse": (),
    _WASM + "MsgUpdateContractLabel": (
        (1, "sender", "string"),
        (2, "new_label", "string"),
        (3, "contract", "string"),
    ),
    _WASM + "MsgUpdateContractLabelResponse": (),
    _WASM + "AbsoluteTxPosition": ((1, "block_height", "uint64"), (2, "tx_index", "uint64")),
    _WASM + "ContractInfo": (
        (1, "code_id", "uint64"),
        (2, "creator", "string"),
        (3, "admin", "string"),
        (4, "label", "string"),
        (5, "created", _WASM + "AbsoluteTxPosition"),
        (6, "ibc_port_id", "string"),
        (7, "extension", "google.protobuf.Any"),
        (8, "ibc2_port_id", "string"),
    ),
    _WASM + "ContractCodeHistoryEntry": (
        (1, "operation", "enum"),
        (2, "code_id", "uint64"),
        (3, "updated", _WASM + "AbsoluteTxPosition"),
        (4, "msg", "bytes"),
    ),
    _WASM + "Model": ((1, "key", "bytes"), (2, "value", "bytes")),
    _WASM + "CodeInfoResponse": (
        (1, "code_id", "uint64"),
        (2, "creator", "string"),
        (3, "data_hash", "bytes"),
        (6, "instantiate_permission", _WASM + "AccessConfig"),
    ),
    _WASM + "QueryContractInfoRequest": ((1, "address", "string"),),
    _WASM + "QueryContractInfoResponse": (
        (1, "address", "string"),
        (2, "contract_info", _WASM + "ContractInfo"),
    ),
    _WASM + "QueryContractHistoryRequest": (
        (1, "address", "string"),
        (2, "pagination", _PAGE + "PageRequest"),
    ),
    _WASM + "QueryContractHistoryResponse": (
        (1, "entries", "*" + _WASM + "ContractCodeHistoryEntry"),
        (2, "pagination", _PAGE + "PageResponse"),
    ),
    _WASM + "QueryContractsByCodeRequest": (
        (1, "code_id", "uint64"),
        (2, "pagination", _PAGE + "PageRequest"),
    ),
    _WASM + "QueryContractsByCodeResponse": (
        (1, "contracts", "*string"),
        (2, "pagination", _PAGE + "PageResponse"),
    ),
    _WASM + "QueryAllContractStateRequest": (
        (1, "address", "string"),
        (2, "pagination", _PAGE + "PageRequest"),
    ),
    _WASM + "QueryAllContractStateResponse": (
        (1, "models", "*" + _WASM + "Model"),
        (2, "pagination", _PAGE + "PageResponse"),
    ),
    _WASM + "QueryRawContractStateRequest": ((1, "address", "string"), (2, "query_data", "bytes")),
    _WASM + "QueryRawContractStateResponse": ((1, "data", "bytes"),),
    _WASM + "QuerySmartContractStateRequest": (
        (1, "address", "string"),
        (2, "query_data", "bytes"),
    ),
    _WASM + "QuerySmartContractStateResponse": ((1, "data", "bytes"),),
    _WASM + "QueryCodeRequest": ((1, "code_id", "uint64"),),
    _WASM + "QueryCodeResponse": (
        (1, "code_info", _WASM + "CodeInfoResponse"),
        (2, "data", "bytes"),
    ),
    _WASM + "QueryCodesRequest": ((1, "pagination", _PAGE + "PageRequest"),),
    _WASM + "QueryCodesResponse": (
        (1, "code_infos", "*" + _WASM + "CodeInfoResponse"),
        (2, "pagination", _PAGE + "PageResponse"),
    ),
    _WASM + "QueryCodeInfoRequest": ((1, "code_id", "uint64"),),
    _WASM + "QueryCodeInfoResponse": (
        (1, "code_id", "uint64"),
        (2, "creator", "string"),
        (3, "checksum", "bytes"),
        (4, "instantiate_permission", _WASM + "AccessConfig"),
    ),
    _WASM + "QueryPinnedCodesRequest": ((2, "pagination", _PAGE + "PageRequest"),),
    _WASM + "QueryPinnedCodesResponse": (
        (1, "code_ids", "*uint64"),
        (2, "pagination", _PAGE + "PageResponse"),
    ),
    _WASM + "QueryParamsRequest": (),
    _WASM + "QueryParamsResponse": ((1, "params", _WASM + "Params"),),
    _WASM + "QueryContractsByCreatorRequest": (
        (1, "creator_address", "string"),
        (2, "pagination", _PAGE + "PageRequest"),
    ),
    _WASM + "QueryContractsByCreatorResponse": (
        (1, "contract_addresses", "*string"),
        (2, "pagination", _PAGE + "PageResponse"),
    ),
    _WASM + "QueryBuildAddressRequest": (
        (1, "code_hash", "string"),
        (2, "creator_address", "string"),
        (3, "salt", "string"),
        (4, "init_args", "bytes"),
    ),
    _WASM + "QueryBuildAddressResponse": ((1, "address", "string"),),
}
