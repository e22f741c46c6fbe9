"""A devnet as a process of its own, for system tests."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
#: what a busy machine may take; whoever is quick waits for none of it
START_SECONDS = 180


class Devnet:
    """``msgchain devnet`` on a free port; ``home`` keeps its chain."""

    def __init__(self, home: Path, *options: str, command: tuple[str, ...] = ("devnet",)) -> None:
        self.home = home
        home.parent.mkdir(parents=True, exist_ok=True)
        self._out = home.parent / f"{home.name}.out"
        self._err = home.parent / f"{home.name}.err"
        start = "from chain.cli.main import main; main()"
        words = [sys.executable, "-c", start, *command, "--home", str(home)]
        if "--rpc-port" not in options:
            words += ["--rpc-port", "0"]
        if command == ("devnet",):
            words += [
                f"--no-{name}"
                for name in ("gateway", "ui")
                if f"--no-{name}" not in options and f"--{name}-port" not in options
            ]
        with self._out.open("w") as out, self._err.open("w") as err:
            self.process = subprocess.Popen(
                [*words, *options], cwd=ROOT, stdout=out, stderr=err, env={**os.environ}
            )
        self.url = self._wait()

    def _wait(self) -> str:
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            found = re.search(r"(?:RPC +|\"rpc\": \")(http://[^\s\"]+)", self.output)
            if found and self._answers(found[1]):
                return found[1]
            if self.process.poll() is not None:
                raise AssertionError(f"ended with {self.process.returncode}: {self.errors}")
            time.sleep(0.05)
        self.process.kill()
        raise AssertionError(f"did not start: {self.output} {self.errors}")

    @staticmethod
    def _answers(url: str) -> bool:
        try:
            with urllib.request.urlopen(f"{url}/status", timeout=5) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False

    @property
    def socket_url(self) -> str:
        """The WebSocket's URL."""
        return self.url.replace("http", "ws", 1)

    @property
    def output(self) -> str:
        """What it said."""
        return self._out.read_text() if self._out.exists() else ""

    @property
    def errors(self) -> str:
        """What it logged."""
        return self._err.read_text() if self._err.exists() else ""

    def call(self, method: str, **params: Any) -> Any:
        """The result of a method; an error raises."""
        answer = self.ask({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer["result"]

    def ask(self, body: Any) -> Any:
        """The whole answer to a body."""
        status, raw = self.post(json.dumps(body).encode())
        assert status in (200, 400), raw
        return json.loads(raw)

    def post(self, raw: bytes, path: str = "/") -> tuple[int, bytes]:
        """Status and body of an answer to bytes."""
        request = urllib.request.Request(self.url + path, data=raw, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=90) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def get(self, path: str) -> str:
        """The body of a GET."""
        with urllib.request.urlopen(self.url + path, timeout=90) as answer:
            text: str = answer.read().decode()
        return text

    def metric(self, name: str) -> float:
        """The value of a metric without labels."""
        found = re.search(rf"^{name} (\S+)$", self.get("/metrics"), re.MULTILINE)
        assert found, name
        return float(found[1])

    @property
    def height(self) -> int:
        """The last height."""
        return int(self.call("status")["sync_info"]["latest_block_height"])

    def wait_for_height(self, height: int, seconds: float = 120) -> None:
        """Until the chain is that high."""
        end = time.monotonic() + seconds
        while self.height < height:
            assert time.monotonic() < end, f"height {self.height}, not {height}"
            time.sleep(0.05)

    def stop(self, kind: int = signal.SIGTERM, seconds: float = 90) -> int:
        """Send a signal and wait; the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(kind)
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise AssertionError("did not stop") from None
        return self.process.returncode
