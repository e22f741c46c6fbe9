"""From blocks to subscribers: what is pushed, and to whom.

A block is published by the chain thread as records; each subscriber's loop shapes and filters it,
so that a block without subscribers costs nothing. Nobody is waited for: who does not keep up is
dropped.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final, Protocol

from chain.block.hashing import block_id, tx_hash
from chain.driver.log.record import BlockRecord
from chain.index.query import Query, parse
from chain.node import gojson, shapes

#: blocks that one subscriber may lag behind, and the bytes of their transactions
BACKLOG_MAX: Final = 200
BACKLOG_BYTES_MAX: Final = 32 * 1024 * 1024
_TX_BYTES: Final = 2_000  # what a transaction's result adds, roughly


class About(Protocol):
    """A subscription: the id of its request and its query as it was sent."""

    @property
    def id(self) -> int | str:
        """The request's id."""

    @property
    def sent(self) -> str:
        """The query's text."""


class Push:
    """One event of a block: its type, what makes its value, and its tags for queries. The value and
    its JSON are made once for all subscribers, when the first wants them."""

    __slots__ = ("_data", "_value", "tags", "type")

    def __init__(self, kind: str, value: Callable[[], Any], tags: Mapping[str, list[str]]) -> None:
        self.type = kind
        self._value = value
        self.tags = tags
        self._data: bytes | None = None

    def about(self, subscription: About) -> bytes:
        """The message to a subscriber."""
        data = self._data
        if data is None:
            shown = gojson.encode({"type": self.type, "value": self._value()})
            data = self._data = shown + b',"events":' + gojson.encode(self.tags)
        return (
            b'{"jsonrpc":"2.0","id":'
            + gojson.encode(subscription.id)
            + b',"result":{"query":'
            + gojson.encode(subscription.sent)
            + b',"data":'
            + data
            + b"}}"
        )


def pushes(record: BlockRecord) -> Iterator[Push]:
    """Everything a block says, in CometBFT's order."""
    result = record.result
    flat = shapes.flattened(result.events)
    yield _push("NewBlock", partial(_new_block, record), flat)
    yield _push("NewBlockHeader", lambda: {"header": shapes.header(record.header)}, flat)
    yield _push(
        "NewBlockEvents",
        lambda: {
            "height": str(record.block.height),
            "events": shapes.events(result.events),
            "num_txs": str(len(record.block.txs)),
        },
        flat,
    )
    for index, raw in enumerate(record.block.txs):
        yield tx_push(record, index, raw)


def _new_block(record: BlockRecord) -> Any:
    result = record.result
    updates = [shapes.validator_update(member) for member in result.validator_updates]
    txs = [shapes.pushed_tx_result(one) for one in result.tx_results]
    changed = result.consensus_param_updates
    return {
        "block": shapes.block(record),
        "block_id": shapes.id_of(block_id(shapes.as_block(record))),
        "result_finalize_block": {
            "events": shapes.events(result.events),
            **({"tx_results": txs} if txs else {}),
            "validator_updates": updates,
            **(
                {"consensus_param_updates": shapes.param_updates(changed)}
                if changed is not None
                else {}
            ),
            "app_hash": shapes.base64(result.app_hash),
        },
    }


def _push(name: str, value: Callable[[], Any], flat: Mapping[str, list[str]]) -> Push:
    tags = {**flat, "tm.event": [*flat.get("tm.event", ()), name]}
    return Push(f"tendermint/event/{name}", value, tags)


def tx_push(record: BlockRecord, index: int, raw: bytes) -> Push:
    """A transaction of a block."""
    result = record.result.tx_results[index]
    flat = shapes.flattened(result.events)
    flat["tx.hash"] = [*flat.get("tx.hash", ()), shapes.upper(tx_hash(raw))]
    flat["tx.height"] = [*flat.get("tx.height", ()), str(record.block.height)]
    return _push("Tx", partial(_tx_value, record, index, raw), flat)


def _tx_value(record: BlockRecord, index: int, raw: bytes) -> Any:
    shown: dict[str, Any] = {"height": str(record.block.height)}
    if index:
        shown["index"] = index
    shown["tx"] = shapes.base64(raw)
    shown["result"] = shapes.pushed_tx_result(record.result.tx_results[index])
    return {"TxResult": shown}


class Subscriber:
    """One reader of the bus in one event loop. ``lost`` is set when it did not keep up."""

    def __init__(self, loop: asyncio.AbstractEventLoop, limit: int = BACKLOG_MAX) -> None:
        self._loop = loop
        self._limit = limit
        self.queue: asyncio.Queue[BlockRecord | None] = asyncio.Queue()
        self.lost = False
        self._bytes = 0

    def offer(self, record: BlockRecord) -> None:
        """Hand over a block; from any thread."""
        self._loop.call_soon_threadsafe(self._put, record)

    def _put(self, record: BlockRecord) -> None:
        if self.lost:
            return
        if self.queue.qsize() >= self._limit or self._bytes > BACKLOG_BYTES_MAX:
            self.lost = True
            self.queue.put_nowait(None)
            return
        self._bytes += _weight(record)
        self.queue.put_nowait(record)

    def taken(self, record: BlockRecord) -> None:
        """Say that a block of the queue is being read."""
        self._bytes -= _weight(record)


def _weight(record: BlockRecord) -> int:
    txs = record.block.txs
    return sum(map(len, txs)) + _TX_BYTES * len(txs)


class Bus:
    """All subscribers of a node. ``before``: what else a block says, before it is there."""

    def __init__(self, before: Callable[[BlockRecord], Iterable[Push]] = lambda _: ()) -> None:
        self._before = before
        self._subscribers: list[Subscriber] = []
        self._lock = threading.Lock()
        self._shaped: tuple[BlockRecord, list[Push]] | None = None

    def shaped(self, record: BlockRecord) -> list[Push]:
        """The pushes of a block; those of the last one are kept for the next who asks."""
        kept = self._shaped
        if kept is None or kept[0] is not record:
            kept = self._shaped = (record, [*self._before(record), *pushes(record)])
        return kept[1]

    def add(self, subscriber: Subscriber) -> None:
        """Let a subscriber hear of the blocks to come."""
        with self._lock:
            self._subscribers = [*self._subscribers, subscriber]

    def remove(self, subscriber: Subscriber) -> None:
        """Let it hear of no more."""
        with self._lock:
            self._subscribers = [one for one in self._subscribers if one is not subscriber]

    def publish(self, record: BlockRecord) -> None:
        """Tell everybody of a block."""
        for subscriber in self._subscribers:
            try:
                subscriber.offer(record)
            except RuntimeError:  # its loop is closed
                self.remove(subscriber)

    async def subscribe(self, query: str | Query) -> AsyncIterator[Push]:
        """What a query finds in the blocks to come; ends when the reader does not keep up.

        Raises: QueryError.
        """
        wanted = parse(query) if isinstance(query, str) else query
        subscriber = Subscriber(asyncio.get_running_loop())
        self.add(subscriber)
        try:
            while (record := await subscriber.queue.get()) is not None:
                subscriber.taken(record)
                for push in self.shaped(record):
                    if wanted.matches(push.tags):
                        yield push
        finally:
            self.remove(subscriber)
