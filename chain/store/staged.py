"""What ``StateStore.stage`` computed and ``commit`` will write."""

from __future__ import annotations


class Staged:
    """A block that was computed and not written yet."""

    __slots__ = ("height", "old", "puts", "raw", "root")

    def __init__(self, height: int) -> None:
        self.height = height
        self.root = b""
        self.raw: dict[bytes, bytes | None] = {}  # state keys to new values with their kind
        self.old: dict[bytes, bytes | None] = {}  # the same before
        self.puts: dict[bytes, bytes | None] = {}  # rows to write
