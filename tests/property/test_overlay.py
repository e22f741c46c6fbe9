"""The overlay against a plain dict: writes, deletions, nested checkpoints, ranges, open iterators."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from chain.store import Derived, IteratorStale, MemoryBackend, Overlay

# Few keys, so that they meet; bytes at both ends of the order and keys that are prefixes of others.
KEYS = st.one_of(
    st.sampled_from([b"", b"\x00", b"a", b"a\x00", b"ab", b"b", b"\xff", b"\xff\xff", b"\xff\x00"]),
    st.binary(max_size=2),
)
BOUNDS = st.one_of(st.none(), KEYS)
VALUES = st.one_of(st.binary(max_size=3), st.binary(max_size=3).map(Derived))
STATES = st.dictionaries(KEYS, st.binary(max_size=3), max_size=8)


def expected(model, start, end, reverse):
    """What a range over a dict is."""
    return sorted(
        (
            (key, value)
            for key, value in model.items()
            if (start is None or key >= start) and (end is None or key < end)
        ),
        reverse=reverse,
    )


class OverlayMachine(RuleBasedStateMachine):
    """An overlay and, beside it, one dict per checkpoint."""

    @initialize(base=STATES)
    def open(self, base):
        backend = MemoryBackend()
        backend.write(base, True)
        self.base = base
        self.overlay = Overlay(backend.snapshot())
        self.model = dict(base)
        self.saved = []
        self.iterators = []

    @rule(key=KEYS, value=VALUES)
    def set(self, key, value):
        self.overlay.set(key, value)
        self.model[key] = value

    @rule(key=KEYS)
    def remove(self, key):
        self.overlay.remove(key)
        self.model.pop(key, None)

    @rule()
    def checkpoint(self):
        self.saved.append((self.overlay.checkpoint(), dict(self.model)))

    @precondition(lambda self: self.saved)
    @rule(data=st.data())
    def rollback(self, data):
        index = data.draw(st.integers(0, len(self.saved) - 1))
        point, model = self.saved[index]
        self.overlay.rollback(point)
        self.model = dict(model)
        del self.saved[index + 1 :]
        self.iterators = [entry for entry in self.iterators if entry[2] <= point]

    @rule(start=BOUNDS, end=BOUNDS, reverse=st.booleans())
    def open_iterator(self, start, end, reverse):
        rows = expected(self.model, start, end, reverse)
        self.iterators.append(
            (self.overlay.range(start, end, reverse), iter(rows), self.overlay.checkpoint())
        )

    @precondition(lambda self: self.iterators)
    @rule(data=st.data())
    def step_iterator(self, data):
        """An iterator shows the state of its opening, whatever was written since."""
        found, rows, _ = data.draw(st.sampled_from(self.iterators))
        assert next(found, None) == next(rows, None)

    @rule(start=BOUNDS, end=BOUNDS, reverse=st.booleans())
    def compare_range(self, start, end, reverse):
        assert list(self.overlay.range(start, end, reverse)) == expected(
            self.model, start, end, reverse
        )

    @invariant()
    def gets_agree(self):
        for key in {*self.model, *self.base, b"", b"missing"}:
            value = self.overlay.get(key)
            assert value == self.model.get(key)
            assert isinstance(value, Derived) == isinstance(self.model.get(key), Derived)

    def teardown(self):
        if not hasattr(self, "overlay"):
            return
        for found, rows, _ in self.iterators:
            assert list(found) == list(rows)
        assert list(self.overlay.range(None, None)) == expected(self.model, None, None, False)


TestOverlay = OverlayMachine.TestCase


@given(base=STATES, writes=st.lists(st.tuples(KEYS, st.one_of(st.none(), VALUES))), data=st.data())
def test_writes_say_what_changed(base, writes, data):
    backend = MemoryBackend()
    backend.write(base, True)
    overlay = Overlay(backend.snapshot())
    point = data.draw(st.integers(0, len(writes)))
    model = {}
    for index, (key, value) in enumerate(writes):
        if index == point:
            checkpoint, kept = overlay.checkpoint(), dict(model)
        if value is None:
            overlay.remove(key)
        else:
            overlay.set(key, value)
        model[key] = value
    assert overlay.writes == model
    if point < len(writes):
        overlay.rollback(checkpoint)
        assert overlay.writes == kept


@given(base=STATES, before=st.dictionaries(KEYS, VALUES, min_size=1), after=STATES)
def test_iterator_older_than_a_rollback_is_refused(base, before, after):
    backend = MemoryBackend()
    backend.write(base, True)
    overlay = Overlay(backend.snapshot())
    checkpoint = overlay.checkpoint()
    for key, value in before.items():
        overlay.set(key, value)
    entries = overlay.range(None, None)
    overlay.rollback(checkpoint)
    for key, value in after.items():
        overlay.set(key, value)
    with pytest.raises(IteratorStale):
        next(entries)
