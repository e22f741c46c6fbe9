"""Nothing is lost: kills, failed writes, damaged files, repair, rollback, export to a new genesis."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import soak
from chain.cli.main import cli
from chain.driver.genesis import SECOND, parse
from chain.driver.log import files
from chain.driver.log.record import LogError
from chain.driver.log.replay import replay
from chain.driver.recovery import check_folder
from chain.node.home import write_genesis
from chain.store import StoreDamaged
from chain.store.errors import StoreError
from chain.wiring import open_chain, replay_app

BLOCKS = 12


def invoke(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(cli, list(arguments))
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stopped node whose chain lies in the tables and in the journal of its database."""
    home = tmp_path_factory.mktemp("whole")
    write_genesis(home, soak.genesis().document)
    for _ in range(3):
        chain = open_chain(home / "data", soak.genesis(), signers=soak.SIGNERS)
        for _ in range(BLOCKS // 3):
            soak.grow(chain)
        chain.store.close()
    return home


@pytest.fixture
def home(whole: Path, tmp_path: Path) -> Path:
    return shutil.copytree(whole, tmp_path / "home")


def test_sixty_kills_leave_whole_blocks() -> None:
    assert soak.kills(60, seed=3) > 0


@pytest.mark.long
def test_a_hundred_kills_and_a_hundred_faults() -> None:
    figures = soak.run("ci")
    assert sum(figures["faults_met"].values()) == 100


def test_the_log_of_a_killed_chain_replays(tmp_path: Path) -> None:
    chain = open_chain(tmp_path / "data", soak.genesis(), signers=soak.SIGNERS)
    soak.grow(chain)
    chain.store.close()
    soak._one_life(tmp_path / "data", 0.2)
    chain = open_chain(tmp_path / "data", soak.genesis(), signers=soak.SIGNERS)
    done = replay(chain.records(), replay_app())
    assert (done.height, done.app_hash) == (chain.height, chain.state.app_hash)
    chain.store.close()


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def flip(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    for at in range(len(raw) // 3, len(raw), max(1, len(raw) // 40)):
        raw[at] ^= 0x10
    path.write_bytes(bytes(raw))


def remove(path: Path) -> None:
    path.unlink()


def looked_at(data: Path) -> tuple[int, bytes] | Exception:
    try:
        return check_folder(data)
    except (StoreError, LogError) as error:
        return error


KINDS = {
    "current": "CURRENT",
    "manifest": "MANIFEST-*",
    "journal": "[0-9]*.log",
    "table": "*.ldb",
}


@pytest.mark.parametrize("harm", [truncate, empty, flip, remove])
@pytest.mark.parametrize("kind", KINDS)
def test_damage_is_named_and_repaired_to_the_same_hash(
    home: Path, kind: str, harm: Callable[[Path], None]
) -> None:
    data = home / "data"
    expected = check_folder(shutil.copytree(data, home / "copy"))
    paths = sorted(data.glob(KINDS[kind]))
    assert paths, list(data.iterdir())
    for path in paths:
        harm(path)
    found = looked_at(data)
    if not isinstance(found, Exception):
        assert found == expected, "what opens is whole"
        return
    assert "data" in str(found)
    assert not isinstance(found, StoreDamaged) or "msgchain repair" in str(found)
    log = home / "log.jsonl"
    copy = open_chain(home / "copy", soak.genesis(), signers=soak.SIGNERS)
    files.write(log, copy.records())
    copy.store.close()
    text = invoke("repair", "--home", str(home), "--log", str(log))
    assert f"height {expected[0]}" in text
    assert check_folder(data) == expected


def test_a_damaged_folder_is_repaired_from_its_own_log(home: Path) -> None:
    data = home / "data"
    expected = check_folder(data)
    for path in data.glob("MANIFEST-*"):
        path.unlink()
    text = invoke("repair", "--home", str(home))
    assert "salvaged" in text or "rebuilt" in text
    assert check_folder(data) == expected
    assert "nothing to repair" in invoke("repair", "--home", str(home))


def test_an_index_and_a_tree_are_made_anew(home: Path) -> None:
    expected = check_folder(home / "data")
    assert "made anew" in invoke("repair", "--home", str(home), "--index")
    assert expected[1].hex() in invoke("repair", "--home", str(home), "--tree")
    assert check_folder(home / "data") == expected


def test_rollback_takes_blocks_back_and_the_chain_goes_on_alike(home: Path) -> None:
    expected = check_folder(home / "data")
    invoke("rollback", "--home", str(home), "--blocks", "3")
    assert check_folder(home / "data")[0] == BLOCKS - 3
    chain = open_chain(home / "data", soak.genesis(), signers=soak.SIGNERS)
    for _ in range(3):
        soak.grow(chain)
    assert (chain.height, chain.state.app_hash) == expected
    chain.store.close()


def test_an_exported_state_goes_on_as_the_old_chain_does(home: Path, tmp_path: Path) -> None:
    target = tmp_path / "genesis.json"
    text = invoke("state", "export", "--home", str(home), str(target))
    assert f"from height {BLOCKS + 1}" in text
    old = open_chain(home / "data", soak.genesis(), signers=soak.SIGNERS)
    new = open_chain(tmp_path / "new", parse(json.loads(target.read_text())), signers=soak.SIGNERS)
    for _ in range(4):
        results = []
        for chain in (old, new):
            height = chain.height + 1
            record = chain.produce([soak.payment(height)], soak.START + height * SECOND)
            results.append(record.result.tx_results)
        assert results[0] == results[1]
    shown = [{k: v for k, v, _ in c.store.export(c.height)} for c in (old, new)]
    differing = [key for key in shown[0] if shown[0][key] != shown[1].get(key)]
    assert len(shown[0]) == len(shown[1])
    assert differing == [b"mc"], "only what names the chain's start differs"
    for chain in (old, new):
        chain.store.close()


def test_a_running_node_is_left_alone(home: Path) -> None:
    chain = open_chain(home / "data", soak.genesis(), signers=soak.SIGNERS)
    for command in (["repair"], ["rollback"], ["state", "export"]):
        extra = [str(home / "x.json")] if command[-1] == "export" else []
        text = invoke(*command, "--home", str(home), *extra, code=1)
        assert "stop the node first" in text
    chain.store.close()
