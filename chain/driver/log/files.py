"""Log files: JSON Lines and MessagePack, told apart by their first byte, read as a stream.

A MessagePack log is a stream of byte strings, each one packed record; a JSON log has one object a
line.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import msgpack

from chain.driver.log.named import block_of, line_of
from chain.driver.log.record import (
    FORMAT,
    NO_HASH,
    BlockRecord,
    Footer,
    GenesisRecord,
    LogError,
    Record,
    from_json,
    pack,
    record_hash,
    sealed,
    to_json,
    unpack,
)

#: A record holds a whole block; CometBFT's largest block is 100 MB.
RECORD_BYTES_MAX: Final = 512 * 1024 * 1024
#: Base64 and JSON's escapes make it longer.
LINE_BYTES_MAX: Final = 2 * RECORD_BYTES_MAX
_FOOTER_BYTES_MAX: Final = 4_096
_FOOTER_MARK: Final = b"\x92\xa6footer"  # an array of two, the first the name of its kind


@dataclass(frozen=True, slots=True)
class Summary:
    """What a verified log holds. ``closed`` is false for a log without a footer (open-ended)."""

    chain_id: str
    first_height: int
    height: int
    blocks: int
    transactions: int
    app_hash: bytes
    closed: bool


def is_json(path: Path) -> bool:
    """Whether a file name asks for JSON Lines; ``.msgpack`` and ``.mpk`` ask for MessagePack."""
    return path.suffix not in (".msgpack", ".mpk")


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise LogError(f"{path}: cannot be read: {error.strerror}") from None


def read(path: Path) -> Iterator[Record]:
    """The records of a file, in order. Raises: LogError with file and line (or record) of what is
    wrong."""
    with _opened(path) as file:
        first = file.read(1)
        file.seek(0)
        if not first:
            raise LogError(f"{path}: the file is empty; export a log with `msgchain log export`")
        yield from _read_json(path, file) if first == b"{" else _read_msgpack(path, file)


def _read_json(path: Path, file: IO[bytes]) -> Iterator[Record]:
    for number, raw in enumerate(iter(lambda: file.readline(LINE_BYTES_MAX), b""), 1):
        where = f"{path}, line {number}"
        if len(raw) == LINE_BYTES_MAX:
            raise LogError(f"{where}: longer than any record, {LINE_BYTES_MAX} bytes")
        if not raw.endswith(b"\n"):
            raise LogError(f"{where}: the line is cut short; the file was truncated")
        yield block_of(raw[:-1]) or _record_of(raw, where)


def _record_of(raw: bytes, where: str) -> Record:
    """The record of a line, whatever it is. Raises: LogError."""
    try:
        line = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise LogError(f"{where}: not UTF-8") from None
    record = from_json(line, where)
    if to_json(record) != line[:-1]:
        raise LogError(f"{where}: not written as records are written; the line was edited")
    return record


def _read_msgpack(path: Path, file: IO[bytes]) -> Iterator[Record]:
    unpacker = msgpack.Unpacker(file, max_buffer_size=RECORD_BYTES_MAX)
    number = whole = 0
    size = os.fstat(file.fileno()).st_size
    while True:
        number += 1
        where = f"{path}, record {number}"
        try:
            packed = unpacker.unpack()
        except msgpack.OutOfData:
            if whole != size:
                raise LogError(
                    f"{where}: the record is cut short; the file was truncated"
                ) from None
            return
        except (ValueError, msgpack.UnpackException) as error:
            raise LogError(f"{where}: not MessagePack ({error})") from None
        whole = unpacker.tell()
        if not isinstance(packed, bytes):
            raise LogError(f"{where}: neither a JSON nor a MessagePack log")
        yield unpack(packed, where)


def last_height(path: Path) -> int | None:
    """The height that a file's footer names, without reading the file; None if it has none.

    For showing how far a reader is: nothing is checked.
    """
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _FOOTER_BYTES_MAX))
            tail = file.read()
    except OSError:
        return None
    try:
        if tail.endswith(b"\n"):
            record = from_json(tail.splitlines()[-1].decode(), str(path))
        else:
            record = unpack(tail[tail.rindex(_FOOTER_MARK) :], str(path))
    except (LogError, ValueError):
        return None
    return record.height if isinstance(record, Footer) else None


def write(path: Path, records: Iterable[Record], *, footer: bool = True) -> int:
    """Write a log file whole or not at all (a temporary file beside it, then a rename); with a
    footer unless told.

    Returns: the number of blocks. Raises: LogError when the place cannot be written.
    """
    partial = path.with_name(path.name + ".part")
    try:
        with partial.open("wb") as file:
            blocks = _write_all(file, records, json=is_json(path), footer=footer)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        raise LogError(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        partial.unlink(missing_ok=True)
    return blocks


def encode(record: Record, *, json: bool) -> bytes:
    """One record as it stands in a file."""
    if json:
        return line_of(record) + b"\n"
    packed = msgpack.packb(pack(record), use_bin_type=True)
    if not isinstance(packed, bytes):
        raise TypeError("msgpack did not give bytes")
    return packed


def _write_all(file: IO[bytes], records: Iterable[Record], *, json: bool, footer: bool) -> int:
    blocks = 0
    last: Record | None = None
    for record in records:
        if isinstance(record, Footer):
            continue
        file.write(encode(record, json=json))
        blocks += isinstance(record, BlockRecord)
        last = record
    if footer and last is not None:
        file.write(encode(footer_after(last, blocks), json=json))
    return blocks


def footer_after(last: Record, blocks: int) -> Footer:
    """The footer that closes a log whose last record is ``last``."""
    if isinstance(last, BlockRecord):
        return sealed(Footer(blocks, last.block.height, last.result.app_hash, last.hash))
    return sealed(Footer(blocks, 0, b"", last.hash))


def checked(records: Iterable[Record], name: str) -> Iterator[Record]:
    """Pass the records on, checking the hash chain, the order of heights and the footer as they go
    by.

    Raises: LogError at the first record that was edited, moved, doubled or left out.
    """
    prev, height, blocks, closed = NO_HASH, 0, 0, False
    number = 0
    for number, record in enumerate(records, 1):
        where = f"{name}, record {number}"
        if closed:
            raise LogError(f"{where}: stands after the footer")
        if isinstance(record, GenesisRecord) != (number == 1):
            raise LogError(
                f"{where}: "
                + ("a second genesis" if number > 1 else "a log starts with its genesis record")
            )
        if isinstance(record, GenesisRecord):
            if record.format != FORMAT:
                raise LogError(f"{where}: format {record.format!r}, this program reads {FORMAT!r}")
        else:
            height, blocks, closed = _check_link(record, prev, height, blocks, where)
        if record.hash != record_hash(record):
            raise LogError(
                f"{where}{_at(record)}: its hash is {record.hash.hex()}, its content gives "
                f"{record_hash(record).hex()}; the record was edited"
            )
        prev = record.hash
        yield record
    if number == 0:
        raise LogError(f"{name}: the log is empty")


def _at(record: Record) -> str:
    return f", height {record.block.height}" if isinstance(record, BlockRecord) else ""


def _check_link(
    record: BlockRecord | Footer, prev: bytes, height: int, blocks: int, where: str
) -> tuple[int, int, bool]:
    if record.prev != prev:
        raise LogError(
            f"{where}{_at(record)}: does not follow the record before it; "
            "a record is missing, moved or doubled"
        )
    if isinstance(record, Footer):
        if record.blocks != blocks:
            raise LogError(
                f"{where}: the footer counts {record.blocks} blocks, the file has {blocks}"
            )
        return height, blocks, True
    if record.block.height <= height:
        raise LogError(f"{where}: height {record.block.height} follows height {height}")
    return record.block.height, blocks + 1, False


def verify(path: Path) -> Summary:
    """Check the hash chain of a file without executing anything. Raises: LogError."""
    chain_id, first, height, blocks, txs, app_hash, closed = "", 0, 0, 0, 0, b"", False
    for record in checked(read(path), str(path)):
        if isinstance(record, GenesisRecord):
            chain_id = str(record.genesis.get("chain_id", ""))
        elif isinstance(record, BlockRecord):
            first = first or record.block.height
            height, app_hash = record.block.height, record.result.app_hash
            blocks += 1
            txs += len(record.block.txs)
        else:
            closed = True
    return Summary(chain_id, first, height, blocks, txs, app_hash, closed)
