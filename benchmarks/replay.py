"""A log replayed without signature checks, against producing it from signed bytes."""

from __future__ import annotations

import hashlib
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.pipeline import Line
from chain import wiring
from chain.driver.log import files
from chain.driver.log.replay import replay
from chain.node.process import tune

COUNTS = {"smoke": 8, "quick": 1_500, "real": 6_000}
SENDERS = {"smoke": 2, "quick": 100, "real": 200}
BLOCK = 250


class Outcome(NamedTuple):
    """Processor seconds of producing and of replaying the same blocks, of reading them from a file
    before, and the root of both."""

    produced: float
    replayed: float
    read: float
    app_hash: str

    @property
    def ratio(self) -> float:
        """How much quicker the replay is."""
        return self.produced / self.replayed


def measure(count: int, senders: int) -> Outcome:
    """Produce on disk with every signature checked, then replay from the records; both with the
    interpreter as the node and ``msgchain log replay`` set it.
    """
    with tempfile.TemporaryDirectory() as folder:
        line = Line(Path(folder), "mldsa", senders)
        try:
            txs = line.sign(count)
            line.warm(line.jobs(txs)[:100])
            tune()
            _, produced, _ = line.go(txs, BLOCK)
            path = Path(folder, "log.msgpack")
            files.write(path, line.node.producer.records())
        finally:
            line.close()
        tune()
        began = time.process_time()
        records = list(files.checked(files.read(path), path.name))
        read = time.process_time() - began
        best = float("inf")
        for _ in range(2):
            tune()
            began = time.process_time()
            ended = replay(records, wiring.replay_app(check_signatures=False, authenticate=True))
            best = min(best, time.process_time() - began)
    return Outcome(produced, best, read, ended.app_hash.hex())


def run(size: str) -> dict[str, Any]:
    """Figures of one size."""
    found = measure(COUNTS[size], SENDERS[size])
    count = COUNTS[size]
    return {
        "producing, processor us a transaction": round(found.produced / count * 1e6),
        "replaying, processor us a transaction": round(found.replayed / count * 1e6),
        "reading the file, processor us a transaction": round(found.read / count * 1e6),
        "replay, times quicker": round(found.ratio, 2),
        "digest": hashlib.sha256(found.app_hash.encode()).hexdigest()[:16],
    }
