"""A live devnet for a test: a process of its own on a free port."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Final

_WAIT_SECONDS: Final = 60
_START: Final = "from chain.cli.main import main; main()"


class Devnet:
    """A running devnet. ``url`` is its RPC; its log is ``log``.

    >>> Devnet.free_port() > 1023
    True
    """

    def __init__(self, home: Path, port: int, process: subprocess.Popen[bytes], log: Path) -> None:
        self.home = home
        self.url = f"http://127.0.0.1:{port}"
        self.log = log
        self._process = process

    @staticmethod
    def free_port() -> int:
        """A port that nobody listens on now."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return int(probe.getsockname()[1])

    def wait(self) -> None:
        """Until it answers. Raises: RuntimeError with its log when it does not come up."""
        end = time.monotonic() + _WAIT_SECONDS
        while time.monotonic() < end:
            if self._process.poll() is not None:
                break
            try:
                with urllib.request.urlopen(f"{self.url}/status", timeout=2):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.05)
        self.stop()
        raise RuntimeError(f"the devnet did not come up:\n{self.log.read_text(errors='replace')}")

    def stop(self) -> None:
        """End it and wait for its end."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()


def start(home: Path, *options: str) -> Devnet:
    """Start one in a folder, a block for each transaction; more ``options`` of ``msgchain devnet``.

    Raises: RuntimeError when it does not come up.
    """
    home.mkdir(parents=True, exist_ok=True)
    port = Devnet.free_port()
    log = home.parent / f"{home.name}.log"
    command = [sys.executable, "-c", _START, "devnet", "--home", str(home)]
    command += ["--rpc-port", str(port), "--block-time", "instant", *options]
    with log.open("wb") as target:
        process = subprocess.Popen(command, stdout=target, stderr=subprocess.STDOUT)
    made = Devnet(home, port, process, log)
    made.wait()
    return made
