"""Homes of validators: keys that are never replaced, a genesis without controls, short sockets."""

from __future__ import annotations

import json
import stat
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from chain import wiring
from chain.abci.homes import (
    UNIX_PATH_MAX,
    home_of,
    load_net,
    new_key,
    socket_of,
    write_config,
    write_net,
)
from chain.app.application import App
from chain.block.types import BlockInput
from chain.cli.main import cli
from chain.driver.genesis import begin, parse
from chain.store import MemoryBackend, StateStore
from chain.tx.builder import build_dev
from chain.tx.messages import DevHeight

PAYOUTS = [wiring.dev_key("alice").address, wiring.dev_key("bob").address]


def document() -> dict[str, object]:
    return wiring.devnet_genesis(wallets=1, validators=0)


@pytest.mark.parametrize("kind", ["ed25519", "ml_dsa_65"])
def test_the_genesis_of_a_net_names_payouts_and_takes_no_developer_transaction(
    tmp_path: Path, kind: str
) -> None:
    homes = write_net(tmp_path, document(), validators=2, kind=kind, payouts=PAYOUTS)
    assert load_net(tmp_path) == homes
    genesis = json.loads((homes[0].folder / "config" / "genesis.json").read_text())
    app = App(StateStore(MemoryBackend()), wiring.known_codes())
    made = begin(app, parse(genesis))
    assert made.consensus_params.pub_key_types == (kind,)
    app.finalize_block(BlockInput(1, 1, bytes(20)))
    app.commit()
    validators = app.queries.validators()
    assert sorted(one.payout or "" for one in validators) == sorted(PAYOUTS)
    assert {one.key_type for one in validators} == {kind}
    raw = build_dev([DevHeight(9)], chain_id="msg-chain-1", nonce=1)
    checked = app.check_tx(raw)
    assert (checked.codespace, checked.code) == ("msgchain", 2)


def test_a_home_with_keys_is_not_written_again(tmp_path: Path) -> None:
    (home,) = write_net(tmp_path, document(), validators=1)
    key = home.folder / "config" / "priv_validator_key.json"
    before = key.read_bytes()
    with pytest.raises(FileExistsError, match="keep it"):
        write_net(tmp_path, document(), validators=1)
    assert key.read_bytes() == before
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


def test_a_socket_has_a_path_that_the_system_takes(tmp_path: Path) -> None:
    near = tmp_path / "n"
    assert socket_of(near) == near / "abci.sock"
    far = tmp_path / ("x" * 120)
    place = socket_of(far)
    assert len(str(place).encode()) <= UNIX_PATH_MAX
    assert place == socket_of(far) != socket_of(far / "y")
    homes = write_net(far, document(), validators=1)
    write_config(homes[0], homes)
    config = (homes[0].folder / "config" / "config.toml").read_text()
    assert f'"unix://{socket_of(homes[0].folder)}"' in config


def test_kinds_of_keys_that_nobody_knows_are_refused() -> None:
    with pytest.raises(ValueError, match="sr25519"):
        new_key("sr25519")


def test_homes_for_machines_name_each_other_and_may_be_moved(tmp_path: Path) -> None:
    hosts = ["10.0.0.1", "10.0.0.2"]
    done = CliRunner().invoke(
        cli,
        [
            "testnet",
            "--home",
            str(tmp_path / "net"),
            "--validators",
            "2",
            "--hosts",
            ",".join(hosts),
        ],
    )
    assert done.exit_code == 0, done.output
    homes = load_net(tmp_path / "net")
    assert [home.host for home in homes] == hosts
    moved = (tmp_path / "net" / "node0").rename(tmp_path / "elsewhere")
    config = tomllib.loads((moved / "config" / "config.toml").read_text())
    assert config["p2p"]["laddr"] == "tcp://0.0.0.0:26656"
    assert config["p2p"]["persistent_peers"] == f"{homes[1].node_id}@10.0.0.2:26656"
    assert config["rpc"]["laddr"] == "tcp://127.0.0.1:26657"
    found = home_of(moved)
    assert (found.name, found.rpc_port, found.socket) == ("node0", 26657, moved / "abci.sock")
    too_few = ["testnet", "--home", str(tmp_path / "other"), "--hosts", "10.0.0.1"]
    assert CliRunner().invoke(cli, too_few).exit_code == 1


def test_a_folder_that_is_no_home_is_named(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["abci", "--with-node", "--home", str(tmp_path)])
    assert done.exit_code == 1
    assert "no home of a node" in done.output or "was not found" in done.output
