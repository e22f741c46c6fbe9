"""The pool of transactions that wait for a block: order of arrival, bounded in count and bytes
(CH-16).

The App's check state is the only judge; the pool adds what CometBFT's adds: duplicates, sizes,
room, recheck.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Final, Protocol

from chain.app.proposals import framed_size

TXS_MAX: Final = 5_000
BYTES_MAX: Final = 1_073_741_824
TX_BYTES_MAX: Final = 1_048_576
CACHE_MAX: Final = 10_000


class MempoolError(Exception):
    """The pool does not take a transaction; texts are CometBFT's."""


class TxInCache(MempoolError):
    """The same bytes were taken before."""

    def __init__(self) -> None:
        super().__init__("tx already exists in cache")


class TxTooLarge(MempoolError):
    """More bytes than one transaction may have."""

    def __init__(self, size: int, limit: int) -> None:
        super().__init__(f"Tx too large. Max size is {limit}, but got {size}")


class MempoolFull(MempoolError):
    """No room by count or by bytes."""

    def __init__(self, txs: int, txs_max: int, size: int, size_max: int) -> None:
        super().__init__(
            f"mempool is full: number of txs {txs} (max: {txs_max}), "
            f"total txs bytes {size} (max: {size_max})"
        )


class Checked(Protocol):
    """What the pool reads of an App's answer to ``check_tx``."""

    @property
    def code(self) -> int:
        """0 when the transaction may wait."""

    @property
    def gas_wanted(self) -> int:
        """What a block's gas limit counts."""


class Mempool:
    """Waiting transactions by hash, in order of arrival.

    ``check(raw, recheck)`` is the App's ``check_tx``, ``key_of`` its ``tx_hash``.
    """

    def __init__(
        self,
        check: Callable[[bytes, bool], Checked],
        *,
        key_of: Callable[[bytes], bytes] = lambda raw: hashlib.sha256(raw).digest(),
        txs_max: int = TXS_MAX,
        bytes_max: int = BYTES_MAX,
        tx_bytes_max: int = TX_BYTES_MAX,
        cache_max: int = CACHE_MAX,
    ) -> None:
        self._check = check
        self._key_of = key_of
        self._txs_max, self._bytes_max, self._tx_bytes_max = txs_max, bytes_max, tx_bytes_max
        self._cache_max = cache_max
        self._waiting: OrderedDict[bytes, tuple[bytes, int]] = OrderedDict()
        self._cache: OrderedDict[bytes, None] = OrderedDict()
        self.size_bytes = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, raw: bytes) -> bool:
        return self._key_of(raw) in self._waiting

    def __iter__(self) -> Iterator[bytes]:
        return (raw for raw, _ in self._waiting.values())

    def add(self, raw: bytes) -> Checked:
        """Check a transaction and let it wait when its code is 0; a refused one may come again.

        Raises: TxTooLarge, MempoolFull, TxInCache; then nothing was checked.
        """
        if len(raw) > self._tx_bytes_max:
            raise TxTooLarge(len(raw), self._tx_bytes_max)
        if len(self._waiting) >= self._txs_max or self.size_bytes + len(raw) > self._bytes_max:
            raise MempoolFull(len(self._waiting), self._txs_max, self.size_bytes, self._bytes_max)
        key = self._key_of(raw)
        if key in self._cache:
            raise TxInCache
        result = self._check(raw, False)
        if result.code == 0:
            self._remember(key)
            self._waiting[key] = (raw, result.gas_wanted)
            self.size_bytes += len(raw)
        return result

    def reap(self, max_bytes: int = -1, max_gas: int = -1) -> list[bytes]:
        """The next block's transactions: in order, within bytes (as protobuf frames them) and gas;
        they stay waiting."""
        taken: list[bytes] = []
        size = gas = 0
        for raw, wanted in self._waiting.values():
            size += framed_size(raw)
            gas += wanted
            if (0 <= max_bytes < size) or (0 <= max_gas < gas):
                break
            taken.append(raw)
        return taken

    def update(self, included: Iterable[tuple[bytes, int]]) -> None:
        """After a commit: drop what is in the block (raw, code) and recheck the rest against the
        new state.

        A transaction that failed in a block leaves the cache, so the same bytes may be sent again.
        """
        for raw, code in included:
            key = self._key_of(raw)
            self._drop(key)
            if code == 0:
                self._remember(key)
            else:
                self._cache.pop(key, None)
        for key, (raw, _) in list(self._waiting.items()):
            if self._check(raw, True).code != 0:
                self._drop(key)
                self._cache.pop(key, None)

    def flush(self) -> None:
        """Forget everything, as ``unsafe_flush_mempool`` does."""
        self._waiting.clear()
        self._cache.clear()
        self.size_bytes = 0

    def _drop(self, key: bytes) -> None:
        gone = self._waiting.pop(key, None)
        if gone is not None:
            self.size_bytes -= len(gone[0])

    def _remember(self, key: bytes) -> None:
        self._cache[key] = None
        self._cache.move_to_end(key)
        while len(self._cache) > self._cache_max:
            self._cache.popitem(last=False)
