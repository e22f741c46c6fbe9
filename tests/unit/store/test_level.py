"""LevelDB store: locks, damage, order."""

from __future__ import annotations

import multiprocessing
import os

import pytest

from chain.store import LevelBackend, StateStore, StoreDamaged, StoreError, StoreLocked


def _open_elsewhere(folder, queue):
    try:
        LevelBackend(folder)
    except StoreLocked as error:
        queue.put(str(error))
    else:
        queue.put("opened")


def filled(folder, heights=3):
    """A closed store of a few heights under ``folder``."""
    store = StateStore(LevelBackend(folder))
    for height in range(1, heights + 1):
        store.stage(height, {b"k%d" % n: b"%d" % height * 50 for n in range(200)})
        store.commit()
    store.close()


def test_CH_12_a_second_process_is_told_folder_and_cause(tmp_path):
    backend = LevelBackend(tmp_path / "data")
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    other = context.Process(target=_open_elsewhere, args=(str(tmp_path / "data"), queue))
    other.start()
    text = queue.get(timeout=60)
    other.join()
    assert str(tmp_path / "data") in text
    assert "in use by another process" in text
    backend.close()
    LevelBackend(tmp_path / "data").close()


def test_the_same_process_may_not_open_a_folder_twice(tmp_path):
    backend = LevelBackend(tmp_path)
    with pytest.raises(StoreLocked, match=str(tmp_path)):
        LevelBackend(tmp_path)
    backend.close()


def test_a_file_in_the_place_of_the_folder_is_named(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="is a file"):
        LevelBackend(tmp_path / "file")


def test_ranges_are_snapshots_and_ordered(tmp_path):
    backend = LevelBackend(tmp_path)
    backend.write({b"a": b"1", b"b": b"2", b"\xff": b"3"}, True)
    entries = backend.range(None, None)
    backend.write({b"b": None, b"c": b"4"}, True)
    assert list(entries) == [(b"a", b"1"), (b"b", b"2"), (b"\xff", b"3")]
    assert list(backend.range(b"b", None, True)) == [(b"\xff", b"3"), (b"c", b"4")]
    assert list(backend.range(b"c", b"b")) == []
    backend.close()


@pytest.mark.parametrize("name", ["CURRENT", "MANIFEST", "log"])
def test_a_lost_file_is_damage_not_a_fresh_start(tmp_path, name):
    filled(tmp_path)
    for file in os.listdir(tmp_path):
        if file.startswith(name) or file.endswith("." + name):
            os.unlink(tmp_path / file)
    with pytest.raises(StoreDamaged, match="repair"):
        StateStore(LevelBackend(tmp_path))


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_a_cut_log_is_noticed(tmp_path, part):
    """LevelDB itself takes a cut log for a crash and forgets its end."""
    filled(tmp_path)
    logs = sorted(file for file in os.listdir(tmp_path) if file.endswith(".log"))
    size = os.path.getsize(tmp_path / logs[-1])
    os.truncate(tmp_path / logs[-1], int(size * part))
    with pytest.raises(StoreDamaged, match="repair"):
        StateStore(LevelBackend(tmp_path))


def test_a_flipped_bit_in_the_log_is_noticed_and_named(tmp_path):
    filled(tmp_path)
    logs = sorted(file for file in os.listdir(tmp_path) if file.endswith(".log"))
    raw = bytearray((tmp_path / logs[-1]).read_bytes())
    raw[len(raw) // 2] ^= 1
    (tmp_path / logs[-1]).write_bytes(raw)
    with pytest.raises(StoreDamaged, match="run `msgchain repair --home HOME`"):
        StateStore(LevelBackend(tmp_path))


def test_a_flipped_bit_in_a_table_is_noticed_when_it_is_read(tmp_path):
    filled(tmp_path)
    LevelBackend(tmp_path).close()  # opening turns the log into a table
    tables = [file for file in os.listdir(tmp_path) if file.endswith(".ldb")]
    for table in tables:
        raw = bytearray((tmp_path / table).read_bytes())
        raw[1_000] ^= 1
        (tmp_path / table).write_bytes(raw)
    with pytest.raises(StoreDamaged):
        StateStore(LevelBackend(tmp_path)).check()
