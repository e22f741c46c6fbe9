"""``--output json|table``: every command that ends takes it, and says the same in both."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from devnet_process import ROOT, Devnet
from recorded_rpc import node

from chain.cli.beside import PLACES
from chain.cli.main import cli
from chain.driver.log import files

#: it writes a project and has nothing to say to machines
SILENT = {"new"}


def commands(found: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, list[str]]]:
    if isinstance(found, click.Group):
        for name in found.list_commands(click.Context(found)):
            inner = found.get_command(click.Context(found), name)
            assert inner is not None
            yield from commands(inner, (*path, name))
    else:
        yield " ".join(path), [one for param in found.params for one in param.opts]


def test_every_command_takes_output() -> None:
    without = {name for name, options in commands(cli) if "--output" not in options}
    assert without <= SILENT


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("log") / "two.jsonl"
    made = node()
    made.mine(2)
    files.write(path, made.producer.records())
    made.stop()
    return path


@pytest.mark.parametrize("command", ["verify", "replay"])
def test_a_log_is_verified_and_replayed_in_both_forms(log: Path, command: str) -> None:
    told = {
        words: CliRunner().invoke(cli, ["log", command, str(log), *words])
        for words in ((), ("--output", "table"), ("--output", "json"), ("--json",))
    }
    assert {one.exit_code for one in told.values()} == {0}
    assert told[()].stdout == told["--output", "table"].stdout
    assert told["--json",].stdout == told["--output", "json"].stdout
    found = json.loads(told["--json",].stdout)
    assert (found["height"], found["chain_id"]) == (3, "msg-chain-1")
    assert found["app_hash"] in told[()].stdout


def test_differences_are_told_in_both_forms(log: Path, tmp_path: Path) -> None:
    shorter = tmp_path / "one.jsonl"
    made = node()
    files.write(shorter, made.producer.records())
    made.stop()
    same = CliRunner().invoke(cli, ["log", "diff", str(log), str(log), "--output", "json"])
    assert (same.exit_code, json.loads(same.stdout)) == (0, {"equal": True})
    other = CliRunner().invoke(cli, ["log", "diff", str(log), str(shorter), "--output", "json"])
    assert other.exit_code == 1
    assert json.loads(other.stdout)["height"] >= 1


def test_a_devnet_introduces_itself_as_json(tmp_path: Path) -> None:
    net = Devnet(tmp_path / "home", "--block-time", "manual", "--output", "json")
    try:
        found = json.loads(net.output)
        assert found["chain_id"] == "msg-chain-1"
        assert found["rpc"] == net.url
        assert found["accounts"]["alice"].startswith("msg1")
        assert found["contracts"]["token_v1"].startswith("msg1")
        assert {found[door] for door in PLACES} == {None}  # the helper asks for none
    finally:
        assert net.stop() == 0


def test_a_devnet_says_as_json_where_its_doors_are(tmp_path: Path) -> None:
    doors = ("--gateway-port", "0", "--a2a-port", "0", "--grpc-port", "0", "--ui-port", "0")
    net = Devnet(tmp_path / "home", "--block-time", "manual", "--output", "json", *doors)
    try:
        found = json.loads(net.output)
        assert all(found[door] for door in PLACES)
        with urllib.request.urlopen(f"{found['agent_api']}/openapi.json", timeout=30) as answer:
            assert answer.status == 200
    finally:
        assert net.stop() == 0
    assert net.errors.splitlines()[-1] == "stopped"
    assert "lost the node" not in net.errors


def test_a_gateway_and_a_net_introduce_themselves_as_json(tmp_path: Path) -> None:
    words = ["gateway", "--rpc", "http://127.0.0.1:9", "--output", "json", "--a2a-port", "0"]
    words += ["--port", "0", "--host", "localhost"]
    with subprocess.Popen(
        [sys.executable, "-m", "chain.cli", *words], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        found = json.loads(process.stdout.readline())
        process.terminate()
        assert process.wait(20) == 0
    assert found["agent_api"].startswith("http://localhost:")
    assert (found["rpc"], found["a2a_grpc"]) == ("http://127.0.0.1:9", None)
    made = CliRunner().invoke(
        cli, ["testnet", "--home", str(tmp_path / "net"), "--init-only", "--output", "json"]
    )
    nodes = json.loads(made.stdout)["nodes"]
    assert [one["name"] for one in nodes] == ["node0", "node1", "node2", "node3"]
    assert Path(nodes[0]["home"]).is_dir()


def test_a_net_deletes_only_nets_and_takes_only_intervals(tmp_path: Path) -> None:
    mine = tmp_path / "letters"
    mine.write_text("dear")
    words = ["testnet", "--home", str(tmp_path), "--init-only"]
    refused = CliRunner().invoke(cli, [*words, "--reset"])
    assert (refused.exit_code, mine.read_text()) == (1, "dear")
    assert "is the folder of no net" in refused.stderr
    refused = CliRunner().invoke(cli, [*words, "--block-time", "soon"])
    assert (refused.exit_code, "--block-time: " in refused.stderr) == (1, True)
    assert list(tmp_path.iterdir()) == [mine]
