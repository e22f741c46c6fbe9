"""Starts the page's process when somebody first opens it, so that a devnet starts no slower.

The parent listens; the child gets the listening socket and serves. It ends when its standard input
does, which is when the parent ends in whatever way.
"""

from __future__ import annotations

import importlib.util
import os
import select
import socket
import subprocess
import sys
import threading
from typing import Final

#: how often a child that ended is started again
STARTS_MAX: Final = 5
_STOP_SECONDS: Final = 5


def available() -> bool:
    """Whether the extra ``ui`` is installed."""
    return importlib.util.find_spec("nicegui") is not None


class Launcher:
    """Waits for the first visitor of a listening socket and starts the page for it."""

    def __init__(self, listening: socket.socket, rpc_url: str) -> None:
        self._socket = listening
        self._rpc_url = rpc_url
        self._child: subprocess.Popen[bytes] | None = None
        self._awake, self._wake = os.pipe()
        self._thread = threading.Thread(target=self._run, name="page", daemon=True)

    @property
    def port(self) -> int:
        """The port of the page."""
        return int(self._socket.getsockname()[1])

    def start(self) -> None:
        """Wait in a thread."""
        self._thread.start()

    def wait(self) -> None:
        """Until the page ended for good."""
        self._thread.join()

    def stop(self) -> None:
        """End the child, if there is one."""
        os.write(self._wake, b"x")
        child = self._child
        if child is not None and child.stdin is not None:
            child.stdin.close()
            try:
                child.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        self._thread.join(_STOP_SECONDS)
        self._socket.close()
        os.close(self._awake)
        os.close(self._wake)

    def _run(self) -> None:
        for _ in range(STARTS_MAX):
            ready, _, _ = select.select([self._socket.fileno(), self._awake], [], [])
            if self._awake in ready:
                return
            self._child = self._spawn()
            self._child.wait()
            if select.select([self._awake], [], [], 0)[0]:
                return

    def _spawn(self) -> subprocess.Popen[bytes]:
        number = self._socket.fileno()
        return subprocess.Popen(
            [sys.executable, "-m", "chain.web", "--fd", str(number), "--rpc", self._rpc_url],
            stdin=subprocess.PIPE,
            pass_fds=(number,),
        )
