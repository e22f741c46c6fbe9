"""CometBFT 0.38's formulas: from transactions, results, validators and commits to a header and a
block id.

====================  ==========================================================================
hash                  over
====================  ==========================================================================
data                  tree of SHA-256 of each transaction
results               tree of code, data, gas wanted and gas used of each result (next header)
validators            tree of key and power, most power first, then by address
consensus             SHA-256 of max bytes and max gas of a block
last commit           tree of the encoded commit signatures
evidence              tree of the encoded evidence
header                tree of its fourteen encoded fields
parts                 tree of the encoded block's pieces of 64 KiB
====================  ==========================================================================
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from chain.block import merkle
from chain.block.encoding import (
    encode_block,
    encode_block_id,
    encode_commit_sig,
    encode_hashed_result,
    encode_simple_validator,
    encode_version,
    header_hashes,
)
from chain.block.types import (
    Block,
    BlockId,
    Commit,
    ConsensusParams,
    Header,
    PartSetHeader,
    TxResult,
    Validator,
)
from chain.protowire import bytes_field, int_field, text_field, timestamp

PART_SIZE: Final = 65_536


def tx_hash(raw: bytes) -> bytes:
    """SHA-256 of a transaction's bytes."""
    return hashlib.sha256(raw).digest()


def data_hash(txs: Sequence[bytes], hash_of: Callable[[bytes], bytes] = tx_hash) -> bytes:
    """Root over a block's transactions; ``hash_of`` may know what ``tx_hash`` would compute."""
    return merkle.root([hash_of(raw) for raw in txs])


def prove_tx(txs: Sequence[bytes], index: int) -> merkle.Proof:
    """That the transaction at ``index`` is under the data hash; the item to verify is its hash."""
    return merkle.prove([tx_hash(raw) for raw in txs], index)


def results_hash(results: Sequence[TxResult]) -> bytes:
    """Root over a block's results; stands in the next header."""
    return merkle.root([encode_hashed_result(result) for result in results])


def validator_address(pubkey: bytes) -> bytes:
    """The 20 bytes that name a validator."""
    return hashlib.sha256(pubkey).digest()[:20]


def sort_validators(validators: Iterable[Validator]) -> list[Validator]:
    """Validators in CometBFT's order: most power first, equal ones by address."""
    return sorted(validators, key=lambda v: (-v.power, validator_address(v.pubkey)))


def validators_hash(validators: Iterable[Validator]) -> bytes:
    """Root over a validator set, in whatever order it comes."""
    return merkle.root([encode_simple_validator(v) for v in sort_validators(validators)])


def consensus_hash(params: ConsensusParams) -> bytes:
    """Hash of the consensus parameters that headers vouch for."""
    return hashlib.sha256(int_field(1, params.max_bytes) + int_field(2, params.max_gas)).digest()


def commit_hash(commit: Commit) -> bytes:
    """Root over a commit's signatures."""
    return merkle.root([encode_commit_sig(entry) for entry in commit.signatures])


def evidence_hash(evidence: Sequence[bytes]) -> bytes:
    """Root over a block's encoded evidence."""
    return merkle.root(evidence)


def header_hash(header: Header) -> bytes:
    """The block hash."""
    fields = [
        encode_version(header),
        text_field(1, header.chain_id),
        int_field(1, header.height),
        timestamp(header.time),
        encode_block_id(header.last_block_id),
    ]
    fields += [bytes_field(1, value) for value in header_hashes(header)]
    return merkle.root(fields)


def part_set_header(encoded: bytes) -> PartSetHeader:
    """The parts of an encoded block."""
    whole = memoryview(encoded)
    parts = [whole[at : at + PART_SIZE] for at in range(0, len(encoded), PART_SIZE)]
    return PartSetHeader(len(parts), merkle.root(parts))


def block_id(block: Block) -> BlockId:
    """A block's hash and parts."""
    return BlockId(header_hash(block.header), part_set_header(encode_block(block)))
