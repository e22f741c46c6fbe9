"""The RPC methods that tell of blocks, validators and the node itself."""

from __future__ import annotations

from typing import Any, Final

from chain.block.commit import sign_commit
from chain.block.hashing import block_id, validator_address
from chain.block.types import BlockId, Commit
from chain.driver.genesis import format_time
from chain.driver.log.record import BlockRecord
from chain.driver.producer import ROW_HASH
from chain.node import gojson, shapes
from chain.node.methods import Method, RpcError, page_of, params
from chain.node.service import Node

VERSION: Final = "0.38.17"
_CHUNK: Final = 16 * 1024 * 1024
_META_MAX: Final = 20
Json = dict[str, Any]


def height_of(node: Node, height: int | None, *, ahead: int = 0) -> int:
    """The height that is meant; none is the last. Raises: RpcError."""
    last = node.height + ahead
    if height is None:
        return last
    if height <= 0:
        raise RpcError(f"height must be greater than 0, but got {height}")
    if height > last:
        raise RpcError(
            f"height {height} must be less than or equal to the current blockchain height {last}"
        )
    first = node.first_height
    if height < first:
        raise RpcError(f"height {height} is not available, lowest height is {first}")
    return height


def record_at(node: Node, height: int) -> BlockRecord:
    """The record of a height that is there. Raises: RpcError when it is gone meanwhile."""
    record = node.record(height)
    if record is None:
        raise RpcError(f"could not find results for height #{height}")
    return record


def id_at(node: Node, record: BlockRecord) -> BlockId:
    """The id of a block: what its successor says, so that it is not computed again."""
    state = node.producer.state
    if state.height == record.block.height and state.record_hash == record.hash:
        return state.last_block_id
    following = node.record(record.block.height + 1)
    if following is not None and following.prev == record.hash:
        return following.header.last_block_id
    return block_id(shapes.as_block(record))


def health(node: Node) -> Json:
    """Nothing, while the node works."""
    if node.failure is not None:
        raise RpcError("the chain has stopped; see the log of the node")
    return {}


def status(node: Node) -> Json:
    """Who this node is and where it stands."""
    record = record_at(node, node.height)
    first = record_at(node, node.first_height)
    me = node.identity
    return {
        "node_info": {
            "protocol_version": {
                "p2p": "8",
                "block": "11",
                "app": str(record.header.version_app),
            },
            "id": me.hex(),
            "listen_addr": node.rpc_address,  # there are no peers to listen for
            "network": node.producer.chain_id,
            "version": VERSION,
            "channels": "40202122233038606100",
            "moniker": node.options.moniker,
            "other": {"tx_index": "on", "rpc_address": node.rpc_address},
        },
        "sync_info": {
            "latest_block_hash": shapes.upper(id_at(node, record).hash),
            "latest_app_hash": shapes.upper(record.header.app_hash),
            "latest_block_height": str(record.block.height),
            "latest_block_time": format_time(record.block.time),
            "earliest_block_hash": shapes.upper(id_at(node, first).hash),
            "earliest_app_hash": shapes.upper(first.header.app_hash),
            "earliest_block_height": str(first.block.height),
            "earliest_block_time": format_time(first.block.time),
            "catching_up": False,
        },
        "validator_info": _own_validator(node),
    }


def _own_validator(node: Node) -> Json:
    members = node.index.validators(node.height)
    mine = next(
        (one for one in members if validator_address(one.pubkey) in node.producer.signers),
        members[0],
    )
    shown = shapes.validator(mine)
    del shown["proposer_priority"]
    return shown


def net_info(node: Node) -> Json:
    """No peers: the node is alone."""
    return {"listening": True, "listeners": ["Listener(@)"], "n_peers": "0", "peers": []}


def genesis(node: Node) -> Json:
    """The genesis document, with CometBFT's defaults."""
    return {"genesis": genesis_shown(node)}


def genesis_shown(node: Node) -> Json:
    """The genesis document as CometBFT shows one."""
    document = node.genesis().genesis
    members, found = node.producer.initial()
    shown: Json = {
        "genesis_time": document["genesis_time"],
        "chain_id": document["chain_id"],
        "initial_height": str(document.get("initial_height", "1")),
        "consensus_params": shapes.consensus_params(found),
    }
    if members:
        shown["validators"] = document.get("validators") or [
            {**shapes.validator(one), "power": str(one.power), "name": ""} for one in members
        ]
    shown["app_hash"] = ""
    shown["app_state"] = document.get("app_state", {})
    return shown


def genesis_chunked(node: Node, chunk: int) -> Json:
    """The genesis document in pieces of 16 MiB of base64."""
    raw = gojson.encode(genesis_shown(node))
    pieces = [raw[at : at + _CHUNK] for at in range(0, len(raw), _CHUNK)]
    if chunk >= len(pieces):
        raise RpcError(f"there are {len(pieces) - 1} chunks, {chunk} is invalid")
    return {
        "chunk": str(chunk),
        "total": str(len(pieces)),
        "data": shapes.base64(pieces[chunk]),
    }


def blockchain(node: Node, lowest: int, highest: int) -> Json:
    """Headers of a range, newest first, 20 at most."""
    last, first = node.height, node.first_height
    if lowest < 0 or highest < 0:
        raise RpcError("heights must be non-negative")
    highest = min(last, highest or last)
    lowest = max(first, lowest or 1, highest - _META_MAX + 1)
    if lowest > highest:
        raise RpcError(f"min height {lowest} can't be greater than max height {highest}")
    return {
        "last_height": str(last),
        "block_metas": [
            _meta(node, record_at(node, height)) for height in range(highest, lowest - 1, -1)
        ],
    }


def _meta(node: Node, record: BlockRecord) -> Json:
    return shapes.block_meta(record, id_at(node, record))


def block(node: Node, height: int | None) -> Json:
    """A block."""
    return shown_block(node, record_at(node, height_of(node, height)))


def shown_block(node: Node, record: BlockRecord | None) -> Json:
    """A block with its id; empty for none."""
    if record is None:
        return {"block_id": {"hash": "", "parts": {"total": 0, "hash": ""}}, "block": None}
    found = id_at(node, record)
    return {"block_id": shapes.id_of(found), "block": shapes.block(record)}


def _by_hash(node: Node, hash_: bytes) -> BlockRecord | None:
    raw = node.producer.store.row(ROW_HASH + hash_) if len(hash_) == 32 else None
    return None if raw is None else node.record(int.from_bytes(raw, "big"))


def block_by_hash(node: Node, hash_: bytes) -> Json:
    """A block by its hash; an unknown one is empty."""
    return shown_block(node, _by_hash(node, hash_))


def header(node: Node, height: int | None) -> Json:
    """A header."""
    return {"header": shapes.header(record_at(node, height_of(node, height)).header)}


def header_by_hash(node: Node, hash_: bytes) -> Json:
    """A header by its block's hash."""
    record = _by_hash(node, hash_)
    return {"header": None if record is None else shapes.header(record.header)}


def block_results(node: Node, height: int | None) -> Json:
    """What the application answered to a block."""
    record = record_at(node, height_of(node, height))
    result = record.result
    return {
        "height": str(record.block.height),
        "txs_results": [shapes.tx_result(one) for one in result.tx_results] or None,
        "finalize_block_events": shapes.events(result.events) or None,
        "validator_updates": [shapes.validator_update(one) for one in result.validator_updates]
        or None,
        "consensus_param_updates": shapes.param_updates(result.consensus_param_updates),
        "app_hash": shapes.base64(result.app_hash),
    }


def commit(node: Node, height: int | None) -> Json:
    """A header with the precommits for it: those of the next block, or for the last block
    fresh ones."""
    at = height_of(node, height)
    record = record_at(node, at)
    following = node.record(at + 1)
    if following is not None:
        found, canonical = following.last_commit, True
    else:
        found, canonical = _fresh_commit(node, record), False
    return {
        "signed_header": {"header": shapes.header(record.header), "commit": shapes.commit(found)},
        "canonical": canonical,
    }


def _fresh_commit(node: Node, record: BlockRecord) -> Commit:
    producer = node.producer
    return sign_commit(
        producer.chain_id,
        record.block.height,
        block_id(shapes.as_block(record)),
        record.block.time + 1,
        producer.signers.values(),
        validators=node.index.validators(record.block.height),
    )


def validators(node: Node, height: int | None, page: int | None, per_page: int | None) -> Json:
    """The validators of a height; without one, of the next block."""
    at = height_of(node, height, ahead=1)
    members = node.index.validators(at)
    start, size = page_of(page, per_page, len(members))
    shown = [shapes.validator(one) for one in members[start : start + size]]
    return {
        "block_height": str(at),
        "validators": shown,
        "count": str(len(shown)),
        "total": str(len(members)),
    }


def consensus_params(node: Node, height: int | None) -> Json:
    """The consensus parameters of a height; without one, of the next block."""
    at = height_of(node, height, ahead=1)
    return {
        "block_height": str(at),
        "consensus_params": shapes.consensus_params(node.index.params(at)),
    }


def consensus_state(node: Node) -> Json:
    """Where a consensus would stand: always before the next height's first round."""
    record = record_at(node, node.height)
    height = record.block.height + 1
    members = node.index.validators(height)
    power = sum(one.power for one in members)
    missing = f"BA{{{len(members)}:{'_' * len(members)}}} 0/{power} = 0.00"
    return {
        "round_state": {
            "height/round/step": f"{height}/0/1",
            "start_time": format_time(record.block.time),
            "proposal_block_hash": "",
            "locked_block_hash": "",
            "valid_block_hash": "",
            "height_vote_set": [
                {
                    "round": 0,
                    "prevotes": ["nil-Vote"] * len(members),
                    "prevotes_bit_array": missing,
                    "precommits": ["nil-Vote"] * len(members),
                    "precommits_bit_array": missing,
                }
            ],
            "proposer": {"address": shapes.upper(node.producer.proposer()), "index": 0},
        }
    }


def dump_consensus_state(node: Node) -> Json:
    """The same, at length."""
    record = record_at(node, node.height)
    height = record.block.height + 1
    short = consensus_state(node)["round_state"]
    members = [shapes.validator(one) for one in node.index.validators(height)]
    address = short["proposer"]["address"]
    proposer = next((one for one in members if one["address"] == address), None)
    listed = {"validators": members, "proposer": proposer}
    votes = dict(short["height_vote_set"][0])
    signed = _fresh_commit(node, record)
    time = format_time(record.block.time)
    return {
        "round_state": {
            "height": str(height),
            "round": 0,
            "step": 1,
            "start_time": time,
            "commit_time": time,
            "validators": listed,
            "proposal": None,
            "proposal_block": None,
            "proposal_block_parts": None,
            "locked_round": -1,
            "locked_block": None,
            "locked_block_parts": None,
            "valid_round": -1,
            "valid_block": None,
            "valid_block_parts": None,
            "votes": [votes],
            "commit_round": -1,
            "last_commit": {
                "votes": [_vote_text(signed, index) for index in range(len(signed.signatures))],
                "votes_bit_array": f"BA{{{len(members)}:{'x' * len(members)}}}",
                "peer_maj_23s": {},
            },
            "last_validators": listed,
            "triggered_timeout_precommit": False,
        },
        "peers": [],
    }


def _vote_text(signed: Commit, index: int) -> str:
    entry = signed.signatures[index]
    return (
        f"Vote{{{index}:{shapes.upper(entry.validator_address[:6])} {signed.height}/00/"
        f"SIGNED_MSG_TYPE_PRECOMMIT(Precommit) {shapes.upper(signed.block_id.hash[:6])} "
        f"{shapes.upper(entry.signature[:6])} 000000000000 @ "
        f"{shapes.ZERO_TIME if entry.time is None else format_time(entry.time)}}}"
    )


_HEIGHT: Final = params(height="int64")
TABLE: Final = (
    Method("health", (), health, quick=True),
    Method("status", (), status, quick=True),
    Method("net_info", (), net_info, quick=True),
    Method(
        "blockchain",
        params(minHeight="int64 value", maxHeight="int64 value"),
        blockchain,
        cached=(),
    ),
    Method("genesis", (), genesis, cached=()),
    Method("genesis_chunked", params(chunk="uint"), genesis_chunked, cached=()),
    Method("block", _HEIGHT, block, cached=("height",)),
    Method("block_by_hash", params(hash="bytes"), block_by_hash, cached=()),
    Method("block_results", _HEIGHT, block_results, cached=("height",)),
    Method("commit", _HEIGHT, commit, cached=("height",)),
    Method("header", _HEIGHT, header, cached=("height",)),
    Method("header_by_hash", params(hash="hex"), header_by_hash, cached=()),
    Method(
        "validators",
        params(height="int64", page="int", per_page="int"),
        validators,
        cached=("height",),
    ),
    Method("consensus_params", _HEIGHT, consensus_params, cached=("height",)),
    Method("consensus_state", (), consensus_state),
    Method("dump_consensus_state", (), dump_consensus_state),
)
