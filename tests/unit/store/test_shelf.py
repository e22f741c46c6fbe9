"""The top of the tree between two runs: file and journal, or all buckets; never another root."""

from __future__ import annotations

import random

import pytest

from chain.store import LevelBackend, StateStore, StoreDamaged, StoreError, shelf
from chain.store.faults import Fault, FaultyBackend, ProcessDied
from chain.store.keys import JOURNAL, LAYOUT, META, STATE, decode_meta, encode, undo_key


@pytest.fixture(name="often")
def _often(monkeypatch):
    """Files after a few changes, as large stores have them after many."""
    monkeypatch.setattr(shelf, "_CHANGES_MIN", 60)
    monkeypatch.setattr(shelf, "_CHANGES_SHARE", 1)


@pytest.fixture(name="no_scan")
def _no_scan(monkeypatch):
    """Reading all buckets is an error."""

    def scanned(rows):
        raise AssertionError("all buckets were read")

    return lambda: monkeypatch.setattr(shelf, "top_of_rows", scanned)


def run(store, blocks, seed=1):
    source = random.Random(seed)
    for _ in range(blocks):
        keys = [b"k%d" % source.randrange(400) for _ in range(20)]
        store.stage(
            store.height + 1,
            {key: None if source.random() < 0.3 else source.randbytes(9) for key in keys},
        )
        store.commit()
    return store.app_hash


def test_a_killed_store_reads_the_file_and_the_journal_since(often, no_scan):
    backend = FaultyBackend()
    store = StateStore(backend)
    seen = set()
    roots = {}
    for _ in range(40):
        root = run(store, 1, store.height)
        roots[store.height] = root
        seen.add(len(list(backend.range(JOURNAL, b"k"))))
    assert backend.shelved()
    assert max(seen) < 20, "rows go when the file has them"
    no_scan()
    for _ in range(8):
        backend = backend.after_kill()
        store = StateStore(backend)
        assert store.app_hash == roots[store.height]
        store.check()
        store.stage(store.height + 1, {b"more%d" % store.height: b"x"})
        store.commit()
        roots[store.height] = store.app_hash


def test_a_closed_store_opens_without_reading_all_buckets(tmp_path, no_scan):
    store = StateStore(LevelBackend(tmp_path))
    root = run(store, 30)
    store.stage(store.height + 1, {b"staged": b"and not committed"})
    store.close()
    no_scan()
    store = StateStore(LevelBackend(tmp_path))
    assert run(store, 0) == root
    store.check()
    store.rollback()
    before = store.app_hash
    store.close()
    store = StateStore(LevelBackend(tmp_path))
    store.stage(store.height + 1, {})
    assert store.app_hash == before
    store.close()


def test_a_file_that_is_torn_flipped_or_gone_is_made_anew(often):
    backend = FaultyBackend()
    root = run(StateStore(backend), 40)
    whole = backend.shelved()
    for end in [*range(0, len(whole), 997), len(whole) - 1]:
        store = StateStore(backend.after_power_loss(shelf_bytes=end))
        store.stage(store.height + 1, {})
        assert store.app_hash == root
        store.check()
    for at in range(0, len(whole), 331):
        again = backend.after_kill()
        again.shelve([whole[:at], bytes((whole[at] ^ 4,)), whole[at + 1 :]])
        store = StateStore(again)
        store.stage(store.height + 1, {b"k1": b"changed"})
        store.check()
        store.commit()
        store.check()


def test_a_file_of_another_time_is_not_used(often):
    backend = FaultyBackend()
    store = StateStore(backend)
    run(store, 10)
    early = backend.shelved()
    root = run(store, 60, seed=2)
    other = FaultyBackend()
    run(StateStore(other), 70, seed=3)
    for old in (early, other.shelved()):
        again = backend.after_kill()
        again.shelve([old])
        store = StateStore(again)
        store.stage(store.height + 1, {})
        assert store.app_hash == root
        store.check()


@pytest.mark.parametrize("fault", list(Fault))
def test_a_crash_between_file_and_journal_loses_nothing(often, fault):
    whole = StateStore(FaultyBackend())
    roots = {}
    for _ in range(30):
        root = run(whole, 1, whole.height)
        roots[whole.height] = root
    for at in range(1, 30):
        backend = FaultyBackend(at=at, fault=fault)
        store = StateStore(backend)
        try:
            for _ in range(30):
                run(store, 1, store.height)
        except StoreError:
            store.commit()  # the disk has room again
            run(store, 1, store.height)
        except ProcessDied:
            pass
        store = StateStore(backend.after_power_loss())
        store.check()
        while store.height < 30:
            run(store, 1, store.height)
        assert store.app_hash == roots[30]
        store.check()


def older(backend):
    """Make a store look as layout 1 had it: other tree rows, other records, no journal."""
    meta = decode_meta(backend.get(META))
    puts = {key: None for key, _ in backend.range(b"b", b"l")}
    puts[b"p\x01"] = bytes(66)
    puts[b"q\x01"] = bytes(66)
    puts[undo_key(meta.height)] = encode([0, b"", {}, {}, {}])
    puts[META] = encode([1, meta.height, meta.root, meta.oldest, True])
    backend.write(puts, True)


def test_a_store_of_an_older_layout_is_brought_up_to_this_one(tmp_path):
    store = StateStore(LevelBackend(tmp_path))
    root = run(store, 20)
    older(store.backend)
    store.close()
    store = StateStore(LevelBackend(tmp_path))
    assert (store.height, store.oldest, store.app_hash) == (20, 20, root)
    assert decode_meta(store.backend.get(META)).layout == LAYOUT
    assert not list(store.backend.range(b"p", b"r"))
    store.check()
    run(store, 3)
    assert store.prove(b"k1", 21)
    store.close()


def test_an_older_layout_with_another_state_is_damage_each_time():
    backend = FaultyBackend()
    run(StateStore(backend), 5)
    older(backend)
    key = next(key for key, _ in backend.range(STATE, b"t"))
    backend.write({key: b"\x00other"}, True)
    for _ in range(2):
        with pytest.raises(StoreDamaged, match="do not lead to the app hash"):
            StateStore(backend.after_kill())


def test_a_newer_layout_is_refused_by_number():
    backend = FaultyBackend()
    run(StateStore(backend), 1)
    meta = decode_meta(backend.get(META))
    backend.write({META: encode([LAYOUT + 1, meta.height, meta.root, 1, True, 0])}, True)
    with pytest.raises(StoreError, match=f"layout {LAYOUT + 1}.*newer"):
        StateStore(backend)


def test_proofs_of_old_heights_are_those_that_were_made_then():
    store = StateStore(FaultyBackend(), keep_heights=30)
    made = {}
    for _ in range(25):
        run(store, 1, store.height)
        for key in (b"k1", b"k2", b"absent"):
            made[store.height, key] = store.prove(key, store.height)
    for (height, key), proof in reversed(made.items()):
        assert store.prove(key, height) == proof
    store.rollback()
    run(store, 1, 99)
    assert store.prove(b"k1", 24) == made[24, b"k1"]
    store.check()
