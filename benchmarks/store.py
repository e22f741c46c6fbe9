"""How long the store takes: overlays, the Merkle tree stored in LevelDB, commits, proofs, restart.

Times are microseconds unless a name says otherwise; ``…_ratio`` is a time over that of a SHA-256 of
64 bytes, measured next to it, because machines and their load differ.
"""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.tree import TreeRows
from chain.store import Derived, LevelBackend, MemoryBackend, Overlay, StateStore

#: keys in the store, keys in a batch, batches measured
_SIZES = {"smoke": (2_000, 200, 2), "real": (1_000_000, 5_000, 10)}
_VALUE_BYTES = 100


def _key(number: int) -> bytes:
    """A contract's key, about as long as they are."""
    owner = hashlib.sha256(number.to_bytes(8, "big")).digest()
    return b"\x03" + owner + b"\x00\x08messages" + number.to_bytes(8, "big")


def _sha256_64() -> float:
    data = bytes(64)
    rounds = []
    for _ in range(5):
        start = time.perf_counter_ns()
        for _ in range(5_000):
            hashlib.sha256(data).digest()
        rounds.append((time.perf_counter_ns() - start) / 5_000 / 1_000)
    return min(rounds)


def _each(work: Callable[[int], object], count: int) -> float:
    """The best of three rounds over 0 … count - 1, microseconds a call."""
    rounds = []
    for _ in range(3):
        start = time.perf_counter_ns()
        for number in range(count):
            work(number)
        rounds.append((time.perf_counter_ns() - start) / count / 1_000)
    return round(min(rounds), 3)


def resident_mb() -> tuple[int, int]:
    """Resident memory in MB: all of it, and without mapped files."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return tuple(int(fields[name].split()[0]) // 1_024 for name in ("VmRSS", "RssAnon"))  # type: ignore[return-value]


def overlays(count: int) -> dict[str, Any]:
    """Reads and writes of an overlay in memory, and a commit without a tree."""
    backend = MemoryBackend()
    store = StateStore(backend, keep_heights=0, authenticate=False)
    keys = [_key(number) for number in range(count)]
    store.stage(1, dict.fromkeys(keys, b"v" * _VALUE_BYTES))
    store.commit()
    overlay = Overlay(store.view)
    figures: dict[str, Any] = {
        "overlay_get_base": _each(lambda n: overlay.get(keys[n]), count),
        "overlay_set": _each(lambda n: overlay.set(keys[n], b"w"), count),
        "overlay_get_written": _each(lambda n: overlay.get(keys[n]), count),
    }

    def page(number: int) -> None:
        entries = overlay.range(keys[number], None)
        for _ in range(10):
            next(entries, None)

    figures["overlay_page_of_10"] = _each(page, count)
    overlay.rollback(0)

    def layer(number: int) -> None:
        point = overlay.checkpoint()
        overlay.set(keys[number], b"x")
        overlay.rollback(point)

    figures["overlay_checkpoint_set_rollback"] = _each(layer, count)

    def block(number: int) -> None:
        store.stage(store.height + 1, {keys[number]: b"%d" % store.height})
        store.commit()

    figures["memory_commit_of_1_key"] = _each(block, count)
    return figures


def _restart(folder: str) -> dict[str, Any]:
    """Open the store and make a block, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", _RESTART, folder], capture_output=True, text=True, check=True
    )
    seconds, resident, anonymous = done.stdout.split()
    return {
        "restart_to_first_block_seconds": float(seconds),
        "restart_resident_mb": int(resident),
        "restart_anonymous_mb": int(anonymous),
    }


_RESTART = """
import sys, time
from benchmarks.store import LevelBackend, StateStore, resident_mb
start = time.perf_counter()
store = StateStore(LevelBackend(sys.argv[1]))
store.stage(store.height + 1, {b"first": b"write"})
store.commit()
print(round(time.perf_counter() - start, 3), *resident_mb())
"""


def run(size: str) -> dict[str, Any]:
    """Measure everything once; ``real`` builds a store of a million keys first (minutes)."""
    count, batch, rounds = _SIZES[size]
    source = random.Random(7)
    figures: dict[str, Any] = {"keys": count, "batch": batch, "sha256_of_64_bytes": 0.0}
    figures |= overlays(min(count, 5_000))
    with tempfile.TemporaryDirectory() as folder:
        store = StateStore(LevelBackend(folder))
        entries = ((_key(number), source.randbytes(_VALUE_BYTES), False) for number in range(count))
        start = time.perf_counter()
        store.import_state(1, entries)
        figures["import_per_key"] = round((time.perf_counter() - start) / count * 1e6, 1)
        store.close()
        figures |= _restart(folder)
        store = StateStore(LevelBackend(folder))
        fresh = count
        for name, new in (("commit_updates", False), ("commit_inserts", True)):
            times, ratios = [], []
            for _ in range(rounds):
                first = fresh if new else None
                writes = _writes(source, batch, count, first)
                fresh += batch if new else 0
                spent, unit = _timed(lambda w=writes: _block(store, w))  # type: ignore[misc]
                times.append(spent / batch)
                ratios.append(spent / batch / unit)
            figures[f"{name}_per_key"] = round(median(times), 1)
            figures[f"{name}_ratio"] = round(median(ratios), 1)
        figures["prove"] = _each(lambda n: store.prove(_key(n), store.height), 200)
        root = store.app_hash
        digest = hashlib.sha256(root)
        store.close()
        backend = LevelBackend(folder)
        rows = TreeRows(backend)
        for name, new in (("tree_updates", False), ("tree_inserts", True)):
            times, ratios = [], []
            for _ in range(rounds):
                writes = _writes(source, batch, count, fresh if new else None)
                fresh += batch if new else 0
                added = batch if new else 0
                spent, unit = _timed(lambda w=writes, n=added: digest.update(rows.update(w, new=n)))  # type: ignore[misc]
                times.append(spent / batch)
                ratios.append(spent / batch / unit)
            figures[f"{name}_per_key"] = round(median(times), 1)
            figures[f"{name}_best_per_key"] = round(min(times), 1)
            figures[f"{name}_ratio"] = round(median(ratios), 1)
        figures["resident_mb"], figures["anonymous_mb"] = resident_mb()
        backend.close()
    figures["sha256_of_64_bytes"] = round(_sha256_64(), 3)
    figures["digest"] = digest.hexdigest()
    return figures


def _writes(source: random.Random, batch: int, count: int, first: int | None) -> dict[bytes, bytes]:
    """A batch of new keys from ``first`` on, or of keys that are there."""
    numbers = (
        range(first, first + batch) if first is not None else source.sample(range(count), batch)
    )
    return {_key(number): source.randbytes(_VALUE_BYTES) for number in numbers}


def _block(store: StateStore, writes: dict[bytes, bytes]) -> None:
    """A block of these writes and some derived ones, as index entries are."""
    derived = {b"\x04" + key: Derived(b"1") for key in list(writes)[:: max(len(writes) // 8, 1)]}
    store.stage(store.height + 1, {**writes, **derived})
    store.commit({b"block": os.fsencode(str(store.height))})


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    """Microseconds of ``work``, and of a SHA-256 before and after it."""
    before = _sha256_64()
    start = time.perf_counter_ns()
    work()
    spent = (time.perf_counter_ns() - start) / 1_000
    return spent, (before + _sha256_64()) / 2
