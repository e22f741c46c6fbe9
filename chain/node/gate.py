"""The gate before the pool for those who bring many transactions: one thread checks in order of
arrival what came, and while it checks some, the signatures of the next ones are verified.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Final

from chain.app.application import CheckTxResult

#: transactions that are verified together
TOGETHER: Final = 64
#: transactions on their way; who brings more waits
_ON_THE_WAY: Final = 1_000
_Brought = tuple[bytes, "Future[CheckTxResult]"]


class Gate:
    """``prove`` begins to verify and gives an iterator whose next value comes when that is done;
    ``admit`` checks one transaction.
    """

    def __init__(
        self,
        prove: Callable[[list[bytes]], Iterator[None]],
        admit: Callable[[bytes], CheckTxResult],
    ) -> None:
        self._prove = prove
        self._admit = admit
        self._queue: queue.Queue[_Brought | None] = queue.Queue(_ON_THE_WAY)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False

    def submit(self, raw: bytes) -> Future[CheckTxResult]:
        """Let a transaction be checked; the future is cancelled when the gate closes before."""
        future: Future[CheckTxResult] = Future()
        with self._lock:
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._run, name="gate", daemon=True)
                self._thread.start()
        if not self._closed:
            self._queue.put((raw, future))
        if self._closed:
            future.cancel()  # also when it closed meanwhile, and nobody takes from the queue
        return future

    def close(self) -> None:
        """Check nothing more."""
        with self._lock:
            self._closed = True
            thread = self._thread
        if thread is not None:
            self._queue.put(None)
            thread.join()

    def _taken(self, wait: bool) -> list[_Brought]:
        """What came, up to a number; empty where nothing did or the gate closes."""
        taken: list[_Brought] = []
        try:
            while len(taken) < TOGETHER and not self._closed:
                one = self._queue.get(wait and not taken)
                if one is not None:
                    taken.append(one)
        except queue.Empty:
            pass
        return taken

    def _run(self) -> None:
        proven: Iterator[None] = iter(())
        waiting: list[_Brought] = []
        while not self._closed:
            brought = self._taken(not waiting)
            begun = self._begun(brought)
            self._check(waiting, proven)
            waiting, proven = brought, begun
        for _, future in [*waiting, *self._rest()]:
            future.cancel()

    def _rest(self) -> Iterator[_Brought]:
        while not self._queue.empty():
            one = self._queue.get()
            if one is not None:
                yield one

    def _begun(self, brought: list[_Brought]) -> Iterator[None]:
        try:
            return self._prove([raw for raw, _ in brought]) if brought else iter(())
        except Exception:
            return iter(())  # each is then verified where it is checked

    def _check(self, waiting: list[_Brought], proven: Iterator[None]) -> None:
        if waiting:
            next(proven, None)
        for raw, future in waiting:
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(self._admit(raw))
            except Exception as error:
                future.set_exception(error)
