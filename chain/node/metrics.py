"""What Prometheus is told, as it reads it.

A handful of numbers under one lock: the usual client library takes longer to import than a node
has to its first block.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Final

from chain.driver.log.record import BlockRecord

_SECOND: Final = 1e9
_BUCKETS: Final = (0.001, 0.005, 0.02, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0)
_LOCK: Final = threading.Lock()


class Number:
    """A gauge, or a counter that only grows."""

    __slots__ = ("_value", "help", "kind", "name")

    def __init__(self, name: str, help: str, kind: str) -> None:
        self.name, self.help, self.kind = name, help, kind
        self._value: float = 0

    def set(self, value: float) -> None:
        """Make it this."""
        self._value = value

    def inc(self, by: float = 1) -> None:
        """Add to it."""
        with _LOCK:
            self._value += by

    def dec(self) -> None:
        """Take one off."""
        self.inc(-1)

    def lines(self) -> Iterator[tuple[str, float]]:
        """Names and values."""
        yield self.name, self._value


class Labelled:
    """A counter for each value of a label."""

    __slots__ = ("_label", "_values", "help", "kind", "name")

    def __init__(self, name: str, help: str, label: str) -> None:
        self.name, self.help, self.kind = name, help, "counter"
        self._label = label
        self._values: dict[str, float] = {}

    def inc(self, value: str, by: float = 1) -> None:
        """Count one more of a value, which is one of few and known ones."""
        with _LOCK:
            self._values[value] = self._values.get(value, 0) + by

    def lines(self) -> Iterator[tuple[str, float]]:
        """Names and values."""
        for value, count in sorted(self._values.copy().items()):
            yield f'{self.name}{{{self._label}="{value}"}}', count


class Histogram:
    """Seconds in buckets."""

    __slots__ = ("_counts", "_sum", "help", "kind", "name")

    def __init__(self, name: str, help: str) -> None:
        self.name, self.help, self.kind = name, help, "histogram"
        self._counts = [0] * (len(_BUCKETS) + 1)
        self._sum = 0.0

    def observe(self, seconds: float) -> None:
        """Count a duration."""
        place = sum(seconds > bound for bound in _BUCKETS)
        with _LOCK:
            self._counts[place] += 1
            self._sum += seconds

    def lines(self) -> Iterator[tuple[str, float]]:
        """Names and values."""
        total = 0
        for bound, count in zip((*map(str, _BUCKETS), "+Inf"), self._counts, strict=True):
            total += count
            yield f'{self.name}_bucket{{le="{bound}"}}', total
        yield f"{self.name}_count", total
        yield f"{self.name}_sum", self._sum


class Metrics:
    """Counters of one node."""

    def __init__(self) -> None:
        self._height = Number("msgchain_height", "The last committed height.", "gauge")
        self._pool = Number("msgchain_mempool_txs", "Transactions that wait.", "gauge")
        self._txs = Labelled("msgchain_txs_total", "Transactions in blocks, by outcome.", "outcome")
        self._checked = Labelled(
            "msgchain_checked_total", "Transactions checked, by outcome.", "outcome"
        )
        self._gas = Number("msgchain_gas_used_total", "Gas used in blocks.", "counter")
        self._block = Histogram(
            "msgchain_block_seconds", "Making a block, from execution to index."
        )
        self._late = Histogram("msgchain_block_late_seconds", "How late a block was begun.")
        self._latest = Number(
            "msgchain_block_late_max_seconds", "The latest block so far.", "gauge"
        )
        self._calls = Labelled("msgchain_rpc_calls_total", "RPC calls, by method.", "method")
        self.sockets = Number("msgchain_websockets", "WebSocket clients.", "gauge")
        self.dropped = Number(
            "msgchain_dropped_total", "Subscribers that were too slow.", "counter"
        )
        self._all = (
            *(self._height, self._pool, self._txs, self._checked, self._gas, self._block),
            *(self._late, self._latest, self._calls, self.sockets, self.dropped),
        )
        self.latest_late = 0

    def block(self, record: BlockRecord, nanos: int, waiting: int) -> None:
        """A block was made."""
        self._height.set(record.block.height)
        self._pool.set(waiting)
        self._block.observe(nanos / _SECOND)
        results = record.result.tx_results
        failed = sum(1 for result in results if result.code)
        if failed:
            self._txs.inc("failed", failed)
        if failed < len(results):
            self._txs.inc("ok", len(results) - failed)
        self._gas.inc(sum(result.gas_used for result in results))

    def late(self, nanos: int) -> None:
        """A block was begun this long after its time."""
        self.latest_late = max(self.latest_late, nanos)
        self._latest.set(self.latest_late / _SECOND)
        self._late.observe(max(0, nanos) / _SECOND)

    def checked(self, code: int, waiting: int) -> None:
        """A transaction was checked."""
        self._checked.inc("refused" if code else "taken")
        self._pool.set(waiting)

    def called(self, method: str) -> None:
        """A method was called that exists."""
        self._calls.inc(method)

    def text(self) -> bytes:
        """All of it as Prometheus reads it."""
        shown = []
        for one in self._all:
            shown += [f"# HELP {one.name} {one.help}", f"# TYPE {one.name} {one.kind}"]
            shown += [f"{name} {float(value)!r}" for name, value in one.lines()]
        return "\n".join([*shown, ""]).encode()
