"""The tree against a naive recursive one; its root depends on the entries alone."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain.store import tree
from chain.store.buckets import (
    BUCKET_LEAVES,
    BUCKET_LEAVES_MAX,
    EMPTY_ROOT,
    LEAF_BYTES,
    paths_of,
)
from chain.store.shelf import journal_changes, journal_row
from chain.store.top import Top
from chain.store.tree import Tree, same_buckets, top_of_rows, top_with


def naive_root(leaves, bit=0):
    """Root of ``leaves`` (path, hash; sorted): split at the first bit that tells them apart."""
    if not leaves:
        return EMPTY_ROOT
    if len(leaves) == 1:
        return leaves[0][1]
    while True:
        sides = ([], [])
        for path, leaf in leaves:
            sides[path[bit >> 3] >> (7 - (bit & 7)) & 1].append((path, leaf))
        bit += 1
        if sides[0] and sides[1]:
            return sha256(b"\x01" + naive_root(sides[0], bit) + naive_root(sides[1], bit)).digest()


@st.composite
def paths(draw):
    """32 bytes: spread out, or alike for many bits so that the tree gets deep."""
    kind = draw(st.integers(0, 2))
    number = draw(st.integers(0, 40))
    if kind == 0:
        return sha256(b"%d" % number).digest()
    if kind == 1:
        return bytes(31) + bytes((number,))
    return bytes((number, 0)) * 8 + bytes(14) + draw(st.binary(min_size=2, max_size=2))


LEAVES = st.one_of(st.none(), st.integers(0, 5).map(lambda n: sha256(b"leaf%d" % n).digest()))
BATCHES = st.lists(st.dictionaries(paths(), LEAVES, max_size=40), max_size=8)


class Rows(dict):
    """A tree over a dict, and a second top that only hears of the journal."""

    def __init__(self):
        super().__init__()
        # Caches of nearly nothing, so that rows are read back.
        self.tree = Tree(self.get, lambda: top_of_rows(self.items()), cache_bytes=2_000)
        self.follower = Top()

    def update_tree(self, changes):
        root = self.tree.stage(changes)
        row = journal_row(self.tree.staged())
        self.put(self.tree.rows())
        self.tree.settle()
        assert top_with(self.follower, journal_changes(row)).root() == root
        return root

    def put(self, rows):
        for name, row in rows.items():
            if row is None:
                self.pop(name, None)
            else:
                self[name] = row


def same(one, other):
    """Whether two tops have the same nodes, wherever they lie."""
    numbers = {*range(len(one.kinds)), *range(len(other.kinds)), *one.deep, *other.deep}
    return one.buckets == other.buckets and all(
        (one.kind(node), one.kind(node) and one.digest(node))
        == (other.kind(node), other.kind(node) and other.digest(node))
        for node in numbers
        if node
    )


@settings(deadline=None)
@given(batches=BATCHES, other=st.dictionaries(paths(), LEAVES, max_size=40))
def test_root_is_that_of_the_naive_tree_after_every_batch(batches, other):
    rows, model = Rows(), {}
    for batch in batches:
        rows.tree.stage(other)  # replaced by the next
        root = rows.update_tree(batch)
        model.update(batch)
        model = {path: leaf for path, leaf in model.items() if leaf is not None}
        assert root == naive_root(sorted(model.items()))
        assert rows.tree.root() == root
        assert same_buckets(rows.tree.top, rows.items())
    fresh = top_of_rows(rows.items())
    assert fresh.root() == naive_root(sorted(model.items()))
    for top in (rows.tree.top, rows.follower):
        assert same(top, fresh)


@settings(deadline=None)
@given(batches=BATCHES, data=st.data())
def test_order_and_grouping_of_insertions_do_not_matter(batches, data):
    model = {}
    for batch in batches:
        model.update({path: leaf for path, leaf in batch.items() if leaf is not None})
    one = Rows().update_tree(model)
    order = data.draw(st.permutations(sorted(model)))
    each = Rows()
    root = EMPTY_ROOT
    for path in order:
        root = each.update_tree({path: model[path]})
    assert root == one
    for path in order:
        root = each.update_tree({path: None})
    assert root == EMPTY_ROOT
    assert each == {}


@settings(max_examples=30, deadline=None)
@given(batches=BATCHES.filter(bool), extra=st.dictionaries(paths(), LEAVES))
def test_what_is_staged_leaves_no_trace(batches, extra):
    rows = Rows()
    for batch in batches:
        rows.update_tree(batch)
    before = top_of_rows(rows.items())
    rows.tree.stage(extra)
    assert same(rows.tree.committed_top(), before)
    assert rows.tree.root() == before.root()
    assert same(rows.tree.top, before)


@settings(max_examples=30, deadline=None)
@given(batches=BATCHES.filter(bool), later=BATCHES)
def test_larger_buckets_of_older_programs_are_read_and_split_when_they_change(batches, later):
    rows, model = Rows(), {}
    with pytest.MonkeyPatch.context() as older:
        older.setattr(tree, "_ROW_SPLIT", BUCKET_LEAVES_MAX * LEAF_BYTES)
        for batch in batches:
            rows.update_tree(batch)
            model.update(batch)
    for batch in later:
        root = rows.update_tree(batch)
        model.update(batch)
        leaves = sorted((path, leaf) for path, leaf in model.items() if leaf is not None)
        assert root == naive_root(leaves)
        assert same_buckets(rows.tree.top, rows.items())
    changed = {path for batch in later for path in batch}
    for row in rows.values():
        if changed.intersection(paths_of(row)):
            assert len(row) <= BUCKET_LEAVES * LEAF_BYTES
