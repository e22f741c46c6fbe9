"""The storage a contract sees: its own keys only, each access charged before it acts (GAS-1 to
GAS-3).

Keys below are the store's byte, ``03``, the contract's address and the contract's key; gas counts
all of it but the
store's byte, as the SDK's gas store does. The meter is charged inline, because this is the hottest
code of the chain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NoReturn, Protocol

from chain.errors import VmError
from chain.gas import (
    KV_DELETE,
    KV_ITER_BYTE,
    KV_ITER_NEXT,
    KV_READ,
    KV_READ_BYTE,
    KV_WRITE,
    KV_WRITE_BYTE,
    GasMeter,
    OutOfGas,
)
from chain.store.overlay import Overlay
from chain.store.types import MISSING

KEY_MAX: Final = 65_536  # bytes, as wasmvm
#: of a prefix: the byte that tells the stores apart, which gas does not count
STORE_BYTE: Final = 1
VALUE_MAX: Final = (
    524_288  # bytes; ours: a message of 256 KiB and its envelope fit (requirements section 2)
)


class ReadStore(Protocol):
    """What a query reads: the committed view or the open block's overlay."""

    def get(self, key: bytes) -> bytes | None:
        """The value of a key, None when there is none."""

    def range(
        self, start: bytes | None, end: bytes | None, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """Entries from ``start`` (included) to ``end`` (excluded) in key order."""


_EXECUTING: Final = "Error calling the VM: Error executing Wasm: "
_RUNTIME: Final = f"{_EXECUTING}Wasmer runtime error: RuntimeError: "


def _refuse_key(key: bytes) -> NoReturn:
    if not key:
        raise VmError(f"{_RUNTIME}Error calling into the VM's backend: Panic in FFI call")
    raise VmError(
        f"{_RUNTIME}Generic error: Key too big. "
        f"Tried to write {len(key)} bytes to storage, limit is {KEY_MAX}."
    )


def _check_write(key: bytes, value: object) -> None:
    """Refuse what cannot be written; most writes are too small to come here."""
    if not 0 < len(key) <= KEY_MAX:
        _refuse_key(key)
    if not isinstance(value, bytes):
        raise VmError(f"{_EXECUTING}value is not bytes")
    if len(value) > VALUE_MAX:
        raise VmError(
            f"{_RUNTIME}Generic error: Value too big. "
            f"Tried to write {len(value)} bytes to storage, limit is {VALUE_MAX}."
        )


def _refuse_region(key: bytes) -> NoReturn:
    raise VmError(
        f"{_RUNTIME}Error in guest/host communication: "
        f"Region length too big. Got {len(key)}, limit {KEY_MAX}"
    )


class QueryStorage:
    """Read-only storage of one contract, charged on the meter of the call."""

    __slots__ = ("_meter", "_prefix", "_reading", "_store")

    _store: ReadStore

    def __init__(self, store: ReadStore, prefix: bytes, meter: GasMeter) -> None:
        self._store = store
        self._prefix = prefix
        self._reading = KV_READ + KV_READ_BYTE * (len(prefix) - STORE_BYTE)
        self._meter = meter

    def get(self, key: bytes) -> bytes | None:
        """The value of a key, None when there is none; an empty value is a value (STOR-13)."""
        size = len(key)
        if size > KEY_MAX:
            _refuse_region(key)
        value = self._store.get(self._prefix + key)
        if value is not None:
            size += len(value)
        meter = self._meter
        meter.used = used = meter.used + self._reading + KV_READ_BYTE * size
        if used > meter.limit:
            raise OutOfGas("ReadPerByte")
        return value

    def set(self, key: bytes, value: bytes) -> None:
        """Refused: a query cannot write (QRY-1)."""
        raise VmError(f"{_RUNTIME}Must not call a writing storage function in this context.")

    def remove(self, key: bytes) -> None:
        """Refused: a query cannot delete (QRY-1)."""
        raise VmError(f"{_RUNTIME}Must not call a writing storage function in this context.")

    def range(
        self, start: bytes | None = None, end: bytes | None = None, order: str = "ascending"
    ) -> Iterator[tuple[bytes, bytes]]:
        """Entries from ``start`` (included) to ``end`` (excluded); creation pays the first entry
        (GAS-3).
        """
        for bound in (start, end):
            if bound is not None and len(bound) > KEY_MAX:
                _refuse_region(bound)
        prefix = self._prefix
        low = prefix + start if start else prefix
        high = prefix + end if end is not None else _after(prefix)
        meter = self._meter
        if high is not None and low >= high:
            meter.consume(KV_ITER_NEXT, "IterNextFlat")
            return iter(())
        entries = self._store.range(low, high, order == "descending")
        first = next(entries, None)
        if first is None:
            meter.consume(KV_ITER_NEXT, "IterNextFlat")
            return iter(())
        size = len(first[0]) - 1 + len(first[1])
        meter.consume(KV_ITER_NEXT + KV_ITER_BYTE * size, "IterNextFlat")
        return _walk(first, entries, len(prefix), meter)

    def close(self) -> None:
        """End the life of this handle: what a contract kept of it fails from now on."""
        self._store = _DEAD


class ContractStorage(QueryStorage):
    """Read and write storage of one contract.

    It looks into the overlay's writes and notes its own in the overlay's journal without a call:
    a send of a message comes here seventeen times.
    """

    __slots__ = ("_journal", "_writes", "_writing")

    _store: Overlay

    def __init__(self, overlay: Overlay, prefix: bytes, meter: GasMeter) -> None:
        self._store = overlay
        self._writes = overlay.writes
        self._journal = overlay.journal
        self._prefix = prefix
        gross = len(prefix) - STORE_BYTE
        self._reading = KV_READ + KV_READ_BYTE * gross
        self._writing = KV_WRITE + KV_WRITE_BYTE * gross
        self._meter = meter

    def get(self, key: bytes) -> bytes | None:
        """As ``QueryStorage.get``."""
        size = len(key)
        if size > KEY_MAX:
            _refuse_region(key)
        key = self._prefix + key
        value = self._writes.get(key, MISSING)
        if value is MISSING:
            value = self._store.base.get(key)
        if value is not None:
            size += len(value)  # type: ignore[arg-type]  # not MISSING, so bytes
        meter = self._meter
        meter.used = used = meter.used + self._reading + KV_READ_BYTE * size
        if used > meter.limit:
            raise OutOfGas("ReadPerByte")
        return value  # type: ignore[return-value]

    def set(self, key: bytes, value: bytes) -> None:
        """Write a value; an empty key or one too long aborts the call (STOR-13, STOR-24)."""
        if not key or not isinstance(value, bytes):
            _check_write(key, value)
        size = len(key) + len(value)
        if size > KEY_MAX:
            _check_write(key, value)
        meter = self._meter
        meter.used = used = meter.used + self._writing + KV_WRITE_BYTE * size
        if used > meter.limit:
            raise OutOfGas("WritePerByte")
        writes = self._writes
        key = self._prefix + key
        self._journal.append((key, writes.get(key, MISSING)))
        writes[key] = value

    def remove(self, key: bytes) -> None:
        """Delete a key; a missing one is nothing."""
        if len(key) > KEY_MAX:
            _refuse_region(key)
        meter = self._meter
        used = meter.used + KV_DELETE
        meter.used = used
        if used > meter.limit:
            raise OutOfGas("Delete")
        self._store.remove(self._prefix + key)

    def close(self) -> None:
        """End the life of this handle: what a contract kept of it fails from now on."""
        self._store = self._journal = _DEAD
        self._writes = _NOTHING


#: what a tracer is told: operation, contract's key, value or None
StorageWatch = Callable[[str, bytes, bytes | None], None]


class WatchedStorage(ContractStorage):
    """The same storage, telling a tracer of each access; gas is the same."""

    __slots__ = ("_watch",)

    def __init__(
        self, overlay: Overlay, prefix: bytes, meter: GasMeter, watch: StorageWatch
    ) -> None:
        super().__init__(overlay, prefix, meter)
        self._watch = watch

    def get(self, key: bytes) -> bytes | None:
        """As ``ContractStorage.get``."""
        value = super().get(key)
        self._watch("get", key, value)
        return value

    def set(self, key: bytes, value: bytes) -> None:
        """As ``ContractStorage.set``."""
        super().set(key, value)
        self._watch("set", key, value)

    def remove(self, key: bytes) -> None:
        """As ``ContractStorage.remove``."""
        super().remove(key)
        self._watch("remove", key, None)

    def range(
        self, start: bytes | None = None, end: bytes | None = None, order: str = "ascending"
    ) -> Iterator[tuple[bytes, bytes]]:
        """As ``ContractStorage.range``; only the opening is told."""
        self._watch("range", start or b"", end)
        return super().range(start, end, order)


def _walk(
    first: tuple[bytes, bytes], rest: Iterator[tuple[bytes, bytes]], cut: int, meter: GasMeter
) -> Iterator[tuple[bytes, bytes]]:
    entry: tuple[bytes, bytes] | None = first
    while entry is not None:
        key, value = entry
        meter.consume(KV_ITER_NEXT + KV_ITER_BYTE * (len(key) - 1 + len(value)), "IterNextFlat")
        yield key[cut:], value
        entry = next(rest, None)


def _after(prefix: bytes) -> bytes | None:
    body = prefix.rstrip(b"\xff")
    return body[:-1] + bytes((body[-1] + 1,)) if body else None


class _Dead:
    """What stands for the store, and for its journal, of a call that has ended."""

    __slots__ = ()

    def __getattr__(self, name: str) -> NoReturn:
        raise VmError(f"{_EXECUTING}handle used after its call ended")


_DEAD: Final[Any] = _Dead()
_NOTHING: Final[dict[bytes, bytes | None]] = {}
