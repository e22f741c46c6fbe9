"""A log out of what CometBFT's RPC answers: the same records that the embedded producer writes.

Blocks and results come from the node, so the log of four validators and that of the devnet replay
by one command. No network here: whoever has a client hands in its answers.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any, Final

from chain.block.hashing import header_hash, sort_validators, validator_address
from chain.block.types import (
    BlockId,
    BlockInput,
    BlockResult,
    Commit,
    CommitSig,
    ConsensusParams,
    Event,
    Header,
    Misbehavior,
    PartSetHeader,
    TxResult,
    Validator,
    Vote,
)
from chain.driver.genesis import KEY_KINDS, parse_time
from chain.driver.log.record import FORMAT, BlockRecord, GenesisRecord, LogError, sealed

Json = Mapping[str, Any]
_DUPLICATE_VOTE: Final = "tendermint/DuplicateVoteEvidence"
_LIGHT_CLIENT_ATTACK: Final = "tendermint/LightClientAttackEvidence"
_GO_ZERO: Final = "0001-01-01T00:00:00Z"


def genesis_record(document: dict[str, Any], sources: dict[str, dict[str, str]]) -> GenesisRecord:
    """The first record; the document as the node's RPC gives it."""
    return sealed(GenesisRecord(FORMAT, document, sources))


def block_record(
    block: Json, results: Json, members_before: Sequence[Json], prev: bytes
) -> BlockRecord:
    """One record from ``/block``, ``/block_results`` and ``/validators`` of the height before.

    Raises: LogError naming the height for an answer of another shape.
    """
    try:
        header = _header(block["block"]["header"])
        return sealed(
            BlockRecord(
                _input(block["block"], header, members_before),
                _result(results),
                header,
                _commit(block["block"]["last_commit"]),
                {},
                prev,
            )
        )
    except (KeyError, TypeError, ValueError) as error:
        height = block.get("block", {}).get("header", {}).get("height")
        raise LogError(
            f"height {height}: the node's answer has another shape ({error!r})"
        ) from None


def _bytes(text: str | None) -> bytes:
    return base64.b64decode(text or "", validate=True)


def _hex(text: str | None) -> bytes:
    return bytes.fromhex(text or "")


def _time(text: str) -> int | None:
    return None if text == _GO_ZERO else parse_time(text)


def _block_id(value: Json) -> BlockId:
    parts = PartSetHeader(int(value["parts"]["total"]), _hex(value["parts"]["hash"]))
    return BlockId(_hex(value["hash"]), parts)


def _header(value: Json) -> Header:
    return Header(
        chain_id=value["chain_id"],
        height=int(value["height"]),
        time=parse_time(value["time"]),
        last_block_id=_block_id(value["last_block_id"]),
        last_commit_hash=_hex(value["last_commit_hash"]),
        data_hash=_hex(value["data_hash"]),
        validators_hash=_hex(value["validators_hash"]),
        next_validators_hash=_hex(value["next_validators_hash"]),
        consensus_hash=_hex(value["consensus_hash"]),
        app_hash=_hex(value["app_hash"]),
        last_results_hash=_hex(value["last_results_hash"]),
        evidence_hash=_hex(value["evidence_hash"]),
        proposer_address=_hex(value["proposer_address"]),
        version_block=int(value["version"]["block"]),
        version_app=int(value["version"].get("app", 0)),
    )


def _commit(value: Json) -> Commit:
    entries = tuple(
        CommitSig(
            int(entry["block_id_flag"]),
            _hex(entry["validator_address"]),
            _time(entry["timestamp"]),
            _bytes(entry["signature"]),
        )
        for entry in value["signatures"] or ()
    )
    return Commit(int(value["height"]), int(value["round"]), _block_id(value["block_id"]), entries)


def _validator(value: Json) -> Validator:
    kind = KEY_KINDS[value["pub_key"]["type"]]
    power = value.get("voting_power", value.get("power", 0))
    return Validator(kind, _bytes(value["pub_key"]["value"]), int(power))


def _input(block: Json, header: Header, members_before: Sequence[Json]) -> BlockInput:
    members = sort_validators(_validator(member) for member in members_before)
    entries = block["last_commit"]["signatures"] or ()
    votes = tuple(
        Vote(validator_address(member.pubkey), member.power, int(entry["block_id_flag"]))
        for member, entry in zip(members, entries, strict=True)
    )
    evidence = (block.get("evidence") or {}).get("evidence") or ()
    return BlockInput(
        height=header.height,
        time=header.time,
        proposer_address=header.proposer_address,
        txs=tuple(_bytes(raw) for raw in block["data"]["txs"] or ()),
        last_commit_votes=votes,
        misbehavior=tuple(fault for entry in evidence for fault in _faults(entry)),
    )


def _faults(entry: Json) -> list[Misbehavior]:
    """What one piece of evidence is to the App: one fault for each validator that it shows."""
    kind, value = entry["type"], entry["value"]
    if kind == _DUPLICATE_VOTE:
        guilty = [(value["vote_a"]["validator_address"], value["ValidatorPower"])]
        height, number = value["vote_a"]["height"], 1
    elif kind == _LIGHT_CLIENT_ATTACK:
        members = value["ByzantineValidators"] or ()
        guilty = [(member["address"], member["voting_power"]) for member in members]
        height, number = value["CommonHeight"], 2
    else:
        raise ValueError(f"evidence of type {kind}")
    time, total = parse_time(value["Timestamp"]), int(value["TotalVotingPower"])
    return [
        Misbehavior(number, _hex(address), int(power), int(height), time, total)
        for address, power in guilty
    ]


def _events(values: Sequence[Json] | None) -> list[Event]:
    return [
        Event(value["type"], [(a["key"], a["value"]) for a in value["attributes"] or ()])
        for value in values or ()
    ]


def _tx_result(value: Json) -> TxResult:
    return TxResult(
        code=int(value["code"]),
        codespace=value["codespace"],
        log=value["log"],
        info=value["info"],
        data=_bytes(value["data"]),
        gas_wanted=int(value["gas_wanted"]),
        gas_used=int(value["gas_used"]),
        events=_events(value["events"]),
    )


def _result(value: Json) -> BlockResult:
    return BlockResult(
        tx_results=[_tx_result(entry) for entry in value["txs_results"] or ()],
        events=_events(value["finalize_block_events"]),
        validator_updates=[_update(entry) for entry in value["validator_updates"] or ()],
        consensus_param_updates=_params(value["consensus_param_updates"]),
        app_hash=_bytes(value["app_hash"]),
    )


def _update(value: Json) -> Validator:
    """An update in protobuf's JSON: the key under the name of its kind."""
    names = {"ed25519": "ed25519", "mldsa65": "ml_dsa_65"}
    (name, key) = next(iter(value["pub_key"]["Sum"]["value"].items()))
    return Validator(names[name], _bytes(key), int(value.get("power", 0)))


def _params(value: Json | None) -> ConsensusParams | None:
    if not value or not value.get("block"):
        return None
    block, evidence = value["block"], value["evidence"]
    return ConsensusParams(
        max_bytes=int(block["max_bytes"]),
        max_gas=int(block["max_gas"]),
        evidence_max_age_blocks=int(evidence["max_age_num_blocks"]),
        evidence_max_age=int(evidence["max_age_duration"]),
        evidence_max_bytes=int(evidence["max_bytes"]),
        pub_key_types=tuple(value["validator"]["pub_key_types"]),
        app_version=int(value["version"].get("app", 0)),
        vote_extensions_enable_height=int(
            (value.get("abci") or {}).get("vote_extensions_enable_height", 0)
        ),
    )


def committed(record: BlockRecord, after: Json) -> bool:
    """Whether the commit in the block after it names this block."""
    named = after["block"]["header"]["last_block_id"]["hash"]
    return _hex(named) == header_hash(record.header)
