"""The Merkle tree on disk: microseconds a key, at several sizes, in batches of 5,000."""

from __future__ import annotations

import hashlib
import random
import tempfile
import time
from pathlib import Path
from typing import Any

from chain.store import LevelBackend, StateStore

SEED = 20_260_711
SIZES = {"smoke": (200,), "quick": (300_000,), "real": (100_000, 300_000, 1_000_000)}
BATCH = {"smoke": 50, "quick": 5_000, "real": 5_000}
ROUNDS = {"smoke": 2, "quick": 6, "real": 10}
VALUE_BYTES = 100


def key_of(number: int) -> bytes:
    """A key as contracts have them: 34 bytes in front, then a number."""
    return b"w\x03" + bytes(32) + number.to_bytes(8, "big")


def filled(home: Path, size: int) -> StateStore:
    """A store with so many keys."""
    store = StateStore(LevelBackend(home), keep_heights=10)
    store.import_state(1, ((key_of(number), bytes(VALUE_BYTES), False) for number in range(size)))
    return store


def measure(size: int, batch: int, rounds: int) -> dict[str, Any]:
    """Processor microseconds a key: half of a batch changes keys, half adds some."""
    rng = random.Random(SEED)
    whole: list[float] = []
    staging: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        store = filled(Path(folder), size)
        for height in range(2, rounds + 2):
            old = rng.sample(range(size), batch // 2)
            new = range(size + height * batch, size + height * batch + batch - batch // 2)
            writes: dict[bytes, bytes | None] = {
                key_of(number): rng.randbytes(VALUE_BYTES) for number in (*old, *new)
            }
            began = time.process_time()
            store.stage(height, writes)
            staging.append((time.process_time() - began) / batch)
            store.commit()
            whole.append((time.process_time() - began) / batch)
        root = store.app_hash.hex()
        store.close()
    return {
        "us": min(whole) * 1e6,
        "median us": sorted(whole)[len(whole) // 2] * 1e6,
        "staging us": min(staging) * 1e6,
        "root": root,
    }


def run(size: str) -> dict[str, Any]:
    """Figures of each size."""
    figures: dict[str, Any] = {}
    digest = hashlib.sha256()
    for keys in SIZES[size]:
        found = measure(keys, BATCH[size], ROUNDS[size])
        figures[f"{keys:,} keys, us a key"] = round(found["us"], 1)
        figures[f"{keys:,} keys, median us a key"] = round(found["median us"], 1)
        figures[f"{keys:,} keys, without the disk, us a key"] = round(found["staging us"], 1)
        digest.update(found["root"].encode())
    figures["digest"] = digest.hexdigest()[:16]
    return figures
