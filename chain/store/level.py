"""A key space in LevelDB: one folder, one process, synced batches.

Beside LevelDB's files the folder holds ``COMMITTED``, eight bytes with the last height that was
written and synced. It is only a witness: LevelDB forgets the end of a truncated log without a
word, and an older height than the witness names is damage, not a fresh start. ``TREE`` is what the
store lays aside so that it opens quickly (``chain.store.shelf``); it may be removed at any time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import plyvel

from chain.store.errors import StoreDamaged, StoreError, StoreLocked
from chain.store.types import Writes

#: LevelDB's sorted buffer before it becomes a table file. With 16 MiB merging tables costs twice as
#: much a key of the tree at a million keys; with more, opening after a crash takes longer.
WRITE_BUFFER_BYTES: Final = 32 << 20
#: LevelDB's cache of table blocks.
_BLOCK_CACHE_BYTES: Final = 32 << 20
_TABLE_FILE_BYTES: Final = 8 << 20
_BLOOM_BITS: Final = 10
_WITNESS: Final = "COMMITTED"
_SHELF: Final = "TREE"


class LevelBackend:
    """LevelDB under ``folder``, created if the folder is absent or empty.

    Raises: StoreLocked if another process has it open; StoreDamaged if LevelDB cannot read its
    files, or if files are there but the one that names the rest is gone.
    """

    __slots__ = ("_db", "_folder", "_witness")

    def __init__(self, folder: str | Path, *, write_buffer_bytes: int = WRITE_BUFFER_BYTES) -> None:
        self._folder = str(folder)
        self._db = _open(self._folder, write_buffer_bytes)
        self._witness = os.open(
            os.path.join(self._folder, _WITNESS), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644
        )

    @property
    def place(self) -> str:
        """The folder."""
        return self._folder

    def get(self, key: bytes) -> bytes | None:
        """The value of ``key`` now, ``None`` if absent."""
        try:
            value: bytes | None = self._db.get(key, verify_checksums=True)
        except plyvel.Error as error:
            raise _damaged(self._folder, error) from error
        return value

    def range(
        self, start: bytes | None, end: bytes | None, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """Entries as of now; later writes do not show."""
        return _range(self._folder, self._db, start, end, reverse)

    def write(self, puts: Writes, sync: bool) -> None:
        """Apply ``puts`` as one batch; with ``sync`` it is on the disk when this returns."""
        try:
            batch = self._db.write_batch(sync=sync)
            put, delete = batch.put, batch.delete
            for key, value in puts.items():
                if value is None:
                    delete(key)
                else:
                    put(key, value)
            batch.write()
        except plyvel.CorruptionError as error:
            raise _damaged(self._folder, error) from error
        except plyvel.Error as error:
            raise StoreError(f"cannot write to {self._folder}: {error}") from error

    def snapshot(self) -> LevelSnapshot:
        """An immutable view of now."""
        return LevelSnapshot(self._folder, self._db)

    def witness(self, height: int) -> None:
        """Note that ``height`` is on the disk; not synced, so it may lag but never leads."""
        os.pwrite(self._witness, height.to_bytes(8, "big"), 0)

    def witnessed(self) -> int:
        """The height last noted, 0 if none was."""
        return int.from_bytes(os.pread(self._witness, 8, 0), "big")

    @property
    def shelves(self) -> bool:
        """Always."""
        return True

    def shelve(self, parts: Sequence[bytes | bytearray]) -> None:
        """Lay ``parts`` aside in a file that is whole or not there; an error of the disk is none
        here."""
        path = os.path.join(self._folder, _SHELF)
        try:
            if not parts:
                os.unlink(path)
                return
            with open(path + ".part", "wb") as file:
                for part in parts:
                    file.write(part)
            os.replace(path + ".part", path)
        except OSError:
            return

    def shelved(self) -> bytes | None:
        """What the file holds."""
        try:
            with open(os.path.join(self._folder, _SHELF), "rb") as file:
                return file.read()
        except OSError:
            return None

    def close(self) -> None:
        """Close the files and free the lock."""
        if not self._db.closed:
            self._db.close()
            os.close(self._witness)

    @staticmethod
    def repair(folder: str | Path) -> None:
        """Let LevelDB salvage what it can from damaged files; the caller checks what came back."""
        try:
            plyvel.repair_db(str(folder))
        except plyvel.Error as error:
            raise _damaged(str(folder), error) from error


class LevelSnapshot:
    """What LevelDB held at one moment; any thread may read it."""

    __slots__ = ("_folder", "_snapshot")

    def __init__(self, folder: str, database: plyvel.DB) -> None:
        self._folder = folder
        self._snapshot = database.snapshot()

    def get(self, key: bytes) -> bytes | None:
        """The value of ``key`` at the moment of the snapshot."""
        try:
            value: bytes | None = self._snapshot.get(key, verify_checksums=True)
        except plyvel.Error as error:
            raise _damaged(self._folder, error) from error
        return value

    def range(
        self, start: bytes | None, end: bytes | None, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """Entries at the moment of the snapshot."""
        return _range(self._folder, self._snapshot, start, end, reverse)


def _range(
    folder: str,
    source: plyvel.DB,
    start: bytes | None,
    end: bytes | None,
    reverse: bool,
) -> Iterator[tuple[bytes, bytes]]:
    """Walk LevelDB; its iterator is made here, at the call, so that it sees the state of now."""
    if start is not None and end is not None and start >= end:
        return iter(())
    try:
        entries = source.iterator(
            start=start, stop=end, reverse=reverse, verify_checksums=True, fill_cache=True
        )
    except plyvel.Error as error:
        raise _damaged(folder, error) from error
    return _guarded(folder, entries)


def _guarded(folder: str, entries: Iterator[tuple[bytes, bytes]]) -> Iterator[tuple[bytes, bytes]]:
    try:
        yield from entries
    except plyvel.Error as error:
        raise _damaged(folder, error) from error


def _open(folder: str, write_buffer_bytes: int) -> plyvel.DB:
    fresh = True
    try:
        names = sorted(os.listdir(folder))
    except FileNotFoundError:
        os.makedirs(folder)
        names = []
    except NotADirectoryError as error:
        raise StoreError(f"{folder} is a file, not a database folder") from error
    fresh = not any(_is_data(name) for name in names)
    if not fresh and "CURRENT" not in names:
        raise StoreDamaged(os.path.join(folder, "CURRENT"), "the file is missing")
    try:
        return plyvel.DB(
            folder,
            create_if_missing=fresh,
            paranoid_checks=True,
            write_buffer_size=write_buffer_bytes,
            lru_cache_size=_BLOCK_CACHE_BYTES,
            bloom_filter_bits=_BLOOM_BITS,
            max_file_size=_TABLE_FILE_BYTES,
            compression=None,  # most bytes are hashes
        )
    except plyvel.Error as error:
        if "lock" in str(error).lower():
            raise StoreLocked(folder, str(error)) from error
        raise _damaged(folder, error) from error


def _is_data(name: str) -> bool:
    """Whether a file says that a database was here."""
    return (
        name in ("CURRENT", _WITNESS)
        or name.endswith((".ldb", ".sst"))
        or (name.startswith("MANIFEST-") or (name.endswith(".log") and name[:-4].isdigit()))
    )


def _damaged(folder: str, error: Exception) -> StoreDamaged:
    """Name the file if LevelDB's text does, else the folder."""
    text = str(error)
    for word in text.replace(";", " ").replace(",", " ").split():
        name = word.strip(":'\"").removeprefix(folder).lstrip("/")
        if name.endswith((".ldb", ".sst", ".log")) or name.startswith(("MANIFEST-", "CURRENT")):
            return StoreDamaged(os.path.join(folder, name), text)
    return StoreDamaged(folder, text)
