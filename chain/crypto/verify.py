"""Checking signatures: one job is one exact (key, message, signature, context).

The application gets a ``Verifier``; which one does not matter to the result, because a check is a
pure function of the job. ``InlineVerifier`` works where it is called. ``ThreadedVerifier`` spreads
jobs over threads, as the libraries release the interpreter lock, and under load over processes of
their own (``chain.crypto.workers``), which never ask for that lock. It remembers what it proved,
so that a signature that CheckTx saw costs nothing in the block. Only proven jobs are remembered; a
refused one is checked again.
"""

from __future__ import annotations

import hashlib
import logging
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import import_module
from typing import Any, Final, Protocol

import msgspec

from chain.crypto import ed25519, mldsa, secp256k1
from chain.crypto.keys import ED25519, ML_DSA_87, SECP256K1, PubKey

_REMEMBERED: Final = (
    20_000  # about 150 MB of ML-DSA transactions if all are, which the mempool bounds first
)
_LOG: Final = logging.getLogger("msgchain.verify")
#: so many jobs at once are worth handing over, and so many in such groups a start of processes
_MANY: Final = 4
_LOAD: Final = 256
#: jobs that are handed over together at most: some milliseconds of work
_TOGETHER: Final = 32


class SigJob(msgspec.Struct, frozen=True):
    """One signature to check. Only ML-DSA looks at the context."""

    pubkey: PubKey
    message: bytes
    signature: bytes
    context: bytes = b""


def verify(job: SigJob) -> bool:
    """Whether the signature holds. Never raises for bad bytes."""
    kind = job.pubkey.type
    if kind == ML_DSA_87:
        return mldsa.verify(job.pubkey.key, job.message, job.signature, job.context)
    if kind == SECP256K1:
        return secp256k1.verify(job.pubkey.key, job.message, job.signature)
    if kind == ED25519:
        return ed25519.verify(job.pubkey.key, job.message, job.signature)
    return False


def _digest(job: SigJob) -> bytes:
    """SHA-256 over the exact job, parts told apart by their lengths."""
    digest = hashlib.sha256(job.pubkey.type.encode())
    for part in (job.pubkey.key, job.context, job.signature, job.message):
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.digest()


class Verifier(Protocol):
    """Checks many signatures at once, in order."""

    def verify_many(self, jobs: Sequence[SigJob]) -> list[bool]:
        """One answer a job."""
        ...

    def verify_parts(self, parts: Sequence[Sequence[SigJob]]) -> Iterator[list[bool]]:
        """The answers of each part in turn; later parts may be checked while an earlier one is
        used.
        """
        ...

    def close(self) -> None:
        """End what runs beside the caller."""
        ...


def _verify_all(jobs: Sequence[SigJob]) -> list[bool]:
    return [verify(job) for job in jobs]


class InlineVerifier:
    """Checks one after the other in the caller's thread."""

    def verify_many(self, jobs: Sequence[SigJob]) -> list[bool]:
        """One answer a job."""
        return _verify_all(jobs)

    def verify_parts(self, parts: Sequence[Sequence[SigJob]]) -> Iterator[list[bool]]:
        """Each part when it is asked for."""
        return map(_verify_all, parts)

    def close(self) -> None:
        """Nothing runs beside."""


class TrustingVerifier:
    """Says yes to everything; for replaying a log whose signatures were checked when it
    was made.
    """

    def verify_many(self, jobs: Sequence[SigJob]) -> list[bool]:
        """Yes for each job."""
        return [True] * len(jobs)

    def verify_parts(self, parts: Sequence[Sequence[SigJob]]) -> Iterator[list[bool]]:
        """Yes for each job."""
        return map(self.verify_many, parts)

    def close(self) -> None:
        """Nothing runs beside."""


class ThreadedVerifier:
    """Checks on a pool of threads, from a certain load on in ``processes`` of their own, and
    remembers what was proven; safe to use from several threads.
    """

    def __init__(
        self, threads: int, *, remember: int = _REMEMBERED, processes: int = 0, load: int = _LOAD
    ) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="verify")
        self._threads = threads
        self._limit = remember
        self._proven: dict[bytes, None] = {}  # oldest first
        self._lock = threading.Lock()
        self._processes = processes
        self._until_start = load
        self._crew: Any = None
        self._starting: threading.Thread | None = None
        self._closed = False

    def verify_many(self, jobs: Sequence[SigJob]) -> list[bool]:
        """One answer a job."""
        return self._begin(jobs)()

    def verify_parts(self, parts: Sequence[Sequence[SigJob]]) -> Iterator[list[bool]]:
        """All parts are begun at once."""
        begun = [self._begin(part, alone=len(parts) == 1) for part in parts]
        return (finish() for finish in begun)

    def _begin(self, jobs: Sequence[SigJob], *, alone: bool = True) -> Callable[[], list[bool]]:
        """Begin to check; what comes back waits for the answers. ``alone``: nothing else is to be
        done meanwhile, so a single job is checked where it is asked for.
        """
        digests = [_digest(job) for job in jobs]
        missing = [index for index, digest in enumerate(digests) if digest not in self._proven]
        if not missing:
            return lambda: [True] * len(jobs)
        wanted = [jobs[index] for index in missing]
        if alone and len(wanted) == 1:
            return lambda: self._noted(digests, missing, [verify(wanted[0])])
        futures = self._submit(wanted)
        return lambda: self._noted(
            digests, missing, [answer for future in futures for answer in future.result()]
        )

    def _submit(self, jobs: list[SigJob]) -> list[Future[list[bool]]]:
        """Hand jobs over a few at a time, so that handing them over costs little."""
        many = len(jobs) >= _MANY
        if many and self._processes and self._crew is None:
            self._count(len(jobs))
        crew = self._crew
        if many and crew is not None:
            size = max(1, min(_TOGETHER, -(-len(jobs) // crew.size)))
            return [crew.submit(jobs[at : at + size]) for at in range(0, len(jobs), size)]
        size = max(1, len(jobs) // (4 * self._threads))
        return [
            self._pool.submit(_verify_all, jobs[at : at + size]) for at in range(0, len(jobs), size)
        ]

    def _noted(self, digests: list[bytes], missing: list[int], fresh: list[bool]) -> list[bool]:
        """The answers of all jobs; what was proven is remembered."""
        answers = [True] * len(digests)
        proven = self._proven
        with self._lock:
            for index, good in zip(missing, fresh, strict=True):
                answers[index] = good
                if good:
                    proven[digests[index]] = None
            while len(proven) > self._limit:
                del proven[next(iter(proven))]
        return answers

    def _count(self, jobs: int) -> None:
        """Start the processes in the background when there was load enough for them."""
        with self._lock:
            self._until_start -= jobs
            if self._until_start > 0 or self._starting is not None or self._closed:
                return
            self._starting = threading.Thread(target=self._start, name="workers", daemon=True)
            self._starting.start()

    def _start(self) -> None:
        workers = import_module("chain.crypto.workers")  # imports what a quick start does without
        try:
            crew = workers.Crew(self._processes, _verify_all)
        except (workers.WorkerDied, OSError) as error:
            _LOG.warning("no process checks signatures (%s); threads do", error)
            return
        with self._lock:
            if not self._closed:
                self._crew = crew
                return
        crew.close()

    def started(self, timeout: float | None = None) -> bool:
        """Wait for processes that are being started; whether there are any."""
        if self._starting is not None:
            self._starting.join(timeout)
        return self._crew is not None

    def worker_pids(self) -> list[int]:
        """Process ids of the processes that check and wait for work, to measure what they use."""
        return self._crew.pids() if self._crew is not None else []

    def remembered(self) -> int:
        """How many proven signatures are kept."""
        return len(self._proven)

    def close(self) -> None:
        """End threads and processes."""
        with self._lock:
            self._closed = True
        if self._starting is not None:
            self._starting.join()
        if self._crew is not None:
            self._crew.close()
        self._pool.shutdown()


def node_verifier() -> ThreadedVerifier:
    """For a node: threads for all processors, under load processes for all but one."""
    processors = os.cpu_count() or 1
    return ThreadedVerifier(max(2, processors), processes=max(1, processors - 1))
