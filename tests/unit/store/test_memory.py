"""Memory store: snapshots."""

from __future__ import annotations

import gc

import pytest

from chain.store import MemoryBackend, StoreError


def test_snapshots_of_different_moments_keep_what_they_saw():
    backend = MemoryBackend()
    moments = []
    for number in range(20):
        backend.write(
            {b"k": b"%d" % number, b"n%d" % number: b"x", b"n%d" % (number - 3): None}, True
        )
        moments.append((backend.snapshot(), dict(backend.range(None, None))))
    for view, entries in moments:
        assert dict(view.range(None, None)) == entries
        assert list(view.range(None, None, True)) == sorted(entries.items(), reverse=True)
        assert all(view.get(b"n%d" % n) == entries.get(b"n%d" % n) for n in range(20))


def test_a_range_over_many_keys_survives_writes_between_its_steps():
    backend = MemoryBackend()
    backend.write({b"%04d" % number: b"x" for number in range(2_000)}, True)
    entries = backend.range(b"0100", b"1900")
    seen = []
    for number in range(100, 1_900):
        seen.append(next(entries)[0])
        backend.write({b"%04d" % (1_999 - number): None, b"%04da" % number: b"new"}, True)
    assert seen == [b"%04d" % number for number in range(100, 1_900)]
    assert next(entries, None) is None


def test_a_snapshot_that_nobody_holds_costs_no_notes():
    backend = MemoryBackend()
    view = backend.snapshot()
    backend.write({b"a": b"1"}, True)
    assert view.superseded
    del view
    gc.collect()
    backend.write({b"a": b"2"}, True)
    fresh = backend.snapshot()
    assert fresh.get(b"a") == b"2"
    assert not fresh.superseded


def test_a_closed_store_refuses_writes():
    backend = MemoryBackend()
    backend.close()
    with pytest.raises(StoreError):
        backend.write({b"a": b"1"}, True)
