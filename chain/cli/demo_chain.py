"""The demo's chain: a fresh devnet in this process, with a block for each transaction and a clock
that only moves when a block is made.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from chain import wiring
from chain.client.agent_calls import Contracts
from chain.client.transport import (
    AccountInfo,
    BlockEvent,
    Outcome,
    QueryRefused,
    Simulated,
    Transport,
    TxRefused,
)
from chain.crypto.addresses import validate
from chain.driver.genesis import parse
from chain.driver.log.record import BlockRecord, Record
from chain.errors import AppError
from chain.tx.codec import decode_tx
from chain.tx.value import Tx

SECOND: Final = 1_000_000_000
#: simulated seconds from one block to the next
BLOCK_SECONDS: Final = 1


class DemoChain(Transport, Protocol):
    """A chain that the demo can play on and tell of."""

    contracts: Contracts

    @property
    def title(self) -> str:
        """What kind of chain this is, in words."""
        ...

    def records(self) -> Iterator[BlockRecord]:
        """The blocks of the play."""
        ...

    def log(self) -> Iterator[Record]:
        """The whole log of the chain."""
        ...

    def burned(self) -> int:
        """By how much the play lowered the supply, in amsg."""
        ...

    def app_hash(self) -> bytes:
        """The app hash after the last block."""
        ...

    def close(self) -> None:
        """The play is over."""
        ...


class LocalChain:
    """A devnet in this process as a ``Transport``. ``watch`` hears of every transaction."""

    def __init__(
        self,
        home: Path | None,
        accounts: Sequence[tuple[str, str, str]],
        watch: Callable[[Tx, Outcome], None] | None = None,
    ) -> None:
        document = wiring.devnet_genesis(accounts=accounts, wallets=0, interval="1s")
        genesis = parse(document)
        self.producer = wiring.open_chain(home, genesis, signers=wiring.dev_validator_keys(1))
        self.app = self.producer.app
        self.contracts = Contracts.from_names(wiring.contract_addresses())
        self.time = genesis.time
        self.watch = watch
        self.produce()  # queries need a committed state
        self.start_supply = self.supply()

    # --- blocks ----------------------------------------------------------------------------------

    def produce(self, *txs: bytes, seconds: int = BLOCK_SECONDS) -> BlockRecord:
        """One block, so many simulated seconds on."""
        self.time += seconds * SECOND
        return self.producer.produce(txs, self.time)

    def records(self) -> Iterator[BlockRecord]:
        """The blocks so far."""
        for height in range(1, self.producer.height + 1):
            record = self.producer.record(height)
            if record is not None:
                yield record

    @property
    def title(self) -> str:
        """What kind of chain this is, in words."""
        return "a fresh devnet in this process"

    def log(self) -> Iterator[Record]:
        """The whole log of the chain."""
        return self.producer.records()

    def burned(self) -> int:
        """By how much the supply fell, in amsg."""
        return self.start_supply - self.supply()

    def supply(self) -> int:
        """All MSG that exists, in amsg."""
        return int(self.app.queries.supply("amsg").amount)

    def app_hash(self) -> bytes:
        """The app hash after the last block."""
        return self.producer.state.app_hash

    def close(self) -> None:
        """Close the store."""
        self.producer.store.close()

    # --- Transport -------------------------------------------------------------------------------

    @property
    def chain_id(self) -> str:
        """The chain's id."""
        return self.producer.chain_id

    @property
    def gas_price(self) -> int:
        """What one gas costs, in amsg."""
        return int(self.app.queries.params().gas_price)

    def broadcast(self, raw: bytes) -> Outcome:
        """Check as a pool would, then make a block of it. Raises: TxRefused."""
        checked = self.app.check_tx(raw)
        if checked.code:
            raise TxRefused(checked.codespace, checked.code, checked.log)
        record = self.produce(raw)
        result = record.result.tx_results[0]
        outcome = Outcome(
            hash=checked.hash.hex().upper(),
            height=record.block.height,
            code=result.code,
            codespace=result.codespace,
            log=result.log,
            data=result.data,
            gas_wanted=result.gas_wanted,
            gas_used=result.gas_used,
            events=result.events,
        )
        if self.watch is not None:
            self.watch(decode_tx(raw), outcome)
        return outcome

    def simulate(self, raw: bytes) -> Simulated:
        """What a transaction would do now."""
        result = self.app.simulate(raw)
        return Simulated(result.code, result.codespace, result.log, result.gas_used)

    def smart(self, contract: str, query: dict[str, Any]) -> Any:
        """A contract's answer. Raises: QueryRefused."""
        try:
            return json.loads(self.app.query_smart(contract, json.dumps(query).encode()))
        except AppError as error:
            raise QueryRefused(error.codespace, error.code, error.log) from None

    def raw(self, contract: str, key: bytes) -> bytes | None:
        """A raw value of a contract's storage. Raises: QueryRefused."""
        try:
            return self.app.queries.raw(contract, key)
        except AppError as error:
            raise QueryRefused(error.codespace, error.code, error.log) from None

    def balance(self, address: str, denom: str = "amsg") -> int:
        """How much an address has."""
        return int(self.app.queries.balance(address, denom).amount)

    def account(self, address: str) -> AccountInfo | None:
        """Number and sequence of an account."""
        validate(address)
        found = self.app.queries.account(address)
        if found is None:
            return None
        account, key = found
        return AccountInfo(address, account.number, account.sequence, key is not None)

    def height(self) -> int:
        """The last height."""
        return self.producer.height

    def block_time(self) -> int:
        """The time of the last block."""
        return self.time

    def events(self, after: int) -> Iterator[BlockEvent]:
        """The events above a height."""
        for record in self.records():
            if record.block.height > after:
                yield from events_of(record)

    def wait(self, seconds: float) -> None:
        """An empty block, so many seconds on."""
        self.produce(seconds=max(1, int(seconds)))


def events_of(record: BlockRecord) -> Iterator[BlockEvent]:
    """The events of one block: its transactions', then its own."""
    height = record.block.height
    for index, result in enumerate(record.result.tx_results):
        for event in result.events:
            yield BlockEvent(height, index, event)
    for event in record.result.events:
        yield BlockEvent(height, None, event)
