"""The process: crash and restart, locks, ports, signals."""

from __future__ import annotations

import base64
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

from dev_txs import found, send, wallet_send
from devnet_process import ROOT, Devnet

START = "from chain.cli.main import main; main()"


def run(*words: str) -> subprocess.CompletedProcess[str]:
    """A command to its end."""
    return subprocess.run(
        [sys.executable, "-c", START, *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_killed_node_continues_with_the_same_state(tmp_path: Path) -> None:
    net = Devnet(tmp_path / "home", "--block-time", "instant")
    raw = [wallet_send(0, sequence) for sequence in range(5)]
    for one in raw:
        assert send(net, one, "commit")["tx_result"]["code"] == 0
    height = net.height
    block = net.call("block", height=str(height))
    net.stop(signal.SIGKILL)
    again = Devnet(tmp_path / "home", "--block-time", "instant")
    try:
        assert again.height == height
        assert again.call("block", height=str(height)) == block
        assert found(again, raw[0])["tx_result"]["code"] == 0
        assert send(again, wallet_send(0, 5), "commit")["tx_result"]["code"] == 0
    finally:
        assert again.stop() == 0


def test_a_lost_index_is_made_anew(tmp_path: Path) -> None:
    net = Devnet(tmp_path / "home", "--block-time", "instant")
    raw = wallet_send(0, 0)
    assert send(net, raw, "commit")["tx_result"]["code"] == 0
    assert net.stop() == 0
    for file in (tmp_path / "home" / "index").iterdir():
        file.unlink()
    again = Devnet(tmp_path / "home", "--block-time", "instant")
    try:
        assert found(again, raw)["height"] == "2"
    finally:
        assert again.stop(signal.SIGINT) == 0


def test_a_second_process_names_folder_and_cause(tmp_path: Path) -> None:
    net = Devnet(tmp_path / "home", "--block-time", "instant")
    try:
        second = run("devnet", "--home", str(tmp_path / "home"), "--rpc-port", "0")
        assert second.returncode == 1
        assert str(tmp_path / "home") in second.stderr
        assert "use another --home" in second.stderr
        assert "b'" not in second.stderr
        assert "Traceback" not in second.stderr
        reset = run("devnet", "--home", str(tmp_path / "home"), "--rpc-port", "0", "--reset")
        assert reset.returncode == 1
        assert "use another --home" in reset.stderr
        assert net.height == 1
    finally:
        assert net.stop() == 0


def test_a_stop_ends_answers_that_nobody_reads_and_calls_that_wait(tmp_path: Path) -> None:
    net = Devnet(tmp_path / "home", "--block-time", "manual")
    host, port = net.url.removeprefix("http://").rsplit(":", 1)
    tx = base64.b64encode(wallet_send(0, 0)).decode()
    waits = b'{"id":1,"method":"broadcast_tx_commit","params":{"tx":"%s"}}' % tx.encode()
    sent = (
        b"GET /genesis HTTP/1.1\r\nHost: x\r\n\r\n" * 500,
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(waits), waits),
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
    )
    with ExitStack() as stack:
        for raw in sent:
            client = stack.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            client.connect((host, int(port)))
            client.sendall(raw)
        while net.call("num_unconfirmed_txs")["total"] != "1":
            time.sleep(0.05)
        assert net.stop() == 0
    assert "Traceback" not in net.errors, net.errors


def test_an_occupied_port_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = run("devnet", "--home", str(tmp_path / "home"), "--rpc-port", port)
        assert done.returncode == 1
        assert port in done.stderr
        assert "--rpc-port" in done.stderr
        assert "Traceback" not in done.stderr


def test_reset_begins_anew_and_another_genesis_is_refused(tmp_path: Path) -> None:
    home = tmp_path / "home"
    net = Devnet(home, "--block-time", "instant")
    assert send(net, wallet_send(0, 0), "commit")["tx_result"]["code"] == 0
    assert net.stop() == 0
    refused = run("devnet", "--home", str(home), "--chain-id", "other-1", "--rpc-port", "0")
    assert refused.returncode == 1
    assert "--reset" in refused.stderr
    again = Devnet(home, "--block-time", "instant", "--reset", "--chain-id", "other-1")
    try:
        assert again.height == 1
        assert again.call("status")["node_info"]["network"] == "other-1"
    finally:
        assert again.stop() == 0


def test_a_node_with_a_genesis_of_ones_own(tmp_path: Path) -> None:
    home = tmp_path / "node"
    made = run("node", "init", "--home", str(home), "--chain-id", "own-1", "--validators", "3")
    assert made.returncode == 0, made.stderr
    assert (home / "validators.json").stat().st_mode & 0o077 == 0
    assert run("node", "init", "--home", str(home), "--chain-id", "own-1").returncode == 1
    net = Devnet(home, "--block-time", "100ms", command=("node", "start"))
    try:
        net.wait_for_height(4)
        assert net.call("validators")["total"] == "3"
        signatures = net.call("commit", height="2")["signed_header"]["commit"]["signatures"]
        assert len(signatures) == 3
        proposers = {
            net.call("header", height=str(height))["header"]["proposer_address"]
            for height in (1, 2, 3)
        }
        assert len(proposers) == 3
    finally:
        assert net.stop() == 0
