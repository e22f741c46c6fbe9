"""Validators and limits as the consensus engine hears of them."""

from __future__ import annotations

from typing import Final

import msgspec

from chain.app import gov, keys, records
from chain.app.context import BlockScope
from chain.app.events import Event
from chain.app.records import EngineRecord, Params, ValidatorRecord
from chain.block.types import ED25519, ConsensusParams, Misbehavior, Validator

#: in headers (``version.app``) and in the consensus parameters: the same number, or CometBFT's
#: rollback fails
APP_VERSION: Final = 1


def engine_params(params: Params, engine: EngineRecord) -> ConsensusParams:
    """The engine's parameters as ours have them; always whole, because a partial change would
    reset the rest of its group.
    """
    return ConsensusParams(
        max_bytes=params.block_max_bytes,
        max_gas=params.block_max_gas,
        evidence_max_age_blocks=engine.evidence_max_age_blocks,
        evidence_max_age=engine.evidence_max_age,
        evidence_max_bytes=engine.evidence_max_bytes,
        pub_key_types=engine.pub_key_types,
        app_version=APP_VERSION,
    )


def engine_record(given: ConsensusParams) -> EngineRecord:
    """What of genesis' consensus parameters has no place in ours."""
    return EngineRecord(
        given.evidence_max_age_blocks,
        given.evidence_max_age,
        given.evidence_max_bytes,
        given.pub_key_types or (ED25519,),
    )


def record_fault(scope: BlockScope, fault: Misbehavior, params: Params) -> None:
    """Misbehaviour is recorded, and costs the validator its power unless it is the last one."""
    validators = gov.load_validators(scope.overlay)
    made = []
    known = False
    for record in validators:
        if record.address != fault.address:
            made.append(record)
            continue
        known = True
        if params.slash_misbehavior and len(validators) > 1:
            continue
        made.append(msgspec.structs.replace(record, faults=record.faults + 1))
    scope.events.append(
        Event(
            "misbehavior",
            [
                ("validator", fault.address.hex().upper()),
                ("kind", str(fault.kind)),
                ("height", str(fault.height)),
                ("removed", "true" if known and len(made) < len(validators) else "false"),
            ],
        )
    )
    if known:
        scope.overlay.set(keys.VALIDATORS, records.encode(tuple(made)))


def validator_updates(
    before: tuple[ValidatorRecord, ...], after: tuple[ValidatorRecord, ...]
) -> list[Validator]:
    """What the driver must hear: changed powers, and 0 for those that left."""
    if before is after:
        return []
    old = {(record.key_type, record.key): record.power for record in before}
    updates = []
    for record in after:
        if old.pop((record.key_type, record.key), None) != record.power:
            updates.append(Validator(record.key_type, record.key, record.power))
    updates.extend(Validator(kind, key, 0) for kind, key in old)
    return updates
