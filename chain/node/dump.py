"""Dumps of a devnet: its whole chain as bytes, and such bytes back into a store.

A dump is MessagePack, compressed: the state at one height, and the rows beside it (genesis, the
driver's state, all block records, block times), so that the log of what was loaded exports and
replays as that of the original. Undo records stay behind: what lies below the height of a dump can
be read in the log, not rolled back to.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Final, TypeVar

import msgspec

from chain.app import keys, records
from chain.app.contracts import CodeSource
from chain.driver.log import files
from chain.driver.log.record import (
    BlockRecord,
    GenesisRecord,
    LogError,
    unpack_block,
)
from chain.driver.producer import ROW_BLOCK, ROW_DRIVER, ROW_GENESIS, DriverState, Producer
from chain.store import MemoryBackend, StateStore
from chain.store.errors import StoreError
from chain.store.keys import ROW

FORMAT: Final = "msgchain-dump-1"
#: what a dump may be when it is unpacked
_BYTES_MAX: Final = 1 << 30
_LEVEL: Final = 6

S = TypeVar("S", bound=msgspec.Struct)


class DumpError(Exception):
    """Bytes that are no dump for this node; the text says what to do."""


class Dump(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A chain at one height. ``state``: key, value, whether it is derived; ``offset``: how far the
    chain's clock was ahead of the wall's, in nanoseconds."""

    format: str
    height: int
    app_hash: bytes
    offset: int
    state: tuple[tuple[bytes, bytes, bool], ...]
    rows: tuple[tuple[bytes, bytes], ...]

    def row(self, key: bytes) -> bytes:
        """One of the rows. Raises: DumpError."""
        found = next((value for name, value in self.rows if name == key), None)
        if found is None:
            raise DumpError(f"the dump is not whole: it lacks the row {key!r}; dump again")
        return found

    def genesis(self) -> GenesisRecord:
        """The first record of its log. Raises: DumpError."""
        return _decoded(self.row(ROW_GENESIS), GenesisRecord)

    def log(self) -> Iterator[GenesisRecord | BlockRecord]:
        """Its log."""
        yield self.genesis()
        for key, value in self.rows:
            if key.startswith(ROW_BLOCK):
                yield unpack_block(value)


def take(producer: Producer, offset: int) -> bytes:
    """The dump of a chain; nothing may be committed meanwhile."""
    store = producer.store
    made = Dump(
        FORMAT,
        store.height,
        store.app_hash,
        offset,
        tuple(store.export(store.height)),
        tuple(store.rows(None, None)),
    )
    return zlib.compress(msgspec.msgpack.encode(made), _LEVEL)


def read(raw: bytes) -> Dump:
    """A dump of bytes, as far as it can be checked by itself. Raises: DumpError."""
    unpacker = zlib.decompressobj()
    try:
        body = unpacker.decompress(raw, _BYTES_MAX)
    except zlib.error as error:
        raise DumpError(f"not a dump of a devnet: {error}") from None
    if not unpacker.eof:
        raise DumpError("the dump is cut short or too large; dump again")
    found = _decoded(body, Dump)
    if found.format != FORMAT:
        raise DumpError(f"format {found.format!r}, this program reads {FORMAT!r}")
    return found


def _decoded(raw: bytes, kind: type[S]) -> S:
    try:
        return msgspec.msgpack.decode(raw, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise DumpError(f"not a dump of a devnet: {error}") from None


def unpack(found: Dump, codes: CodeSource) -> StateStore:
    """A store in memory that holds what a dump holds. Raises: DumpError for one that does not
    agree with itself, is of no devnet, or has a contract that this node does not know."""
    store = StateStore(MemoryBackend())
    try:
        root = store.import_state(found.height, found.state)
    except StoreError as error:
        raise DumpError(f"the dump's state cannot be used: {error}") from None
    driver = _decoded(found.row(ROW_DRIVER), DriverState)
    if not root == found.app_hash == driver.app_hash or driver.height != found.height:
        raise DumpError("the dump's state does not have the app hash that it names; dump again")
    _check_log(found, driver)
    _check_state(store, codes)
    store.backend.write({ROW + key: value for key, value in found.rows}, False)
    return store


def _check_log(found: Dump, driver: DriverState) -> None:
    last = b""
    try:
        for record in files.checked(found.log(), "the dump's log"):
            last = record.hash
    except (LogError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise DumpError(str(error)) from None
    if last != driver.record_hash:
        raise DumpError("the dump's log does not end where its state stands; dump again")


def _check_state(store: StateStore, codes: CodeSource) -> None:
    chain = store.view.get(keys.CHAIN)
    if chain is None or not records.decode_chain(chain).devnet:
        raise DumpError("the dump is not of a devnet")
    unknown = []
    for _, raw in store.view.range(keys.CODE, keys.prefix_end(keys.CODE)):
        source = records.decode_code(raw).source
        if codes.resolve(source) is None:
            unknown.append(source)
    if unknown:
        raise DumpError(
            f"this node does not know the contract {unknown[0]}; start it with the --contracts "
            "folder that the dump was made with"
        )
