"""Resident memory of a node that goes on and on: blocks of messages to LevelDB, with the index.

The messages come unsigned, by a tester's hand, because signing them would take most of the time;
everything behind the signature check is a node's. What lies in mapped files (LevelDB maps its
tables) is counted apart: the system takes those pages back when it needs them.
"""

from __future__ import annotations

import hashlib
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.pipeline import SECOND
from chain import wiring
from chain.driver.genesis import parse
from chain.index.index import Index
from chain.node.home import INDEX_BUFFER_BYTES
from chain.node.process import tune
from chain.node.service import MANUAL, Node, Options
from chain.store import LevelBackend
from chain.testing.engine import account_address
from chain.tx.builder import build_dev
from chain.tx.messages import DevExecute, MsgExecuteContract

#: messages at which memory is read
POINTS = {
    "smoke": (40, 80),
    "quick": (2_000, 5_000, 10_000, 20_000, 30_000),
    "real": (50_000, 100_000, 200_000, 300_000, 500_000, 750_000, 1_000_000),
}
BLOCK = 500
SENDERS = 1_000


def resident() -> tuple[float, float]:
    """Megabytes of this process: its own, and those of mapped files."""
    status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    fields = dict(line.split(":", 1) for line in status)
    own, mapped = (int(fields[name].split()[0]) / 1_000 for name in ("RssAnon", "RssFile"))
    return own, mapped


def message(number: int, contract: str, people: list[str], chain_id: str) -> bytes:
    """A transaction of one message, each sender in turn."""
    sender, receiver = people[number % SENDERS], people[(number * 7 + 1) % SENDERS]
    body = (
        f'{{"send_message":{{"to":"{receiver}",'
        '"message_type":"request","payload":"aGVsbG8=","priority":50,"ttl":3600}}'
    ).encode()
    call = MsgExecuteContract(sender, contract, body, ())
    return build_dev([DevExecute((call,))], chain_id=chain_id, nonce=number)


def measure(points: tuple[int, ...]) -> tuple[list[tuple[float, float]], str]:
    """Own and mapped megabytes when so many messages were sent, and the last app hash."""
    people = [account_address(f"party {number}", "msg") for number in range(SENDERS)]
    contract = wiring.contract_addresses()["agent_a2a_v1"]
    found: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        genesis = parse(wiring.devnet_genesis())
        producer = wiring.open_chain(
            Path(folder, "data"), genesis, signers=wiring.dev_validator_keys(1)
        )
        index = Index(LevelBackend(Path(folder, "index"), write_buffer_bytes=INDEX_BUFFER_BYTES))
        node = Node(producer, index, Options(block_time=MANUAL))
        node.start()
        tune()
        try:
            now, sent = producer.state.time, 0
            for point in points:
                while sent < point:
                    last = min(sent + BLOCK, point)
                    txs = [
                        message(number, contract, people, genesis.chain_id)
                        for number in range(sent, last)
                    ]
                    now += SECOND
                    record = node.exclusive(lambda t=txs, at=now: node.make(t, at)).result()  # type: ignore[misc]
                    bad = [result.log for result in record.result.tx_results if result.code]
                    if bad:
                        raise RuntimeError(bad[0])
                    sent = last
                found.append(resident())
            root = producer.state.app_hash.hex()
        finally:
            node.stop()
            node.close()
    return found, root


def run(size: str) -> dict[str, Any]:
    """Figures of one size."""
    began = time.perf_counter()
    points = POINTS[size]
    found, root = measure(points)
    figures: dict[str, Any] = {}
    for point, (own, mapped) in zip(points, found, strict=True):
        figures[f"{point:,} messages, own MB"] = round(own)
        figures[f"{point:,} messages, mapped MB"] = round(mapped)
    half = (len(points) - 1) // 2
    more = (found[-1][0] - found[half][0]) * 1e6
    figures["own bytes a message, second half"] = round(more / (points[-1] - points[half]))
    figures["seconds"] = round(time.perf_counter() - began)
    figures["digest"] = hashlib.sha256(root.encode()).hexdigest()[:16]
    return figures
