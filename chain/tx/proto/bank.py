"""cosmos.bank: messages and queries."""

from __future__ import annotations

from typing import Final

_BANK: Final = "cosmos.bank.v1beta1."
_PAGE: Final = "cosmos.base.query.v1beta1."
_COIN: Final = "cosmos.base.v1beta1.Coin"

MESSAGES: Final[dict[str, tuple[tuple[int, str, str], ...]]] = {
    _BANK + "MsgSend": (
        (1, "from_address", "string"),
        (2, "to_address", "string"),
        (3, "amount", "*" + _COIN),
    ),
    _BANK + "MsgSendResponse": (),
    _BANK + "Input": ((1, "address", "string"), (2, "coins", "*" + _COIN)),
    _BANK + "Output": ((1, "address", "string"), (2, "coins", "*" + _COIN)),
    _BANK + "MsgMultiSend": (
        (1, "inputs", "*" + _BANK + "Input"),
        (2, "outputs", "*" + _BANK + "Output"),
    ),
    _BANK + "MsgMultiSendResponse": (),
    _BANK + "SendEnabled": ((1, "denom", "string"), (2, "enabled", "bool")),
    _BANK + "Params": (
        (1, "send_enabled", "*" + _BANK + "SendEnabled"),
        (2, "default_send_enabled", "bool"),
    ),
    _BANK + "DenomUnit": (
        (1, "denom", "string"),
        (2, "exponent", "uint32"),
        (3, "aliases", "*string"),
    ),
    _BANK + "Metadata": (
        (1, "description", "string"),
        (2, "denom_units", "*" + _BANK + "DenomUnit"),
        (3, "base", "string"),
        (4, "display", "string"),
        (5, "name", "string"),
        (6, "symbol", "string"),
        (7, "uri", "string"),
        (8, "uri_hash", "string"),
    ),
    _BANK + "DenomOwner": ((1, "address", "string"), (2, "balance", _COIN)),
    _BANK + "QueryBalanceRequest": ((1, "address", "string"), (2, "denom", "string")),
    _BANK + "QueryBalanceResponse": ((1, "balance", _COIN),),
    _BANK + "QueryAllBalancesRequest": (
        (1, "address", "string"),
        (2, "pagination", _PAGE + "PageRequest"),
        (3, "resolve_denom", "bool"),
    ),
    _BANK + "QueryAllBalancesResponse": (
        (1, "balances", "*" + _COIN),
        (2, "pagination", _PAGE + "PageResponse"),
    ),
    _BANK + "QuerySpendableBalancesRequest": (
        (1, "address", "string"),
        (2, "pagination", _PAGE + "PageRequest"),
    ),
    _BANK + "QuerySpendableBalancesResponse": (
        (1, "balances", "*" + _COIN),
        (2, "pagination", _PAGE + "PageResponse"),
    ),
    _BANK + "QuerySpendableBalanceByDenomRequest": (
        (1, "address", "string"),
        (2, "denom", "string"),
    ),
    _BANK + "QuerySpendableBalanceByDenomResponse": ((1, "balance", _COIN),),
    _BANK + "QueryTotalSupplyRequest": ((1, "pagination", _PAGE + "PageRequest"),),
    _BANK + "QueryTotalSupplyResponse": (
        (1, "supply", "*" + _COIN),
        (2, "pagination", _PAGE + "PageResponse"),
    ),
    _BANK + "QuerySupplyOfRequest": ((1, "denom", "string"),),
    _BANK + "QuerySupplyOfResponse": ((1, "amount", _COIN),),
    _BANK + "QueryParamsRequest": (),
    _BANK + "QueryParamsResponse": ((1, "params", _BANK + "Params"),),
    _BANK + "QueryDenomsMetadataRequest": ((1, "pagination", _PAGE + "PageRequest"),),
    _BANK + "QueryDenomsMetadataResponse": (
        (1, "metadatas", "*" + _BANK + "Metadata"),
        (2, "pagination", _PAGE + "PageResponse"),
    ),
    _BANK + "QueryDenomMetadataRequest": ((1, "denom", "string"),),
    _BANK + "QueryDenomMetadataResponse": ((1, "metadata", _BANK + "Metadata"),),
    _BANK + "QueryDenomMetadataByQueryStringRequest": ((1, "denom", "string"),),
    _BANK + "QueryDenomMetadataByQueryStringResponse": ((1, "metadata", _BANK + "Metadata"),),
    _BANK + "QueryDenomOwnersRequest": (
        (1, "denom", "string"),
        (2, "pagination", _PAGE + "PageRequest"),
    ),
    _BANK + "QueryDenomOwnersResponse": (
        (1, "denom_owners", "*" + _BANK + "DenomOwner"),
        (2, "pagination", _PAGE + "PageResponse"),
    ),
    _BANK + "QuerySendEnabledRequest": (
        (1, "denoms", "*string"),
        (99, "pagination", _PAGE + "PageRequest"),
    ),
    _BANK + "QuerySendEnabledResponse": (
        (1, "send_enabled", "*" + _BANK + "SendEnabled"),
        (99, "pagination", _PAGE + "PageResponse"),
    ),
}
