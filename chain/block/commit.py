"""Precommits: what a validator signs to make a block final, and the checks of a light client."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from chain.block.encoding import ZERO_TIME, encode_part_set_header
from chain.block.hashing import sort_validators, validator_address
from chain.block.types import (
    ED25519,
    FLAG_ABSENT,
    FLAG_COMMIT,
    BlockId,
    Commit,
    CommitSig,
    Validator,
)
from chain.crypto import ed25519
from chain.crypto.keys import Ed25519Key
from chain.protowire import (
    bytes_field,
    fixed64_field,
    int_field,
    message_field,
    text_field,
    timestamp,
    varint,
)

_PRECOMMIT: Final = 2


class CommitError(Exception):
    """A commit that does not prove its block."""


def precommit_bytes(
    chain_id: str, height: int, round_: int, block_id: BlockId | None, time: int
) -> bytes:
    """What a validator signs to make a block final; no block id is a vote for nil."""
    return vote_bytes(chain_id, height, round_, block_id, time, kind=_PRECOMMIT)


def vote_bytes(
    chain_id: str, height: int, round_: int, block_id: BlockId | None, time: int, *, kind: int
) -> bytes:
    """What a validator signs; ``kind`` 1 is a prevote, 2 a precommit."""
    vote = int_field(1, kind) + fixed64_field(2, height) + fixed64_field(3, round_)
    if block_id is not None and block_id.hash:
        parts = message_field(2, encode_part_set_header(block_id.parts))
        vote += message_field(4, bytes_field(1, block_id.hash) + parts)
    vote += message_field(5, timestamp(time)) + text_field(6, chain_id)
    return varint(len(vote)) + vote


def sign_commit(
    chain_id: str,
    height: int,
    block_id: BlockId,
    time: int,
    keys: Iterable[Ed25519Key],
    *,
    validators: Sequence[Validator] = (),
    round_: int = 0,
) -> Commit:
    """The commit of a block, signed by the keys.

    One entry for each validator, in their order; one whose key is not here is absent. Without
    ``validators`` the keys are all there are, and stand in the order given.
    """
    by_address = {key.validator_address: key for key in keys}
    if validators:
        order = [validator_address(v.pubkey) for v in sort_validators(validators)]
    else:
        order = list(by_address)
    message = precommit_bytes(chain_id, height, round_, block_id, time)
    entries = []
    for address in order:
        key = by_address.get(address)
        if key is None:
            entries.append(CommitSig(FLAG_ABSENT))
        else:
            entries.append(CommitSig(FLAG_COMMIT, address, time, key.sign(message)))
    return Commit(height, round_, block_id, tuple(entries))


def verify_commit(chain_id: str, commit: Commit, validators: Iterable[Validator]) -> None:
    """Check a commit as a light client does: known signers, their signatures, more than two thirds
    of the power.

    Raises: CommitError.
    """
    by_address = {validator_address(v.pubkey): v for v in validators}
    total = sum([v.power for v in by_address.values()])
    power = 0
    seen: dict[bytes, None] = {}
    for entry in commit.signatures:
        if entry.flag != FLAG_COMMIT:
            continue
        validator = by_address.get(entry.validator_address)
        if validator is None or entry.validator_address in seen:
            raise CommitError("a signature of an unknown validator, or a second one")
        seen[entry.validator_address] = None
        time = ZERO_TIME if entry.time is None else entry.time
        message = precommit_bytes(chain_id, commit.height, commit.round, commit.block_id, time)
        good = validator.pubkey_type == ED25519 and ed25519.verify(
            validator.pubkey, message, entry.signature
        )
        if not good:
            raise CommitError(f"wrong signature of {entry.validator_address.hex().upper()}")
        power += validator.power
    if power * 3 <= total * 2:
        raise CommitError(f"only {power} of {total} signed")
