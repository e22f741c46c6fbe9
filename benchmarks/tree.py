"""The Merkle tree on disk: microseconds a key, at several sizes, in batches of 5,000."""

from __future__ import annotations

import hashlib
import random
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from chain.node.process import tune
from chain.store import LevelBackend, StateStore
from chain.store.buckets import leaf_hash
from chain.store.keys import META, PATH, decode_meta
from chain.store.shelf import Shelf
from chain.store.tree import Tree

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


def sha256_64() -> float:
    """Processor microseconds of a SHA-256 over 64 bytes, now."""
    data = bytes(64)
    began = time.thread_time()
    for _ in range(5_000):
        hashlib.sha256(data).digest()
    return (time.thread_time() - began) / 5_000 * 1e6


class TreeRows:
    """The tree of a store on its own: what hashing, buckets, journal and a synced batch cost."""

    def __init__(self, backend: LevelBackend) -> None:
        record = backend.get(META)
        if record is None:
            raise RuntimeError("the store is empty")
        meta = decode_meta(record)
        self._backend = backend
        self._journal = meta.journal
        self._shelf = Shelf(backend)
        self._tree = Tree(backend.get, lambda: self._shelf.load(meta))
        self._tree.root()

    def update(self, writes: Mapping[bytes, bytes], *, new: int) -> bytes:
        """Hash, update, write and sync; the last ``new`` keys were not there before."""
        changes: dict[bytes, bytes | None] = {}
        puts: dict[bytes, bytes | None] = {}
        old = len(writes) - new
        for number, (key, value) in enumerate(writes.items()):
            path = hashlib.sha256(key).digest()
            changes[path] = leaf_hash(path, value)
            if number >= old:
                puts[PATH + path] = key
        root = self._tree.stage(changes)
        puts.update(self._tree.rows())
        self._journal = self._shelf.note(puts, self._tree.staged(), self._journal)
        self._backend.write(puts, True)
        self._tree.settle()
        return root


def measure(size: int, batch: int, rounds: int) -> dict[str, Any]:
    """Processor microseconds a key: half of a batch changes keys, half adds some.

    ``us`` is the tree on its own, ``whole`` a commit with values, undo record and tree; both with
    what LevelDB does meanwhile in its own thread, and garbage collected as in a node.
    """
    tune()
    rng = random.Random(SEED)
    whole: list[float] = []
    alone: list[float] = []
    units: list[float] = []
    digest = hashlib.sha256()
    half = batch - batch // 2

    def writes(number: int) -> dict[bytes, bytes]:
        old = rng.sample(range(size), batch // 2)
        new = range(size + number * batch, size + number * batch + half)
        return {key_of(key): rng.randbytes(VALUE_BYTES) for key in (*old, *new)}

    with tempfile.TemporaryDirectory() as folder:
        store = filled(Path(folder), size)
        for height in range(2, rounds + 2):
            block = writes(height)
            began = time.process_time()
            store.stage(height, block)
            store.commit()
            whole.append((time.process_time() - began) / batch)
        digest.update(store.app_hash)
        store.close()
        backend = LevelBackend(folder)
        rows = TreeRows(backend)
        for number in range(rounds + 2, 2 * rounds + 2):
            block = writes(number)
            units.append(sha256_64())
            began = time.process_time()
            digest.update(rows.update(block, new=half))
            alone.append((time.process_time() - began) / batch)
        backend.close()
    middle = rounds // 2
    ratios = sorted(spent * 1e6 / unit for spent, unit in zip(alone, units, strict=True))
    return {
        "us": min(alone) * 1e6,
        "median us": sorted(alone)[middle] * 1e6,
        "ratio": ratios[0],
        "median ratio": ratios[middle],
        "whole us": min(whole) * 1e6,
        "root": digest.hexdigest(),
    }


def run(size: str) -> dict[str, Any]:
    """Figures of each size."""
    figures: dict[str, Any] = {}
    digest = hashlib.sha256()
    for keys in SIZES[size]:
        found = measure(keys, BATCH[size], ROUNDS[size])
        figures[f"{keys:,} keys, us a key"] = round(found["us"], 1)
        figures[f"{keys:,} keys, median us a key"] = round(found["median us"], 1)
        figures[f"{keys:,} keys, in SHA-256 of 64 bytes"] = round(found["ratio"], 1)
        figures[f"{keys:,} keys, median in SHA-256 of 64 bytes"] = round(found["median ratio"], 1)
        figures[f"{keys:,} keys, a commit with values and history, us"] = round(
            found["whole us"], 1
        )
        digest.update(found["root"].encode())
    figures["digest"] = digest.hexdigest()[:16]
    return figures
