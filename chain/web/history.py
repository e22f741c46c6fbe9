"""What blocks came to, remembered by height so that a window asks for new ones only."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from chain.block.types import Event
from chain.client.rpc_types import Block, events_of, time_of
from chain.web.source import Source

#: results kept whole: so many events, and one block however large
_EVENTS_KEPT: Final = 50_000
_SUMS_KEPT: Final = 5_000
_META_PAGE: Final = 20
#: transactions of blocks that one look back at the last blocks goes through
_TXS_LOOKED: Final = 2_000


class Happened(msgspec.Struct, frozen=True):
    """One block's results."""

    height: int
    codes: Sequence[int]
    gas: Sequence[int]
    tx_events: Sequence[Sequence[Event]]
    events: Sequence[Event]

    @property
    def size(self) -> int:
        """How many events there are."""
        return len(self.events) + sum(len(one) for one in self.tx_events)

    @property
    def gas_used(self) -> int:
        """Gas of all transactions."""
        return sum(self.gas)

    def shares(self) -> list[tuple[str, str, int]]:
        """The split of the fees: share, receiver, amsg."""
        found = []
        for event in self.events:
            if event.type == "fee_share":
                pairs = dict(event.attributes)
                amount = int(pairs.get("amount", "0").removesuffix("amsg") or 0)
                found.append((pairs.get("share", ""), pairs.get("recipient", ""), amount))
        return found

    @property
    def fees(self) -> int:
        """What was charged, in amsg."""
        return sum(amount for _, _, amount in self.shares())

    @property
    def burned(self) -> int:
        """What of it left the supply."""
        return sum(amount for share, _, amount in self.shares() if share == "burn")


class Sums(msgspec.Struct, frozen=True):
    """What one block came to, in four numbers."""

    height: int
    txs: int
    gas: int
    fees: int
    burned: int


class Meta(msgspec.Struct, frozen=True):
    """One block in a list."""

    height: int
    time: int
    hash: str
    txs: int
    size: int


class History:
    """Results by height. Methods block; ``Source.run`` them."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._kept: OrderedDict[int, Happened] = OrderedDict()
        self._events = 0
        self._sums: OrderedDict[int, Sums] = OrderedDict()
        self._lock = threading.Lock()
        source.forgotten.append(self.clear)

    def clear(self) -> None:
        """Forget everything: the chain went back."""
        with self._lock:
            self._kept.clear()
            self._sums.clear()
            self._events = 0

    def at(self, height: int) -> Happened:
        """The results of a block. Raises: RpcFailed, Unreachable."""
        with self._lock:
            found = self._kept.get(height)
        if found is None:
            found = _happened(height, self._source.client.block_results(height))
            self._keep(found)
        return found

    def _keep(self, found: Happened) -> None:
        with self._lock:
            self._sums[found.height] = _sums(found)
            while len(self._sums) > _SUMS_KEPT:
                self._sums.popitem(last=False)
            if found.height not in self._kept:
                self._events += found.size
            self._kept[found.height] = found
            while self._events > _EVENTS_KEPT and len(self._kept) > 1:
                self._events -= self._kept.popitem(last=False)[1].size

    def metas(self, highest: int | None = None) -> list[Meta]:
        """A page of blocks, newest first."""
        low = 0 if highest is None else max(1, highest - _META_PAGE + 1)
        found = self._source.client.http.call(
            "blockchain", minHeight=str(low), maxHeight=str(highest or 0)
        )
        return [_meta(one) for one in found["block_metas"]]

    def block(self, height: int) -> Block:
        """A block. Raises: RpcFailed, Unreachable."""
        return self._source.client.block(height)

    def sums(self, height: int) -> Sums:
        """What a block came to. Raises: RpcFailed, Unreachable."""
        with self._lock:
            found = self._sums.get(height)
        return _sums(self.at(height)) if found is None else found

    def recent(self, count: int) -> list[Sums]:
        """The last blocks, oldest first: as many as asked for, or fewer where they are full."""
        status = self._source.client.status()
        first = max(status.earliest_height, status.height - count + 1, 1)
        found: list[Sums] = []
        txs = 0
        for height in range(status.height, first - 1, -1):
            found.append(self.sums(height))
            txs += found[-1].txs
            if txs > _TXS_LOOKED:
                break
        return found[::-1]


def _happened(height: int, found: dict[str, Any]) -> Happened:
    results = found["txs_results"] or ()
    return Happened(
        height=height,
        codes=[int(one.get("code", 0)) for one in results],
        gas=[int(one.get("gas_used") or 0) for one in results],
        tx_events=[events_of(one["events"]) for one in results],
        events=events_of(found["finalize_block_events"]),
    )


def _sums(found: Happened) -> Sums:
    return Sums(found.height, len(found.codes), found.gas_used, found.fees, found.burned)


def _meta(found: dict[str, Any]) -> Meta:
    return Meta(
        height=int(found["header"]["height"]),
        time=time_of(found["header"]["time"]),
        hash=found["block_id"]["hash"],
        txs=int(found["num_txs"]),
        size=int(found["block_size"]),
    )
