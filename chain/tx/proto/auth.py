"""cosmos.auth: accounts and their queries."""

from __future__ import annotations

from typing import Final

_AUTH: Final = "cosmos.auth.v1beta1."
_PAGE: Final = "cosmos.base.query.v1beta1."

MESSAGES: Final[dict[str, tuple[tuple[int, str, str], ...]]] = {
    _AUTH + "BaseAccount": (
        (1, "address", "string"),
        (2, "pub_key", "google.protobuf.Any"),
        (3, "account_number", "uint64"),
        (4, "sequence", "uint64"),
    ),
    _AUTH + "ModuleAccount": (
        (1, "base_account", _AUTH + "BaseAccount"),
        (2, "name", "string"),
        (3, "permissions", "*string"),
    ),
    _AUTH + "Params": (
        (1, "max_memo_characters", "uint64"),
        (2, "tx_sig_limit", "uint64"),
        (3, "tx_size_cost_per_byte", "uint64"),
        (4, "sig_verify_cost_ed25519", "uint64"),
        (5, "sig_verify_cost_secp256k1", "uint64"),
    ),
    _AUTH + "QueryAccountRequest": ((1, "address", "string"),),
    _AUTH + "QueryAccountResponse": ((1, "account", "google.protobuf.Any"),),
    _AUTH + "QueryAccountsRequest": ((1, "pagination", _PAGE + "PageRequest"),),
    _AUTH + "QueryAccountsResponse": (
        (1, "accounts", "*google.protobuf.Any"),
        (2, "pagination", _PAGE + "PageResponse"),
    ),
    _AUTH + "QueryAccountInfoRequest": ((1, "address", "string"),),
    _AUTH + "QueryAccountInfoResponse": ((1, "info", _AUTH + "BaseAccount"),),
    _AUTH + "QueryAccountAddressByIDRequest": ((1, "id", "int64"), (2, "account_id", "uint64")),
    _AUTH + "QueryAccountAddressByIDResponse": ((1, "account_address", "string"),),
    _AUTH + "QueryParamsRequest": (),
    _AUTH + "QueryParamsResponse": ((1, "params", _AUTH + "Params"),),
    _AUTH + "QueryModuleAccountsRequest": (),
    _AUTH + "QueryModuleAccountsResponse": ((1, "accounts", "*google.protobuf.Any"),),
    _AUTH + "QueryModuleAccountByNameRequest": ((1, "name", "string"),),
    _AUTH + "QueryModuleAccountByNameResponse": ((1, "account", "google.protobuf.Any"),),
    _AUTH + "Bech32PrefixRequest": (),
    _AUTH + "Bech32PrefixResponse": ((1, "bech32_prefix", "string"),),
    _AUTH + "AddressBytesToStringRequest": ((1, "address_bytes", "bytes"),),
    _AUTH + "AddressBytesToStringResponse": ((1, "address_string", "string"),),
    _AUTH + "AddressStringToBytesRequest": ((1, "address_string", "string"),),
    _AUTH + "AddressStringToBytesResponse": ((1, "address_bytes", "bytes"),),
}
