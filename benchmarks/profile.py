"""The time budget: processor microseconds of each stage of a signed transaction, one thread.

``python -m benchmarks profile [--count N] [--kind mldsa|secp256k1] [--json]``. The stages are run
one after the other for each block, as the node does it, so that they can be told apart; in the
node verification runs beside the rest. ``--functions N`` lists where the interpreter spends its
time in the stages that are Python's.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.pipeline import SECOND, Line
from chain.crypto.verify import InlineVerifier
from chain.driver.producer import Executed
from chain.node.process import tune
from chain.tx.codec import decode_tx

T = TypeVar("T")
STAGES = (
    ("decode", "bytes to a transaction"),
    ("verify", "the signature"),
    ("check", "check_tx without both: ante in the check state, the pool"),
    ("execute", "deliver: ante, dispatch, contract, events, result"),
    ("stage", "close_block: fees, digest of the events, Merkle tree"),
    ("record", "header, hashes, commit, the record's bytes"),
    ("write", "one synced batch"),
    ("recheck", "the pool after the commit"),
)


class Budget:
    """Seconds by stage; the quickest round of each counts."""

    def __init__(self) -> None:
        self.best: dict[str, float] = {}
        self.round: dict[str, float] = {}

    def timed(self, stage: str, work: Callable[[], T]) -> T:
        """Run work and note its time."""
        began = time.thread_time()
        made = work()
        self.round[stage] = self.round.get(stage, 0.0) + time.thread_time() - began
        return made

    def end_round(self, count: int) -> None:
        """A block is done."""
        for stage, seconds in self.round.items():
            a_tx = seconds / count
            self.best[stage] = min(self.best.get(stage, a_tx), a_tx)
        self.round.clear()


class _Timed:
    """A backend whose writes are a stage of their own."""

    def __init__(self, backend: Any, budget: Budget) -> None:
        self._backend, self._budget = backend, budget

    def __getattr__(self, name: str) -> Any:
        return getattr(self._backend, name)

    def write(self, puts: Any, sync: bool) -> None:
        """Timed."""
        self._budget.timed("write", lambda: self._backend.write(puts, sync))


def blocks(line: Line, txs: list[bytes], size: int, budget: Budget) -> None:
    """Run blocks stage by stage."""
    node, app, producer = line.node, line.node.app, line.node.producer
    verifier = InlineVerifier()
    jobs = line.jobs(txs)
    store = producer.store
    backend = store.backend
    timed = _Timed(backend, budget)
    for start in range(0, len(txs), size):
        part = txs[start : start + size]
        budget.timed("decode", lambda part=part: [decode_tx(raw) for raw in part])  # type: ignore[misc]
        budget.timed(
            "verify",
            lambda start=start: verifier.verify_many(jobs[start : start + size]),  # type: ignore[misc]
        )
        for raw in part:
            app.prove(raw)
        budget.timed("check", lambda part=part: [node.mempool.add(raw) for raw in part])  # type: ignore[misc]
        line.time += SECOND
        producer.open(line.time)
        budget.timed("execute", lambda part=part: [producer.deliver(raw) for raw in part])  # type: ignore[misc]
        result = budget.timed("stage", app.close_block)
        block = app_block(producer, part)
        store.backend = timed
        began = time.thread_time()
        record = producer.seal(Executed(block, result, app.said))
        spent = time.thread_time() - began
        store.backend = backend
        budget.round["record"] = spent - budget.round["write"]
        pairs = [(raw, one.code) for raw, one in zip(part, record.result.tx_results, strict=True)]
        budget.timed("recheck", lambda pairs=pairs: node.mempool.update(pairs))  # type: ignore[misc]
        budget.end_round(len(part))


def app_block(producer: Any, txs: list[bytes]) -> Any:
    """The open block with its transactions."""
    opened = producer._open
    producer.abandon()
    return type(opened)(
        height=opened.height,
        time=opened.time,
        proposer_address=opened.proposer_address,
        txs=tuple(txs),
        last_commit_votes=opened.last_commit_votes,
    )


def measure(
    kind: str, count: int, *, senders: int = 100, block: int = 250, functions: int = 0
) -> dict[str, float]:
    """Microseconds a transaction by stage."""
    budget = Budget()
    with tempfile.TemporaryDirectory() as folder:
        line = Line(Path(folder), kind, senders)
        tune()
        try:
            txs = line.sign(count)
            profiler = cProfile.Profile(time.thread_time) if functions else None
            if profiler is not None:
                profiler.enable()
            blocks(line, txs, block, budget)
            if profiler is not None:
                profiler.disable()
                pstats.Stats(profiler).sort_stats("tottime").print_stats(functions)
        finally:
            line.close()
    return {stage: round(budget.best[stage] * 1e6, 1) for stage, _ in STAGES}


def shown(found: dict[str, float]) -> Iterator[str]:
    """The table."""
    total = sum(found.values())
    for stage, what in STAGES:
        yield f"  {stage:10} {found[stage]:8.1f} us  {found[stage] / total:5.0%}  {what}"
    python = total - found["verify"]
    yield f"  {'sum':10} {total:8.1f} us  of which beside verification {python:.1f} us"


def main(argv: list[str]) -> int:
    """Print the budget."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks profile", description=__doc__)
    parser.add_argument("--count", type=int, default=2_000)
    parser.add_argument("--kind", choices=("mldsa", "secp256k1"), default="mldsa")
    parser.add_argument("--block", type=int, default=250)
    parser.add_argument("--functions", type=int, default=0, metavar="N")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args(argv)
    found = measure(args.kind, args.count, block=args.block, functions=args.functions)
    if args.json:
        print(json.dumps({"benchmark": "profile", "kind": args.kind, "us": found}))
        return 0
    print(f"{args.kind}, {args.count} transactions in blocks of {args.block}")
    print("\n".join(shown(found)))
    return 0
