"""Blocks, transactions and validators as CometBFT 0.38 shows them in JSON.

Heights and other 64-bit numbers are texts, hashes upper hex, bytes base64, times RFC 3339.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from typing import Any, Final

from chain.block.encoding import encode_block
from chain.block.hashing import prove_tx, tx_hash, validator_address
from chain.block.types import (
    Block,
    BlockId,
    Commit,
    ConsensusParams,
    Event,
    Header,
    TxResult,
    Validator,
)
from chain.driver.genesis import format_time
from chain.driver.log.record import BlockRecord

ZERO_TIME: Final = "0001-01-01T00:00:00Z"
_KEYS: Final = {
    "ed25519": "tendermint/PubKeyEd25519",
    "secp256k1": "tendermint/PubKeySecp256k1",
    "ml_dsa_65": "cometbft/PubKeyMlDsa65",
}
Json = dict[str, Any]


def base64(raw: bytes) -> str:
    """Padded base64."""
    return b64encode(raw).decode()


def upper(raw: bytes) -> str:
    """Hex in capitals."""
    return raw.hex().upper()


def event(found: Event) -> Json:
    """An event; every attribute is indexed."""
    return {
        "type": found.type,
        "attributes": [{"key": k, "value": v, "index": True} for k, v in found.attributes],
    }


def events(found: Iterable[Event]) -> list[Json]:
    """Events in order."""
    return [event(entry) for entry in found]


def tx_result(result: TxResult) -> Json:
    """The result of a transaction, all members present."""
    return {
        "code": result.code,
        "data": base64(result.data) if result.data else None,
        "log": result.log,
        "info": result.info,
        "gas_wanted": str(result.gas_wanted),
        "gas_used": str(result.gas_used),
        "events": events(result.events),
        "codespace": result.codespace,
    }


def pushed_tx_result(result: TxResult) -> Json:
    """The result of a transaction in a push: members that are zero are left out."""
    full = tx_result(result)
    for name in ("gas_wanted", "gas_used"):
        if full[name] == "0":
            full[name] = ""
    return {name: value for name, value in full.items() if value}


def id_of(found: BlockId) -> Json:
    """A block id."""
    return {
        "hash": upper(found.hash),
        "parts": {"total": found.parts.total, "hash": upper(found.parts.hash)},
    }


def header(found: Header) -> Json:
    """A header. ``version.app`` is left out when it is 0."""
    version = {"block": str(found.version_block)}
    if found.version_app:
        version["app"] = str(found.version_app)
    return {
        "version": version,
        "chain_id": found.chain_id,
        "height": str(found.height),
        "time": format_time(found.time),
        "last_block_id": id_of(found.last_block_id),
        "last_commit_hash": upper(found.last_commit_hash),
        "data_hash": upper(found.data_hash),
        "validators_hash": upper(found.validators_hash),
        "next_validators_hash": upper(found.next_validators_hash),
        "consensus_hash": upper(found.consensus_hash),
        "app_hash": upper(found.app_hash),
        "last_results_hash": upper(found.last_results_hash),
        "evidence_hash": upper(found.evidence_hash),
        "proposer_address": upper(found.proposer_address),
    }


def commit(found: Commit) -> Json:
    """The precommits of a block."""
    return {
        "height": str(found.height),
        "round": found.round,
        "block_id": id_of(found.block_id),
        "signatures": [
            {
                "block_id_flag": entry.flag,
                "validator_address": upper(entry.validator_address),
                "timestamp": ZERO_TIME if entry.time is None else format_time(entry.time),
                "signature": base64(entry.signature) if entry.signature else None,
            }
            for entry in found.signatures
        ],
    }


def block(record: BlockRecord) -> Json:
    """A whole block."""
    return {
        "header": header(record.header),
        "data": {"txs": [base64(raw) for raw in record.block.txs]},
        "evidence": {"evidence": []},
        "last_commit": commit(record.last_commit),
    }


def as_block(record: BlockRecord) -> Block:
    """The block that a record holds, for its formulas."""
    return Block(record.header, record.block.txs, record.last_commit)


def block_meta(record: BlockRecord, found: BlockId) -> Json:
    """What ``blockchain`` lists of a block with its id."""
    return {
        "block_id": id_of(found),
        "block_size": str(len(encode_block(as_block(record)))),
        "header": header(record.header),
        "num_txs": str(len(record.block.txs)),
    }


def validator_key(found: Validator) -> Json:
    """A validator's public key."""
    return {"type": _KEYS[found.pubkey_type], "value": base64(found.pubkey)}


def validator(found: Validator) -> Json:
    """A validator. The proposer goes round, so nobody has a priority."""
    return {
        "address": upper(validator_address(found.pubkey)),
        "pub_key": validator_key(found),
        "voting_power": str(found.power),
        "proposer_priority": "0",
    }


def validator_update(found: Validator) -> Json:
    """A change of a validator in a block's results."""
    update: Json = {
        "pub_key": {"Sum": {"type": "tendermint.crypto.PublicKey_Ed25519", "value": {}}}
    }
    update["pub_key"]["Sum"]["value"] = {found.pubkey_type: base64(found.pubkey)}
    if found.power:
        update["power"] = str(found.power)
    return update


def consensus_params(found: ConsensusParams) -> Json:
    """Consensus parameters, all members present."""
    return {
        "block": {"max_bytes": str(found.max_bytes), "max_gas": str(found.max_gas)},
        "evidence": {
            "max_age_num_blocks": str(found.evidence_max_age_blocks),
            "max_age_duration": str(found.evidence_max_age),
            "max_bytes": str(found.evidence_max_bytes),
        },
        "validator": {"pub_key_types": list(found.pub_key_types)},
        "version": {"app": str(found.app_version)},
        "abci": {"vote_extensions_enable_height": str(found.vote_extensions_enable_height)},
    }


def param_updates(found: ConsensusParams | None) -> Json | None:
    """Consensus parameters as an update in results: zeros are left out."""
    if found is None:
        return None
    full = consensus_params(found)
    for part in ("version", "abci"):
        full[part] = {name: value for name, value in full[part].items() if value != "0"}
    return full


def found_tx(record: BlockRecord, index: int, *, prove: bool) -> Json:
    """A transaction with its result and, if asked, the proof that its block has it."""
    raw = record.block.txs[index]
    shown = {
        "hash": upper(tx_hash(raw)),
        "height": str(record.block.height),
        "index": index,
        "tx_result": tx_result(record.result.tx_results[index]),
        "tx": base64(raw),
    }
    if prove:
        shown["proof"] = _proof(record.block.txs, index, record.header.data_hash)
    return shown


def _proof(txs: Sequence[bytes], index: int, root: bytes) -> Json:
    proof = prove_tx(txs, index)
    return {
        "root_hash": upper(root),
        "data": base64(txs[index]),
        "proof": {
            "total": str(proof.total),
            "index": str(proof.index),
            "leaf_hash": base64(proof.leaf_hash),
            "aunts": [base64(aunt) for aunt in proof.aunts],
        },
    }


def flattened(found: Iterable[Event]) -> dict[str, list[str]]:
    """Events as subscriptions see them: ``type.attribute`` to its values."""
    flat: dict[str, list[str]] = {}
    for entry in found:
        if entry.type:
            for key, value in entry.attributes:
                if key:
                    flat.setdefault(f"{entry.type}.{key}", []).append(value)
    return flat
