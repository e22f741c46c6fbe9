"""An App in a process of its own, over a folder, for tests that kill it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

from app_world import Codes

from chain.abci.handler import Handler
from chain.abci.server import Server
from chain.app.application import App
from chain.store import LevelBackend, StateStore


class Mortal(StateStore):
    """A store whose process ends right before or after it writes the block of one height."""

    moment: str = ""
    fatal: int = 0

    def commit(self, rows: Mapping[bytes, bytes | None]) -> None:
        """Write, unless the process ends before; or write, and end."""
        due = self.height + 1 == self.fatal
        if due and self.moment == "before-write":
            os.kill(os.getpid(), signal.SIGKILL)
        super().commit(rows)
        if due and self.moment == "after-write":
            os.kill(os.getpid(), signal.SIGKILL)


def serve(folder: str, moment: str, fatal: int) -> None:
    """Serve the App of a folder at the socket ``s`` in it, until the process is killed."""
    store = Mortal(LevelBackend(Path(folder) / "app"))
    store.moment, store.fatal = moment, fatal
    Server(f"unix://{folder}/s", Handler(App(store, Codes()))).serve()


def nursery() -> None:
    """Fork a process for each line ``folder moment fatal`` and say its number; so a process starts
    with everything imported.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        number = os.fork()
        if not number:
            folder, moment, fatal = line.split("\t")
            serve(folder, moment, int(fatal))
            os._exit(0)
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    nursery()
