"""What the application answers to a driver, and what it keeps of the block that is open."""

from __future__ import annotations

from dataclasses import dataclass, field

from chain.app.context import BlockScope, PendingFee
from chain.app.records import Params, ValidatorRecord
from chain.block.types import ConsensusParams, TxResult, Validator


@dataclass(frozen=True, slots=True)
class Info:
    """What a driver is told when it connects: the last commit."""

    name: str
    version: str
    app_version: int
    last_height: int
    app_hash: bytes


@dataclass(frozen=True, slots=True)
class InitChainResult:
    """What genesis gave: the hash for the first header, validators, consensus parameters."""

    app_hash: bytes
    validators: tuple[Validator, ...]
    consensus_params: ConsensusParams


@dataclass(frozen=True, slots=True)
class CheckTxResult:
    """Whether a transaction may enter a pool."""

    code: int = 0
    codespace: str = ""
    log: str = ""
    gas_wanted: int = 0
    #: first signer and its sequence, for a pool that lists by account
    sender: str = ""
    hash: bytes = b""
    gas_used: int = 0


@dataclass(slots=True)
class OpenSnapshot:
    """The open block at one moment."""

    checkpoint: int
    index: int
    gas_wanted: int
    fees: list[PendingFee]
    events: int
    results: int


@dataclass(slots=True)
class OpenBlock:
    """What belongs to the open block besides its scope; ``begun`` events stood before the first
    transaction."""

    scope: BlockScope
    validators: tuple[ValidatorRecord, ...]
    params: Params
    begun: int = 0
    results: list[TxResult] = field(default_factory=list)
    snapshots: list[OpenSnapshot] = field(default_factory=list)
