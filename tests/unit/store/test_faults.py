"""Crashes of the state store: whole blocks or nothing."""

from __future__ import annotations

import pytest

from chain.store import Derived, Overlay, StateStore, StoreDamaged, StoreError
from chain.store.faults import Fault, FaultyBackend, ProcessDied

HEIGHTS = 6


def block(height):
    """Writes and rows of a block: new, changed, deleted and derived keys."""
    writes = {b"k%d" % n: b"%d" % height for n in range(height, height + 20)}
    writes[b"k%d" % (height - 1)] = None
    writes[b"index%d" % height] = Derived(b"x")
    return writes, {b"block%d" % height: b"%d" % height}


def run(store, heights):
    """Go on to ``heights``; returns the hash after each block made."""
    hashes = {}
    while store.height < heights:
        height = store.height + 1
        writes, rows = block(height)
        store.stage(height, writes)
        store.commit(rows)
        hashes[height] = store.app_hash
    return hashes


@pytest.fixture(name="whole")
def _whole():
    return run(StateStore(FaultyBackend()), HEIGHTS)


@pytest.mark.parametrize("fault", list(Fault))
@pytest.mark.parametrize("at", range(1, HEIGHTS + 1))
def test_CH_12_a_crash_leaves_the_last_block_or_the_one_before(whole, at, fault):
    backend = FaultyBackend(at=at, fault=fault)
    store = StateStore(backend)
    with pytest.raises((StoreError, ProcessDied)):
        run(store, HEIGHTS)
    reopened = StateStore(backend.after_power_loss())
    assert reopened.height == (at if fault is Fault.DIES_AFTER else at - 1)
    assert reopened.app_hash == whole.get(reopened.height, StateStore(FaultyBackend()).app_hash)
    reopened.check()
    assert len(list(reopened.rows(None, None))) == reopened.height
    run(reopened, HEIGHTS)
    assert reopened.app_hash == whole[HEIGHTS]


def test_a_refused_commit_can_be_tried_again(whole):
    backend = FaultyBackend(at=2, fault=Fault.REFUSED)
    store = StateStore(backend)
    with pytest.raises(StoreError, match="no space left"):
        run(store, HEIGHTS)
    assert store.height == 1
    assert store.app_hash == whole[1]
    assert Overlay(store.view).get(b"k1") == b"1"
    store.commit(block(2)[1])
    assert store.app_hash == whole[2]
    assert run(store, HEIGHTS)[HEIGHTS] == whole[HEIGHTS]
    store.check()


def test_every_commit_is_synced():
    backend = FaultyBackend()
    run(StateStore(backend), HEIGHTS)
    assert backend.writes == HEIGHTS
    assert backend.unsynced == 0


@pytest.mark.parametrize("survivors", [0, 1, 2])
def test_a_power_loss_during_an_import_is_damage_or_nothing(survivors):
    backend = FaultyBackend(at=4, fault=Fault.DIES_BEFORE)
    entries = [(b"k%05d" % n, b"v", False) for n in range(12_000)]
    with pytest.raises(ProcessDied):
        StateStore(backend).import_state(1, entries)
    assert backend.unsynced == 3
    if survivors:
        with pytest.raises(StoreDamaged):
            StateStore(backend.after_power_loss(survivors))
    else:
        assert StateStore(backend.after_power_loss()).height == 0


def test_lost_blocks_are_noticed_by_the_witness():
    """A disk that said "synced" and lost the block all the same."""
    backend = FaultyBackend()
    store = StateStore(backend)
    run(store, 2)
    content = dict(backend.range(None, None))
    run(store, 3)
    with pytest.raises(StoreDamaged, match="height 3 was committed, but the files end at 2"):
        StateStore(FaultyBackend(content, witness=backend.witnessed()))


def test_a_rollback_that_dies_leaves_one_of_the_two_heights(whole):
    for fault in (Fault.DIES_BEFORE, Fault.DIES_AFTER):
        backend = FaultyBackend(at=HEIGHTS + 1, fault=fault)
        store = StateStore(backend)
        run(store, HEIGHTS)
        with pytest.raises(ProcessDied):
            store.rollback()
        reopened = StateStore(backend.after_kill())
        assert reopened.app_hash == whole[reopened.height]
        reopened.check()
