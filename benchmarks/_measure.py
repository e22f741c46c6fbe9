"""Clocks that the benchmarks share: processor time, the best of several rounds."""

from __future__ import annotations

import gc
import os
import resource
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any


def best_rate(work: Callable[[], Any], count: int, rounds: int) -> float:
    """Calls a second of processor time of this thread: the best of some rounds.

    What other processes do to the clock on the wall is left out; what they do to the caches is
    not, so the best round counts.
    """
    best = 0.0
    gc.collect()
    gc.freeze()  # as the node and the pytest plugin do
    for _ in range(rounds):
        started = time.thread_time()
        for _ in range(count):
            work()
        best = max(best, count / (time.thread_time() - started))
    return best


def best_seconds(work: Callable[[], Any], rounds: int) -> float:
    """Processor seconds of the quickest round."""
    best = float("inf")
    for _ in range(rounds):
        gc.collect()
        started = time.thread_time()
        work()
        best = min(best, time.thread_time() - started)
    return best


def resident_mb() -> float:
    """Resident memory of this process now, MB; its highest where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return pages * resource.getpagesize() / 1e6


def processor_seconds(children: Iterable[int] = ()) -> float:
    """Processor seconds of this process, and of children that still run where the system tells."""
    ticks = 0
    for pid in children:
        try:
            text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
        except OSError:
            continue
        ticks += sum(map(int, text.rpartition(")")[2].split()[11:13]))  # user and system
    return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def spread(values: list[float]) -> float:
    """Half the distance between the lowest and the highest, as a share of the middle."""
    low, high = min(values), max(values)
    return round((high - low) / (high + low), 3)
