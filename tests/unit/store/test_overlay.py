"""Overlay: what the property tests do not name."""

from __future__ import annotations

import time

import pytest

from chain.store import Derived, MemoryBackend, Overlay, StoreError


def overlay_over(**values):
    backend = MemoryBackend()
    backend.write({key.encode(): value.encode() for key, value in values.items()}, True)
    return Overlay(backend.snapshot())


def walk(overlay, write):
    """Open an iterator, take one entry, write, go on: the ``iter`` step of the recorded scripts."""
    entries = overlay.range(None, None)
    seen = [next(entries)]
    overlay.set(*write)
    return b"".join(key + value for key, value in [*seen, *entries])


def test_STOR_21_a_key_written_ahead_of_an_iterator_does_not_show():
    overlay = overlay_over(a="1", b="2", c="3")
    assert walk(overlay, (b"d", b"9")) == b"a1b2c3"
    assert overlay.get(b"d") == b"9"


def test_STOR_21_a_key_changed_ahead_of_an_iterator_shows_its_old_value():
    overlay = overlay_over(a="1", b="2", c="3")
    assert walk(overlay, (b"c", b"9")) == b"a1b2c3"


def test_STOR_21_the_same_for_keys_that_were_pending_when_it_was_opened():
    overlay = overlay_over()
    for key in (b"a", b"b", b"c"):
        overlay.set(key, b"1")
    assert walk(overlay, (b"c", b"9")) == b"a1b1c1"


def test_STOR_23_a_deletion_followed_by_a_write_shows_the_write():
    overlay = overlay_over(a="1")
    overlay.remove(b"a")
    assert list(overlay.range(None, None)) == []
    overlay.set(b"a", b"2")
    assert list(overlay.range(None, None)) == [(b"a", b"2")]


def test_reversed_bounds_are_an_empty_range():
    overlay = overlay_over(a="1", b="2")
    assert list(overlay.range(b"b", b"a")) == []
    assert list(overlay.range(b"a", b"a", True)) == []


def test_derived_values_keep_their_mark():
    overlay = overlay_over()
    overlay.set(b"k", Derived(b"v"))
    assert isinstance(overlay.get(b"k"), Derived)
    assert isinstance(overlay.writes[b"k"], Derived)


def test_a_checkpoint_that_was_rolled_back_is_refused():
    overlay = overlay_over()
    overlay.set(b"a", b"1")
    point = overlay.checkpoint()
    overlay.rollback(0)
    with pytest.raises(StoreError, match="no checkpoint 1"):
        overlay.rollback(point)


def test_settle_forgets_how_to_undo():
    overlay = overlay_over()
    overlay.set(b"a", b"1")
    overlay.settle()
    point = overlay.checkpoint()
    overlay.set(b"a", b"2")
    overlay.rollback(point)
    assert overlay.get(b"a") == b"1"
    with pytest.raises(StoreError):
        overlay.rollback(0)


def test_depth_of_checkpoints_does_not_slow_reads():
    """500 nested layers read as fast as none (within noise: the fastest of several runs)."""

    def fastest(overlay):
        runs = []
        for _ in range(7):
            start = time.perf_counter()
            for _ in range(2_000):
                overlay.get(b"k")
            runs.append(time.perf_counter() - start)
        return min(runs)

    flat, deep = overlay_over(k="v"), overlay_over(k="v")
    for number in range(500):
        deep.checkpoint()
        deep.set(b"%d" % number, b"x")
    assert fastest(deep) < 3 * fastest(flat)
