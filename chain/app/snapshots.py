"""State sync: the state at a height as chunks that are the same bytes on every node.

Format 1: entries in key order, MessagePack arrays of (key, value, derived), packed into chunks of
at most ``CHUNK_BYTES`` (a larger entry stands alone). The metadata holds the time of the height and
the SHA-256 of each chunk; the hash of a snapshot is the SHA-256 of its metadata. Only the app hash
of an offer is trusted: the root of the restored state must equal it before anything is written.

A snapshot is made when somebody asks, and made again for whoever asks for a chunk of one that was
offered earlier, as long as its height is kept: who began to fetch can end.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

import msgspec

from chain.errors import invariant
from chain.store.state import StateStore
from chain.store.whole import root_of

FORMAT: Final = 1
CHUNK_BYTES: Final = 4 * 1024 * 1024
#: snapshots are offered of heights that this divides, the newest few of those that are kept
INTERVAL: Final = 10
OFFERED: Final = 2
#: snapshots held in memory, those that were asked for last
_HELD: Final = 3
#: CometBFT reads at most 4 MB of metadata
CHUNKS_MAX: Final = 100_000

ACCEPT: Final = 1
ABORT: Final = 2
RETRY: Final = 3
REJECT: Final = 3
REJECT_FORMAT: Final = 4
REJECT_SNAPSHOT: Final = 5

_Entry = tuple[bytes, bytes, bool]
_PACK: Final = msgspec.msgpack.Encoder()
_CHUNK: Final = msgspec.msgpack.Decoder(list[_Entry])


class Metadata(msgspec.Struct, frozen=True, array_like=True):
    """What a snapshot says of itself besides its entries."""

    time: int
    chunks: list[bytes]


_METADATA: Final = msgspec.msgpack.Decoder(Metadata)


class Snapshot(NamedTuple):
    """A snapshot as it is offered."""

    height: int
    format: int
    chunks: int
    hash: bytes
    metadata: bytes


class Applied(NamedTuple):
    """What came of a chunk: one of the results, chunks to fetch again, whether to drop the
    sender."""

    result: int
    refetch: tuple[int, ...] = ()
    reject_sender: bool = False


class _Offer(NamedTuple):
    height: int
    app_hash: bytes
    metadata: Metadata


class Snapshots:
    """Gives snapshots of a store, and fills an empty one from one."""

    def __init__(self, store: StateStore, time_row: Callable[[int], bytes]) -> None:
        self._store = store
        self._time_row = time_row
        self._made: dict[int, tuple[Snapshot, list[bytes]]] = {}  # asked for last: at the end
        self._making = threading.Lock()
        self._offer: _Offer | None = None
        self._chunks: dict[int, bytes] = {}

    def on_offer(self) -> list[Snapshot]:
        """The snapshots of the newest kept heights that ``INTERVAL`` divides."""
        newest = self._store.height - self._store.height % INTERVAL
        wanted = [newest - INTERVAL * back for back in range(OFFERED)]
        return [self._of(height)[0] for height in wanted if self._kept(height)]

    def load(self, height: int, format_: int, chunk: int) -> bytes:
        """A chunk; empty for one that is not here."""
        if format_ != FORMAT or height % INTERVAL or not self._kept(height):
            return b""
        chunks = self._of(height)[1]
        return chunks[chunk] if 0 <= chunk < len(chunks) else b""

    def _kept(self, height: int) -> bool:
        return max(1, self._store.oldest) <= height <= self._store.height

    def _of(self, height: int) -> tuple[Snapshot, list[bytes]]:
        """The snapshot of a height and its chunks, made once while it is asked for."""
        with self._making:
            found = self._made.pop(height, None) or self._make(height)
            self._made[height] = found
            while len(self._made) > _HELD:
                del self._made[next(iter(self._made))]
            return found

    def offer(self, snapshot: Snapshot, app_hash: bytes) -> int:
        """Look at an offered snapshot: ACCEPT, REJECT or REJECT_FORMAT."""
        if snapshot.format != FORMAT:
            return REJECT_FORMAT
        try:
            metadata = _METADATA.decode(snapshot.metadata)
        except msgspec.MsgspecError:
            return REJECT
        good = (
            hashlib.sha256(snapshot.metadata).digest() == snapshot.hash
            and 0 < len(metadata.chunks) == snapshot.chunks <= CHUNKS_MAX
            and self._store.height == 0
        )
        if not good:
            return REJECT
        self._offer = _Offer(snapshot.height, app_hash, metadata)
        self._chunks = {}
        return ACCEPT

    def apply(self, index: int, chunk: bytes) -> Applied:
        """Take a chunk; the last one restores the state if its root is the trusted app hash."""
        offer = self._offer
        if offer is None:
            return Applied(ABORT)
        hashes = offer.metadata.chunks
        if not 0 <= index < len(hashes):
            return Applied(REJECT_SNAPSHOT)
        if hashlib.sha256(chunk).digest() != hashes[index]:
            return Applied(RETRY, (index,), reject_sender=True)
        self._chunks[index] = chunk
        if len(self._chunks) < len(hashes):
            return Applied(ACCEPT)
        return Applied(ACCEPT if self._restore(offer) else REJECT_SNAPSHOT)

    def _restore(self, offer: _Offer) -> bool:
        chunks = [self._chunks[index] for index in range(len(offer.metadata.chunks))]
        self._chunks = {}
        try:
            root = root_of(_tagged(_entries(chunks)))
        except (msgspec.MsgspecError, ValueError):
            root = b""
        if root != offer.app_hash:
            self._offer = None
            return False
        time = {self._time_row(offer.height): offer.metadata.time.to_bytes(8, "big")}
        written = self._store.import_state(offer.height, _entries(chunks), time)
        invariant(written == offer.app_hash, "a restored state has the root that was checked")
        return True

    def _make(self, height: int) -> tuple[Snapshot, list[bytes]]:
        time = int.from_bytes(self._store.row(self._time_row(height)) or b"", "big")
        chunks = [_PACK.encode(group) for group in _groups(self._store.export(height))]
        digests = [hashlib.sha256(chunk).digest() for chunk in chunks]
        metadata = _PACK.encode(Metadata(time, digests))
        digest = hashlib.sha256(metadata).digest()
        return Snapshot(height, FORMAT, len(chunks), digest, metadata), chunks


def _entries(chunks: Iterable[bytes]) -> Iterator[_Entry]:
    for chunk in chunks:
        yield from _CHUNK.decode(chunk)


def _tagged(entries: Iterable[_Entry]) -> Iterator[tuple[bytes, bytes]]:
    """Entries as the tree reads them: a byte in front of the value says whether it is derived."""
    for key, value, derived in entries:
        yield key, (b"\x01" if derived else b"\x00") + value


def _groups(entries: Iterable[_Entry]) -> Iterator[list[_Entry]]:
    group: list[_Entry] = []
    size = 0
    for entry in entries:
        length = len(entry[0]) + len(entry[1]) + 16
        if group and size + length > CHUNK_BYTES:
            yield group
            group, size = [], 0
        group.append(entry)
        size += length
    if group:
        yield group
