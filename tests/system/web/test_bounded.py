"""What the page asks of its node does not grow with the chain behind it."""

from __future__ import annotations

import json
import select
import socket
import threading
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from devnet_process import Devnet
from many_messages import allow_many_messages
from web_world import MSG, World

from benchmarks.restart import crowd, fill
from chain import wiring
from chain.app.devnet import dev_key
from chain.client.agent_calls import Call, binary, create_channel, create_task, send_message
from chain.driver.genesis import parse
from chain.node.home import DATA, write_genesis
from chain.testing.engine import account_address
from chain.web.launch import Launcher, available

pytestmark = pytest.mark.long

#: what a view may ask beyond what it asks on a small chain: the next page's worth, no more
CALLS_MORE = 12
BYTES_TIMES = 4
BYTES_MORE = 300_000
#: what a view shows of a query that its contract refused or could not answer
REFUSED = "wasmvm error"
#: messages of a chain that was filled before, a quarter of a minute's work, and of each block then
MESSAGES = 100_000
PER_BLOCK = 2_000


class Counter:
    """A node's RPC that counts what goes through."""

    def __init__(self, url: str) -> None:
        self.calls: list[tuple[str, int]] = []
        counter = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                asked = urllib.request.Request(url, body, {"content-type": "application/json"})
                with urllib.request.urlopen(asked, timeout=60) as answer:
                    raw = answer.read()
                counter.calls.append((json.loads(body)["method"], len(raw)))
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def handle(self) -> None:
                try:
                    super().handle()
                except ConnectionError:  # the page ended
                    return

            def do_GET(self) -> None:
                """The news of blocks, as they are."""
                node = urllib.parse.urlsplit(url)
                with socket.create_connection((node.hostname or "", node.port or 80)) as other:
                    lines = [self.requestline, *(f"{k}: {v}" for k, v in self.headers.items())]
                    other.sendall("\r\n".join([*lines, "", ""]).encode())
                    both = [self.connection, other]
                    while True:
                        for ready in select.select(both, [], [])[0]:
                            raw = ready.recv(65_536)
                            if not raw:
                                self.close_connection = True
                                return
                            both[ready is self.connection].sendall(raw)

            def log_message(self, *words: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def take(self) -> tuple[int, int]:
        """Calls and bytes since the last look."""
        found, self.calls = self.calls, []
        return len(found), sum(size for _, size in found)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def page_of(url: str) -> Iterator[tuple[Counter, str]]:
    """A page of a node, with a counter between them."""
    counter = Counter(url)
    listening = socket.create_server(("127.0.0.1", 0))
    launcher = Launcher(listening, counter.url)
    launcher.start()
    try:
        yield counter, f"http://127.0.0.1:{launcher.port}"
    finally:
        launcher.stop()
        counter.close()


def opened(counter: Counter, page: str, path: str) -> tuple[int, int]:
    """What one view asked: the second time, when what never changes is known."""
    for _ in range(2):
        counter.take()
        with urllib.request.urlopen(page + path, timeout=120) as answer:
            assert answer.status == 200, path
            assert REFUSED not in answer.read().decode(), path
    return counter.take()


def grow(world: World, url: str) -> None:
    """Thousands of messages, full blocks, many channels, tasks and blocks."""
    allow_many_messages(url)
    crowd = [account_address(f"crowd {number}", "msg") for number in range(100)]
    alice, carol = world.source.actor(world.alice), world.source.actor(world.carol)
    to = alice.contracts
    sent = send_message(
        to, world.alice.address, b"again", message_type="notification", priority=50, ttl=3600
    )
    for _ in range(3):
        carol.submit(*[sent] * 200)
        body = {"receivers": crowd, "payload": binary(b"to all"), "priority": 50, "ttl": 60}
        alice.submit(Call(to.a2a, {"broadcast": body}))
    alice.submit(*[create_channel(to, one) for one in crowd[:40]])
    task = create_task(to, "bob-agent", "create_dashboard", price=8 * MSG)
    for _ in range(2):
        alice.submit(*[task] * 20)
    world.source.control.mine(80)


def prefill(home: Path, messages: int) -> None:
    """A devnet's folder with so many messages, most of them among the people who are shown."""
    document = wiring.devnet_genesis()
    write_genesis(home, document)
    producer = wiring.open_chain(home / DATA, parse(document), signers=wiring.dev_validator_keys(1))
    shown = [dev_key(name).address for name in ("alice", "bob", "carol", "dave")]
    fill(producer, messages, PER_BLOCK, [*shown, *crowd(2)])
    producer.store.close()


def measured(home: Path, *, large: bool = False) -> dict[str, tuple[int, int]]:
    """Calls and bytes of every view."""
    devnet = Devnet(home, "--block-time", "instant", "--no-ui")
    try:
        world = World(devnet.url)
        world.fill()
        if large:
            grow(world, devnet.url)
        views = world.views()
        with page_of(devnet.url) as (counter, page):
            opened(counter, page, "/")
            found = {name: opened(counter, page, path) for name, path in views.items()}
        world.source.close()
        return found
    finally:
        devnet.stop()


def more(small: dict[str, tuple[int, int]], large: dict[str, tuple[int, int]]) -> dict[str, Any]:
    """The views that ask more than a page more."""
    return {
        name: (small[name], large[name])
        for name in small
        if large[name][0] > small[name][0] + CALLS_MORE
        or large[name][1] > small[name][1] * BYTES_TIMES + BYTES_MORE
    }


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, int]]:
    if not available():
        pytest.skip("nicegui is not installed")
    return measured(tmp_path_factory.mktemp("page") / "small")


def test_no_view_asks_more_of_a_long_chain(
    tmp_path: Path, small: dict[str, tuple[int, int]]
) -> None:
    assert more(small, measured(tmp_path / "large", large=True)) == {}


def test_no_view_asks_more_of_a_chain_with_many_messages(
    tmp_path: Path, small: dict[str, tuple[int, int]]
) -> None:
    prefill(tmp_path / "many", MESSAGES)
    assert more(small, measured(tmp_path / "many")) == {}
