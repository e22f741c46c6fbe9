"""A backend that fails on purpose: refused writes, dying processes, power losses.

For crash tests and soak runs. It holds its data in memory and knows which batches would have
reached the disk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum

from chain.store.errors import StoreError
from chain.store.memory import MemoryBackend
from chain.store.types import Reader, Writes


class Fault(Enum):
    """What happens at the chosen write."""

    REFUSED = "refused"  # the disk is full: StoreError, nothing written
    DIES_BEFORE = "dies before"  # the process ends, nothing of the batch is written
    DIES_AFTER = "dies after"  # the batch is written, the process ends before it hears of it


class ProcessDied(BaseException):
    """Stands for the end of the process: nothing of the project may catch it."""


class FaultyBackend:
    """Memory with a disk below it; the write with number ``at`` (from 1) meets ``fault``."""

    __slots__ = ("_at", "_disk", "_fault", "_memory", "_shelf", "_unsynced", "_witness", "writes")

    def __init__(
        self,
        content: Writes | None = None,
        *,
        at: int = 0,
        fault: Fault = Fault.REFUSED,
        witness: int = 0,
        shelf: bytes | None = None,
    ) -> None:
        self._disk: dict[bytes, bytes] = {}
        self._memory = MemoryBackend()
        self._unsynced: list[Writes] = []
        self._at = at
        self._fault = fault
        self._witness = witness
        self._shelf = shelf
        #: batches asked for so far
        self.writes = 0
        self._apply(content or {})
        self._memory.write(self._disk, True)

    @property
    def place(self) -> str:
        """Where the data is, for error texts."""
        return "faulty memory"

    def get(self, key: bytes) -> bytes | None:
        """The value of ``key`` now."""
        return self._memory.get(key)

    def range(
        self, start: bytes | None, end: bytes | None, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """Entries as of now."""
        return self._memory.range(start, end, reverse)

    def snapshot(self) -> Reader:
        """An immutable view of now."""
        return self._memory.snapshot()

    def write(self, puts: Writes, sync: bool) -> None:
        """Write a batch, or meet the fault. Raises: StoreError, ProcessDied."""
        self.writes += 1
        meets = self.writes == self._at
        if meets and self._fault is Fault.REFUSED:
            raise StoreError("cannot write: no space left on device (injected)")
        if meets and self._fault is Fault.DIES_BEFORE:
            raise ProcessDied
        self._memory.write(puts, sync)
        self._unsynced.append(dict(puts))
        if sync:
            self._flush(len(self._unsynced))
        if meets:
            raise ProcessDied

    def witness(self, height: int) -> None:
        """Note a height beside the data."""
        self._witness = height

    def witnessed(self) -> int:
        """The height last noted."""
        return self._witness

    @property
    def shelves(self) -> bool:
        """As on a disk."""
        return True

    def shelve(self, parts: Sequence[bytes | bytearray]) -> None:
        """Lay something aside; a power loss may leave any of it."""
        self._shelf = b"".join(parts) or None

    def shelved(self) -> bytes | None:
        """What was laid aside."""
        return self._shelf

    def close(self) -> None:
        """Nothing to give back."""

    @property
    def unsynced(self) -> int:
        """Batches that a power loss may take."""
        return len(self._unsynced)

    def after_kill(self) -> FaultyBackend:
        """What a new process finds after this one was killed: everything that was written."""
        return self.after_power_loss(len(self._unsynced))

    def after_power_loss(self, survivors: int = 0, *, shelf_bytes: int = -1) -> FaultyBackend:
        """What is found when the power comes back: synced batches, and the first few others.

        ``shelf_bytes``: so much is left of what was laid aside, which is never synced; all if -1.
        """
        disk = dict(self._disk)
        for batch in self._unsynced[:survivors]:
            _put(disk, batch)
        shelf = self._shelf if self._shelf is None or shelf_bytes < 0 else self._shelf[:shelf_bytes]
        return FaultyBackend(disk, witness=self._witness, shelf=shelf)

    def _flush(self, count: int) -> None:
        for batch in self._unsynced[:count]:
            self._apply(batch)
        del self._unsynced[:count]

    def _apply(self, batch: Writes) -> None:
        _put(self._disk, batch)


def _put(disk: dict[bytes, bytes], batch: Writes) -> None:
    for key, value in batch.items():
        if value is None:
            disk.pop(key, None)
        else:
            disk[key] = value
