"""How a program reaches a chain: bytes go out, results and answers come back.

``Transport`` is all that wallets and agents need of one. Every method waits for its answer; there
are no threads and no callbacks. ``chain.client.rpc`` speaks to a node, the demo to a chain in its
own process.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

import msgspec

from chain.block.types import Event
from chain.tx.results import MsgResponse, ResultError, decode_contract_response, decode_tx_data

#: what wasmd puts before the types of a contract's events
CONTRACT_PREFIX: Final = "wasm-"


class ChainError(Exception):
    """The chain refused; ``codespace`` and ``code`` say what, the text is the chain's log."""

    def __init__(self, codespace: str, code: int, log: str) -> None:
        super().__init__(log)
        self.codespace = codespace
        self.code = code
        self.log = log


#: what a node says of a transaction that it holds, or had, already
IN_CACHE: Final = "tx already exists in cache"
#: texts of the pool, and the codes that the SDK has for them
_POOL: Final = (("mempool is full", 20), ("Tx too large", 21))


class QueryRefused(ChainError):
    """A query was answered with an error."""


class TxRefused(ChainError):
    """A transaction did not get into a block; nothing was changed and nothing was paid."""


def pool_refusal(text: str) -> TxRefused | None:
    """What the pool's error means, where it is the pool's."""
    for part, code in _POOL:
        if part in text:
            return TxRefused("sdk", code, text)
    return None


def accepted(answer: Mapping[str, Any]) -> str:
    """The hash in the answer to ``broadcast_tx_sync``. Raises: TxRefused."""
    if answer["code"]:
        raise TxRefused(str(answer["codespace"]), int(answer["code"]), str(answer["log"]))
    return str(answer["hash"])


class TxFailed(ChainError):
    """A transaction failed in its block: the fee is paid, the sequence used, nothing else done."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.codespace, outcome.code, outcome.log)
        self.outcome = outcome


class TimedOut(Exception):
    """What was waited for did not come in time."""


class AccountInfo(msgspec.Struct, frozen=True):
    """An account as a signer needs it. ``has_key``: the chain knows its public key already."""

    address: str
    number: int
    sequence: int
    has_key: bool


class Simulated(msgspec.Struct, frozen=True):
    """What a transaction would do now."""

    code: int
    codespace: str
    log: str
    gas_used: int


class Outcome(msgspec.Struct, frozen=True):
    """A transaction in a block: its hash, where it stands, and its result."""

    hash: str  # upper-case hex
    height: int
    code: int
    codespace: str
    log: str
    data: bytes
    gas_wanted: int
    gas_used: int
    events: Sequence[Event]

    def attributes(self, event_type: str) -> Iterator[dict[str, str]]:
        """The attributes of each event of a type; ``wasm-`` may be left out."""
        for event in self.events:
            if event.type in (event_type, CONTRACT_PREFIX + event_type):
                yield dict(event.attributes)

    def attribute(self, event_type: str, key: str) -> str:
        """One attribute of the first event of a type. Raises: KeyError."""
        for found in self.attributes(event_type):
            if key in found:
                return found[key]
        raise KeyError(f"no event {event_type} with attribute {key}")

    def responses(self) -> tuple[MsgResponse, ...]:
        """The answers to the messages, in their order."""
        try:
            return decode_tx_data(self.data)
        except ResultError:
            return ()

    def contract_data(self, index: int = 0) -> bytes:
        """What the contract that message ``index`` called set as data. Raises: IndexError."""
        return decode_contract_response(self.responses()[index]).data


class BlockEvent(msgspec.Struct, frozen=True):
    """An event and where it stands; ``tx`` is the place in the block, None for the block's own."""

    height: int
    tx: int | None
    event: Event


class Transport(Protocol):
    """A chain as its clients see it."""

    @property
    def chain_id(self) -> str:
        """The chain's id, which signatures are bound to."""
        ...

    @property
    def gas_price(self) -> int:
        """What one gas costs, in amsg."""
        ...

    def broadcast(self, raw: bytes) -> Outcome:
        """Send a transaction and wait until it is in a block.

        Whatever its result there, it is returned. Raises: TxRefused, TimedOut.
        """
        ...

    def simulate(self, raw: bytes) -> Simulated:
        """What a transaction would do now; its signatures are not looked at."""
        ...

    def smart(self, contract: str, query: dict[str, Any]) -> Any:
        """A contract's answer, as plain JSON. Raises: QueryRefused."""
        ...

    def raw(self, contract: str, key: bytes) -> bytes | None:
        """A raw value of a contract's storage. Raises: QueryRefused."""
        ...

    def balance(self, address: str, denom: str = "amsg") -> int:
        """How much an address has of a denomination."""
        ...

    def account(self, address: str) -> AccountInfo | None:
        """Number and sequence of an account, None when there is none."""
        ...

    def height(self) -> int:
        """The last committed height."""
        ...

    def block_time(self) -> int:
        """The time of the last committed block, in nanoseconds."""
        ...

    def events(self, after: int) -> Iterator[BlockEvent]:
        """The events of all committed blocks above a height, in their order."""
        ...

    def wait(self, seconds: float) -> None:
        """Let the chain go on for so long, or until something new is committed."""
        ...
