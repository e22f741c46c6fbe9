"""Processes are killed: at chosen moments around a commit, and at random under load on a real net."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import abci_process
import pytest
from abci_calls import LETTERS, TXS, Engine, Height, Model, block_of, fits
from nets import PATIENCE, top

from chain.abci.server import Frames
from chain.abci.supervise import Net
from chain.abci.wire import Request, Response, frame
from chain.app.devnet import dev_key
from chain.cli.log_cometbft import records_of
from chain.client.jsonrpc import RpcFailed, Unreachable
from chain.client.rpc import RpcClient
from chain.client.transport import TxRefused
from chain.client.wallet import Wallet, funds
from chain.driver.log.record import BlockRecord
from chain.driver.log.replay import replay
from chain.tx.messages import MsgSend
from chain.wiring import replay_app

pytestmark = pytest.mark.long

KILLS = 50
#: when the App's process ends: after FinalizeBlock, right before and after the commit's write, a few
#: milliseconds after Commit was sent, after its reply
MOMENTS = ("finalized", "before-write", "at-random", "after-write", "replied")


# --- one App, killed at every commit ---------------------------------------------------------------


class Gone(Exception):
    """The App's process has ended."""


class Remote(Engine):
    """The engine over a socket, to an App in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.heard: list[str] = []
        self.nursery = subprocess.Popen(
            [sys.executable, abci_process.__file__],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.start(MOMENTS[0], 1)

    def start(self, moment: str, height: int) -> None:
        """A new process over the same folder, which may end itself at a height; the handshake."""
        self.line.close()
        path = self.folder / "s"
        path.unlink(missing_ok=True)
        assert self.nursery.stdin is not None
        assert self.nursery.stdout is not None
        self.nursery.stdin.write(f"{self.folder}\t{moment}\t{height}\n")
        self.nursery.stdin.flush()
        self.process = int(self.nursery.stdout.readline())
        self.line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        end = time.monotonic() + PATIENCE
        while True:
            try:
                self.line.connect(str(path))
                break
            except OSError:
                assert time.monotonic() < end, "the App does not listen"
                time.sleep(0.005)
        self.frames = Frames()
        self.dial()

    def exchange(self, method: str, request: Any) -> Any:
        """One call over the socket. Raises: Gone."""
        try:
            self.line.sendall(frame(request))
            while data := self.line.recv(1 << 18):
                if found := self.frames.feed(data):
                    return Response.FromString(found[0])
        except OSError:
            pass
        raise Gone

    def kill(self) -> None:
        """End the App's process, and wait until it is gone."""
        end = time.monotonic() + PATIENCE
        with contextlib.suppress(ProcessLookupError):
            while time.monotonic() < end:
                os.kill(self.process, signal.SIGKILL)
                time.sleep(0.002)
            raise AssertionError("the App does not end")

    def ask(self, method: str, request: Any) -> Any:
        """One call."""
        self.heard[-1] += LETTERS[method]
        return self.exchange(method, request)

    def end(self) -> None:
        """End all processes."""
        self.kill()
        self.line.close()
        self.nursery.kill()
        self.nursery.communicate()


def test_every_kill_around_a_commit_recovers(tmp_path: Path) -> None:
    draw = random.Random(11)
    model, engine, outcomes = Model(), Remote(tmp_path), Counter[tuple[str, str]]()
    try:
        for number in range(KILLS):
            height, moment = number + 1, MOMENTS[number % len(MOMENTS)]
            plan = Height([draw.randrange(len(TXS))], number % 3, 0, [], [], "")
            block = block_of(height, plan)
            expected = model.commit(block)
            assert engine.finalize(block).app_hash == expected.app_hash
            commit_and_die(engine, moment, draw.random() * 0.004)
            engine.start(MOMENTS[(number + 1) % len(MOMENTS)], height + 1)
            kept = engine.height == height
            outcomes[moment, "kept" if kept else "lost"] += 1
            if not kept:
                assert engine.height == height - 1
                assert engine.finalize(block).app_hash == expected.app_hash
                engine.call("commit")
            question = Request()
            question.info.SetInParent()
            info = engine.exchange("info", question).info
            assert (info.last_block_height, info.last_block_app_hash) == (height, expected.app_hash)
    finally:
        engine.end()
    assert sum(outcomes.values()) == KILLS
    for moment, outcome in [
        ("finalized", "lost"),
        ("before-write", "lost"),
        ("after-write", "kept"),
    ]:
        assert outcomes[moment, outcome] == KILLS // len(MOMENTS), outcomes
    assert outcomes["replied", "kept"] == KILLS // len(MOMENTS), outcomes
    assert all(fits(letters) for letters in engine.heard), engine.heard


def commit_and_die(engine: Remote, moment: str, delay: float) -> None:
    """Commit, and end the App at a moment of it."""
    killed = threading.Timer(delay, engine.kill)
    if moment == "finalized":
        engine.kill()
    elif moment == "at-random":
        killed.start()
    try:
        engine.call("commit")
    except Gone:
        assert moment != "replied"
    if moment == "at-random":
        killed.join()
    engine.kill()


# --- a net, killed at random -----------------------------------------------------------------------


class Load:
    """Four senders, each of whom sends one payment after the other until it is in a block, and
    sends it again where a process took it along.
    """

    NAMES = ("alice", "bob", "carol", "dave")

    def __init__(self, urls: list[str]) -> None:
        self.urls = urls
        self.ended = threading.Event()
        self.done: list[tuple[str, int]] = []  # hash and height, as the client saw it
        self.threads = [threading.Thread(target=self._send, args=(name,)) for name in self.NAMES]
        for thread in self.threads:
            thread.start()

    def _send(self, name: str) -> None:
        draw = random.Random(name)
        raw, hash_, sent, wallet = b"", "", 0.0, None
        tries, since = 0, 0
        while not self.ended.is_set() or raw:
            client = RpcClient(draw.choice(self.urls))
            client.http._timeout = 5  # a node that is about to die may not answer
            try:
                if wallet is None:
                    wallet = Wallet(dev_key(name), client)
                    client.chain_id, wallet.account()
                wallet.transport = client
                if not raw:
                    message = MsgSend(wallet.address, dev_key("faucet").address, funds("1amsg"))
                    since = client.height()
                    raw, hash_, sent, tries = wallet.sign([message], 300_000), "", 0.0, 0
                if time.monotonic() - sent > 4:
                    tries += 1
                    sent, hash_ = time.monotonic(), self._hash(client, raw)
                height = self._height(client, hash_)
                if not height and tries > 2:
                    height = self._height_in_blocks(client, raw, since)
                if height:
                    self.done.append((hash_, height))
                    wallet._used()
                    raw = b""
            except (Unreachable, RpcFailed, OSError):
                pass
            finally:
                client.close()
            time.sleep(0.1)

    @staticmethod
    def _height(client: RpcClient, hash_: str) -> int:
        """The height where the index has it, 0 for none."""
        found = client.tx(hash_)
        if found is None:
            return 0
        assert found.outcome.code == 0, found.outcome
        return found.outcome.height

    @staticmethod
    def _height_in_blocks(client: RpcClient, raw: bytes, since: int) -> int:
        """The same for what no index has: all nodes were killed after its block and before its row."""
        wanted = base64.b64encode(raw).decode()
        for height in range(since, client.height() + 1):
            block = client.http.call("block", height=str(height))["block"]
            if wanted in block["data"]["txs"]:
                return height
        return 0

    @staticmethod
    def _hash(client: RpcClient, raw: bytes) -> str:
        try:
            client.broadcast_sync(raw)
        except TxRefused:
            pass  # its sequence is used: it is in a block already
        except RpcFailed as error:
            if "already exists" not in str(error):
                raise
        return hashlib.sha256(raw).hexdigest().upper()

    def stop(self) -> None:
        """Let each sender see its last payment in a block."""
        self.ended.set()
        for thread in self.threads:
            thread.join(PATIENCE)
            assert not thread.is_alive(), "a payment came into no block"


@pytest.mark.cometbft
def test_twenty_random_kills_under_load(make_net: Callable[..., Net]) -> None:
    net = make_net(4, block_time="200ms")
    draw = random.Random(20)
    load = Load([pair.home.rpc for pair in net.pairs])
    try:
        for _ in range(20):
            time.sleep(draw.uniform(0.2, 1.0))
            before = top(net)
            everybody = draw.random() < 0.1
            for pair in net.pairs if everybody else [draw.choice(net.pairs)]:
                parts = [pair.app, pair.node]
                for process in draw.choice([parts[:1], parts[1:], parts]):
                    assert process is not None
                    process.kill()
            end = time.monotonic() + PATIENCE
            while top(net) <= before:
                assert time.monotonic() < end, net.heights()
                time.sleep(0.1)
        end = time.monotonic() + PATIENCE
        while len(load.done) <= 20:
            assert time.monotonic() < end, load.done
            time.sleep(0.1)
    finally:
        load.stop()
    last = top(net)
    assert net.wait_for(last + 2, PATIENCE), net.heights()
    chains = [list(blocks(pair.home.rpc, last)) for pair in net.pairs]
    assert all(chain == chains[0] for chain in chains), "blocks, results and hashes agree"
    replay(chains[0], replay_app())
    found = Counter[tuple[str, int]]()
    for record in chains[0]:
        if isinstance(record, BlockRecord):
            for raw, result in zip(record.block.txs, record.result.tx_results, strict=True):
                if result.code == 0:
                    found[hashlib.sha256(raw).hexdigest().upper(), record.block.height] += 1
    assert found == Counter(load.done), "nothing committed was lost, nothing came twice"
    with RpcClient(net.pairs[0].home.rpc) as client:
        faucet = client.balance(dev_key("faucet").address, "amsg")
    assert faucet == 10**24 + len(load.done)
    net.stop()


def blocks(url: str, last: int) -> Iterator[Any]:
    """The records of a node."""
    with RpcClient(url) as client:
        yield from records_of(client, last=last)
