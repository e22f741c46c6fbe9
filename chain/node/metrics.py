"""What Prometheus is told, in a registry of the node's own."""

from __future__ import annotations

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from chain.driver.log.record import BlockRecord

_SECOND: Final = 1e9
_BUCKETS: Final = (0.001, 0.005, 0.02, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0)


class Metrics:
    """Counters of one node."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self._height = Gauge("msgchain_height", "The last committed height.", registry=registry)
        self._pool = Gauge("msgchain_mempool_txs", "Transactions that wait.", registry=registry)
        self._txs = Counter(
            "msgchain_txs", "Transactions in blocks, by outcome.", ["outcome"], registry=registry
        )
        self._checked = Counter(
            "msgchain_checked", "Transactions checked, by outcome.", ["outcome"], registry=registry
        )
        self._gas = Counter("msgchain_gas_used", "Gas used in blocks.", registry=registry)
        self._block = Histogram(
            "msgchain_block_seconds",
            "Making a block, from execution to index.",
            buckets=_BUCKETS,
            registry=registry,
        )
        self._late = Histogram(
            "msgchain_block_late_seconds",
            "How late a block was begun.",
            buckets=_BUCKETS,
            registry=registry,
        )
        self._calls = Counter(
            "msgchain_rpc_calls", "RPC calls, by method.", ["method"], registry=registry
        )
        self.sockets = Gauge("msgchain_websockets", "WebSocket clients.", registry=registry)
        self.dropped = Counter(
            "msgchain_dropped", "Subscribers that were too slow.", registry=registry
        )
        self.latest_late = 0

    def block(self, record: BlockRecord, nanos: int, waiting: int) -> None:
        """A block was made."""
        self._height.set(record.block.height)
        self._pool.set(waiting)
        self._block.observe(nanos / _SECOND)
        for result in record.result.tx_results:
            self._txs.labels("failed" if result.code else "ok").inc()
            self._gas.inc(result.gas_used)

    def late(self, nanos: int) -> None:
        """A block was begun this long after its time."""
        self.latest_late = nanos
        self._late.observe(max(0, nanos) / _SECOND)

    def checked(self, code: int, waiting: int) -> None:
        """A transaction was checked."""
        self._checked.labels("refused" if code else "taken").inc()
        self._pool.set(waiting)

    def called(self, method: str) -> None:
        """A method was called that exists."""
        self._calls.labels(method).inc()

    def text(self) -> bytes:
        """All of it as Prometheus reads it."""
        return generate_latest(self._registry)
