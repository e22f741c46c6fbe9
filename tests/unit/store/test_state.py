"""State store: heights, reserved keys, derived values, restart."""

from __future__ import annotations

from hashlib import sha256

import pytest

from chain.store import Derived, LevelBackend, MemoryBackend, StateStore, StoreDamaged, StoreError
from chain.store.keys import DERIVED_KEY, META, STATE


@pytest.fixture(name="store")
def _store():
    return StateStore(MemoryBackend())


def committed(store, writes, rows=None):
    store.stage(store.height + 1, writes)
    store.commit(rows or {})
    return store.app_hash


def test_the_empty_store(store):
    assert store.height == 0
    assert store.app_hash == sha256(b"").digest()
    assert store.view.get(b"k") is None


def test_CH_13_an_empty_block_leaves_the_root(store):
    root = committed(store, {b"a": b"1", b"i": Derived(b"x")})
    assert committed(store, {}) == root
    assert store.height == 2


def test_CH_13_writes_that_change_nothing_leave_the_root(store):
    root = committed(store, {b"a": b"1", b"i": Derived(b"x")})
    assert committed(store, {b"a": b"1", b"i": Derived(b"x"), b"absent": None}) == root


def test_CH_13_derived_writes_move_one_leaf(store):
    root = committed(store, {b"a": b"1"})
    assert store.view.get(DERIVED_KEY) is None
    with_derived = committed(store, {b"i": Derived(b"x")})
    assert with_derived != root
    entry = b"\x00\x00\x00\x01i\x01\x00\x00\x00\x01x"
    assert store.view.get(DERIVED_KEY) == sha256(bytes(32) + sha256(entry).digest()).digest()
    removed = b"\x00\x00\x00\x01i\x00"
    before = store.view.get(DERIVED_KEY)
    committed(store, {b"i": None})
    assert store.view.get(DERIVED_KEY) == sha256(before + sha256(removed).digest()).digest()


def test_a_value_can_change_its_kind(store):
    committed(store, {b"k": b"v"})
    committed(store, {b"k": Derived(b"v")})
    assert list(store.export(2)) == [
        (DERIVED_KEY, store.view.get(DERIVED_KEY), False),
        (b"k", b"v", True),
    ]
    committed(store, {b"k": b"v"})
    store.check()


def test_heights_may_be_left_out_but_not_repeated(store):
    store.stage(100, {b"a": b"1"})
    store.commit()
    assert store.oldest == 100
    for height in (99, 100):
        with pytest.raises(StoreError, match=f"height {height} does not follow 100"):
            store.stage(height, {})
    store.stage(110, {b"a": b"2"})
    store.commit()
    assert [store.view_at(height).get(b"a") for height in (100, 105, 109, 110)] == [
        b"1",
        b"1",
        b"1",
        b"2",
    ]
    store.rollback()
    assert store.height == 100
    store.rollback()
    assert store.height == 0


def test_a_jump_prunes_what_is_below_and_can_be_taken_back():
    store = StateStore(MemoryBackend(), keep_heights=3)
    for _ in range(10):
        committed(store, {b"a": b"%d" % store.height})
    store.stage(5_000, {b"a": b"x"})
    store.commit()
    assert store.oldest == 4_997
    assert store.view_at(4_997).get(b"a") == b"9"
    store.rollback()
    assert (store.height, store.oldest, store.view.get(b"a")) == (10, 10, b"9")
    committed(store, {b"a": b"y"})


def test_keeping_fewer_heights_than_before_prunes_the_rest():
    backend = MemoryBackend()
    store = StateStore(backend, keep_heights=50)
    for _ in range(60):
        committed(store, {b"a": b"%d" % store.height})
    store = StateStore(backend, keep_heights=2)
    committed(store, {})
    assert store.oldest == 59
    assert len([key for key, _ in backend.range(b"u", b"v")]) == 2


def test_the_reserved_key_is_refused(store):
    with pytest.raises(StoreError, match="belongs to the store"):
        store.stage(1, {DERIVED_KEY: b"x"})


def test_commit_needs_a_staged_block(store):
    with pytest.raises(StoreError, match="without a staged block"):
        store.commit()


def test_rows_are_no_part_of_the_state(store):
    root = committed(store, {}, {b"block1": b"x"})
    assert root == sha256(b"").digest()
    assert store.row(b"block1") == b"x"
    assert list(store.view.range(None, None)) == []
    committed(store, {}, {b"block1": None, b"block2": b"y"})
    assert list(store.rows(None, None)) == [(b"block2", b"y")]


def test_a_store_opens_where_it_was_closed(tmp_path):
    store = StateStore(LevelBackend(tmp_path))
    root = committed(store, {b"k%d" % n: b"v" for n in range(500)}, {b"r": b"1"})
    store.close()
    store = StateStore(LevelBackend(tmp_path))
    assert (store.height, store.app_hash, store.row(b"r")) == (1, root, b"1")
    committed(store, {b"k1": None})
    store.check()
    store.close()


def test_a_lost_record_of_the_height_is_damage():
    backend = MemoryBackend()
    committed(StateStore(backend), {b"a": b"1"})
    backend.write({META: None}, True)
    with pytest.raises(StoreDamaged, match="no record of the height"):
        StateStore(backend)


def test_check_names_what_does_not_agree():
    backend = MemoryBackend()
    committed(StateStore(backend), {b"k%d" % n: b"v" for n in range(100)})
    whole = dict(backend.range(None, None))
    backend.write({STATE + b"k1": b"\x00changed"}, True)
    with pytest.raises(StoreDamaged, match="state"):
        StateStore(backend).check()
    backend.write(whole, True)
    name = next(name for name in whole if name.startswith(b"b"))
    backend.write({name: whole[name][:-1] + b"\x00"}, True)
    with pytest.raises(StoreDamaged, match="tree"):
        StateStore(backend).check()


def test_import_needs_an_empty_store(store):
    committed(store, {b"a": b"1"})
    with pytest.raises(StoreError, match="is not empty"):
        store.import_state(1, [])


def test_an_interrupted_import_is_damage():
    backend = MemoryBackend()

    def entries():
        yield from ((b"k%05d" % n, b"v", False) for n in range(6_000))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        StateStore(backend).import_state(5, entries())
    with pytest.raises(StoreDamaged):
        StateStore(backend)


def test_a_store_without_a_tree_gets_one_when_it_is_asked_for():
    backend = MemoryBackend()
    loose = StateStore(backend, authenticate=False)
    root = committed(loose, {b"k%d" % n: b"v" for n in range(100)})
    store = StateStore(backend)
    assert store.app_hash == root
    store.check()


def test_keeping_no_heights_keeps_no_records():
    store = StateStore(MemoryBackend(), keep_heights=0, authenticate=False)
    for _ in range(3):
        committed(store, {b"a": b"%d" % store.height})
    assert store.oldest == store.height == 3
    with pytest.raises(StoreError):
        store.rollback()


def test_large_values_are_not_held_by_the_read_cache(store):
    committed(store, {b"a": b"1" * 10_000, b"b": b"2"})
    old = store.view
    committed(store, {b"a": b"3" * 10_000, b"b": b"4" * 10_000})
    assert store.view.get(b"a") == b"3" * 10_000
    assert store.view.get(b"b") == b"4" * 10_000
    assert (old.get(b"a"), old.get(b"b")) == (b"1" * 10_000, b"2")
