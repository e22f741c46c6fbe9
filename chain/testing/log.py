"""The event log of a test chain: records are made when asked for, by running the blocks again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from chain.app.application import App
from chain.block.types import BlockInput, TxResult
from chain.crypto.keys import Ed25519Key
from chain.driver.genesis import Genesis
from chain.driver.log import files
from chain.driver.log.record import BlockRecord, GenesisRecord
from chain.driver.producer import Producer
from chain.store.memory import MemoryBackend
from chain.store.state import StateStore
from chain.testing.codes import ChainCodes
from chain.tx.builder import build_dev
from chain.tx.value import Tx


class ClosedBlock(NamedTuple):
    """A block, its transactions and their results; records are made when the log is asked for."""

    block: BlockInput
    txs: list[Tx]
    results: list[TxResult] = []  # never written through this default


class ChainLog:
    """The blocks of one chain, ready to be saved."""

    def __init__(
        self,
        genesis: Genesis,
        blocks: Sequence[ClosedBlock],
        codes: ChainCodes,
        signer: Ed25519Key,
        prefix: str,
    ) -> None:
        self._genesis = genesis
        self._blocks = blocks
        self._codes = codes
        self._signer = signer
        self._prefix = prefix

    def __len__(self) -> int:
        return len(self._blocks)

    def records(self) -> Iterator[GenesisRecord | BlockRecord]:
        """The genesis, then each block with results, header and hashes."""
        store = StateStore(MemoryBackend(), keep_heights=1)
        app = App(store, self._codes, prefix=self._prefix)
        producer = Producer(app, store, self._codes, [self._signer])
        producer.start(self._genesis, self._codes.sources())
        yield producer.genesis_record()
        chain_id = self._genesis.chain_id
        for block, txs, _ in self._blocks:
            producer.open(block.time, block.height)
            for tx in txs:
                producer.deliver(
                    build_dev(
                        tx.messages, chain_id=chain_id, nonce=tx.nonce, gas_limit=tx.gas_limit
                    )
                )
            yield producer.close()

    def save(self, path: str | Path) -> Path:
        """Write a file that ``msgchain log replay`` takes: JSON Lines, or MessagePack for
        ``.msgpack``.

        Raises: LogError when the place cannot be written.
        """
        target = Path(path)
        files.write(target, self.records())
        return target
