"""Follows a node's blocks: who waits for a transaction hears of it, who listens hears of events,
who comes back hears what was missed.

An event's id is where it stands: height, and its place among the block's events (those of the
transactions in their order, then the block's own). It follows from the block alone, so every
gateway gives every event the same id, and nothing needs to be remembered.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import logging
import re
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Final

import msgspec

from chain.block.types import Event
from chain.client.jsonrpc import RpcFailed, Unreachable
from chain.client.rpc_types import events_of, outcome_of, time_of, tx_of, unbase64
from chain.client.transport import Outcome, TimedOut
from chain.gateway.link import Link, Subscribed

LOG: Final = logging.getLogger("msgchain.gateway")
#: blocks whose events are kept for who comes back soon, and events in all
_BLOCKS_KEPT: Final = 1_000
_EVENTS_KEPT: Final = 50_000
#: blocks fetched at once for who comes back late
_AHEAD: Final = 8
_RETRY_SECONDS: Final = 0.5
#: between two looks at a node that says nothing
_LOOK_SECONDS: Final = 5.0
_ID: Final = re.compile(r"(0|[1-9][0-9]{0,17})-(0|[1-9][0-9]{0,8})")


class Position(msgspec.Struct, frozen=True, order=True):
    """A place in the chain's events; everything up to and including it has been seen."""

    height: int
    number: int  # from 1 within a block; 0: before the first

    def __str__(self) -> str:
        return f"{self.height}-{self.number}"


def position_of(text: str) -> Position:
    """The position of an event id. Raises: ValueError."""
    match = _ID.fullmatch(text)
    if match is None:
        raise ValueError("an event id is a height, a dash and a number, such as 12-3")
    return Position(int(match[1]), int(match[2]))


class Happened(msgspec.Struct, frozen=True):
    """An event of a block; ``tx`` is the transaction's hash, empty for the block's own."""

    at: Position
    tx: str
    event: Event


class BlockEvents(msgspec.Struct, frozen=True):
    """What a block did."""

    height: int
    hash: str
    time: int
    outcomes: dict[str, Outcome]
    events: Sequence[Happened]

    @property
    def end(self) -> Position:
        """The position after all of it."""
        return Position(self.height, len(self.events))


Listener = Callable[[BlockEvents], None]


def block_events(
    header: dict[str, Any], hash_: str, txs: Sequence[str], result: dict[str, Any]
) -> BlockEvents:
    """A block of its JSON: header, transactions, and results as the node shows them."""
    height = int(header["height"])
    hashes = [hashlib.sha256(unbase64(raw)).hexdigest().upper() for raw in txs]
    found: list[Happened] = []
    outcomes: dict[str, Outcome] = {}
    for name, shown in zip(hashes, result.get("txs_results") or (), strict=True):
        outcome = outcomes[name] = outcome_of(name, height, shown)
        for event in outcome.events:
            found.append(Happened(Position(height, len(found) + 1), name, event))
    for event in events_of(result.get("finalize_block_events")):
        found.append(Happened(Position(height, len(found) + 1), "", event))
    return BlockEvents(height, hash_, time_of(header["time"]), outcomes, found)


class Follower:
    """Hears of every block of one node, in order, once."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._listeners: list[Listener] = []
        self._gone_back: list[Callable[[], None]] = []
        self._waiting: dict[str, list[asyncio.Future[Outcome]]] = {}
        self._kept: dict[int, BlockEvents] = {}
        self._outcomes: dict[str, Outcome] = {}  # of the blocks that are kept
        self._events_kept = 0
        self._ready = asyncio.Event()
        self.tip = 0
        self.connected = False
        self.block_time = 0

    async def run(self) -> None:
        """Follow for ever."""
        first = True
        while True:
            try:
                await self._follow()
            except (Unreachable, RpcFailed) as error:
                if self.connected or first:
                    text = "lost the node" if self.connected else "no node answers yet"
                    LOG.warning(text, extra={"reason": str(error)})
                    first = False
            self.connected = False
            await asyncio.sleep(_RETRY_SECONDS)

    async def ready(self, seconds: float = 10.0) -> None:
        """Wait until the first block is known. Raises: TimedOut."""
        try:
            async with asyncio.timeout(seconds):
                await self._ready.wait()
        except TimeoutError:
            raise TimedOut("the node does not answer") from None

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call ``listener`` with each block to come; gives what ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def when_gone_back(self, listener: Callable[[], None]) -> None:
        """Call when a devnet was taken back to an earlier moment: what was read may be no more."""
        self._gone_back.append(listener)

    @property
    def end(self) -> Position:
        """The position after the last block."""
        last = self._kept.get(self.tip)
        return Position(self.tip, 0) if last is None else last.end

    async def outcome(self, hash_: str, seconds: float) -> Outcome:
        """What became of a transaction, when it is in a block. Raises: TimedOut."""
        known = self._outcomes.get(hash_)
        if known is not None:
            return known
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(hash_, []).append(future)
        try:
            async with asyncio.timeout(seconds):
                return await future
        except TimeoutError:
            raise TimedOut(f"transaction {hash_} was in no block within {seconds:g} s") from None
        finally:
            found = self._waiting.get(hash_, [])
            if future in found:
                found.remove(future)
                if not found:
                    del self._waiting[hash_]

    async def find(self, hash_: str) -> Outcome:
        """The outcome of a transaction of any block. Raises: RpcFailed for one in none."""
        known = self._outcomes.get(hash_)
        if known is not None:
            return known
        wanted = base64.b64encode(bytes.fromhex(hash_)).decode()
        return tx_of(await self._link.call("tx", hash=wanted)).outcome

    async def next_block(self, seconds: float) -> None:
        """Wait for another block, so long at most."""
        came = asyncio.Event()
        leave = self.listen(lambda block: came.set())
        try:
            async with asyncio.timeout(seconds):
                await came.wait()
        except TimeoutError:
            return
        finally:
            leave()

    # --- what was missed ------------------------------------------------------------------------

    async def block(self, height: int) -> BlockEvents:
        """What a committed block did. Raises: RpcFailed for one that is not there."""
        kept = self._kept.get(height)
        return await self._fetch(height) if kept is None else kept

    async def since(self, after: Position) -> AsyncIterator[BlockEvents]:
        """The blocks from a position's on, up to the last one there is; the first may reach back
        before the position."""
        height = max(after.height, 1)
        while height <= self.tip:
            ahead = range(height, min(height + _AHEAD, self.tip + 1))
            for found in await asyncio.gather(*(self.block(one) for one in ahead)):
                yield found
            height = ahead.stop

    # --- following ------------------------------------------------------------------------------

    async def _follow(self) -> None:
        pushed = self._link.subscribe("tm.event = 'NewBlock'")
        try:
            async for one in pushed:
                if one is None:
                    await self._begin()
                else:
                    await self._pushed(one)
        finally:
            await pushed.aclose()  # type: ignore[attr-defined]

    async def _begin(self) -> None:
        """Catch up with what happened before the subscription stood."""
        status = (await self._link.call("status"))["sync_info"]
        last = int(status["latest_block_height"])
        if self.tip == 0 or self.tip > last:
            self._go_back(0)
            self.tip = max(last - 1, 0)
        await self._catch_up(last)
        self.connected = True
        self._ready.set()

    async def _catch_up(self, last: int) -> None:
        while self.tip < last:
            self._take(await self._fetch(self.tip + 1))

    async def _pushed(self, one: Subscribed) -> None:
        block, shown = one.value["block"], one.value["result_finalize_block"]
        header, hash_ = block["header"], str(one.value["block_id"]["hash"])
        height = int(header["height"])
        known = self._kept.get(height)
        if known is not None and known.hash == hash_:
            return
        if height <= self.tip:  # a devnet was taken back to an earlier moment
            self._go_back(height)
            self.tip = height - 1
        await self._catch_up(height - 1)
        result = {
            "txs_results": shown.get("tx_results"),
            "finalize_block_events": shown.get("events"),
        }
        self._take(block_events(header, hash_, block["data"].get("txs") or (), result))

    async def _fetch(self, height: int) -> BlockEvents:
        shown, results = await asyncio.gather(
            self._link.call("block", height=str(height)),
            self._link.call("block_results", height=str(height)),
        )
        block = shown["block"]
        hash_ = str(shown["block_id"]["hash"])
        return block_events(block["header"], hash_, block["data"].get("txs") or (), results)

    def _take(self, found: BlockEvents) -> None:
        self.tip = found.height
        self.block_time = found.time
        self._keep(found)
        for listener in list(self._listeners):
            listener(found)
        for hash_, outcome in found.outcomes.items():
            for future in self._waiting.get(hash_, ()):
                if not future.done():
                    future.set_result(outcome)

    def _keep(self, found: BlockEvents) -> None:
        kept = self._kept
        kept[found.height] = found
        self._outcomes.update(found.outcomes)
        self._events_kept += len(found.events)
        while len(kept) > _BLOCKS_KEPT or (self._events_kept > _EVENTS_KEPT and len(kept) > 1):
            self._drop(next(iter(kept)))

    def _go_back(self, height: int) -> None:
        """Drop what is kept from a height on, and say so."""
        for listener in self._gone_back:
            listener()
        for one in [one for one in self._kept if one >= height]:
            self._drop(one)

    def _drop(self, height: int) -> None:
        gone = self._kept.pop(height)
        self._events_kept -= len(gone.events)
        for hash_ in gone.outcomes:
            self._outcomes.pop(hash_, None)
