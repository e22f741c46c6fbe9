"""The scopes a value can live in while a block runs: the block, the transaction. A frame of a
call is in ``dispatch``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

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
    #: transactions run so far; the next one's index
    index: int = 0
    #: gas wanted so far, against the block's limit
    gas_wanted: int = 0
    params_touched: bool = False


def _no_host(scope: TxScope) -> QueryHost:
    raise InvariantViolation("a transaction without a query host")


class TxScope:
    """One transaction (or a privileged call outside of one, then ``transaction`` is None)."""

    __slots__ = (
        "block",
        "creators",
        "events",
        "foreign",
        "host",
        "hosts",
        "loaded",
        "meter",
        "observer",
        "overlay",
        "restricted",
        "signers",
        "transaction",
    )

    def __init__(
        self,
        block: BlockScope,
        meter: GasMeter,
        signers: tuple[str, ...],
        transaction: TransactionInfo | None,
        events: list[Event],
    ) -> None:
        self.block = block
        self.overlay = block.overlay
        self.meter = meter
        #: accounts that signed (or are impersonated): the safety boundary looks at them
        self.signers = signers
        self.transaction = transaction
        #: told of calls and storage; None costs nothing
        self.observer: Observer | None = None
        #: made when a contract asks something
        self.host: QueryHost | None = None
        self.hosts: Callable[[TxScope], QueryHost] = _no_host
        #: a contract dispatched a message as protobuf: events below it are not sorted with it
        self.foreign = False
        #: of the whole transaction; what stands in front is the ante's
        self.events = events
        #: checksums whose instance was paid in this transaction (GAS-5)
        self.loaded: dict[bytes, None] = {}
        #: creator -> gas used in its contracts (CH-5)
        self.creators: dict[str, int] = {}
        #: an agent among the signers without its owner: set by the ante, kept for the whole
        #: transaction
        self.restricted = ""

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


class Outcome:
    """What a message left: its protobuf response, if it has one."""

    __slots__ = ("type_url", "value", "wasm")

    def __init__(self, type_url: str, value: bytes, wasm: bool) -> None:
        #: empty: no response at all (a burn, a send of nothing)
        self.type_url = type_url
        self.value = value
        self.wasm = wasm


#: kinds of frames: the entry point whose messages are being dispatched
EXECUTE: Final = "execute"
INSTANTIATE: Final = "instantiate"
MIGRATE: Final = "migrate"
SUDO: Final = "sudo"
REPLY: Final = "reply"
#: an ``instantiate`` whose answer has the other type
INSTANTIATE2: Final = "instantiate2"


class Call:
    """One call of an entry point: which, of whom, by whom, on which meter, how deep."""

    __slots__ = ("address", "canonical", "depth", "kind", "meter", "sender", "tx")

    def __init__(  # noqa: PLR0917  # made on the hottest path, by position
        self,
        tx: TxScope,
        kind: str,
        address: str,
        canonical: bytes,
        sender: str,
        meter: GasMeter,
        depth: int,
    ) -> None:
        self.tx = tx
        self.kind = kind
        self.address = address
        self.canonical = canonical
        self.sender = sender
        self.meter = meter
        #: dispatches above
        self.depth = depth


class Frame:
    """A contract call whose entry point has returned and whose messages are being dispatched."""

    __slots__ = (
        "address",
        "checkpoint",
        "child",
        "data",
        "depth",
        "kind",
        "mark",
        "messages",
        "meter",
        "next",
        "sub",
    )

    def __init__(  # noqa: PLR0917  # made on the hottest path, by position
        self,
        kind: str,
        address: str,
        messages: list[Prepared],
        data: bytes | None,
        meter: GasMeter,
        depth: int,
    ) -> None:
        self.kind = kind
        self.address = address
        self.messages = messages
        self.data = data
        self.meter = meter
        #: how many dispatches lie above: 0 for what the transaction itself called
        self.depth = depth
        #: index of the next message
        self.next = 0
        self.sub: Prepared | None = None
        #: the meter of the submessage that runs now; None while none does
        self.child: GasMeter | None = None
        self.checkpoint = 0
        self.mark = 0
