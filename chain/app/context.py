"""The scopes a value can live in while a block runs: the block, the transaction, a call, a frame.

Those of a transaction are ``Struct``: making one costs a third of a class with ``__init__``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from msgspec import Struct

from chain.app.events import Event
from chain.app.records import ChainRecord, ValidatorRecord
from chain.app.submessages import Prepared
from chain.app.trace import Observer
from chain.errors import InvariantViolation
from chain.gas import GasMeter
from chain.std import BlockInfo, TransactionInfo
from chain.store.overlay import Overlay
from chain.vm.querier import QueryHost


@dataclass(slots=True)
class PendingFee:
    """A fee that was reserved and waits for the settlement after the block's last transaction."""

    payer: str
    #: what was moved to the fee collector, in amsg
    reserved: int
    #: gas used × price, never above ``reserved``
    charged: int
    #: gas by creator of the contracts that the transaction ran
    creators: dict[str, int]


@dataclass(slots=True)
class BlockScope:
    """The block that is open."""

    info: BlockInfo
    overlay: Overlay
    proposer: bytes
    chain: ChainRecord
    events: list[Event] = field(default_factory=list)
    fees: list[PendingFee] = field(default_factory=list)
    validator_updates: dict[bytes, ValidatorRecord] = field(default_factory=dict)
    #: transactions so far whose messages ran; the next one's index
    index: int = 0
    #: gas wanted so far, against the block's limit
    gas_wanted: int = 0
    params_touched: bool = False


def _no_host(scope: TxScope) -> QueryHost:
    raise InvariantViolation("a transaction without a query host")


class TxScope(Struct, eq=False):
    """One transaction (or a privileged call outside of one, then ``transaction`` is None)."""

    block: BlockScope
    #: the block's
    overlay: Overlay
    meter: GasMeter
    #: accounts that signed (or are impersonated): the safety boundary looks at them
    signers: tuple[str, ...]
    transaction: TransactionInfo | None
    #: of the whole transaction; what stands in front is the ante's
    events: list[Event]
    hosts: Callable[[TxScope], QueryHost] = _no_host
    #: told of calls and storage; None costs nothing
    observer: Observer | None = None
    #: made when a contract asks something
    host: QueryHost | None = None
    #: a contract dispatched a message as protobuf: events below it are not sorted with it
    foreign: bool = False
    #: checksums whose instance was paid in this transaction (GAS-5)
    loaded: dict[bytes, None] = {}
    #: creator -> gas used in its contracts (CH-5)
    creators: dict[str, int] = {}
    #: an agent among the signers without its owner: set by the ante, kept for the whole
    #: transaction
    restricted: str = ""

    def query_host(self) -> QueryHost:
        """What answers this transaction's contracts."""
        host = self.host
        if host is None:
            host = self.host = self.hosts(self)
        return host

    @property
    def position(self) -> tuple[int, int]:
        """Height and transaction index, as records note them; 0 outside of a transaction."""
        transaction = self.transaction
        return self.block.info.height, 0 if transaction is None else transaction.index


class Outcome(Struct, eq=False, gc=False):
    """What a message left: its protobuf response, if it has one."""

    #: empty: no response at all (a burn, a send of nothing)
    type_url: str
    value: bytes
    wasm: bool


#: kinds of frames: the entry point whose messages are being dispatched
EXECUTE: Final = "execute"
INSTANTIATE: Final = "instantiate"
MIGRATE: Final = "migrate"
SUDO: Final = "sudo"
REPLY: Final = "reply"
#: an ``instantiate`` whose answer has the other type
INSTANTIATE2: Final = "instantiate2"


class Call(Struct, eq=False):
    """One call of an entry point: which, of whom, by whom, on which meter, how deep."""

    tx: TxScope
    kind: str
    address: str
    canonical: bytes
    sender: str
    meter: GasMeter
    #: dispatches above
    depth: int


class Frame(Struct, eq=False):
    """A contract call whose entry point has returned and whose messages are being dispatched."""

    kind: str
    address: str
    messages: list[Prepared]
    data: bytes | None
    meter: GasMeter
    #: how many dispatches lie above: 0 for what the transaction itself called
    depth: int
    #: index of the next message
    next: int = 0
    sub: Prepared | None = None
    #: the meter of the submessage that runs now; None while none does
    child: GasMeter | None = None
    checkpoint: int = 0
    mark: int = 0
