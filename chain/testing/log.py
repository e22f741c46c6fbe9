"""The event log of a test chain: records are made when it is saved, by running the blocks once more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from chain.driver.log import files
from chain.driver.log.record import BlockRecord, GenesisRecord
from chain.testing.engine import Engine

if TYPE_CHECKING:
    from chain.testing.history import ClosedBlock


class ChainLog:
    """The blocks of one chain, ready to be saved."""

    def __init__(self, engine: Engine, blocks: list[ClosedBlock]) -> None:
        self._engine = engine
        self._blocks = blocks

    def __len__(self) -> int:
        return len(self._blocks)

    def records(self) -> Iterator[GenesisRecord | BlockRecord]:
        """The records: the genesis, then each block with its header and hashes."""
        return self._engine.records(self._blocks)

    def save(self, path: str | Path) -> Path:
        """Write a file that ``msgchain log replay`` takes; JSON Lines, or MessagePack for ``.msgpack``."""
        target = Path(path)
        files.write(target, self.records())
        return target
