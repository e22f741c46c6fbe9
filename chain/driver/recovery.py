"""Getting a damaged folder back: look, salvage, and rebuild from the log that is in it or beside
it.

Nothing is deleted. What was damaged stays in a folder beside the new one until somebody removes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from chain.block.types import BlockResult
from chain.driver.log.record import (
    BlockRecord,
    GenesisRecord,
    LogError,
    Record,
    record_hash,
    unpack_block,
)
from chain.driver.log.replay import compare
from chain.driver.producer import (
    ROW_BLOCK,
    ROW_GENESIS,
    Producer,
    block_row,
    driver_state,
)
from chain.store import LevelBackend, StateStore
from chain.store.errors import StoreError
from chain.store.keys import ROW

_ATTEMPTS: Final = 1_000


def check_folder(folder: Path) -> tuple[int, bytes]:
    """Height and app hash of a folder whose state, tree, driver row and log agree.

    Raises: StoreError, LogError naming what does not.
    """
    store = StateStore(LevelBackend(folder))
    try:
        store.check()
        if store.height == 0:
            raise LogError(f"{folder} holds no block")
        state = driver_state(store)
        if state is None or state.height != store.height or state.app_hash != store.app_hash:
            raise LogError(f"{folder}: the driver's row is not of height {store.height}")
        last = store.row(block_row(store.height))
        if last is None or unpack_block(last).hash != state.record_hash:
            raise LogError(f"{folder}: the record of height {store.height} is missing")
        return store.height, store.app_hash
    finally:
        store.close()


def rebuild_tree(folder: Path) -> tuple[int, bytes]:
    """Make the tree anew from the state. Raises: LogError if it does not give the logged hash."""
    store = StateStore(LevelBackend(folder))
    try:
        root = store.rebuild_tree()
        state = driver_state(store)
        if state is not None and state.app_hash != root:
            raise LogError(
                f"{folder}: the state gives {root.hex()}, the log has {state.app_hash.hex()}; "
                "run `msgchain repair` without --tree"
            )
        return store.height, root
    finally:
        store.close()


def salvaged_records(folder: Path) -> Iterator[Record]:
    """The log as far as it can be read from a damaged folder: whole, chained records alone.

    Raises: LogError when not even the genesis record is there.
    """
    backend = LevelBackend(folder)
    try:
        raw = backend.get(ROW + ROW_GENESIS)
        if raw is None:
            raise LogError(f"{folder}: the genesis record is lost; repair with --log FILE")
        genesis = msgspec.msgpack.decode(raw, type=GenesisRecord)
        yield genesis
        prev = genesis.hash
        for _, raw in backend.range(ROW + ROW_BLOCK, ROW + ROW_BLOCK + b"\xff" * 9):
            record = unpack_block(raw)
            if record.prev != prev or record.hash != record_hash(record):
                return
            yield record
            prev = record.hash
    except (StoreError, msgspec.MsgspecError):
        return
    finally:
        backend.close()


def replay_into(
    records: Iterator[Record],
    make_chain: Callable[[GenesisRecord], Producer],
    progress: Callable[[int], None] = lambda height: None,
) -> tuple[int, bytes]:
    """Execute a log into a fresh chain, block for block as it was recorded.

    Returns: height and app hash. Raises: LogError where the execution gives another hash.
    """
    producer: Producer | None = None
    for record in records:
        if isinstance(record, GenesisRecord):
            producer = make_chain(record)
        elif isinstance(record, BlockRecord) and producer is not None:
            producer.take_over(record, partial(_agree, record))
            progress(record.block.height)
    if producer is None:
        raise LogError("the log has no genesis record")
    return producer.height, producer.state.app_hash


def _agree(record: BlockRecord, came: BlockResult) -> None:
    found = compare(record.block.height, record.result, came)
    if found is not None:
        raise LogError(str(found))


def set_aside(folder: Path) -> Path:
    """Move a folder out of the way; returns where it lies now."""
    for number in range(1, _ATTEMPTS):
        target = folder.with_name(f"{folder.name}.damaged-{number}")
        if not target.exists():
            folder.rename(target)
            return target
    raise StoreError(f"{folder.parent} holds {_ATTEMPTS} damaged folders; remove some")
