"""ABCI messages as classes made from a table of field numbers, and their frames.

The classes live in a descriptor pool of their own, so that no other package that registers
``tendermint.abci`` clashes with them. A frame is an unsigned varint length, then the message.
Source: CometBFT 0.38 ``proto/tendermint/abci/types.proto``.
"""

from __future__ import annotations

from typing import Any, Final

from chain.protowire import varint
from chain.tx.proto.pool import build_pool, class_in

A: Final = "tendermint.abci."
_TIME: Final = "google.protobuf.Timestamp"
_DURATION: Final = "google.protobuf.Duration"

#: method -> (number in Request, number in Response)
METHODS: Final = {
    "echo": (1, 2),
    "flush": (2, 3),
    "info": (3, 4),
    "init_chain": (5, 6),
    "query": (6, 7),
    "check_tx": (8, 9),
    "commit": (11, 12),
    "list_snapshots": (12, 13),
    "offer_snapshot": (13, 14),
    "load_snapshot_chunk": (14, 15),
    "apply_snapshot_chunk": (15, 16),
    "prepare_proposal": (16, 17),
    "process_proposal": (17, 18),
    "extend_vote": (18, 19),
    "verify_vote_extension": (19, 20),
    "finalize_block": (20, 21),
}


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _fields(text: str) -> tuple[tuple[int, str, str], ...]:
    """``"1 tx bytes, 2 type enum"`` as field triples; a name with a dot or capital is a message."""
    fields = []
    for entry in text.split(","):
        if entry.strip():
            number, name, kind = entry.split()
            fields.append((int(number), name, kind))
    return tuple(fields)


_RESULT: Final = (
    "1 code uint32, 2 data bytes, 3 log string, 4 info string, 5 gas_wanted int64, "
    f"6 gas_used int64, 7 events *{A}Event, 8 codespace string"
)
_BLOCK: Final = (
    f"2 {{}} {A}CommitInfo, 3 misbehavior *{A}Misbehavior, 4 hash bytes, 5 height int64, "
    f"6 time {_TIME}, 7 next_validators_hash bytes, 8 proposer_address bytes"
)

_ABCI: Final = {
    "RequestEcho": "1 message string",
    "ResponseEcho": "1 message string",
    "RequestFlush": "",
    "ResponseFlush": "",
    "ResponseException": "1 error string",
    "RequestInfo": (
        "1 version string, 2 block_version uint64, 3 p2p_version uint64, 4 abci_version string"
    ),
    "ResponseInfo": (
        "1 data string, 2 version string, 3 app_version uint64, 4 last_block_height int64, "
        "5 last_block_app_hash bytes"
    ),
    "RequestInitChain": (
        f"1 time {_TIME}, 2 chain_id string, 3 consensus_params tendermint.types.ConsensusParams, "
        f"4 validators *{A}ValidatorUpdate, 5 app_state_bytes bytes, 6 initial_height int64"
    ),
    "ResponseInitChain": (
        "1 consensus_params tendermint.types.ConsensusParams, "
        f"2 validators *{A}ValidatorUpdate, 3 app_hash bytes"
    ),
    "RequestQuery": "1 data bytes, 2 path string, 3 height int64, 4 prove bool",
    "ResponseQuery": (
        "1 code uint32, 3 log string, 4 info string, 5 index int64, 6 key bytes, 7 value bytes, "
        "8 proof_ops tendermint.crypto.ProofOps, 9 height int64, 10 codespace string"
    ),
    "RequestCheckTx": "1 tx bytes, 2 type enum",
    "ResponseCheckTx": _RESULT,
    "ExecTxResult": _RESULT,
    "RequestCommit": "",
    "ResponseCommit": "3 retain_height int64",
    "RequestPrepareProposal": (
        f"1 max_tx_bytes int64, 2 txs *bytes, 4 misbehavior *{A}Misbehavior, 5 height int64, "
        f"6 time {_TIME}, 7 next_validators_hash bytes, 8 proposer_address bytes"
    ),
    "ResponsePrepareProposal": "1 txs *bytes",
    "RequestProcessProposal": "1 txs *bytes, " + _BLOCK.format("proposed_last_commit"),
    "ResponseProcessProposal": "1 status enum",
    "RequestExtendVote": "1 hash bytes, 2 height int64",
    "ResponseExtendVote": "1 vote_extension bytes",
    "RequestVerifyVoteExtension": (
        "1 hash bytes, 2 validator_address bytes, 3 height int64, 4 vote_extension bytes"
    ),
    "ResponseVerifyVoteExtension": "1 status enum",
    "RequestFinalizeBlock": "1 txs *bytes, " + _BLOCK.format("decided_last_commit"),
    "ResponseFinalizeBlock": (
        f"1 events *{A}Event, 2 tx_results *{A}ExecTxResult, "
        f"3 validator_updates *{A}ValidatorUpdate, "
        "4 consensus_param_updates tendermint.types.ConsensusParams, 5 app_hash bytes"
    ),
    "RequestListSnapshots": "",
    "ResponseListSnapshots": f"1 snapshots *{A}Snapshot",
    "RequestOfferSnapshot": f"1 snapshot {A}Snapshot, 2 app_hash bytes",
    "ResponseOfferSnapshot": "1 result enum",
    "RequestLoadSnapshotChunk": "1 height uint64, 2 format uint32, 3 chunk uint32",
    "ResponseLoadSnapshotChunk": "1 chunk bytes",
    "RequestApplySnapshotChunk": "1 index uint32, 2 chunk bytes, 3 sender string",
    "ResponseApplySnapshotChunk": (
        "1 result enum, 2 refetch_chunks *uint32, 3 reject_senders *string"
    ),
    "Snapshot": "1 height uint64, 2 format uint32, 3 chunks uint32, 4 hash bytes, 5 metadata bytes",
    "Event": f"1 type string, 2 attributes *{A}EventAttribute",
    "EventAttribute": "1 key string, 2 value string, 3 index bool",
    "CommitInfo": f"1 round int32, 2 votes *{A}VoteInfo",
    "VoteInfo": f"1 validator {A}Validator, 3 block_id_flag enum",
    "Validator": "1 address bytes, 3 power int64",
    "ValidatorUpdate": "1 pub_key tendermint.crypto.PublicKey, 2 power int64",
    "Misbehavior": (
        f"1 type enum, 2 validator {A}Validator, 3 height int64, 4 time {_TIME}, "
        "5 total_voting_power int64"
    ),
}
_OTHERS: Final = {
    "google.protobuf.Timestamp": "1 seconds int64, 2 nanos int32",
    "google.protobuf.Duration": "1 seconds int64, 2 nanos int32",
    "tendermint.crypto.PublicKey": "1 ed25519 bytes, 2 secp256k1 bytes, 4 mldsa65 bytes",
    "tendermint.crypto.ProofOp": "1 type string, 2 key bytes, 3 data bytes",
    "tendermint.crypto.ProofOps": "1 ops *tendermint.crypto.ProofOp",
    "tendermint.types.BlockParams": "1 max_bytes int64, 2 max_gas int64",
    "tendermint.types.EvidenceParams": (
        f"1 max_age_num_blocks int64, 2 max_age_duration {_DURATION}, 3 max_bytes int64"
    ),
    "tendermint.types.ValidatorParams": "1 pub_key_types *string",
    "tendermint.types.VersionParams": "1 app uint64",
    "tendermint.types.ABCIParams": "1 vote_extensions_enable_height int64",
    "tendermint.types.ConsensusParams": (
        "1 block tendermint.types.BlockParams, 2 evidence tendermint.types.EvidenceParams, "
        "3 validator tendermint.types.ValidatorParams, 4 version tendermint.types.VersionParams, "
        "5 abci tendermint.types.ABCIParams"
    ),
}


def _envelope(kind: str, place: int) -> str:
    fields = [
        f"{numbers[place]} {method} {A}{kind}{_camel(method)}"
        for method, numbers in METHODS.items()
    ]
    if kind == "Response":
        fields.insert(0, f"1 exception {A}ResponseException")
    return ", ".join(fields)


_TABLE: Final = {
    **{name: _fields(text) for name, text in _OTHERS.items()},
    **{A + name: _fields(text) for name, text in _ABCI.items()},
    A + "Request": _fields(_envelope("Request", 0)),
    A + "Response": _fields(_envelope("Response", 1)),
}
_POOL: Final = build_pool((_TABLE,))

Request: Final[Any] = class_in(_POOL, A + "Request")
Response: Final[Any] = class_in(_POOL, A + "Response")
Timestamp: Final[Any] = class_in(_POOL, "google.protobuf.Timestamp")


def frame(message: Any) -> bytes:
    """A message as it goes over the socket."""
    raw: bytes = message.SerializeToString()
    return varint(len(raw)) + raw


def method_of(request: Any) -> str:
    """Which method a request calls. Raises: ValueError for one with none or several."""
    named = [descriptor.name for descriptor, _ in request.ListFields()]
    if len(named) != 1:
        raise ValueError(f"a request calls one method, this one {len(named)}")
    return str(named[0])
