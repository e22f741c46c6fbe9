"""A gateway as a process of its own, API keys, and plain HTTP to it, for system tests."""

from __future__ import annotations

import base64
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from devnet_process import ROOT, START_SECONDS, Devnet
from websockets.sync.client import ClientConnection, connect

from chain.gateway.keys import ApiKeys

Answer = tuple[int, Any, dict[str, str]]


class Gateway:
    """``msgchain gateway`` on a free port."""

    def __init__(self, folder: Path, rpc: str, api_keys: Path, *options: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._out = folder / "gateway.out"
        self._err = folder / "gateway.err"
        self.output = ""
        words = [sys.executable, "-u", "-m", "chain.cli", "gateway", "--rpc", rpc, "--port", "0"]
        words += ["--api-keys", str(api_keys), "--log-level", "debug", *options]
        with self._out.open("w") as out, self._err.open("w") as err:
            self.process = subprocess.Popen(
                words, cwd=ROOT, stdout=out, stderr=err, env={**os.environ}
            )
        self.url = self._wait(r"Agent API +(http://\S+)")
        self.host = self.url.removeprefix("http://")

    def _wait(self, pattern: str) -> str:
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            found = re.search(pattern, self._out.read_text())
            if found and self._answers(found[1]):
                return found[1]
            if self.process.poll() is not None:
                raise AssertionError(f"ended with {self.process.returncode}: {self.errors}")
            time.sleep(0.05)
        self.process.kill()
        raise AssertionError(f"did not start: {self.errors}")

    @staticmethod
    def _answers(url: str) -> bool:
        connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=5)
        try:
            connection.request("GET", "/openapi.json")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    @property
    def errors(self) -> str:
        """What it logged."""
        return self._err.read_text() if self._err.exists() else ""

    @property
    def memory(self) -> int:
        """Bytes of resident memory."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", text)
        assert found
        return int(found[1]) * 1024

    def ask(
        self,
        method: str,
        path: str,
        key: str | None = None,
        body: Any = None,
        *,
        headers: dict[str, str] | None = None,
        raw: bytes | None = None,
    ) -> Answer:
        """Status, JSON and headers of an answer."""
        connection = http.client.HTTPConnection(self.host, timeout=90)
        sent = dict(headers or {})
        if key is not None:
            sent["X-API-Key"] = key
        content = raw if body is None else json.dumps(body).encode()
        try:
            connection.request(method, path, content, sent)
            answer = connection.getresponse()
            text = answer.read()
            shown = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, json.loads(text) if text else None, shown
        finally:
            connection.close()

    def get(self, path: str, key: str | None = None, **headers: str) -> Answer:
        """GET."""
        return self.ask("GET", path, key, headers=headers)

    def post(self, path: str, key: str | None, body: Any, once: str | None = None) -> Answer:
        """POST; ``once`` is an idempotency key."""
        headers = {} if once is None else {"Idempotency-Key": once}
        return self.ask("POST", path, key, body, headers=headers)

    def listen(self, address: str, key: str, last: str | None = None) -> Listener:
        """A WebSocket client that is subscribed."""
        return Listener(self.url, address, key, last)

    def stop(self, kind: int = signal.SIGTERM) -> int:
        """Send a signal and wait; the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(kind)
            self.process.wait(20)
        return int(self.process.returncode)


class Listener:
    """A client of the pushes that keeps the last id."""

    def __init__(self, url: str, address: str, key: str, last: str | None = None) -> None:
        query = f"a2a_address={address}" + (f"&last_event_id={last}" if last else "")
        place = f"{url.replace('http', 'ws')}/agent/v1/events/subscribe?{query}"
        self._stack = ExitStack()
        self.socket: ClientConnection = self._stack.enter_context(connect(place))
        topics = ["a2a_message", "a2a_channel"]
        self.socket.send(json.dumps({"type": "subscribe", "topics": topics, "api_key": key}))
        first = json.loads(self.socket.recv(timeout=20))
        assert first["type"] == "subscribed", first
        self.last = first["last_event_id"]

    def close(self) -> None:
        """End the connection."""
        self._stack.close()

    def next(self, seconds: float = 20) -> dict[str, Any]:
        """The next push. Raises: TimeoutError."""
        found: dict[str, Any] = json.loads(self.socket.recv(timeout=seconds))
        self.last = found.get("id", self.last)
        return found

    def until(self, msg_id: str) -> list[str]:
        """Ids of the messages sent, up to this one."""
        found: list[str] = []
        while not found or found[-1] != msg_id:
            payload = self.next()["payload"]
            if payload["event"] == "a2a_message_sent":
                found.append(payload["msg_id"])
        return found


def made(folder: Path, agent_id: str, address: str, signer: str = "") -> str:
    """An API key without asking any chain."""
    return ApiKeys(folder).create(agent_id, address, signer)[0]


class Agent(NamedTuple):
    """An agent's API key and account."""

    key: str
    address: str
    agent_id: str
    key_id: str


class Net(NamedTuple):
    """What the tests share."""

    devnet: Devnet
    api_keys: Path
    folder: Path
    agents: dict[str, Agent]
    gateway: Gateway
    other: Gateway

    def settle(self, seconds: float = 60) -> str:
        """Wait until both gateways know the chain's last block; the id of the last event."""
        height = self.devnet.height
        agent = next(iter(self.agents.values()))
        end = time.monotonic() + seconds
        found = ""
        for gateway in (self.other, self.gateway):
            while True:
                found = gateway.get("/agent/v1/me", agent.key)[1]["last_event_id"]
                if int(found.partition("-")[0]) >= height:
                    break
                assert time.monotonic() < end, f"{found} is before height {height}"
                time.sleep(0.01)
        return found

    def create(self, name: str, *options: str) -> Agent:
        """An API key made by the command."""
        words = ["api-keys", "create", "--agent", f"{name}-agent", "--rpc", self.devnet.url]
        words += ["--api-keys", str(self.api_keys), "--output", "json", *options]
        done = subprocess.run(
            [sys.executable, "-m", "chain.cli", *words],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return Agent(found["api_key"], found["address"], found["agent_id"], found["key_id"])


def body_to(to: Agent, text: str = "hello", **more: Any) -> dict[str, Any]:
    """What ``send`` takes."""
    return {"to": to.address, "payload": base64.b64encode(text.encode()).decode(), **more}
