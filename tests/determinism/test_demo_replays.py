"""One seed gives one chain, wherever it runs; its log replays anywhere; a changed log does not."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from demo_run import SURROUNDINGS, demo, msgchain

from chain.driver.log import files
from chain.driver.log.record import LogError

SAMPLES = 120


@pytest.fixture(scope="module", params=["demo.jsonl", "demo.msgpack"])
def logged(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, Any]]:
    """An event log of each kind, and what its run said."""
    path = tmp_path_factory.mktemp("logs") / request.param
    return path, demo("--log", str(path), env=SURROUNDINGS[0])


def test_a_seed_gives_one_chain_in_other_surroundings(logged: tuple[Path, dict[str, Any]]) -> None:
    assert demo(env=SURROUNDINGS[1]) == logged[1]


def test_another_seed_gives_other_keys() -> None:
    first, second = demo("--seed", "7"), demo("--seed", "8")
    assert first["app_hash"] != second["app_hash"]
    assert first["height"] == second["height"]
    assert _senders(first).isdisjoint(_senders(second))


def _senders(run: dict[str, Any]) -> set[str]:
    return {
        event["attributes"]["sender"]
        for event in run["events"]
        if event["type"] == "wasm-a2a_message_sent" and "via" not in event["attributes"]
    }


def test_a_log_replays_to_the_same_hash_elsewhere(logged: tuple[Path, dict[str, Any]]) -> None:
    path, run = logged
    done = msgchain("log", "replay", str(path), env=SURROUNDINGS[1])
    assert done.returncode == 0, done.stderr
    assert run["app_hash"] in done.stdout
    assert f"height {run['height']}" in done.stdout


def test_both_kinds_of_log_carry_one_chain(tmp_path: Path) -> None:
    summaries = []
    for name in ("a.jsonl", "b.msgpack"):
        demo("--log", str(tmp_path / name))
        summaries.append(files.verify(tmp_path / name))
    assert summaries[0] == summaries[1]
    assert summaries[0].closed


def test_one_changed_byte_is_found_and_named(
    logged: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    path = logged[0]
    whole = path.read_bytes()
    changed = tmp_path / path.name
    draw = random.Random(2026)
    for _ in range(SAMPLES):
        place = draw.randrange(len(whole))
        mask = draw.choice((0x01, 0x20, 0x80, draw.randrange(1, 256)))  # 0x20: letters' case
        changed.write_bytes(whole[:place] + bytes((whole[place] ^ mask,)) + whole[place + 1 :])
        with pytest.raises(LogError, match=r"(line|record) \d+"):
            files.verify(changed)


@pytest.mark.parametrize("cut", [1, 500, 100_000])
def test_a_cut_log_is_found(logged: tuple[Path, dict[str, Any]], tmp_path: Path, cut: int) -> None:
    path = logged[0]
    changed = tmp_path / path.name
    changed.write_bytes(path.read_bytes()[:-cut])
    done = msgchain("log", "verify", str(changed))
    assert done.returncode == 1
    assert "cut short" in done.stderr


def test_a_log_without_its_footer_is_open_ended(
    logged: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    changed = tmp_path / logged[0].name
    files.write(changed, files.read(logged[0]), footer=False)
    done = msgchain("log", "verify", str(changed))
    assert done.returncode == 2
    assert "open-ended" in done.stderr


def test_a_changed_byte_makes_the_commands_fail(
    logged: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    path = logged[0]
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 2] ^= 1
    changed = tmp_path / path.name
    changed.write_bytes(whole)
    for command in ("verify", "replay"):
        done = msgchain("log", command, str(changed))
        assert done.returncode == 1
        assert done.stderr.startswith("error: ")
        assert str(changed) in done.stderr
        assert "Traceback" not in done.stderr
