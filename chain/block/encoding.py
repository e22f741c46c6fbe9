"""Blocks, headers, commits and results as CometBFT's protobuf bytes."""

from __future__ import annotations

from typing import Final

from chain.block.types import (
    ED25519,
    ML_DSA_65,
    SECP256K1,
    Block,
    BlockId,
    Commit,
    CommitSig,
    Header,
    PartSetHeader,
    TxResult,
    Validator,
)
from chain.protowire import bytes_field, int_field, message_field, text_field, timestamp, varint

#: Go's zero time, which absent votes carry, in nanoseconds.
ZERO_TIME: Final = -62_135_596_800 * 1_000_000_000
_KEY_FIELDS: Final = {ED25519: 1, SECP256K1: 2, ML_DSA_65: 4}


def encode_part_set_header(parts: PartSetHeader) -> bytes:
    """PartSetHeader."""
    return int_field(1, parts.total) + bytes_field(2, parts.hash)


def encode_block_id(block_id: BlockId) -> bytes:
    """BlockID; the parts are written also when empty."""
    parts = message_field(2, encode_part_set_header(block_id.parts))
    return bytes_field(1, block_id.hash) + parts


def encode_version(header: Header) -> bytes:
    """The header's version."""
    return int_field(1, header.version_block) + int_field(2, header.version_app)


def encode_header(header: Header) -> bytes:
    """Header as it stands in a block; its hash is the tree of its fields, not of this."""
    out = message_field(1, encode_version(header))
    out += text_field(2, header.chain_id) + int_field(3, header.height)
    out += message_field(4, timestamp(header.time))
    out += message_field(5, encode_block_id(header.last_block_id))
    for number, value in enumerate(header_hashes(header), 6):
        out += bytes_field(number, value)
    return out


def header_hashes(header: Header) -> tuple[bytes, ...]:
    """The header's plain byte fields, in their order."""
    return (
        header.last_commit_hash,
        header.data_hash,
        header.validators_hash,
        header.next_validators_hash,
        header.consensus_hash,
        header.app_hash,
        header.last_results_hash,
        header.evidence_hash,
        header.proposer_address,
    )


def encode_commit_sig(entry: CommitSig) -> bytes:
    """CommitSig."""
    time = ZERO_TIME if entry.time is None else entry.time
    return (
        int_field(1, entry.flag)
        + bytes_field(2, entry.validator_address)
        + message_field(3, timestamp(time))
        + bytes_field(4, entry.signature)
    )


def encode_commit(commit: Commit) -> bytes:
    """Commit."""
    out = int_field(1, commit.height) + int_field(2, commit.round)
    out += message_field(3, encode_block_id(commit.block_id))
    return out + b"".join([message_field(4, encode_commit_sig(e)) for e in commit.signatures])


def encode_block(block: Block) -> bytes:
    """The bytes that a block is cut into parts from."""
    data: list[bytes] = []
    for tx in block.txs:
        data += (b"\x0a", varint(len(tx)), tx)  # field 1; joined once, they are most of the block
    evidence = b"".join([message_field(1, entry) for entry in block.evidence])
    return b"".join(
        [
            message_field(1, encode_header(block.header)),
            b"\x12" + varint(sum(map(len, data))),  # field 2
            *data,
            message_field(3, evidence),
            message_field(4, encode_commit(block.last_commit)),
        ]
    )


def encode_public_key(kind: str, key: bytes) -> bytes:
    """``tendermint.crypto.PublicKey``. Raises: KeyError for keys that validators cannot have."""
    return message_field(_KEY_FIELDS[kind], key)


def encode_simple_validator(validator: Validator) -> bytes:
    """What the validators' hash is over: key and power."""
    key = encode_public_key(validator.pubkey_type, validator.pubkey)
    return message_field(1, key) + int_field(2, validator.power)


def encode_hashed_result(result: TxResult) -> bytes:
    """What the results' hash is over: code, data and the two gas figures."""
    return (
        int_field(1, result.code)
        + bytes_field(2, result.data)
        + int_field(5, result.gas_wanted)
        + int_field(6, result.gas_used)
    )
