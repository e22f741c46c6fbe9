"""cosmos.tx, cosmos.base.abci and their query service."""

from __future__ import annotations

from typing import Final

_TX: Final = "cosmos.tx.v1beta1."
_ABCI: Final = "cosmos.base.abci.v1beta1."

MESSAGES: Final[dict[str, tuple[tuple[int, str, str], ...]]] = {
    _TX + "TxRaw": (
        (1, "body_bytes", "bytes"),
        (2, "auth_info_bytes", "bytes"),
        (3, "signatures", "*bytes"),
    ),
    _TX + "Tx": (
        (1, "body", _TX + "TxBody"),
        (2, "auth_info", _TX + "AuthInfo"),
        (3, "signatures", "*bytes"),
    ),
    _TX + "TxBody": (
        (1, "messages", "*google.protobuf.Any"),
        (2, "memo", "string"),
        (3, "timeout_height", "uint64"),
        (1023, "extension_options", "*google.protobuf.Any"),
        (2047, "non_critical_extension_options", "*google.protobuf.Any"),
    ),
    _TX + "AuthInfo": (
        (1, "signer_infos", "*" + _TX + "SignerInfo"),
        (2, "fee", _TX + "Fee"),
        (3, "tip", _TX + "Tip"),
    ),
    _TX + "SignerInfo": (
        (1, "public_key", "google.protobuf.Any"),
        (2, "mode_info", _TX + "ModeInfo"),
        (3, "sequence", "uint64"),
    ),
    _TX + "ModeInfoSingle": ((1, "mode", "enum"),),
    _TX + "ModeInfoMulti": (
        (1, "bitarray", "cosmos.crypto.multisig.v1beta1.CompactBitArray"),
        (2, "mode_infos", "*" + _TX + "ModeInfo"),
    ),
    _TX + "ModeInfo": ((1, "single", _TX + "ModeInfoSingle"), (2, "multi", _TX + "ModeInfoMulti")),
    _TX + "Fee": (
        (1, "amount", "*cosmos.base.v1beta1.Coin"),
        (2, "gas_limit", "uint64"),
        (3, "payer", "string"),
        (4, "granter", "string"),
    ),
    _TX + "Tip": ((1, "amount", "*cosmos.base.v1beta1.Coin"), (2, "tipper", "string")),
    _TX + "SignDoc": (
        (1, "body_bytes", "bytes"),
        (2, "auth_info_bytes", "bytes"),
        (3, "chain_id", "string"),
        (4, "account_number", "uint64"),
    ),
    _TX + "SimulateRequest": ((1, "tx", _TX + "Tx"), (2, "tx_bytes", "bytes")),
    _TX + "SimulateResponse": ((1, "gas_info", _ABCI + "GasInfo"), (2, "result", _ABCI + "Result")),
    _TX + "GetTxRequest": ((1, "hash", "string"),),
    _TX + "GetTxResponse": ((1, "tx", _TX + "Tx"), (2, "tx_response", _ABCI + "TxResponse")),
    _TX + "GetTxsEventRequest": (
        (1, "events", "*string"),
        (2, "pagination", "cosmos.base.query.v1beta1.PageRequest"),
        (3, "order_by", "enum"),
        (4, "page", "uint64"),
        (5, "limit", "uint64"),
        (6, "query", "string"),
    ),
    _TX + "GetTxsEventResponse": (
        (1, "txs", "*" + _TX + "Tx"),
        (2, "tx_responses", "*" + _ABCI + "TxResponse"),
        (3, "pagination", "cosmos.base.query.v1beta1.PageResponse"),
        (4, "total", "uint64"),
    ),
    _TX + "BroadcastTxRequest": ((1, "tx_bytes", "bytes"), (2, "mode", "enum")),
    _TX + "BroadcastTxResponse": ((1, "tx_response", _ABCI + "TxResponse"),),
    _ABCI + "GasInfo": ((1, "gas_wanted", "uint64"), (2, "gas_used", "uint64")),
    _ABCI + "Result": (
        (1, "data", "bytes"),
        (2, "log", "string"),
        (3, "events", "*tendermint.abci.Event"),
        (4, "msg_responses", "*google.protobuf.Any"),
    ),
    _ABCI + "MsgData": ((1, "msg_type", "string"), (2, "data", "bytes")),
    _ABCI + "TxMsgData": (
        (1, "data", "*" + _ABCI + "MsgData"),
        (2, "msg_responses", "*google.protobuf.Any"),
    ),
    _ABCI + "Attribute": ((1, "key", "string"), (2, "value", "string")),
    _ABCI + "StringEvent": ((1, "type", "string"), (2, "attributes", "*" + _ABCI + "Attribute")),
    _ABCI + "ABCIMessageLog": (
        (1, "msg_index", "uint32"),
        (2, "log", "string"),
        (3, "events", "*" + _ABCI + "StringEvent"),
    ),
    _ABCI + "TxResponse": (
        (1, "height", "int64"),
        (2, "txhash", "string"),
        (3, "codespace", "string"),
        (4, "code", "uint32"),
        (5, "data", "string"),
        (6, "raw_log", "string"),
        (7, "logs", "*" + _ABCI + "ABCIMessageLog"),
        (8, "info", "string"),
        (9, "gas_wanted", "int64"),
        (10, "gas_used", "int64"),
        (11, "tx", "google.protobuf.Any"),
        (12, "timestamp", "string"),
        (13, "events", "*tendermint.abci.Event"),
    ),
}
