"""A whole state at once: trees of all entries, and what their leaves are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import islice
from typing import Final

from chain.store.buckets import leaf_hash
from chain.store.keys import AUTHENTICATED_BYTE, DERIVED_BYTE, PATH
from chain.store.tree import Tree, top_of_rows

#: Entries in one batch when a tree is built from a whole state.
_BUILD_BATCH: Final = 5_000


def grow(
    tree: Tree, entries: Iterable[tuple[bytes, bytes | None]], rows: dict[bytes, bytes]
) -> bytes:
    """Put entries (state key, value with its kind) into a tree whose rows are ``rows``."""
    for batch in batches(entries):
        tree.stage(
            {
                sha256(key).digest(): None
                if raw is None or raw[0] == DERIVED_BYTE
                else leaf_hash(sha256(key).digest(), raw[1:])
                for key, raw in batch.items()
            }
        )
        for name, row in tree.rows().items():
            if row is None:
                rows.pop(name, None)
            else:
                rows[name] = row
        tree.settle()
    return tree.root()


def root_of(entries: Iterable[tuple[bytes, bytes | None]]) -> bytes:
    """Root of a tree of these entries alone."""
    rows: dict[bytes, bytes] = {}
    return grow(loose_tree(rows), entries, rows)


def loose_tree(rows: dict[bytes, bytes]) -> Tree:
    """A tree whose rows are kept in a dict."""
    return Tree(rows.get, lambda: top_of_rows(rows.items()), cache_bytes=0)


def leaf_changes(
    new: Mapping[bytes, bytes | None],
    old: Mapping[bytes, bytes | None],
    puts: dict[bytes, bytes | None],
) -> dict[bytes, bytes | None]:
    """Leaves to change where values (with their kind) go from ``old`` to ``new``.

    Effect: rows that lead from a path to its key are added to ``puts``.
    """
    changes: dict[bytes, bytes | None] = {}
    before = old.get
    for key, raw in new.items():
        was = before(key)
        if raw is not None and raw[0] == AUTHENTICATED_BYTE:
            path = sha256(key).digest()
            changes[path] = leaf_hash(path, raw[1:])
            if was is None or was[0] == DERIVED_BYTE:
                puts[PATH + path] = key
        elif was is not None and was[0] == AUTHENTICATED_BYTE:
            path = sha256(key).digest()
            changes[path] = None
            puts[PATH + path] = None
    return changes


def batches(
    entries: Iterable[tuple[bytes, bytes | None]],
) -> Iterator[dict[bytes, bytes | None]]:
    """Entries in dicts of a size that fits into memory."""
    source = iter(entries)
    while batch := dict(islice(source, _BUILD_BATCH)):
        yield batch


def chunks(entries: Iterable[tuple[bytes, bytes]]) -> Iterator[list[bytes]]:
    """The keys of entries in lists of such a size."""
    source = iter(entries)
    while names := [name for name, _ in islice(source, _BUILD_BATCH)]:
        yield names
