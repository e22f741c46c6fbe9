"""Checking signatures: one job is one exact (key, message, signature, context).

The application gets a ``Verifier``; which one does not matter to the result, because a check is a
pure function of the job. ``InlineVerifier`` works where it is called. ``ThreadedVerifier`` spreads
a block's jobs over threads, as the libraries release the interpreter lock, and remembers what it
proved, so that a signature that CheckTx saw costs nothing in the block. Only proven jobs are
remembered; a refused one is checked again.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, Protocol

import msgspec

from chain.crypto import ed25519, mldsa, secp256k1
from chain.crypto.keys import ED25519, ML_DSA_87, SECP256K1, PubKey

_REMEMBERED: Final = (
    20_000  # about 150 MB of ML-DSA transactions if all are, which the mempool bounds first
)


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


def _verify_all(jobs: Sequence[SigJob]) -> list[bool]:
    return [verify(job) for job in jobs]


class InlineVerifier:
    """Checks one after the other in the caller's thread."""

    def verify_many(self, jobs: Sequence[SigJob]) -> list[bool]:
        """One answer a job."""
        return _verify_all(jobs)


class TrustingVerifier:
    """Says yes to everything; for replaying a log whose signatures were checked when it
    was made.
    """

    def verify_many(self, jobs: Sequence[SigJob]) -> list[bool]:
        """Yes for each job."""
        return [True] * len(jobs)


class ThreadedVerifier:
    """Checks on a pool of threads and remembers what was proven; safe to use from
    several threads.
    """

    def __init__(self, threads: int, *, remember: int = _REMEMBERED) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="verify")
        self._threads = threads
        self._limit = remember
        self._proven: dict[bytes, None] = {}  # oldest first
        self._lock = threading.Lock()

    def verify_many(self, jobs: Sequence[SigJob]) -> list[bool]:
        """One answer a job."""
        proven = self._proven
        digests = [_digest(job) for job in jobs]
        answers = [digest in proven for digest in digests]
        missing = [index for index, known in enumerate(answers) if not known]
        if not missing:
            return answers
        fresh = self._check([jobs[index] for index in missing])
        with self._lock:
            for index, good in zip(missing, fresh, strict=True):
                answers[index] = good
                if good:
                    proven[digests[index]] = None
            while len(proven) > self._limit:
                del proven[next(iter(proven))]
        return answers

    def _check(self, jobs: list[SigJob]) -> list[bool]:
        """Check on the pool, a few jobs at a time, so that handing them over costs little."""
        if len(jobs) == 1:
            return [verify(jobs[0])]
        size = max(1, len(jobs) // (4 * self._threads))
        chunks = [jobs[at : at + size] for at in range(0, len(jobs), size)]
        answers: list[bool] = []
        for part in self._pool.map(_verify_all, chunks):
            answers += part
        return answers

    def remembered(self) -> int:
        """How many proven signatures are kept."""
        return len(self._proven)

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()
