"""The demo on a chain that runs already, a devnet or a net of validators, through its RPC."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from chain import wiring
from chain.cli.demo_cast import AGENTS
from chain.cli.demo_report import burned_of
from chain.cli.log_cometbft import records_of
from chain.client.agent_calls import Contracts
from chain.client.rpc import RpcClient
from chain.client.rpc_types import unbase64
from chain.client.transport import ChainError, Outcome
from chain.client.wallet import Wallet, funds
from chain.driver.log.cometbft import block_record
from chain.driver.log.record import BlockRecord, Record
from chain.tx.codec import decode_tx
from chain.tx.messages import MsgSend
from chain.tx.value import Tx


class RemoteChain(RpcClient):
    """A node that has the contracts where a devnet has them, and an account to pay the players."""

    def __init__(self, url: str, watch: Callable[[Tx, Outcome], None]) -> None:
        super().__init__(url)
        self.contracts = Contracts.from_names(wiring.contract_addresses())
        self.watch: Callable[[Tx, Outcome], None] | None = None
        self._watch = watch
        self._start = self.height()

    @property
    def title(self) -> str:
        """What kind of chain this is, in words."""
        return f"a running chain at {self.url}"

    def fund(self, accounts: Sequence[tuple[str, str, str]]) -> None:
        """Pay the players from the development account ``faucet``, whose key everybody knows.

        Raises: ChainError, also where the demo was played before.
        """
        question = {"get_agent": {"agent_id": f"{AGENTS[0]}-agent"}}
        if self.smart(self.contracts.registry, question)["agent"] is not None:
            raise ChainError("msgchain", 1, "the demo has been played there; a chain has it once")
        faucet = Wallet(wiring.dev_key("faucet"), self)
        faucet.send(
            [
                MsgSend(faucet.address, address, funds(f"{amount}msg"))
                for _, address, amount in accounts
            ]
        )
        self._start = self.height()
        self.watch = self._watch

    def broadcast(self, raw: bytes) -> Outcome:
        """Send a transaction and wait for its block. Raises: TxRefused, TimedOut."""
        outcome = super().broadcast(raw)
        if self.watch is not None:
            self.watch(decode_tx(raw), outcome)
        return outcome

    def records(self) -> Iterator[BlockRecord]:
        """The blocks since the players were paid."""
        members: list[dict[str, Any]] = self.validators(self._start)
        for height in range(self._start + 1, self.height() + 1):
            block = self.http.call("block", height=str(height))
            yield block_record(block, self.block_results(height), members, b"")
            members = self.validators(height)

    def log(self) -> Iterator[Record]:
        """The whole log of the chain."""
        return records_of(self)

    def burned(self) -> int:
        """What the blocks took out of the supply, in amsg."""
        return sum(burned_of(record) for record in self.records())

    def app_hash(self) -> bytes:
        """The app hash after the last block."""
        return unbase64(self.http.call("abci_info")["response"]["last_block_app_hash"])
