"""Protobuf to the App's frozen values and back; the only place that knows both."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from chain.block.types import (
    ED25519,
    ML_DSA_65,
    SECP256K1,
    BlockInput,
    BlockResult,
    ConsensusParams,
    Event,
    Misbehavior,
    TxResult,
    Validator,
    Vote,
)

SECOND: Final = 1_000_000_000
_KEY_FIELDS: Final = {ED25519: "ed25519", SECP256K1: "secp256k1", ML_DSA_65: "mldsa65"}


def nanos(timestamp: Any) -> int:
    """Nanoseconds of a Timestamp or Duration."""
    return int(timestamp.seconds) * SECOND + int(timestamp.nanos)


def validator(update: Any) -> Validator:
    """A ValidatorUpdate. Raises: ValueError for a key kind that is not known."""
    for kind, name in _KEY_FIELDS.items():
        key = getattr(update.pub_key, name)
        if key:
            return Validator(kind, bytes(key), int(update.power))
    raise ValueError("a validator key of an unknown kind")


def put_validator(out: Any, value: Validator) -> None:
    """Fill a ValidatorUpdate."""
    setattr(out.pub_key, _KEY_FIELDS[value.pubkey_type], value.pubkey)
    out.power = value.power


def consensus_params(params: Any) -> ConsensusParams:
    """The consensus parameters of a genesis."""
    return ConsensusParams(
        max_bytes=int(params.block.max_bytes),
        max_gas=int(params.block.max_gas),
        evidence_max_age_blocks=int(params.evidence.max_age_num_blocks),
        evidence_max_age=nanos(params.evidence.max_age_duration),
        evidence_max_bytes=int(params.evidence.max_bytes),
        pub_key_types=tuple(params.validator.pub_key_types),
        app_version=int(params.version.app),
        vote_extensions_enable_height=int(params.abci.vote_extensions_enable_height),
    )


def put_consensus_params(out: Any, params: ConsensusParams) -> None:
    """Fill ConsensusParams, always whole groups: a partial one resets the other fields."""
    out.block.max_bytes = params.max_bytes
    out.block.max_gas = params.max_gas
    out.evidence.max_age_num_blocks = params.evidence_max_age_blocks
    out.evidence.max_age_duration.seconds = params.evidence_max_age // SECOND
    out.evidence.max_age_duration.nanos = params.evidence_max_age % SECOND
    out.evidence.max_bytes = params.evidence_max_bytes
    out.validator.pub_key_types.extend(params.pub_key_types)
    out.version.app = params.app_version
    out.abci.vote_extensions_enable_height = params.vote_extensions_enable_height


def block_input(request: Any) -> BlockInput:
    """All that a FinalizeBlock request is to the App."""
    votes = tuple(
        Vote(bytes(vote.validator.address), int(vote.validator.power), int(vote.block_id_flag))
        for vote in request.decided_last_commit.votes
    )
    faults = tuple(
        Misbehavior(
            int(fault.type),
            bytes(fault.validator.address),
            int(fault.validator.power),
            int(fault.height),
            nanos(fault.time),
            int(fault.total_voting_power),
        )
        for fault in request.misbehavior
    )
    return BlockInput(
        height=int(request.height),
        time=nanos(request.time),
        proposer_address=bytes(request.proposer_address),
        txs=tuple(request.txs),
        last_commit_votes=votes,
        misbehavior=faults,
    )


def put_events(out: Any, events: Iterable[Event]) -> None:
    """Append events; every attribute is searchable."""
    for event in events:
        entry = out.add()
        entry.type = event.type
        for key, value in event.attributes:
            attribute = entry.attributes.add()
            attribute.key, attribute.value, attribute.index = key, value, True


def put_tx_result(out: Any, result: TxResult) -> None:
    """Fill an ExecTxResult."""
    out.code, out.codespace = result.code, result.codespace
    out.log, out.info, out.data = result.log, result.info, result.data
    out.gas_wanted, out.gas_used = result.gas_wanted, result.gas_used
    put_events(out.events, result.events)


def put_block_result(out: Any, result: BlockResult) -> None:
    """Fill a FinalizeBlock response."""
    for tx_result in result.tx_results:
        put_tx_result(out.tx_results.add(), tx_result)
    put_events(out.events, result.events)
    for update in result.validator_updates:
        put_validator(out.validator_updates.add(), update)
    if result.consensus_param_updates is not None:
        put_consensus_params(out.consensus_param_updates, result.consensus_param_updates)
    out.app_hash = result.app_hash
