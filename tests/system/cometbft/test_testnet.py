"""``msgchain testnet`` as its users run it: four pairs, the demo through their RPC, a stop, and on again."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from demo_run import COMMAND, msgchain
from nets import PATIENCE

from chain.client.rpc import RpcClient

pytestmark = [pytest.mark.cometbft, pytest.mark.long]


FOUR = ("testnet", "--validators", "4", "--block-time", "200ms")


class Testnet:
    """The command as a process."""

    __test__ = False

    def __init__(self, home: Path, output: Path, *command: str) -> None:
        self.output = output
        self.nodes = 1 if command else 4
        words = [*(command or FOUR), "--home", str(home)]
        with output.open("w") as out:
            self.process = subprocess.Popen([*COMMAND, *words], stdout=out, stderr=out)

    def wait_for_height(self, height: int) -> None:
        """Until every status line's height is that high."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            heights = re.findall(r"node(\d) +(\d+)(?: \(stands\))?", self.output.read_text())
            last = {number: int(height) for number, height in heights}
            if len(last) == self.nodes and min(last.values()) >= height:
                return
            assert self.process.poll() is None, self.output.read_text()
            time.sleep(0.2)
        raise AssertionError(self.output.read_text()[-2000:])

    def stop(self) -> None:
        """Ctrl-C."""
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(PATIENCE) == 0, self.output.read_text()


def test_the_demo_plays_on_four_validators(cometbft: str, tmp_path: Path) -> None:
    home = tmp_path / ("a-long-name-" * 8) / "net"  # no unix socket has so long a path
    net = Testnet(home, tmp_path / "out")
    try:
        net.wait_for_height(2)
        urls = re.findall(r"RPC (http://\S+)", net.output.read_text())
        assert len(urls) == 4
        log = tmp_path / "demo.jsonl"
        done = msgchain("demo", "--rpc", urls[2], "--log", str(log))
        assert done.returncode == 0, done.stderr
        assert "a running chain at" in done.stdout
        assert "Event 6: a2a_channel_closed" in done.stdout
        assert "equal" in msgchain("log", "replay", str(log)).stdout
        again = msgchain("demo", "--rpc", urls[0])
        assert (again.returncode, "played there" in again.stderr) == (1, True)
        with RpcClient(urls[0]) as node:
            top = node.height()
        net.wait_for_height(top + 2)
        hashes = set()
        for url in urls:
            with RpcClient(url) as node:
                rows = [node.http.call("commit", height=str(h)) for h in range(2, top + 1)]
                hashes.add(tuple(row["signed_header"]["header"]["app_hash"] for row in rows))
        assert len(hashes) == 1, "all app hashes agree at every height"
    finally:
        net.stop()
    assert "state is in" in net.output.read_text()
    resumed = Testnet(home, tmp_path / "out2")
    resumed.wait_for_height(top + 3)
    resumed.stop()


def test_a_home_runs_wherever_it_was_moved(cometbft: str, tmp_path: Path) -> None:
    words = ["testnet", "--validators", "1", "--block-time", "200ms", "--init-only"]
    assert msgchain(*words, "--home", str(tmp_path / "net")).returncode == 0
    home = (tmp_path / "net" / "node0").rename(tmp_path / "moved")
    pair = Testnet(home, tmp_path / "out", "abci", "--with-node")
    try:
        pair.wait_for_height(3)
    finally:
        pair.stop()
    before = max(int(height) for height in re.findall(r"node0 +(\d+)", pair.output.read_text()))
    done = msgchain("abci", "--home", str(home), "--rollback", "1")
    assert re.search(r"at height \d+, app hash [0-9a-f]{64}", done.stdout), done.stderr
    again = Testnet(home, tmp_path / "out2", "abci", "--with-node")
    try:
        again.wait_for_height(before + 2)
    finally:
        again.stop()
