"""A restart with many messages in the state: time to the first block, resident memory."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks._measure import resident_mb
from benchmarks.pipeline import SECOND, Line
from chain import wiring
from chain.app import keys
from chain.crypto.addresses import validate
from chain.driver.genesis import parse
from chain.driver.producer import Producer
from chain.std import Addr
from chain.testing.engine import account_address
from contracts.agent_a2a_v1.guard import NO_SENDER, save_sender
from contracts.agent_a2a_v1.ledger import NO_PAIR, append_message, pair_of
from contracts.agent_a2a_v1.state import PAIRS, SENDERS, WIDE, MessageRecord

SEED = 20_260_712
SIZES = {"smoke": 50, "quick": 20_000, "real": 1_000_000}
PER_BLOCK = {"smoke": 25, "quick": 2_000, "real": 2_000}
YEAR = 31_536_000
#: environment variable: a folder that keeps the chains, which take minutes to make
KEPT = "MSGCHAIN_BENCHMARK_HOMES"


class Window:
    """The contract's storage in an open block, without gas."""

    def __init__(self, overlay: Any, prefix: bytes) -> None:
        self._overlay, self._prefix = overlay, prefix

    def get(self, key: bytes) -> bytes | None:
        """The value, or None."""
        value: bytes | None = self._overlay.get(self._prefix + key)
        return value

    def set(self, key: bytes, value: bytes) -> None:
        """Write."""
        self._overlay.set(self._prefix + key, value)

    def remove(self, key: bytes) -> None:
        """Delete."""
        self._overlay.remove(self._prefix + key)

    def range(self, start: Any = None, end: Any = None, order: str = "ascending") -> Any:
        """Filling never walks."""
        raise NotImplementedError


def crowd(size: int) -> list[str]:
    """Addresses of people without accounts."""
    return [account_address(f"party {number}", "msg") for number in range(size)]


def fill(producer: Producer, messages: int, per_block: int, people: Sequence[str]) -> None:
    """Blocks whose state has the messages, written by the mailbox's own ledger."""
    rng = random.Random(SEED)
    parties = [Addr(one) for one in people]
    contract = wiring.contract_addresses()["agent_a2a_v1"]
    prefix = keys.CONTRACT_STORAGE + validate(contract, "msg")
    now = producer.state.time
    for first in range(0, messages, per_block):
        now += SECOND
        producer.open(now)
        window = Window(producer.app.open_scope.overlay, prefix)
        for _ in range(first, min(messages, first + per_block)):
            sender, receiver = rng.sample(parties, 2)
            pair_key = pair_of(sender, receiver)
            record = MessageRecord(
                kind=0,
                sender=sender,
                receiver=receiver,
                message_type=0,
                payload=b"x" * 64,
                priority=50,
                ttl=YEAR,
                created_at=now,
                expires_at=now + YEAR * SECOND,
                height=WIDE + producer.height + 1,
            )
            pair = PAIRS.may_load(window, pair_key) or NO_PAIR
            append_message(window, record, pair_key, pair)
            sent = SENDERS.may_load(window, sender) or NO_SENDER
            save_sender(window, sender, sent, 1)
        producer.close()


def child(home: str, genesis: str, *, killed: bool) -> None:
    """What the measured process does: open, make a block, say how much memory it has; then it is
    closed, or killed."""
    document = json.loads(Path(genesis).read_text(encoding="utf-8"))
    producer = wiring.open_chain(Path(home), parse(document), signers=wiring.dev_validator_keys(1))
    record = producer.produce((), producer.state.time + SECOND)
    print(record.block.height, resident_mb(), flush=True)
    if killed:
        os.kill(os.getpid(), signal.SIGKILL)
    producer.store.close()


def started(home: Path, genesis: Path, *, killed: bool) -> tuple[float, float, int]:
    """Seconds from process start to the first block, MB resident, height."""
    paths = f"{str(home)!r}, {str(genesis)!r}, killed={killed}"
    code = f"from benchmarks.restart import child; child({paths})"
    began = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as process:
        words = (process.stdout.readline() if process.stdout else "").split()
        seconds = time.perf_counter() - began
    return seconds, float(words[1]), int(words[0])


@contextmanager
def folder_of(size: str) -> Iterator[Path]:
    """Where the chain is: a folder that goes again, or stays under ``MSGCHAIN_BENCHMARK_HOMES``."""
    kept = os.environ.get(KEPT)
    if kept:
        yield Path(kept, f"restart-{SIZES[size]}")
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def starts(size: str) -> list[tuple[float, float, int]]:
    """Seconds from process start to the first block, MB resident, height: of a start after a stop,
    of one after a kill, and of one after a stop again."""
    with folder_of(size) as folder:
        home, genesis = folder / "data", folder / "genesis.json"
        if not genesis.exists():
            folder.mkdir(parents=True, exist_ok=True)
            line = Line(home, "mldsa", 2)
            document = line.node.producer.genesis_record().genesis
            fill(line.node.producer, SIZES[size], PER_BLOCK[size], crowd(1_000))
            line.close()
            genesis.write_text(json.dumps(document), encoding="utf-8")
        return [started(home, genesis, killed=turn == 0) for turn in range(3)]


def measure(size: str) -> tuple[float, float, int]:
    """The same of the quickest start."""
    return min(starts(size))


def run(size: str) -> dict[str, Any]:
    """Figures of one size."""
    stopped, killed, again = starts(size)
    height = min(stopped[2], again[2])
    return {
        "messages": SIZES[size],
        "process start to first block, s": round(min(stopped[0], again[0]), 2),
        "after a kill, s": round(killed[0], 2),
        "resident, MB": round(min(stopped[1], again[1])),
        "resident after a kill, MB": round(killed[1]),
        "digest": hashlib.sha256(str(height).encode()).hexdigest()[:16],
    }
