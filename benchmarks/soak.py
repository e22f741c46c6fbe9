"""Kills and failed writes: every restart stands at a whole block, equal to an uninterrupted run.

``run`` forks children that make blocks of signed payments in LevelDB and kills each with SIGKILL at
a
moment drawn from a fixed seed; then it lets writes fail, or the power go, in memory.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from chain.app.application import App
from chain.crypto.keys import MlDsa87Key
from chain.driver.genesis import SECOND, Genesis, parse
from chain.driver.producer import Producer
from chain.store import StateStore
from chain.store.errors import StoreError
from chain.store.faults import Fault, FaultyBackend, ProcessDied
from chain.tx.builder import build_native, coins
from chain.tx.messages import MsgSend
from chain.wiring import (
    dev_secret,
    dev_validator_keys,
    genesis_document,
    known_codes,
    open_chain,
)

SIZES: Final = {"smoke": (5, 20), "ci": (100, 100), "real": (1_000, 1_000)}
START: Final = 1_704_067_200 * SECOND
ALICE: Final = MlDsa87Key(dev_secret("soak/alice"))
BOB: Final = MlDsa87Key(dev_secret("soak/bob"))
SIGNERS: Final = dev_validator_keys(1)
_PAYMENTS: Final[dict[int, bytes]] = {}


def genesis() -> Genesis:
    """Alice owns much."""
    accounts = [{"address": ALICE.address, "coins": [{"denom": "msg", "amount": "1000000"}]}]
    return parse(genesis_document("soak", START, SIGNERS, {"accounts": accounts}))


def payment(height: int) -> bytes:
    """The one payment of a height, the same in every run."""
    raw = _PAYMENTS.get(height)
    if raw is None:
        raw = _PAYMENTS[height] = build_native(
            [MsgSend(ALICE.address, BOB.address, coins(f"{height}amsg"))],
            [ALICE],
            chain_id="soak",
            account_numbers=[0],
            sequences=[height - 1],
            gas_limit=300_000,
            fee=coins("300000000000000amsg"),
        )
    return raw


def grow(chain: Producer) -> None:
    """One more block; what is in it depends on its height alone."""
    height = chain.height + 1
    chain.produce([payment(height)], START + height * SECOND)


class Reference:
    """An uninterrupted run, as far as somebody asked."""

    def __init__(self) -> None:
        self._chain = open_chain(None, genesis(), signers=SIGNERS, keep_heights=1)
        self._hashes: dict[int, tuple[bytes, bytes]] = {}

    def at(self, height: int) -> tuple[bytes, bytes]:
        """App hash and record hash of a height."""
        while self._chain.height < height:
            grow(self._chain)
            state = self._chain.state
            self._hashes[state.height] = (state.app_hash, state.record_hash)
        return self._hashes[height]


def check(chain: Producer, reference: Reference, floor: int) -> int:
    """Compare a chain that was opened again; gives its height. Raises: AssertionError."""
    height = chain.height
    if height < floor:
        raise AssertionError(f"height {height} after {floor} was committed: blocks were lost")
    if height:
        found = (chain.state.app_hash, chain.state.record_hash)
        if found != reference.at(height):
            raise AssertionError(f"height {height} differs from an uninterrupted run")
    return height


def kills(count: int, seed: int, report: Callable[[str], None] = lambda text: None) -> int:
    """Kill ``count`` children at random moments; gives the height in the end."""
    chance = random.Random(seed)
    reference = Reference()
    folder = Path(tempfile.mkdtemp(prefix="msgchain-soak-"))
    height = 0
    try:
        for number in range(count):
            floor = _one_life(folder, chance.uniform(0.0, 0.12))
            chain = open_chain(folder, genesis(), signers=SIGNERS)
            height = check(chain, reference, max(floor, height))
            if number % 10 == 0:
                chain.store.check()
                report(f"{number} kills, height {height}")
            chain.store.close()
    finally:
        shutil.rmtree(folder)
    return height


def _one_life(folder: Path, seconds: float) -> int:
    """A child that makes blocks until it is killed; gives the last height it reported."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            chain = open_chain(folder, genesis(), signers=SIGNERS)
            os.write(writing, b"r")
            while True:
                grow(chain)
                os.write(writing, chain.height.to_bytes(8, "big"))
        finally:
            os._exit(1)
    os.close(writing)
    os.read(reading, 1)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    last = b""
    while data := os.read(reading, 65_536):
        last = (last + data)[-16:]
    os.close(reading)
    whole = last[len(last) % 8 :]
    return int.from_bytes(whole[-8:], "big") if whole else 0


def faults(count: int, seed: int) -> dict[str, int]:
    """Fail ``count`` writes in every way, with and without unsynced batches; gives how often."""
    chance = random.Random(seed)
    reference = Reference()
    met: dict[str, int] = {}
    for _ in range(count):
        fault = chance.choice(list(Fault))
        backend = FaultyBackend(at=chance.randint(1, 8), fault=fault)
        chain = _over(backend)
        committed = 0
        try:
            while chain.height < 8:
                grow(chain)
                committed = chain.height
        except (StoreError, ProcessDied):
            met[fault.value] = met.get(fault.value, 0) + 1
        left = backend.after_power_loss(chance.randint(0, backend.unsynced))
        again = _over(left)
        check(again, reference, committed)
        while again.height < 9:
            grow(again)
        check(again, reference, 9)
    return met


def _over(backend: FaultyBackend) -> Producer:
    store = StateStore(backend)
    codes = known_codes()
    chain = Producer(App(store, codes), store, codes, SIGNERS)
    chain.start(genesis())
    return chain


def run(size: str) -> dict[str, Any]:
    """All kills and faults of a size."""
    killed, failed = SIZES[size]
    start = time.perf_counter()
    height = kills(killed, 7, lambda text: print(text, file=sys.stderr))
    middle = time.perf_counter()
    met = faults(failed, 11)
    return {
        "kills": killed,
        "height_after_kills": height,
        "faults": failed,
        "faults_met": met,
        "seconds_kills": round(middle - start, 1),
        "seconds_faults": round(time.perf_counter() - middle, 1),
        "digest": Reference().at(9)[0].hex(),
    }
