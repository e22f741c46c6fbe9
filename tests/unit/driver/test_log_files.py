"""Log files: both forms, verification, replay, and what happens to damaged ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from chain.driver.log import files
from chain.driver.log.record import LogError
from chain.driver.log.replay import ReplayDiffers, first_difference, replay
from chain.driver.producer import Producer
from chain.wiring import replay_app

Make = Callable[..., Producer]
Pay = Callable[..., bytes]


@pytest.fixture
def log(make_chain: Make, payment: Pay, start_time: int, tmp_path: Path) -> Path:
    chain = make_chain()
    for height in range(4):
        chain.produce([payment(height), b"junk"], start_time + height * 10**9)
    path = tmp_path / "log.jsonl"
    files.write(path, chain.records())
    return path


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines(keepends=True)


def test_a_written_log_verifies_and_replays(log: Path) -> None:
    summary = files.verify(log)
    assert (summary.blocks, summary.height, summary.transactions) == (4, 4, 8)
    assert summary.closed
    done = replay(files.read(log), replay_app())
    assert done.app_hash == summary.app_hash
    assert replay(files.read(log), replay_app(check_signatures=False)).app_hash == done.app_hash


def test_both_forms_carry_one_chain(log: Path, tmp_path: Path) -> None:
    packed = tmp_path / "log.msgpack"
    files.write(packed, files.read(log))
    again = tmp_path / "again.jsonl"
    files.write(again, files.read(packed))
    assert again.read_bytes() == log.read_bytes()
    assert files.verify(packed) == files.verify(log)
    assert packed.stat().st_size < log.stat().st_size


def test_the_last_height_is_found_without_reading_a_file(log: Path, tmp_path: Path) -> None:
    packed, open_ended = tmp_path / "log.msgpack", tmp_path / "open.msgpack"
    files.write(packed, files.read(log))
    files.write(open_ended, files.read(log), footer=False)
    assert files.last_height(log) == files.last_height(packed) == 4
    assert files.last_height(open_ended) is None
    assert files.last_height(tmp_path / "nothing") is None
    for path in (log, packed):
        path.write_bytes(path.read_bytes()[:-30])
        assert files.last_height(path) is None


def test_a_cut_between_two_records_is_open_ended(log: Path) -> None:
    log.write_text("".join(lines(log)[:-1]), encoding="utf-8")
    assert not files.verify(log).closed


def test_a_cut_inside_a_record_names_the_line(log: Path) -> None:
    log.write_text("".join(lines(log))[:-30], encoding="utf-8")
    with pytest.raises(LogError, match="line 6: the line is cut short"):
        files.verify(log)


def test_a_cut_in_messagepack_names_the_record(log: Path, tmp_path: Path) -> None:
    packed = tmp_path / "log.msgpack"
    files.write(packed, files.read(log))
    packed.write_bytes(packed.read_bytes()[:-7])
    with pytest.raises(LogError, match="record 6: the record is cut short"):
        files.verify(packed)


def test_an_empty_file_is_named(tmp_path: Path) -> None:
    empty = tmp_path / "log.jsonl"
    empty.touch()
    with pytest.raises(LogError, match="the file is empty"):
        files.verify(empty)


def test_reordered_doubled_and_missing_records_are_named(log: Path) -> None:
    kept = lines(log)
    for order in ([0, 2, 1, 3, 4, 5], [0, 1, 1, 2, 3, 4, 5], [0, 1, 3, 4, 5]):
        log.write_text("".join(kept[i] for i in order), encoding="utf-8")
        with pytest.raises(LogError, match="missing, moved or doubled"):
            files.verify(log)


def test_one_changed_byte_anywhere_is_found(log: Path) -> None:
    whole = log.read_bytes()
    step = max(1, len(whole) // 150)
    for at in range(0, len(whole), step):
        changed = bytearray(whole)
        changed[at] ^= 1
        log.write_bytes(bytes(changed))
        with pytest.raises(LogError):
            files.verify(log)


def test_replay_names_the_first_difference(make_chain: Make, payment: Pay, start_time: int) -> None:
    chain = make_chain()
    chain.produce([payment(0)], start_time)
    genesis, block = list(chain.records())
    result = block.result.tx_results[0]  # type: ignore[union-attr]
    result.events[1].attributes[0] = ("spender", "somebody else")
    with pytest.raises(ReplayDiffers, match="height 1, transaction 0, event 1: the log has"):
        replay([genesis, block], replay_app())


def test_diff_finds_the_first_height_that_differs(
    make_chain: Make, payment: Pay, start_time: int
) -> None:
    one, other = make_chain(), make_chain()
    for chain in (one, other):
        chain.produce([payment(0)], start_time)
    assert first_difference(one.records(), other.records()) is None
    one.produce([payment(1)], start_time + 5)
    other.produce([payment(1, "2msg")], start_time + 5)
    found = first_difference(one.records(), other.records())
    assert found is not None
    assert (found.height, found.what) == (2, "block.txs")
    other.produce([], start_time + 9)
