"""Bytes to bytes: overlays, memory and LevelDB key spaces, committed state with a Merkle tree and
history.
"""

from chain.store.errors import (
    HeightNotKept,
    IteratorStale,
    StoreDamaged,
    StoreError,
    StoreLocked,
)
from chain.store.level import LevelBackend
from chain.store.memory import MemoryBackend
from chain.store.overlay import Overlay
from chain.store.state import StateStore
from chain.store.types import MISSING, Backend, Derived, Reader, Writes

__all__ = [
    "MISSING",
    "Backend",
    "Derived",
    "HeightNotKept",
    "IteratorStale",
    "LevelBackend",
    "MemoryBackend",
    "Overlay",
    "Reader",
    "StateStore",
    "StoreDamaged",
    "StoreError",
    "StoreLocked",
    "Writes",
]
