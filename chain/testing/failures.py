"""Falsifying sequences on disk: an event log a failure, which ``msgchain log replay`` walks through
and a state machine can run again on the contract as it is now.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from chain.driver.log import files
from chain.driver.log.record import BlockRecord, LogError
from chain.tx.codec import decode_tx
from chain.tx.messages import DevExecute

if TYPE_CHECKING:
    from chain.testing.chain import Chain

_PLAIN: Final = re.compile(r"[^A-Za-z0-9_.-]+")
_SEPARATOR: Final = "--"


def save_failure(chain: Chain, name: str, folder: Path) -> Path:
    """Save the chain's log under the machine's name and the hash of what happened.

    Raises: LogError when the folder cannot be written.

    >>> import tempfile
    >>> from chain.testing import Chain
    >>> path = save_failure(Chain(), "demo", Path(tempfile.mkdtemp()))
    >>> path.name.startswith("demo--"), path.suffix
    (True, '.jsonl')
    """
    digest = hashlib.sha256()
    for closed in [*chain._history.closed]:
        digest.update(
            repr((closed.block.height, closed.block.time, _messages(closed.txs))).encode()
        )
    engine = chain._engine
    digest.update(repr((engine.block.height, engine.block.time, _messages(engine.txs))).encode())
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{_PLAIN.sub('_', name)}{_SEPARATOR}{digest.hexdigest()[:12]}.jsonl"
    return Path(chain.log.save(target))


def kept_as(chain: Chain, name: str, folder: Path) -> str:
    """Save a failure, and say where and what to do with it, or why it could not be saved.

    >>> from chain.testing import Chain
    >>> kept_as(Chain(), "demo", Path("/dev/null"))
    'not saved: /dev/null: File exists'
    """
    try:
        path = save_failure(chain, name, folder)
    except OSError as error:
        return f"not saved: {folder}: {error.strerror}"
    except LogError as error:
        return f"not saved: {error}"
    return (
        f"saved as {path}; walk through it with\n"
        f"  msgchain log replay {path} --until {chain.height} --trace"
    )


def _messages(txs: Any) -> list[Any]:
    return [tx.messages for tx in txs]


def saved_failures(name: str, folder: Path) -> list[Path]:
    """The saved failures of a machine, in order of their names."""
    return sorted(folder.glob(f"{_PLAIN.sub('_', name)}{_SEPARATOR}*.jsonl"))


def steps_of(path: Path, *, after: int) -> Iterator[tuple[int, int, tuple[Any, ...]]]:
    """Height, time and messages of the transactions of a log above a height; a block without
    transactions has one entry without messages. Raises: LogError.
    """
    for record in files.checked(files.read(path), str(path)):
        if not isinstance(record, BlockRecord) or record.block.height <= after:
            continue
        block = record.block
        yield block.height, block.time, ()
        for raw in block.txs:
            for message in decode_tx(raw).messages:
                inner = message.messages if isinstance(message, DevExecute) else (message,)
                yield block.height, block.time, tuple(inner)


def run_again(chain: Chain, path: Path, *, after: int, check: Callable[[], None]) -> None:
    """Do on ``chain`` what a saved failure did above height ``after``; ``check`` after each step.

    Raises whatever ``check`` raises; ValueError when the chain is already past the log.
    """
    for height, time, messages in steps_of(path, after=after):
        if height > chain.height:
            chain.set_height(height)
        if time > chain.time:
            chain.set_time(time)
        if messages:
            chain._run_again(messages)
        check()
