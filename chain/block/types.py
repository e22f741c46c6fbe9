"""Blocks, results and headers as plain values: what goes into the application and what comes out.

Times are nanoseconds since 1970, hashes are bytes. Everything here is data; the formulas are in
``hashing``.
"""

from __future__ import annotations

from typing import Final

import msgspec

FLAG_UNKNOWN: Final = 0
FLAG_ABSENT: Final = 1
FLAG_COMMIT: Final = 2
FLAG_NIL: Final = 3

ED25519: Final = "ed25519"
SECP256K1: Final = "secp256k1"
ML_DSA_65: Final = "ml_dsa_65"


class Event(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An event: its type and its attributes in order."""

    type: str
    attributes: list[tuple[str, str]]


class Vote(msgspec.Struct, frozen=True, array_like=True):
    """What a validator did about the last block: its 20-byte address, power and one of
    the flags.
    """

    address: bytes
    power: int
    flag: int = FLAG_COMMIT


class Misbehavior(msgspec.Struct, frozen=True, array_like=True):
    """Evidence as the driver reports it: 1 duplicate vote, 2 light client attack."""

    kind: int
    address: bytes
    power: int
    height: int
    time: int
    total_power: int


class BlockInput(msgspec.Struct, frozen=True, array_like=True):
    """All that a block is to the application."""

    height: int
    time: int
    proposer_address: bytes
    txs: tuple[bytes, ...] = ()
    last_commit_votes: tuple[Vote, ...] = ()
    misbehavior: tuple[Misbehavior, ...] = ()


class TxResult(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """CometBFT's ExecTxResult. Only code, data and the two gas figures are hashed."""

    code: int = 0
    codespace: str = ""
    log: str = ""
    info: str = ""
    data: bytes = b""
    gas_wanted: int = 0
    gas_used: int = 0
    events: list[Event] = msgspec.field(default_factory=list)


class Validator(msgspec.Struct, frozen=True, array_like=True):
    """A consensus key with its power; as an update, power 0 removes it."""

    pubkey_type: str
    pubkey: bytes
    power: int


class ConsensusParams(msgspec.Struct, frozen=True, array_like=True):
    """CometBFT's consensus parameters; durations in nanoseconds."""

    max_bytes: int = 22_020_096
    max_gas: int = -1
    evidence_max_age_blocks: int = 100_000
    evidence_max_age: int = 172_800_000_000_000
    evidence_max_bytes: int = 1_048_576
    pub_key_types: tuple[str, ...] = (ED25519,)
    app_version: int = 0
    vote_extensions_enable_height: int = 0


class BlockResult(msgspec.Struct, frozen=True, array_like=True):
    """What the application answers to a block."""

    tx_results: list[TxResult]
    events: list[Event]
    validator_updates: list[Validator]
    consensus_param_updates: ConsensusParams | None
    app_hash: bytes


class PartSetHeader(msgspec.Struct, frozen=True, array_like=True):
    """How many parts a block was cut into, and the root over them."""

    total: int = 0
    hash: bytes = b""


class BlockId(msgspec.Struct, frozen=True, array_like=True):
    """A block's header hash and its parts; empty before the first block."""

    hash: bytes = b""
    parts: PartSetHeader = PartSetHeader()


class Header(msgspec.Struct, frozen=True, array_like=True):
    """The fourteen fields that the block hash is the tree of."""

    chain_id: str
    height: int
    time: int
    last_block_id: BlockId
    last_commit_hash: bytes
    data_hash: bytes
    validators_hash: bytes
    next_validators_hash: bytes
    consensus_hash: bytes
    app_hash: bytes
    last_results_hash: bytes
    evidence_hash: bytes
    proposer_address: bytes
    version_block: int = 11
    version_app: int = 0


class CommitSig(msgspec.Struct, frozen=True, array_like=True):
    """One validator's precommit."""

    flag: int
    validator_address: bytes = b""
    time: int | None = None  # None: Go's zero time, year 1
    signature: bytes = b""


class Commit(msgspec.Struct, frozen=True, array_like=True):
    """The precommits that made a block final; empty at the first height."""

    height: int = 0
    round: int = 0
    block_id: BlockId = BlockId()
    signatures: tuple[CommitSig, ...] = ()


class Block(msgspec.Struct, frozen=True, array_like=True):
    """A whole block. Evidence is kept as its encoded bytes, which the hashes need and nobody reads
    here.
    """

    header: Header
    txs: tuple[bytes, ...]
    last_commit: Commit
    evidence: tuple[bytes, ...] = ()
