"""The state store against recorded history: memory and LevelDB agree, every kept height reads, proves, rolls back."""

from __future__ import annotations

import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain.store import (
    Derived,
    HeightNotKept,
    LevelBackend,
    MemoryBackend,
    Overlay,
    StateStore,
    StoreError,
)
from chain.store.ics23 import verify_membership, verify_non_membership
from chain.store.keys import DERIVED_KEY

KEYS = st.one_of(st.integers(0, 30).map(lambda n: b"k%d" % n), st.binary(min_size=1, max_size=2))
VALUES = st.one_of(
    st.none(),
    st.sampled_from([b"", b"\x00", b"\x00\x00", b"a", b"\x00a"]),
    st.binary(max_size=4),
    st.binary(max_size=4).map(Derived),
)
BLOCK = st.dictionaries(KEYS, VALUES, max_size=12)
KEEP = 4


def state_of(reader):
    """All entries but the store's own."""
    return {key: value for key, value in reader.range(None, None) if key != DERIVED_KEY}


def applied(state, block):
    """A dict after a block; derived marks stay with the values."""
    state = dict(state)
    for key, value in block.items():
        if value is None:
            state.pop(key, None)
        else:
            state[key] = value
    return state


@settings(max_examples=25, deadline=None)
@given(blocks=st.lists(BLOCK, min_size=1, max_size=8), other=BLOCK, data=st.data())
def test_stores_agree_with_each_other_and_with_history(blocks, other, data):
    with tempfile.TemporaryDirectory() as folder:
        stores = [
            StateStore(LevelBackend(folder), keep_heights=KEEP),
            StateStore(MemoryBackend(), keep_heights=KEEP),
            StateStore(MemoryBackend(), keep_heights=KEEP, authenticate=False),
        ]
        history = [({}, stores[0].app_hash)]
        for height, block in enumerate(blocks, 1):
            state = applied(history[-1][0], block)
            for store in stores:
                store.stage(height, other)  # replaced by the next
                root = store.stage(height, block)
                assert store.stage(height, block) == root
                assert store.height == height - 1
                store.commit({b"last": b"%d" % height, b"block%d" % height: b"x"})
                assert state_of(store.view) == state
            assert stores[0].app_hash == stores[1].app_hash
            history.append((state, stores[0].app_hash))
            if data.draw(st.booleans()):
                assert stores[2].app_hash == stores[0].app_hash
        for store in stores:
            check_kept_heights(store, history, data)
            store.check()
            while store.height > max(len(blocks) - KEEP, 0):
                assert store.app_hash == history[store.height][1]
                assert state_of(store.view) == history[store.height][0]
                assert store.row(b"last") == b"%d" % store.height
                assert len(list(store.rows(b"block", b"l"))) == store.height
                store.rollback()
            with pytest.raises(HeightNotKept):
                store.rollback()
            store.close()
        stores[0] = StateStore(LevelBackend(folder), keep_heights=KEEP)
        assert state_of(stores[0].view) == history[stores[0].height][0]
        stores[0].check()
        stores[0].close()


def check_kept_heights(store, history, data):
    """Read and prove at every kept height; below it is refused by name."""
    assert store.oldest == max(store.height - KEEP, 1)
    for height in range(store.oldest, store.height + 1):
        state, root = history[height]
        assert state_of(store.view_at(height)) == state
        key = data.draw(KEYS)
        value = state.get(key)
        try:
            proof = store.prove(key, height)
        except StoreError:
            assert root == history[0][1]  # an empty tree proves nothing
            continue
        if value is None or isinstance(value, Derived):
            assert verify_non_membership(root, key, proof)
        else:
            assert verify_membership(root, key, value, proof)
    for height in (store.oldest - 1, store.height + 1):
        with pytest.raises(HeightNotKept, match=f"height {height} is not kept"):
            store.view_at(height)


@settings(max_examples=25, deadline=None)
@given(blocks=st.lists(BLOCK, min_size=1, max_size=5), extra=BLOCK)
def test_rollback_restores_bytes_exactly(blocks, extra):
    """All but where buckets end, which tells how the tree came about."""

    def held():
        return {key: value for key, value in backend.range(None, None) if key[:1] != b"b"}

    backend = MemoryBackend()
    store = StateStore(backend)
    for height, block in enumerate(blocks, 1):
        store.stage(height, block)
        store.commit({b"row": b"%d" % height})
    before = held()
    root, height = store.app_hash, store.height
    store.stage(height + 1, extra)
    store.commit({b"row": None, b"other": b"x"})
    store.rollback()
    assert held() == before
    store.check()
    assert (store.app_hash, store.height) == (root, height)
    store.stage(height + 1, extra)
    store.commit()


@settings(max_examples=25, deadline=None)
@given(state=st.dictionaries(KEYS, VALUES.filter(lambda value: value is not None)))
def test_export_and_import_give_the_same_root(state):
    store = StateStore(MemoryBackend())
    store.stage(7, state)
    store.commit()
    copy = StateStore(MemoryBackend())
    assert copy.import_state(7, store.export(7)) == store.app_hash
    assert list(copy.export(7)) == list(store.export(7))
    assert copy.height == 7
    copy.check()
    assert copy.rebuild_tree() == store.app_hash


@settings(max_examples=25, deadline=None)
@given(block=BLOCK, writes=BLOCK)
def test_views_do_not_change_with_later_blocks(block, writes):
    store = StateStore(MemoryBackend())
    store.stage(1, block)
    store.commit()
    view, overlay = store.view, Overlay(store.view)
    before = state_of(view)
    store.stage(2, writes)
    store.commit()
    assert state_of(view) == before
    assert all(view.get(key) == before.get(key) for key in writes)
    assert state_of(overlay) == before
