"""The RPC methods for transactions: sending, looking for them, and the application's queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from chain.app.application import CheckTxResult
from chain.app.queries.service import QueryResult
from chain.block.hashing import tx_hash
from chain.driver.mempool import MempoolError
from chain.index.index import SearchTooWide
from chain.index.query import QUERY_MAX, Condition, Query, QueryError, parse
from chain.node import gojson, shapes
from chain.node.gojson import JsonError
from chain.node.info import record_at, shown_block
from chain.node.methods import Method, RpcError, ordering, page_of, params
from chain.node.params import unhex
from chain.node.service import Node, NodeFailed, TimedOut

Json = dict[str, Any]
_PROOF_TYPE: Final = "ics23:smt"
_NO_RESULT: Final[Json] = {
    "code": 0,
    "data": None,
    "log": "",
    "info": "",
    "gas_wanted": "0",
    "gas_used": "0",
    "events": [],
    "codespace": "",
}


def _checked(result: CheckTxResult) -> Json:
    """The whole answer of a check."""
    return {
        "code": result.code,
        "data": None if result.code else "",
        "log": result.log,
        "info": "",
        "gas_wanted": str(result.gas_wanted),
        "gas_used": str(result.gas_used),
        "events": [],
        "codespace": result.codespace,
    }


def _sent(raw: bytes, result: CheckTxResult | None) -> Json:
    """What a sender is told."""
    return {
        "code": 0 if result is None else result.code,
        "data": "",
        "log": "" if result is None else result.log,
        "codespace": "" if result is None else result.codespace,
        "hash": shapes.upper(tx_hash(raw)),
    }


def broadcast_tx_sync(node: Node, tx: bytes) -> Json:
    """Send a transaction and hear whether it may wait for a block."""
    return _sent(tx, _broadcast(node, tx))


def broadcast_tx_async(node: Node, tx: bytes) -> Json:
    """Send a transaction and do not hear what the application says to it."""
    _broadcast(node, tx)
    return _sent(tx, None)


def _broadcast(node: Node, tx: bytes) -> CheckTxResult:
    try:
        return node.broadcast(tx)
    except MempoolError as error:
        raise RpcError(str(error)) from None
    except NodeFailed:
        raise RpcError("the chain has stopped; see the log of the node") from None


def broadcast_tx_commit(node: Node, tx: bytes) -> Json:
    """Send a transaction and wait for its block."""
    try:
        checked, found = node.broadcast_and_wait(tx)
    except MempoolError as error:
        raise RpcError(f"error on broadcastTxCommit: {error}") from None
    except TimedOut:
        raise RpcError("timed out waiting for tx to be included in a block") from None
    except NodeFailed:
        raise RpcError("the chain has stopped; see the log of the node") from None
    result: Json = _NO_RESULT
    height = 0
    if found is not None:
        record, index = found
        result = shapes.tx_result(record.result.tx_results[index])
        height = record.block.height
    return {
        "check_tx": _checked(checked),
        "tx_result": result,
        "hash": shapes.upper(tx_hash(tx)),
        "height": str(height),
    }


def check_tx(node: Node, tx: bytes) -> Json:
    """What a check says; it counts in the pool's state, the transaction is not kept."""
    return _checked(node.check(tx))


def broadcast_evidence(node: Node, evidence: Any) -> Json:
    """Evidence of misbehaviour: there is nobody here who could misbehave."""
    if evidence is None:
        raise RpcError("no evidence was provided")
    if not isinstance(evidence, dict):
        found = gojson.kind_of(gojson.encode(evidence))
        raise RpcError(
            f"error converting json params to arguments: json: cannot unmarshal {found} "
            "into Go value of type json.interfaceWrapper",
            code=-32602,
            message="Invalid params",
        )
    kind = evidence.get("type")
    known = ("tendermint/DuplicateVoteEvidence", "tendermint/LightClientAttackEvidence")
    if kind not in known:
        raise RpcError(
            f'error converting json params to arguments: unknown type "{kind or ""}"',
            code=-32602,
            message="Invalid params",
        )
    if kind == known[0] and not evidence.get("value"):
        raise RpcError(
            "evidence.ValidateBasic failed: one or both of the votes are empty nil-Vote, nil-Vote"
        )
    raise RpcError("evidence is not taken: this node makes its blocks alone")


def unconfirmed_txs(node: Node, limit: int | None) -> Json:
    """Transactions that wait. CometBFT's limit lets one more through."""
    size = 30 if limit is None or limit < 1 else min(limit, 100)
    waiting, total, total_bytes = node.unconfirmed(size + 1)
    return {
        "n_txs": str(len(waiting)),
        "total": str(total),
        "total_bytes": str(total_bytes),
        "txs": [shapes.base64(raw) for raw in waiting],
    }


def num_unconfirmed_txs(node: Node) -> Json:
    """How many wait."""
    _, total, total_bytes = node.unconfirmed()
    return {"n_txs": str(total), "total": str(total), "total_bytes": str(total_bytes), "txs": None}


def unsafe_flush_mempool(node: Node) -> Json:
    """Forget the transactions that wait."""
    node.flush()
    return {}


def tx(node: Node, hash_: bytes, prove: bool) -> Json:
    """A transaction by its hash."""
    if not hash_:
        raise RpcError("transaction hash cannot be empty")
    found = node.index.find(hash_)
    record = None if found is None else node.record(found[0])
    if found is None or record is None:
        raise RpcError(f"tx ({shapes.upper(hash_)}) not found")
    return shapes.found_tx(record, found[1], prove=prove)


def read_query(text: str) -> Query:
    """A query of a search. Raises: RpcError."""
    if len(text.encode()) > QUERY_MAX:
        raise RpcError("maximum query length exceeded")
    try:
        return parse(text)
    except QueryError as error:
        raise RpcError(str(error)) from None


def _hash_condition(query: Query) -> Condition | None:
    return next((one for one in query.conditions if one.tag == "tx.hash"), None)


def found_positions(node: Node, query: Query) -> list[tuple[int, int]]:
    """Where the transactions of a query are, oldest first. Raises: RpcError."""
    by_hash = _hash_condition(query)
    try:
        if by_hash is not None:
            wanted = unhex(by_hash.value.encode())
            if not wanted:
                text = "error while retrieving the result: transaction hash cannot be empty"
                raise RpcError(text)
            position = node.index.find(wanted)
            return [] if position is None else [position]
        return node.index.search_txs(query)
    except JsonError as error:
        raise RpcError(f"error during searching for a hash in the query: {error}") from None
    except SearchTooWide as error:
        raise RpcError(str(error)) from None


def tx_search(node: Node, query: str, prove: bool, *pages: Any) -> Json:
    """Transactions by their events."""
    page, per_page, order_by = pages
    wanted = read_query(query)
    places = found_positions(node, wanted)
    if ordering(order_by):
        places.reverse()
    start, size = page_of(page, per_page, len(places))
    shown = [
        shapes.found_tx(record_at(node, height), index, prove=prove)
        for height, index in places[start : start + size]
    ]
    return {"txs": shown, "total_count": str(len(places))}


def block_search(
    node: Node, query: str, page: int | None, per_page: int | None, order_by: str
) -> Json:
    """Blocks by their events."""
    wanted = read_query(query)
    try:
        heights = node.index.search_blocks(wanted, node.first_height, node.height)
    except SearchTooWide as error:
        raise RpcError(str(error)) from None
    if order_by not in ("", "asc", "desc"):
        ordering(order_by)
    if order_by != "asc":
        heights.reverse()
    start, size = page_of(page, per_page, len(heights))
    return {
        "blocks": [shown_block(node, record_at(node, at)) for at in heights[start : start + size]],
        "total_count": str(len(heights)),
    }


def abci_info(node: Node) -> Json:
    """What the application says of itself."""
    info = node.app.info()
    return {
        "response": {
            "data": info.name,
            "version": info.version,
            **({"app_version": str(info.app_version)} if info.app_version else {}),
            "last_block_height": str(info.last_height),
            "last_block_app_hash": shapes.base64(info.app_hash),
        }
    }


def abci_query(node: Node, path: str, data: bytes, height: int, prove: bool) -> Json:
    """A query of the application."""
    return {"response": query_response(node.query(path, data, height, prove=prove))}


#: queries that read one or two keys
_LIGHT: Final = frozenset(
    (
        "/cosmos.auth.v1beta1.Query/Account",
        "/cosmos.bank.v1beta1.Query/Balance",
        "/cosmos.bank.v1beta1.Query/SupplyOf",
        "/cosmwasm.wasm.v1.Query/ContractInfo",
        "/cosmwasm.wasm.v1.Query/RawContractState",
    )
)


def _is_light(node: Node, values: Sequence[Any]) -> bool:
    """Whether a query of the application takes less time than handing it to a thread."""
    path, _, height, prove = values
    return path in _LIGHT and not height and not prove and node.app.height > 0


def _is_plain(node: Node, values: Sequence[Any]) -> bool:
    """Whether one transaction is looked up, without a proof."""
    return not values[1]


def _is_one_hash(node: Node, values: Sequence[Any]) -> bool:
    """Whether a search is the look-up of one transaction, as clients wait for theirs."""
    return values[0].startswith("tx.hash='") and not values[1]


def query_response(result: QueryResult) -> Json:
    """The answer of a query as JSON."""
    proof = None
    if result.proof:
        op = {
            "type": _PROOF_TYPE,
            "key": shapes.base64(result.key),
            "data": shapes.base64(result.proof),
        }
        proof = {"ops": [op]}
    return {
        "code": result.code,
        "log": result.log,
        "info": "",
        "index": "0",
        "key": shapes.base64(result.key) if result.key else None,
        "value": None if result.value is None else shapes.base64(result.value),
        "proofOps": proof,
        "height": str(result.height),
        "codespace": result.codespace,
    }


_TX: Final = params(tx="tx")
_PAGES: Final = {"page": "int", "per_page": "int", "order_by": "string"}
TABLE: Final = (
    Method("broadcast_tx_sync", _TX, broadcast_tx_sync, ordered=True),
    Method("broadcast_tx_async", _TX, broadcast_tx_async, ordered=True),
    Method("broadcast_tx_commit", _TX, broadcast_tx_commit, waits=True),
    Method("broadcast_evidence", params(evidence="json"), broadcast_evidence),
    Method("check_tx", _TX, check_tx, ordered=True),
    Method("unconfirmed_txs", params(limit="int"), unconfirmed_txs),
    Method("num_unconfirmed_txs", (), num_unconfirmed_txs),
    Method("tx", params(hash="bytes", prove="bool"), tx, cached=(), light=_is_plain),
    Method(
        "tx_search",
        params(query="string", prove="bool", **_PAGES),
        tx_search,
        light=_is_one_hash,
    ),
    Method("block_search", params(query="string", **_PAGES), block_search),
    Method("abci_info", (), abci_info, cached=()),
    Method(
        "abci_query",
        params(path="string", data="hex", height="int64 value", prove="bool"),
        abci_query,
        light=_is_light,
    ),
)
#: only for those who were told to offer them
UNSAFE: Final = (Method("unsafe_flush_mempool", (), unsafe_flush_mempool, ordered=True),)
