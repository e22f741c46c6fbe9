"""The records of the application's own state, and readers that remember what they decoded.

Decoding is a pure function of the bytes, so remembering by bytes can change no result, only time.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import msgspec

from chain.crypto.keys import PubKey
from chain.gas import SMART_QUERY_LIMIT

_ENCODER: Final = msgspec.msgpack.Encoder()


class Record(msgspec.Struct, frozen=True, array_like=True):
    """Base of stored records: a MessagePack array in field order."""


class Account(Record, frozen=True, array_like=True):
    """Number and sequence of an account; its key is stored apart, so that a transaction rewrites
    few bytes.
    """

    number: int
    sequence: int


class CodeRecord(Record, frozen=True, array_like=True):
    """A stored code. ``source`` is the line ``msgchain:<name>@<sha256>`` (or a reference to a
    test value).
    """

    checksum: bytes
    creator: str
    source: str
    #: None: everybody may instantiate; a tuple: these addresses (empty: nobody)
    permission: tuple[str, ...] | None = None


class ContractRecord(Record, frozen=True, array_like=True):
    """A contract instance. ``created`` is (height, transaction index)."""

    code_id: int
    creator: str
    admin: str | None
    label: str
    created: tuple[int, int]
    #: number of history entries written so far
    history: int = 1


class HistoryEntry(Record, frozen=True, array_like=True):
    """One step of a contract's code history; ``operation`` is ``init``, ``migrate`` or
    ``genesis``.
    """

    operation: str
    code_id: int
    height: int
    index: int
    msg: bytes


class ValidatorRecord(Record, frozen=True, array_like=True):
    """A validator: consensus key, power, the 20-byte consensus address, and where its share of
    the fees goes.
    """

    key_type: str
    key: bytes
    power: int
    address: bytes
    payout: str | None = None
    #: how often it was reported for misbehaviour
    faults: int = 0


class ChainRecord(Record, frozen=True, array_like=True):
    """What genesis fixed for good."""

    chain_id: str
    initial_height: int
    devnet: bool
    genesis_time: int


class EngineRecord(Record, frozen=True, array_like=True):
    """What genesis gave the consensus engine besides the block's limits; kept only where it is not
    this. Durations in nanoseconds.
    """

    evidence_max_age_blocks: int = 100_000
    evidence_max_age: int = 172_800_000_000_000
    evidence_max_bytes: int = 1_048_576
    #: kinds of consensus keys that validators may have
    pub_key_types: tuple[str, ...] = ("ed25519",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters that the governance authority may change. Amounts in amsg, gas in gas, sizes in
    bytes.
    """

    authority: str = ""
    treasury: str = ""
    gas_price: int = 1_000_000_000
    query_gas_limit: int = SMART_QUERY_LIMIT
    agent_registry: str = ""
    begin_block_contracts: tuple[str, ...] = ()
    begin_block_gas: int = 20_000_000
    block_max_gas: int = -1
    block_max_bytes: int = 22_020_096
    tx_max_bytes: int = 2_000_000
    tx_max_gas: int = (1 << 63) - 1
    memo_max_bytes: int = 256
    signatures_max: int = 7
    send_disabled: tuple[str, ...] = ()
    slash_misbehavior: bool = True
    #: whether impersonated messages of a devnet pay fees as signed ones do (the test chain's
    #: ``fees=True``)
    dev_fees: bool = False


#: parameters that change what gas costs or who pays: the safety boundary names them
GAS_PARAMS: Final = (
    "gas_price",
    "query_gas_limit",
    "begin_block_gas",
    "block_max_gas",
    "tx_max_gas",
)

_ACCOUNT: Final = msgspec.msgpack.Decoder(Account)
_PARAMS: Final = msgspec.msgpack.Decoder(Params)
_VALIDATORS: Final = msgspec.msgpack.Decoder(tuple[ValidatorRecord, ...])
_CODE: Final = msgspec.msgpack.Decoder(CodeRecord)
_CONTRACT: Final = msgspec.msgpack.Decoder(ContractRecord)
_KEY: Final = msgspec.msgpack.Decoder(PubKey)
_CHAIN: Final = msgspec.msgpack.Decoder(ChainRecord)
_HISTORY: Final = msgspec.msgpack.Decoder(HistoryEntry)
_ENGINE: Final = msgspec.msgpack.Decoder(EngineRecord)

encode = _ENCODER.encode
decode_account = _ACCOUNT.decode
decode_history = _HISTORY.decode
decode_key = _KEY.decode
decode_engine = _ENGINE.decode


@lru_cache(maxsize=4096)
def decode_code(raw: bytes) -> CodeRecord:
    """The code record of stored bytes."""
    return _CODE.decode(raw)


@lru_cache(maxsize=16384)
def decode_contract(raw: bytes) -> ContractRecord:
    """The contract record of stored bytes."""
    return _CONTRACT.decode(raw)


@lru_cache(maxsize=64)
def decode_params(raw: bytes) -> Params:
    """The parameters of stored bytes."""
    return _PARAMS.decode(raw)


@lru_cache(maxsize=64)
def decode_validators(raw: bytes) -> tuple[ValidatorRecord, ...]:
    """The validators of stored bytes."""
    return _VALIDATORS.decode(raw)


@lru_cache(maxsize=16)
def decode_chain(raw: bytes) -> ChainRecord:
    """The chain record of stored bytes."""
    return _CHAIN.decode(raw)


#: the driver's rows start otherwise; these hold block times, for queries at a height
_TIME_ROW: Final = b"\x00time/"


def time_row(height: int) -> bytes:
    """The key of the row that holds the time of a block."""
    return _TIME_ROW + height.to_bytes(8, "big")
