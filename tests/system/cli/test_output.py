"""``--output json|table``: every command that ends takes it, and says the same in both."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from devnet_process import Devnet
from recorded_rpc import node

from chain.cli.main import cli
from chain.driver.log import files

#: they run until they are stopped, or write a project
ENDLESS = {"page", "gateway", "abci", "testnet", "new"}


def commands(found: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, list[str]]]:
    if isinstance(found, click.Group):
        for name in found.list_commands(click.Context(found)):
            inner = found.get_command(click.Context(found), name)
            assert inner is not None
            yield from commands(inner, (*path, name))
    else:
        yield " ".join(path), [one for param in found.params for one in param.opts]


def test_every_command_that_ends_takes_output() -> None:
    without = {name for name, options in commands(cli) if "--output" not in options}
    assert without == ENDLESS


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
    finally:
        assert net.stop() == 0
