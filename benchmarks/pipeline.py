"""Signed ``send_message`` from bytes to disk: checks, block, Merkle root, synced commit.

The node is the real one without its search index: two threads bring the bytes, the chain thread
makes blocks; a sender may send 1,000 messages a second, for the usual 20 would bound one sender.
One thread's verification rate is measured beside each run, so the ratio holds on any
machine. ``agent_a2a_v1`` stands alone here (no constitution); ``whole`` has a devnet's seven
contracts and asks its constitution for each message.
"""

from __future__ import annotations

import hashlib
import tempfile
import threading
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks._genesis import busy_genesis
from benchmarks._measure import processor_seconds
from chain import wiring
from chain.app.answers import CheckTxResult
from chain.crypto.keys import MlDsa87Key, PrivateKey, Secp256k1Key
from chain.crypto.verify import InlineVerifier, SigJob, node_verifier
from chain.driver.genesis import parse
from chain.index.index import Index
from chain.node.process import tune
from chain.node.service import MANUAL, Node, Options
from chain.store import MemoryBackend
from chain.tx.builder import build_cosmos_direct, build_native, coins
from chain.tx.codec import decode_tx
from chain.tx.messages import MsgExecuteContract
from chain.tx.signing import signature_jobs

SECOND = 1_000_000_000
GAS = 600_000
FEE = "600000000000000000amsg"
#: transactions of a run
COUNTS = {"smoke": 12, "quick": 3_000, "real": 12_000}
SENDERS = {"smoke": 3, "quick": 100, "real": 200}
#: a block of one is an instant block: synced to disk before the next transaction runs
BLOCKS = {"smoke": (1, 4), "quick": (1, 10, 100, 1_000), "real": (1, 10, 100, 500, 1_000)}
FEEDERS = 2
#: transactions that a broadcasting thread has on the way before it waits for answers
UNANSWERED = 128
#: verifications that bring a node's processes up, and seconds to wait for them
_WARM = 300
_WARM_SECONDS = 30.0


class _NoIndex(Index):
    """The search index is a reader of blocks and no part of the pipeline."""

    def add(self, record: Any) -> None:
        """Nothing."""


class Outcome(NamedTuple):
    """One run."""

    rate: float  # transactions a second
    cpu: float  # processor seconds a transaction, all threads and verifying processes
    latency: float  # seconds from the first check of a block's transactions to its commit, median
    one_thread: float  # verifications a second of one thread
    verify_cpu: float  # processor seconds of one verification
    app_hash: str

    @property
    def ratio(self) -> float:
        """Of what one thread verifies."""
        return self.rate / self.one_thread

    @property
    def two_idle_cores(self) -> float:
        """The ratio that the processor time allows on two idle cores."""
        return 2 * self.verify_cpu / self.cpu


def sender_keys(kind: str, count: int) -> list[PrivateKey]:
    """Keys that are the same on every machine."""
    seeds = [hashlib.sha256(f"{kind} {number}".encode()).digest() for number in range(count)]
    if kind == "mldsa":
        return [MlDsa87Key(seed) for seed in seeds]
    return [Secp256k1Key(seed) for seed in seeds]


class Line:
    """A node over a fresh folder, senders with money, and their signed transactions."""

    def __init__(self, home: Path, kind: str, senders: int, *, whole: bool = False) -> None:
        self.kind = kind
        #: how many transactions wait at most while more are brought
        self.ahead = 1_000
        #: how many make a block; ``full``: so many wait, ``room``: more may be brought
        self.block = 500
        self.full, self.room = threading.Event(), threading.Event()
        self.keys = sender_keys(kind, senders)
        named = [
            (f"sender{number}", key.pubkey.address(), "1000000")
            for number, key in enumerate(self.keys)
        ]
        document = busy_genesis(accounts=named, wallets=0)
        self.contract = wiring.contract_addresses()["agent_a2a_v1"]
        if not whole:
            self._alone(document["app_state"])
        self.verifier = node_verifier()
        producer = wiring.open_chain(
            home, parse(document), signers=wiring.dev_validator_keys(1), verifier=self.verifier
        )
        self.node = Node(producer, _NoIndex(MemoryBackend()), Options(block_time=MANUAL))
        self.node.start()
        self.time = producer.state.time
        self.numbers = [self._number(key) for key in self.keys]

    @staticmethod
    def _alone(state: dict[str, Any]) -> None:
        """No constitution, no agent registry."""
        state["params"] |= {"agent_registry": ""}
        for message in state["messages"]:
            made = message.get("instantiate")
            if made is not None and "constitution_address" in made["msg"]:
                made["msg"]["constitution_address"] = None

    def _number(self, key: PrivateKey) -> int:
        found = self.node.app.queries.account(key.pubkey.address())
        return int(found[0].number) if found is not None else 0

    def sign(self, count: int) -> list[bytes]:
        """Transactions of all senders in turn; a key travels with its first one."""
        receivers = [key.pubkey.address() for key in sender_keys("mldsa", 2)]
        made = []
        for place in range(count):
            turn, index = divmod(place, len(self.keys))
            key = self.keys[index]
            address = key.pubkey.address()
            receiver = receivers[address == receivers[0]]
            body = (
                f'{{"send_message":{{"to":"{receiver}",'
                '"message_type":"request","payload":"aGVsbG8=","priority":50,"ttl":3600}}'
            )
            message = MsgExecuteContract(address, self.contract, body.encode(), ())
            options: dict[str, Any] = {
                "chain_id": wiring.CHAIN_ID,
                "account_numbers": [self.numbers[index]],
                "sequences": [turn],
                "gas_limit": GAS,
                "fee": coins(FEE),
            }
            if self.kind == "mldsa":
                made.append(build_native([message], [key], send_keys=turn == 0, **options))
            else:
                made.append(build_cosmos_direct([message], [key], **options))
        return made

    def jobs(self, txs: Sequence[bytes]) -> list[SigJob]:
        """The signature checks of transactions."""
        found: list[SigJob] = []
        for place, raw in enumerate(txs):
            index = place % len(self.keys)
            pubkey = self.keys[index].pubkey
            found += signature_jobs(decode_tx(raw), 0, pubkey, self.numbers[index], wiring.CHAIN_ID)
        return found

    def feed(self, txs: Sequence[bytes]) -> list[threading.Thread]:
        """Threads that bring the transactions, each those of its own senders, in order."""

        def bring(part: int) -> None:
            sent: deque[Future[CheckTxResult]] = deque()
            for place, raw in enumerate(txs):
                if place % len(self.keys) % FEEDERS == part:
                    while len(self.node.mempool) > self.ahead:
                        self.room.clear()
                        if len(self.node.mempool) > self.ahead:
                            self.room.wait(1)
                    sent.append(self.node.submit(raw))
                    if len(sent) >= UNANSWERED:
                        self._look(sent, UNANSWERED // 2)
            self._look(sent, 0)

        threads = [threading.Thread(target=bring, args=(part,)) for part in range(FEEDERS)]
        for thread in threads:
            thread.start()
        return threads

    def _look(self, sent: deque[Future[CheckTxResult]], left: int) -> None:
        """Wait for answers until only so many are left."""
        while len(sent) > left:
            result = sent.popleft().result()
            if result.code:
                raise RuntimeError(result.log)
        if len(self.node.mempool) >= self.block:
            self.full.set()

    def warm(self, jobs: Sequence[SigJob]) -> None:
        """Start the processes that verify under load; nothing that holds is verified, so nothing is
        remembered.
        """
        wrong = [SigJob(job.pubkey, job.message + b"!", job.signature, job.context) for job in jobs]
        for _ in range(-(-_WARM // len(wrong))):
            self.verifier.verify_many(wrong)
        self.verifier.started(_WARM_SECONDS)

    def go(self, txs: Sequence[bytes], block: int) -> tuple[float, float, float]:
        """Seconds on the wall, processor seconds, and the median time of a block."""
        node = self.node
        self.ahead, self.block = max(20, 3 * block // 2), block
        began, used = time.perf_counter(), processor_seconds(self.verifier.worker_pids())
        threads = self.feed(txs)
        done = 0
        latencies: list[float] = []
        while done < len(txs):
            waiting = len(node.mempool)
            if waiting < block and waiting + done < len(txs):
                self.full.clear()
                self.full.wait(0.02)  # the last transactions may fill no block
                continue
            self.time += SECOND
            at = time.perf_counter()
            record = node.exclusive(lambda: self._block(block)).result()
            latencies.append(time.perf_counter() - at)
            self.room.set()
            done += len(record.block.txs)
            bad = [result.log for result in record.result.tx_results if result.code]
            if bad:
                raise RuntimeError(bad[0])
        for thread in threads:
            thread.join()
        latencies.sort()
        return (
            time.perf_counter() - began,
            processor_seconds(self.verifier.worker_pids()) - used,
            latencies[len(latencies) // 2],
        )

    def _block(self, size: int) -> Any:
        with self.node.pool_lock:
            txs = [raw for raw, _ in zip(self.node.mempool, range(size), strict=False)]
        return self.node.make(txs, self.time)

    def close(self) -> None:
        """End the node and its threads."""
        self.node.stop()
        self.node.close()
        self.verifier.close()


def one_thread_rate(jobs: Sequence[SigJob]) -> tuple[float, float]:
    """Verifications a second of one thread, and processor seconds of one."""
    verifier = InlineVerifier()
    began, used = time.perf_counter(), time.thread_time()
    if not all(verifier.verify_many(jobs)):
        raise RuntimeError("a signature does not verify")
    wall, cpu = time.perf_counter() - began, time.thread_time() - used
    return len(jobs) / wall, cpu / len(jobs)


def measure(kind: str, count: int, senders: int, block: int, *, whole: bool = False) -> Outcome:
    """One run over a fresh folder; verification is measured before and after it."""
    with tempfile.TemporaryDirectory() as folder:
        line = Line(Path(folder), kind, senders, whole=whole)
        tune()
        try:
            txs = line.sign(count)
            jobs = line.jobs(txs)[: max(50, count // 8)]
            if count >= _WARM:
                line.warm(jobs)
            before = one_thread_rate(jobs)
            seconds, cpu, latency = line.go(txs, block)
            after = one_thread_rate(jobs)
            root = line.node.app.info().app_hash.hex()
        finally:
            line.close()
    return Outcome(
        count / seconds,
        cpu / count,
        latency,
        (before[0] + after[0]) / 2,
        min(before[1], after[1]),
        root,
    )


def run(size: str) -> dict[str, Any]:
    """Both kinds of signatures; blocks and senders of several sizes; a devnet's contracts."""
    count, senders = COUNTS[size], SENDERS[size]
    figures: dict[str, Any] = {}

    def note(name: str, found: Outcome) -> None:
        figures[f"{name}, 1/s"] = round(found.rate)
        figures[f"{name}, of one thread's verification"] = round(found.ratio, 3)
        figures[f"{name}, processor us"] = round(found.cpu * 1e6)
        figures[f"{name}, block ms"] = round(found.latency * 1e3, 2)

    digest = hashlib.sha256()
    for kind in ("mldsa", "secp256k1"):
        for block in BLOCKS[size]:
            found = measure(kind, min(count, max(200, 20 * block)), senders, block)
            digest.update(found.app_hash.encode())
            note(f"{kind}, blocks of {block}", found)
    if size != "smoke":
        for people in (1, 10, 100):
            note(f"mldsa, {people} senders", measure("mldsa", 600, people, 100))
        note("mldsa, a devnet", measure("mldsa", count, senders, 500, whole=True))
    figures["digest"] = digest.hexdigest()[:16]
    return figures
