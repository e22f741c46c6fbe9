"""An App and its CometBFT live and die together; a net is several such pairs.

When the App ends, CometBFT ends with exit status 0, so a pair is restarted whatever the status.
Health is a height that moves, not a process that lives: after a consensus failure a node answers
its RPC and never moves again, so a pair that stands while the others go on is restarted too.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from chain.abci.homes import Home

log: Final = logging.getLogger("msgchain.abci")

VERSION: Final = "v0.38.26"
INSTALL: Final = f"go install github.com/cometbft/cometbft/cmd/cometbft@{VERSION}"
_POLL_SECONDS: Final = 0.2
_RESTART_SECONDS: Final = 0.5
_STOP_SECONDS: Final = 10.0
_READY_SECONDS: Final = 30.0
_READY_POLL_SECONDS: Final = 0.05
_LOOK_SECONDS: Final = 3.0
#: a pair that stood so long while another got so far ahead is started again; each time in a row it
#: is given twice as long
STALL_SECONDS: Final = 30.0
_STALL_BLOCKS: Final = 5
_PATIENCE_MAX: Final = 3_600.0
_APP: Final = (sys.executable, "-m", "chain.cli")


class MissingCometBFT(Exception):
    """CometBFT is not installed; the text says how to get it."""

    def __init__(self) -> None:
        super().__init__(
            "the command `cometbft` was not found. With Go 1.22 or newer:\n"
            f"    {INSTALL}\n"
            "then put the folder that `go env GOPATH` names, plus /bin, into PATH"
        )


def find_cometbft() -> str:
    """The path of the binary. Raises: MissingCometBFT."""
    found = shutil.which("cometbft") or shutil.which(
        "cometbft", path=os.path.expanduser("~/go/bin")
    )
    if found is None:
        raise MissingCometBFT
    return found


class Pair:
    """One App process and one CometBFT process; their output goes to files in the home.

    ``settings`` are further environment variables, ``CMT_<SECTION>_<KEY>`` or ``FAIL_TEST_INDEX``;
    ``command`` is what stands before ``abci --home HOME`` to start the App.
    """

    def __init__(
        self,
        home: Home,
        binary: str,
        settings: Mapping[str, str] | None = None,
        command: Sequence[str] = _APP,
    ) -> None:
        self.home = home
        self._settings = settings or {}
        self._binary = binary
        self._command = tuple(command)
        self._logs: list[IO[bytes]] = []
        self.app: subprocess.Popen[bytes] | None = None
        self.node: subprocess.Popen[bytes] | None = None
        self.restarts = -1

    def start(self) -> None:
        """Start both."""
        self.start_app()
        self.start_node()

    def start_app(self) -> None:
        """Start the App alone."""
        self.restarts += 1
        self.app = self._spawn(
            "app.log",
            [*self._command, "abci", "--home", str(self.home.folder)],
        )

    def start_node(self) -> None:
        """Start CometBFT when the App listens: it dials only every three seconds."""
        end = time.monotonic() + _READY_SECONDS
        while time.monotonic() < end and self.app is not None and self.app.poll() is None:
            if _listens(self.home.socket):
                break
            time.sleep(_READY_POLL_SECONDS)
        self.node = self._spawn(
            "node.log", [self._binary, "start", "--home", str(self.home.folder)]
        )

    def _spawn(self, name: str, command: list[str]) -> subprocess.Popen[bytes]:
        output = (self.home.folder / name).open("ab")
        self._logs.append(output)
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={
                **os.environ,
                "CMT_PROXY_APP": f"unix://{self.home.socket}",  # the folder may have been moved
                **self._settings,
            },
            start_new_session=True,
        )

    def alive(self) -> bool:
        """Whether both run."""
        return all(part is not None and part.poll() is None for part in (self.app, self.node))

    def stop(self, how: int = signal.SIGTERM) -> None:
        """End both, CometBFT first, and wait for them."""
        for part in (self.node, self.app):
            if part is not None and part.poll() is None:
                part.send_signal(how)
                try:
                    part.wait(_STOP_SECONDS)
                except subprocess.TimeoutExpired:
                    part.kill()
                    part.wait()
        for output in self._logs:
            output.close()
        self._logs.clear()

    def height(self) -> int | None:
        """The latest height by RPC, None while the node does not answer."""
        try:
            with urllib.request.urlopen(f"{self.home.rpc}/status", timeout=2) as answer:
                status = json.load(answer)["result"]
        except (OSError, ValueError, KeyError, urllib.error.URLError):
            return None
        return int(status["sync_info"]["latest_block_height"])

    def wrote(self) -> float:
        """When the App last wrote to its folder, which it also does while blocks are replayed into
        it and the node does not answer yet.
        """
        times = [0.0]
        with contextlib.suppress(OSError):
            for entry in os.scandir(self.home.folder / "app"):
                with contextlib.suppress(OSError):
                    times.append(entry.stat().st_mtime)
        return max(times)


def _listens(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return False
    return True


@dataclass(slots=True)
class _Health:
    """Where a pair stood when it was last seen to move, and how long it may stand."""

    mark: tuple[int | None, float]
    since: float
    patience: float


def _start(pairs: Sequence[Pair]) -> None:
    """Start several pairs: all Apps first, which take longest."""
    for pair in pairs:
        pair.start_app()
    for pair in pairs:
        pair.start_node()


class Net:
    """Pairs under supervision: one that lost a process, or that stands ``stall`` seconds while
    another goes on, is restarted as a pair.
    """

    def __init__(self, pairs: Sequence[Pair], *, stall: float = STALL_SECONDS) -> None:
        self.pairs = list(pairs)
        self.held: set[str] = set()
        self._stall = stall
        self._ended = threading.Event()
        self._turn = threading.RLock()
        self._health: dict[str, _Health] = {}
        self._watcher = threading.Thread(target=self._watch, name="supervisor", daemon=True)

    def start(self) -> None:
        """Start every pair and the watch over them."""
        _start(self.pairs)
        self._watcher.start()

    def _watch(self) -> None:
        looked = time.monotonic()
        while not self._ended.wait(_POLL_SECONDS):
            with self._turn:
                self._again([pair for pair in self.pairs if not pair.alive()], "lost a process")
            if time.monotonic() - looked > _LOOK_SECONDS:
                looked = time.monotonic()
                self._again(self._standing(), "stands while others go on")

    def _again(self, pairs: Sequence[Pair], why: str) -> None:
        with self._turn:
            due = [pair for pair in pairs if pair.home.name not in self.held]
            for pair in due:
                log.warning("%s %s; the pair is started again", pair.home.name, why)
                pair.stop()
            if due and not self._ended.wait(_RESTART_SECONDS):
                _start(due)

    def _standing(self) -> list[Pair]:
        """The pairs that stood too long while another one went on."""
        heights, now = self.heights(), time.monotonic()
        top = max((height or 0 for height in heights.values()), default=0)
        found = []
        for pair in self.pairs:
            name = pair.home.name
            mark = (heights[name], 0.0 if heights[name] is not None else pair.wrote())
            known = self._health.get(name)
            if known is None or known.mark != mark or name in self.held:
                self._health[name] = _Health(mark, now, self._stall)
            elif now - known.since > known.patience and (mark[0] or 0) + _STALL_BLOCKS <= top:
                found.append(pair)
                known.since, known.patience = now, min(2 * known.patience, _PATIENCE_MAX)
        return found

    def hold(self, name: str, how: int = signal.SIGKILL) -> None:
        """Stop one pair and leave it stopped."""
        with self._turn:
            self.held.add(name)
            self._pair(name).stop(how)

    def resume(self, name: str) -> None:
        """Start a held pair again."""
        with self._turn:
            self._pair(name).start()
            self.held.discard(name)

    def _pair(self, name: str) -> Pair:
        return next(pair for pair in self.pairs if pair.home.name == name)

    def heights(self) -> dict[str, int | None]:
        """The height of each node."""
        return {pair.home.name: pair.height() for pair in self.pairs}

    def wait_for(self, height: int, seconds: float) -> bool:
        """Whether every node that is not held reaches a height in time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            standing = [h for name, h in self.heights().items() if name not in self.held]
            if all(h is not None and h >= height for h in standing):
                return True
            time.sleep(_POLL_SECONDS)
        return False

    def stop(self) -> None:
        """End the watch and every pair."""
        self._ended.set()
        if self._watcher.is_alive():
            self._watcher.join()
        for pair in self.pairs:
            pair.stop()
