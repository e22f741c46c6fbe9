"""The Agent API: requests a second for send, inbox and discover, and event delay by subscribers.

A devnet, a gateway without limits and this client share the machine; blocks come every 200 ms, and
the mailbox takes a thousand messages a second of a sender in place of 20.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from benchmarks._genesis import busy_genesis
from chain.gateway.keys import ApiKeys
from chain.wiring import dev_wallet

SIZES: dict[str, dict[str, Any]] = {
    "smoke": {"seconds": 0.5, "agents": 4, "subscribers": (1, 10), "events": 3},
    "real": {"seconds": 8.0, "agents": 20, "subscribers": (1, 100, 1_000), "events": 20},
}
CONNECTIONS = 32
OFF = ("--requests-per-second", "0", "--messages-per-second", "0")


@contextmanager
def started(words: list[str], pattern: str) -> Iterator[str]:
    """A command of ours; what the pattern finds in its output."""
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "chain.cli", *words], stdout=subprocess.PIPE, text=True
    )
    try:
        for line in process.stdout or ():
            found = re.search(pattern, line)
            if found:
                yield found[1]
                return
        raise RuntimeError(f"{words[0]} did not start")
    finally:
        process.terminate()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


class Client:
    """One kept connection; sends bytes, reads status and body."""

    def __init__(self, url: str) -> None:
        self.host, _, port = url.removeprefix("http://").partition(":")
        self.port = int(port)

    async def open(self) -> Client:
        """Connect."""
        self.reader, self.writer = await asyncio.open_connection(self.host, self.port)
        return self

    async def ask(self, raw: bytes) -> int:
        """Send a request; the answer's status."""
        self.writer.write(raw)
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head.lower())
        await self.reader.readexactly(int(length[1]) if length else 0)
        return int(head[9:12])


def request(method: str, path: str, key: str, body: Any = None) -> bytes:
    """A request's bytes."""
    raw = b"" if body is None else json.dumps(body).encode()
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: bench\r\nX-API-Key: {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(raw)}\r\n\r\n"
    )
    return head.encode() + raw


async def load(
    url: str, make: Callable[[int], bytes], seconds: float, connections: int
) -> dict[str, float]:
    """Requests one after another on each connection; how many a second were answered with 200."""
    end = time.monotonic() + seconds
    delays: list[float] = []
    failed = 0

    async def one(number: int) -> None:
        nonlocal failed
        client = await Client(url).open()
        turn = number
        while time.monotonic() < end:
            begun = time.perf_counter()
            if await client.ask(make(turn)) == 200:
                delays.append(time.perf_counter() - begun)
            else:
                failed += 1
            turn += connections
        client.writer.close()

    begun = time.monotonic()
    await asyncio.gather(*(one(number) for number in range(connections)))
    took = time.monotonic() - begun
    delays.sort()
    return {
        "per_second": round(len(delays) / took, 1),
        "median_ms": round(1e3 * delays[len(delays) // 2], 2) if delays else 0.0,
        "p99_ms": round(1e3 * delays[len(delays) * 99 // 100], 2) if delays else 0.0,
        "failed": failed,
    }


async def subscribed(url: str, key: str) -> ClientConnection:
    """A client that hears of an agent's events."""
    socket = await connect(
        f"{url.replace('http', 'ws')}/agent/v1/events/subscribe", compression=None
    )
    await socket.send(json.dumps({"type": "subscribe", "api_key": key}))
    await socket.recv()
    return socket


async def delays(
    url: str, keys: list[tuple[str, str]], subscribers: int, events: int
) -> dict[str, float]:
    """From the block, as the first listener at the node hears of it, to every subscriber."""
    (receiver_key, receiver), (sender_key, _) = keys[0], keys[1]
    sockets = [await subscribed(url, receiver_key) for _ in range(subscribers)]
    client = await Client(url).open()
    body = {"to": receiver, "payload": base64.b64encode(b"ping").decode()}
    raw = request("POST", "/agent/v1/a2a/send", sender_key, body)
    found: list[float] = []

    async def hear(socket: ClientConnection) -> None:
        shown = json.loads(await socket.recv())["payload"]
        found.append(time.time() - int(shown["time"]) / 1e9)

    for _ in range(events):
        heard = asyncio.gather(*(hear(socket) for socket in sockets))
        await client.ask(raw)
        await heard
    for socket in sockets:
        await socket.close()
    found.sort()
    return {
        "median_ms": round(1e3 * found[len(found) // 2], 2),
        "p99_ms": round(1e3 * found[len(found) * 99 // 100], 2),
    }


async def measure(url: str, keys: list[tuple[str, str]], size: dict[str, Any]) -> dict[str, Any]:
    """All figures."""
    count = len(keys)

    def sends(turn: int) -> bytes:
        key, _ = keys[turn % count]
        body = {"to": keys[(turn + 1) % count][1], "payload": "aGVsbG8=", "ttl": 600}
        return request("POST", "/agent/v1/a2a/send", key, body)

    def inbox(turn: int) -> bytes:
        key, address = keys[turn % count]
        path = f"/agent/v1/a2a/inbox?address={address}&status=pending&limit=10"
        return request("GET", path, key)

    def fresh(turn: int) -> bytes:
        path = f"/agent/v1/a2a/discover?capability=c{turn}"
        return request("GET", path, keys[turn % count][0])

    def discover(turn: int) -> bytes:
        path = "/agent/v1/a2a/discover?capability=chart-generation&max_price=5"
        return request("GET", path, keys[turn % count][0])

    await load(url, sends, 0.01, count)  # contracts are compiled and keys opened by the first
    figures: dict[str, Any] = {}
    steps: list[tuple[str, Callable[[], Awaitable[dict[str, float]]]]] = [
        ("send", lambda: load(url, sends, size["seconds"], count * 4)),
        ("inbox", lambda: load(url, inbox, size["seconds"], CONNECTIONS)),
        ("discover", lambda: load(url, discover, size["seconds"], CONNECTIONS)),
        ("discover_uncached", lambda: load(url, fresh, size["seconds"], CONNECTIONS)),
    ]
    for name, step in steps:
        for what, value in (await step()).items():
            figures[f"{name}_{what}"] = value
    for subscribers in size["subscribers"]:
        for what, value in (await delays(url, keys, subscribers, size["events"])).items():
            figures[f"event_delay_{subscribers}_{what}"] = value
    return figures


def run(size: str) -> dict[str, Any]:
    """The figures."""
    chosen = SIZES[size]
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(soft, 8_192), hard), hard))
    with tempfile.TemporaryDirectory() as folder:
        api_keys = ApiKeys(Path(folder) / "api-keys")
        keys = []
        for index in range(chosen["agents"]):
            address = dev_wallet(index).pubkey.address()
            keys.append(
                (api_keys.create(f"agent{index}", address, f"dev:wallet{index}")[0], address)
            )
        os.environ["MSGCHAIN_API_KEYS"] = str(api_keys.folder)
        genesis = Path(folder) / "genesis.json"
        genesis.write_text(json.dumps(busy_genesis(wallets=chosen["agents"])), encoding="utf-8")
        devnet = ["devnet", "--home", f"{folder}/home", "--rpc-port", "0", "--no-gateway"]
        devnet += ["--no-ui", "--block-time", "200ms", "--genesis", str(genesis)]
        with (
            started(devnet, r"RPC +(http\S+)") as rpc,
            started(["gateway", "--rpc", rpc, "--port", "0", *OFF], r"Agent API +(http\S+)") as url,
        ):
            time.sleep(1.5)
            return asyncio.run(measure(url, keys, chosen))
