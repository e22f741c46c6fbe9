"""A process beside this one that serves on sockets which listen here already.

It ends when its standard input does, which is when this process ends in whatever way, and is
started again when it ends by itself.
"""

from __future__ import annotations

import logging
import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Final

LOG: Final = logging.getLogger("msgchain.child")
#: how often a child is started
STARTS_MAX: Final = 5
_STOP_SECONDS: Final = 10


class Child:
    """``python -m WORDS``, started after ``after`` seconds, or for its first visitor where that is
    None."""

    def __init__(
        self,
        name: str,
        words: Sequence[str],
        sockets: Sequence[socket.socket],
        *,
        after: float | None = None,
    ) -> None:
        self._name = name
        self._words = [sys.executable, "-m", *words]
        self._sockets = list(sockets)
        self._visited = [one.fileno() for one in sockets] if after is None else []
        self._after = after
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._ended = False
        self._awake, self._wake = os.pipe()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Wait in a thread."""
        self._thread.start()

    def wait(self) -> None:
        """Until the child ended for good."""
        self._thread.join()

    def end_soon(self) -> None:
        """Let the child end, and start no other; ``stop`` waits for that."""
        with self._lock:
            if self._ended:
                return
            self._ended = True
        os.write(self._wake, b"x")
        self._close_input()

    def stop(self) -> None:
        """End the child, if there is one, and close the sockets."""
        self.end_soon()
        process = self._process
        if process is not None:
            try:
                process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._thread.join(_STOP_SECONDS)
        for one in self._sockets:
            one.close()
        os.close(self._awake)
        os.close(self._wake)

    def _run(self) -> None:
        for _ in range(STARTS_MAX):
            ready, _, _ = select.select([*self._visited, self._awake], [], [], self._after)
            if self._awake in ready or not self._spawn():
                return
            status = self._process.wait() if self._process is not None else 0
            with self._lock:
                if self._ended:
                    return
                self._close_input()
            LOG.warning("%s ended", self._name, extra={"status": status})
        LOG.error("%s is started no more", self._name)

    def _close_input(self) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()

    def _spawn(self) -> bool:
        with self._lock:
            if self._ended:
                return False
            numbers = [one.fileno() for one in self._sockets]
            # in a session of its own: Ctrl-C is for this process, which ends the child
            self._process = subprocess.Popen(
                self._words, stdin=subprocess.PIPE, pass_fds=numbers, start_new_session=True
            )
        return True
