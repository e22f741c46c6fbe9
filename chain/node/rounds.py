"""What a consensus says on the way to a block: rounds, steps, the proposal, votes.

The node makes its blocks alone, so the way is always the same: one round in which all validators
whose keys it holds vote for the proposal. It is told when the block is there, in CometBFT's order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from chain.block.commit import vote_bytes
from chain.block.hashing import block_id, sort_validators, validator_address
from chain.block.types import BlockId, Validator
from chain.crypto.keys import Ed25519Key
from chain.driver.genesis import format_time
from chain.driver.log.record import BlockRecord
from chain.node import shapes

#: kind of a push, its value or what makes it, and its event's name
Said = tuple[str, Callable[[], Any], str]
_PREVOTE, _PRECOMMIT = 1, 2
_STATE: Final = "RoundState"


def said(
    record: BlockRecord, validators: Sequence[Validator], keys: Callable[[bytes], Ed25519Key | None]
) -> Iterator[Said]:
    """Everything from a block's round to the next height; ``keys`` has the keys of validators by
    their address."""
    height = record.block.height
    members = [validator_address(one.pubkey) for one in sort_validators(validators)]

    def state(step: str, ahead: int = 0) -> Any:
        return {"height": str(height + ahead), "round": 0, "step": f"RoundStep{step}"}

    def new_round() -> Any:
        address = record.header.proposer_address
        index = members.index(address) if address in members else 0
        return {**state("NewRound"), "proposer": {"address": shapes.upper(address), "index": index}}

    def complete() -> Any:
        return {**state("Propose"), "block_id": shapes.id_of(_id(record))}

    def votes(kind: int) -> Iterator[Said]:
        for index, address in enumerate(members):
            key = keys(address)
            if key is not None:
                yield "Vote", _vote(record, kind, index, key), "Vote"

    yield "NewRound", new_round, "NewRound"
    yield _STATE, lambda: state("Propose"), "NewRoundStep"
    yield "CompleteProposal", complete, "CompleteProposal"
    yield _STATE, lambda: state("Prevote"), "NewRoundStep"
    yield from votes(_PREVOTE)
    for name in ("ValidBlock", "Polka", "Lock"):
        yield _STATE, lambda: state("Prevote"), name
    yield _STATE, lambda: state("Precommit"), "NewRoundStep"
    yield from votes(_PRECOMMIT)
    yield _STATE, lambda: state("Commit"), "NewRoundStep"
    yield _STATE, lambda: state("NewHeight", 1), "NewRoundStep"


def _id(record: BlockRecord) -> BlockId:
    return block_id(shapes.as_block(record))


def _vote(record: BlockRecord, kind: int, index: int, key: Ed25519Key) -> Callable[[], Any]:
    def made() -> Any:
        height, time, found = record.block.height, record.block.time, _id(record)
        chain_id = record.header.chain_id
        signed = key.sign(vote_bytes(chain_id, height, 0, found, time, kind=kind))
        return {
            "Vote": {
                "type": kind,
                "height": str(height),
                "round": 0,
                "block_id": shapes.id_of(found),
                "timestamp": format_time(time),
                "validator_address": shapes.upper(key.validator_address),
                "validator_index": index,
                "signature": shapes.base64(signed),
                "extension": None,
                "extension_signature": None,
            }
        }

    return made
