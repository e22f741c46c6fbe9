"""Processes that check signatures beside this one, so that checking never takes the interpreter's
lock from what executes.

A worker is asked by one thread at a time. Whatever goes wrong with it (it died, it was killed, it
answers something else than it was asked), its jobs are checked here and it is not asked again.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Final

import msgspec

from chain.crypto.verify import SigJob
from chain.crypto.worker import LENGTH_BYTES, NUMBER_BYTES, READY

LOG: Final = logging.getLogger("msgchain.verify")
_ENDING_SECONDS: Final = 2.0
_ROOT: Final = str(Path(__file__).resolve().parents[2])
_Check = Callable[[Sequence[SigJob]], list[bool]]


class WorkerDied(Exception):
    """A worker gave no answer that can be trusted."""


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a worker by closing its input, or by force, and read its exit code."""
    for pipe in (process.stdin, process.stdout):
        try:
            if pipe is not None:
                pipe.close()
        except OSError:
            pass  # it died with unread input
    try:
        process.wait(_ENDING_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Worker:
    """One process, ready when it is made. Raises: WorkerDied, OSError."""

    def __init__(self) -> None:
        path = os.pathsep.join(part for part in (_ROOT, os.environ.get("PYTHONPATH")) if part)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "chain.crypto.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for who started it
            env={**os.environ, "PYTHONPATH": path},
        )
        self._number = 0
        self._ended = weakref.finalize(self, _end, self._process)
        if self._read(len(READY)) != READY:
            self.close()
            raise WorkerDied("it did not start")

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def _read(self, size: int) -> bytes:
        pipe = self._process.stdout
        return pipe.read(size) if pipe is not None else b""

    def verify(self, jobs: Sequence[SigJob]) -> list[bool]:
        """One answer a job; after any exception it must not be asked again. Raises: WorkerDied."""
        pipe = self._process.stdin
        self._number += 1
        number = self._number.to_bytes(NUMBER_BYTES, "big")
        packed = msgspec.msgpack.encode(jobs)
        size = (NUMBER_BYTES + len(packed)).to_bytes(LENGTH_BYTES, "big")
        try:
            if pipe is None:
                raise WorkerDied("it has no input")
            pipe.write(size + number + packed)
            pipe.flush()
            answer = self._read(NUMBER_BYTES + len(jobs))
        except (OSError, ValueError) as error:
            raise WorkerDied(str(error)) from None
        found = answer[NUMBER_BYTES:]
        if len(found) != len(jobs) or answer[:NUMBER_BYTES] != number or found.strip(b"\0\1"):
            raise WorkerDied("it ended")
        return [value == 1 for value in found]

    def close(self) -> None:
        """End it; also when this object or the interpreter ends."""
        self._ended()


class Crew:
    """Several workers and a thread for each, which waits for it. Raises: WorkerDied, OSError."""

    def __init__(self, size: int, check_here: _Check) -> None:
        self._check_here = check_here
        self._free: deque[Worker] = deque()
        self._warned = threading.Lock()
        try:
            for _ in range(size):
                self._free.append(Worker())
        except BaseException:
            self._end_all()
            raise
        self._threads = ThreadPoolExecutor(size, thread_name_prefix="worker")
        self.size = size

    def submit(self, jobs: Sequence[SigJob]) -> Future[list[bool]]:
        """Have jobs checked by whoever is free next."""
        return self._threads.submit(self._ask, jobs)

    def pids(self) -> list[int]:
        """Process ids of the workers that wait for work."""
        return [worker.pid for worker in self._free]

    def _ask(self, jobs: Sequence[SigJob]) -> list[bool]:
        try:
            worker = self._free.popleft()  # there are as many as threads, but for those that died
        except IndexError:
            return self._check_here(jobs)
        try:
            answers = worker.verify(jobs)
        except WorkerDied as error:
            worker.close()
            if self._warned.acquire(blocking=False):
                LOG.warning("a process that checks signatures is lost (%s); going on here", error)
            return self._check_here(jobs)
        except BaseException:
            worker.close()  # its next answer could be to this question
            raise
        self._free.append(worker)
        return answers

    def _end_all(self) -> None:
        while self._free:
            self._free.popleft().close()

    def close(self) -> None:
        """Finish what was begun and end the processes."""
        self._threads.shutdown()
        self._end_all()
