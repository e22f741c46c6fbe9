"""Starts that fail: one line that says why and what to do, and nothing was changed."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from devnet_process import ROOT

from chain.node.server import listen

FREE = ("--rpc-port", "0", "--gateway-port", "0", "--a2a-port", "0", "--ui-port", "0")


def start(*words: str, **environment: str) -> str:
    """What a start that fails says."""
    done = subprocess.run(
        [sys.executable, "-m", "chain.cli", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, **environment},
    )
    assert (done.returncode, done.stdout) == (1, ""), done
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.fixture
def taken() -> Iterator[str]:
    with listen("127.0.0.1", 0) as found:
        yield str(found.getsockname()[1])


@pytest.mark.parametrize(
    "option", ["--rpc-port", "--gateway-port", "--a2a-port", "--grpc-port", "--ui-port"]
)
def test_a_port_that_is_taken(tmp_path: Path, taken: str, option: str) -> None:
    said = start("devnet", "--home", str(tmp_path), *FREE, option, taken)
    assert said.endswith(f"stop what uses it or choose another with {option}\n")


def test_an_address_of_another_machine(tmp_path: Path) -> None:
    for host in ("192.0.2.1", "nowhere.invalid"):
        said = start("devnet", "--home", str(tmp_path), "--host", host, *FREE)
        assert "give --host an address of this machine" in said


def test_a_genesis_that_is_none_is_named_and_not_kept(tmp_path: Path) -> None:
    wrong, home = tmp_path / "wrong.json", tmp_path / "home"
    for text, why in (("[]", "not an object"), ('{"chain_id": 5}', "chain_id must be a text")):
        wrong.write_text(text)
        said = start("devnet", "--home", str(home), "--genesis", str(wrong), *FREE)
        assert said == f"error: {wrong}: genesis: {why}\n"
    start("devnet", "--home", str(home), "--chain-id", "x" * 100, *FREE)
    assert not home.exists()


def test_a_genesis_that_the_chain_refuses_is_not_kept(tmp_path: Path) -> None:
    home = tmp_path / "home"
    wrong = tmp_path / "wrong.json"
    made = subprocess.run(
        [sys.executable, "-m", "chain.cli", "node", "init", "--home", str(home), "--chain-id", "x"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    assert made.returncode == 0
    text = (home / "genesis.json").read_text()
    wrong.write_text(text.replace('"app_state": {', '"app_state": {"accounts": [5],', 1))
    other = tmp_path / "other"
    start("devnet", "--home", str(other), "--genesis", str(wrong), *FREE)
    assert not (other / "genesis.json").exists()


def test_a_wrong_genesis_deletes_no_chain(tmp_path: Path) -> None:
    home, wrong = tmp_path / "home", tmp_path / "wrong.json"
    home.mkdir()
    (home / "genesis.json").write_text("kept")
    wrong.write_text("{}")
    start("devnet", "--home", str(home), "--reset", "--genesis", str(wrong), *FREE)
    assert (home / "genesis.json").read_text() == "kept"


@pytest.mark.parametrize("home", ["/dev/null/x", "/proc/msgchain"])
def test_a_folder_that_cannot_be_made(home: str) -> None:
    assert start("devnet", "--home", home, *FREE).startswith(f"error: {home}: ")


def test_a_gateway_says_that_no_node_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
    words = [sys.executable, "-m", "chain.cli", "gateway", "--rpc", url, "--port", "0", "--no-a2a"]
    with subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        process.terminate()
    assert "no node answers yet" in said
    assert url in said
