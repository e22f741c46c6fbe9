"""``cosmos.tx.v1beta1.Service``: transactions that are in blocks, from the node's index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from google.protobuf.message import DecodeError

from chain.app.queries.desk import Desk, Service
from chain.app.queries.failure import Failure
from chain.app.queries.grpc import services
from chain.block.hashing import tx_hash
from chain.driver.genesis import SECOND, format_time
from chain.driver.log.record import BlockRecord
from chain.node.gojson import JsonError
from chain.node.methods import RpcError, page_of
from chain.node.params import unhex
from chain.node.service import Node
from chain.node.txs import found_positions, read_query
from chain.protowire import message_field
from chain.tx.proto import message

_TX: Final = "cosmos.tx.v1beta1."
_COSMOS: Final = b"\x0a"  # how a Cosmos transaction begins; others have no place in these messages
_DESCENDING: Final = 2
_LIMIT: Final = 100


class _Answer:
    """An answer whose field 1 is transactions: the bytes of TxRaw are those of Tx.

    Text in them need not be UTF-8, which protobuf's classes cannot hold.
    """

    __slots__ = ("_rest", "_txs")

    def __init__(self, txs: list[bytes], rest: Any) -> None:
        self._txs = txs
        self._rest = rest

    def SerializeToString(self, *, deterministic: bool) -> bytes:  # noqa: N802  # protobuf's name
        """The answer's bytes."""
        shown = [message_field(1, _tx_bytes(raw)) for raw in self._txs]
        rest: bytes = self._rest.SerializeToString(deterministic=deterministic)
        return b"".join(shown) + rest


def _tx_bytes(raw: bytes) -> bytes:
    try:
        made: bytes = message(_TX + "Tx").FromString(raw).SerializeToString(deterministic=True)
    except DecodeError:
        return raw
    return made


def _fill_response(made: Any, record: BlockRecord, index: int) -> None:
    """A transaction with its result, as the SDK's services show it."""
    raw, result = record.block.txs[index], record.result.tx_results[index]
    made.height, made.txhash = record.block.height, tx_hash(raw).hex().upper()
    made.code, made.codespace = result.code, result.codespace
    made.data, made.raw_log, made.info = result.data.hex().upper(), result.log, result.info
    made.gas_wanted, made.gas_used = result.gas_wanted, result.gas_used
    if raw.startswith(_COSMOS):
        made.tx.type_url = f"/{_TX}Tx"
        made.tx.value = raw
    made.timestamp = format_time(record.block.time // SECOND * SECOND)
    for event in result.events:
        shown = made.events.add(type=event.type)
        for key, value in event.attributes:
            shown.attributes.add(key=key, value=value, index=True)


def tx_services(node: Node) -> Mapping[str, Service]:
    """The methods that need the index, by path."""

    def get_tx(desk: Desk, request: Any) -> Any:
        if not request.hash:
            raise Failure.argument("tx hash cannot be empty")
        try:
            found = node.index.find(unhex(request.hash.encode()))
        except JsonError as error:
            raise Failure.plain(str(error)) from None
        record = None if found is None else node.record(found[0])
        if found is None or record is None:
            raise Failure.missing(f"tx not found: {request.hash}")
        answer = message(_TX + "GetTxResponse")()
        raw = record.block.txs[found[1]]
        _fill_response(answer.tx_response, record, found[1])
        return _Answer([raw] if raw.startswith(_COSMOS) else [], answer)

    def get_txs_event(desk: Desk, request: Any) -> Any:
        if not request.query:
            raise Failure.status("Internal", "query cannot be empty")
        limit = min(request.limit or _LIMIT, _LIMIT)
        try:
            places = found_positions(node, read_query(request.query))
            start, size = page_of(request.page or 1, limit, len(places))
        except RpcError as error:
            raise Failure.status("Internal", f"failed to search for txs: {error.text}") from None
        if request.order_by == _DESCENDING:
            places.reverse()
        answer = message(_TX + "GetTxsEventResponse")(total=len(places))
        txs: list[bytes] = []
        for height, index in places[start : start + size]:
            record = node.record(height)
            if record is not None:
                raw = record.block.txs[index]
                txs.append(raw if raw.startswith(_COSMOS) else b"")
                _fill_response(answer.tx_responses.add(), record, index)
        return _Answer(txs, answer)

    return services("cosmos.tx.v1beta1", "Service", {"GetTx": get_tx, "GetTxsEvent": get_txs_event})
