"""google.protobuf, cosmos.base and the pieces of tendermint that queries show."""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, tuple[tuple[int, str, str], ...]]] = {
    "google.protobuf.Any": ((1, "type_url", "string"), (2, "value", "bytes")),
    "google.protobuf.Timestamp": ((1, "seconds", "int64"), (2, "nanos", "int32")),
    "google.protobuf.Duration": ((1, "seconds", "int64"), (2, "nanos", "int32")),
    "cosmos.base.v1beta1.Coin": ((1, "denom", "string"), (2, "amount", "string")),
    "cosmos.base.v1beta1.DecCoin": ((1, "denom", "string"), (2, "amount", "string")),
    "cosmos.base.query.v1beta1.PageRequest": (
        (1, "key", "bytes"),
        (2, "offset", "uint64"),
        (3, "limit", "uint64"),
        (4, "count_total", "bool"),
        (5, "reverse", "bool"),
    ),
    "cosmos.base.query.v1beta1.PageResponse": ((1, "next_key", "bytes"), (2, "total", "uint64")),
    "cosmos.base.node.v1beta1.ConfigRequest": (),
    "cosmos.base.node.v1beta1.ConfigResponse": (
        (1, "minimum_gas_price", "string"),
        (2, "pruning_keep_recent", "string"),
        (3, "pruning_interval", "string"),
        (4, "halt_height", "uint64"),
    ),
    "cosmos.base.node.v1beta1.StatusRequest": (),
    "cosmos.base.node.v1beta1.StatusResponse": (
        (1, "earliest_store_height", "uint64"),
        (2, "height", "uint64"),
        (3, "timestamp", "google.protobuf.Timestamp"),
        (4, "app_hash", "bytes"),
        (5, "validator_hash", "bytes"),
    ),
    "tendermint.abci.EventAttribute": (
        (1, "key", "string"),
        (2, "value", "string"),
        (3, "index", "bool"),
    ),
    "tendermint.abci.Event": (
        (1, "type", "string"),
        (2, "attributes", "*tendermint.abci.EventAttribute"),
    ),
}
