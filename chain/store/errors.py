"""What the store refuses, each with a name.

``StoreError``      the root of all of them.
``StoreLocked``     another process has the folder open.
``StoreDamaged``    files or rows that cannot be read; names the place and what to run.
``HeightNotKept``   a height whose history was pruned, or that was not committed yet.
``IteratorStale``   an iterator that outlived a rollback to a point before it was opened.
"""

from __future__ import annotations


class StoreError(Exception):
    """The store cannot do what was asked; the text says why."""


class StoreLocked(StoreError):
    """A second process tried to open a folder that is in use."""

    def __init__(self, folder: str, cause: str) -> None:
        if cause.startswith(("b'", 'b"')):  # LevelDB's words, as its binding shows bytes
            cause = cause[2:-1]
        super().__init__(f"database {folder} is in use by another process: {cause}")
        self.folder = folder
        self.cause = cause


class StoreDamaged(StoreError):
    """The database cannot be read. Never answered by an empty state.

    ``place`` is a folder, a file or a row; ``cause`` what was found there; ``remedy`` the command
    that repairs it.
    """

    def __init__(self, place: str, cause: str, remedy: str = "msgchain repair") -> None:
        super().__init__(
            f"database damaged at {place}: {cause}; run `{remedy} --home HOME` to repair it"
        )
        self.place = place
        self.cause = cause
        self.remedy = remedy


class HeightNotKept(StoreError):
    """State of this height is not there: pruned, or above the last commit."""

    def __init__(self, height: int, oldest: int, latest: int) -> None:
        super().__init__(f"height {height} is not kept: heights {oldest} to {latest} are")
        self.height = height
        self.oldest = oldest
        self.latest = latest


class IteratorStale(StoreError):
    """The overlay was rolled back to a point before this iterator was opened."""
