"""Legal sequences of ABCI calls, as CometBFT makes them, over an App that may crash at any of them.

CometBFT's calls fit ``i I? ((P p? | p)* F C)*`` with ``O A+ i`` before it for state sync: i Info,
I InitChain, P PrepareProposal, p ProcessProposal, F FinalizeBlock, C Commit, O OfferSnapshot,
A ApplySnapshotChunk. A process may end anywhere, so a record of several processes is a row of
beginnings of that; CheckTx, Query and snapshot reads may stand everywhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from app_world import CHAIN_ID, TIME, VALIDATORS, Codes, World, coins, native
from hypothesis import strategies as st

from chain.abci.handler import Handler
from chain.abci.wire import Request
from chain.app.application import App
from chain.app.queries.service import QueryResult
from chain.block.types import BlockInput, BlockResult, Misbehavior
from chain.crypto.keys import Ed25519Key
from chain.store import MemoryBackend, StateStore
from chain.tx.messages import (
    Msg,
    MsgExecuteContract,
    MsgMint,
    MsgSend,
    MsgUpdateParams,
    MsgUpdateValidators,
    ValidatorChange,
)

#: what an App hears from one handshake to the next; it may end after any letter
RUN = re.compile(r"(O+A+)?(i(I?((Pp?|p)*F+C)*(Pp?|p)*F*)?)?")
LETTERS = {
    "info": "i",
    "init_chain": "I",
    "prepare_proposal": "P",
    "process_proposal": "p",
    "finalize_block": "F",
    "commit": "C",
    "offer_snapshot": "O",
    "apply_snapshot_chunk": "A",
}


def fits(letters: str) -> bool:
    """Whether what was heard from one handshake to the next is a beginning of a legal row."""
    return RUN.fullmatch(letters) is not None


# --- what is sent ---------------------------------------------------------------------------------


def _transactions() -> list[bytes]:
    """Every account's next few transactions, most of them with a rival for the same sequence."""
    world = World(state={"devnet": False})
    world.block()
    alice, bob, gov, wallet = world.alice, world.bob, world.gov, world.wallet

    def call(body: bytes) -> Msg:
        return MsgExecuteContract(alice.address, world.contract, body, coins("3amsg"))

    def member(seed: int, power: int) -> Msg:
        key = Ed25519Key(bytes([seed]) * 32).pubkey.key
        return MsgUpdateValidators(
            gov.address, (ValidatorChange("ed25519", key, power, native("p").address),)
        )

    def wallet_send(amount: str) -> Msg:
        return MsgSend(wallet.pubkey.address(), alice.address, coins(amount))

    by_alice = [
        [MsgSend(alice.address, bob.address, coins("7amsg"))],
        [call(b'{"set":{"a":"1","b":"2"},"attr":{"x":"y"}}')],
        [call(b'{"set":{"a":"2"},"fail":"no"}')],
        [call(b'{"crash":"x"}'), call(b'{"set":{"c":"3"}}')],
        [call(b'{"burn":2}')],
    ]
    by_gov = [
        [MsgUpdateParams(gov.address, {"block_max_gas": 2_500_000})],
        [member(2, 0)],
        [member(9, 4)],
        [MsgMint(gov.address, bob.address, coins("5earth")), member(77, 0)],
    ]
    found = [b"junk", b"", b"\x93\x01"]
    for skip in range(3):
        for messages in by_alice[skip:] + by_alice[:skip]:
            found.append(world.native_tx(messages, alice, skip=skip))
        for messages in by_gov[skip:]:
            found.append(world.native_tx(messages, gov, skip=skip))
    send = MsgSend(bob.address, alice.address, coins("1amsg"))
    found.append(world.native_tx([send], bob))
    found.append(world.native_tx([send], bob, chain_id="other"))
    found += [world.cosmos_tx([wallet_send(amount)], wallet) for amount in ("1umsg", "9earth")]
    return found


TXS = _transactions()
PATHS = [
    ("/store/msg/key", b"mv"[1:]),
    ("/store/msg/key", b"p"),
    ("/store/acc/key", b"\x03"),
    ("/app/version", b""),
    ("/nowhere", b"x"),
]


def genesis_state() -> dict[str, Any]:
    """The ``app_state`` that every run begins with."""
    world = World(state={"devnet": False})
    params = {**world.state["params"], "begin_block_contracts": [world.contract]}
    return {**world.state, "params": params}


STATE = genesis_state()


# --- a plan ---------------------------------------------------------------------------------------


class Noise(NamedTuple):
    """A call that may stand anywhere: ``what`` is check, recheck, query, list, restart (of the App)
    or dial (the node was restarted and finds the App alive).
    """

    what: str
    index: int = 0


class Height(NamedTuple):
    """How one block comes about. ``rounds``: proposals that came to nothing, each prepared here or
    not; ``again``: how often FinalizeBlock is repeated, with noise before each; ``end``: the
    process ends ``before`` or ``after`` the commit's write, or not.
    """

    txs: list[int]
    proposer: int
    fault: int
    rounds: list[tuple[bool, list[int]]]
    noise: list[list[Noise]]
    end: str


_INDEX = st.integers(0, len(TXS) - 1)
_SOME = st.lists(_INDEX, max_size=5)
_NOISE = st.lists(
    st.one_of(
        st.builds(Noise, st.sampled_from(["check", "check", "check", "recheck"]), _INDEX),
        st.builds(Noise, st.just("query"), st.integers(0, len(PATHS) - 1)),
        st.sampled_from([Noise("list"), Noise("restart"), Noise("dial")]),
    ),
    max_size=4,
)
HEIGHTS = st.lists(
    st.builds(
        Height,
        txs=_SOME,
        proposer=st.integers(0, 2),
        fault=st.sampled_from([0, 0, 0, 1, 2, 3]),
        rounds=st.lists(st.tuples(st.booleans(), _SOME), max_size=2),
        noise=st.lists(_NOISE, min_size=2, max_size=4),
        end=st.sampled_from(["", "", "", "before", "after"]),
    ),
    min_size=1,
    max_size=4,
)


def block_of(height: int, plan: Height) -> BlockInput:
    """The block that a plan's height decides on."""
    proposers = [VALIDATORS[0].validator_address, VALIDATORS[1].validator_address, bytes(20)]
    faults = []
    if plan.fault:
        address = [*proposers[:2], b"\x01" * 20][plan.fault - 1]
        faults.append(Misbehavior(1, address, 1, max(1, height - 1), TIME, 3))
    return BlockInput(
        height,
        TIME + height * 1_500_000_001,
        proposers[plan.proposer],
        tuple(TXS[index] for index in plan.txs),
        (),
        tuple(faults),
    )


# --- both sides -----------------------------------------------------------------------------------


class Crash(BaseException):
    """The process ends here."""


class Disk(MemoryBackend):
    """What survives the process; ``fail`` ends it at the next write."""

    __slots__ = ("fail",)

    def __init__(self) -> None:
        super().__init__()
        self.fail = ""

    def write(self, puts: Any, sync: bool) -> None:
        """Write, unless the process ends before; or write, and end."""
        fail, self.fail = self.fail, ""
        if fail == "before":
            raise Crash
        super().write(puts, sync)
        if fail == "after":
            raise Crash


class Model:
    """An App that only ever sees the committed blocks, one transaction at a time."""

    def __init__(self) -> None:
        self.app = App(StateStore(MemoryBackend()), Codes())
        self.app.init_chain(TIME, CHAIN_ID, None, (), STATE)

    def commit(self, block: BlockInput) -> BlockResult:
        """The result of a block that was decided."""
        self.app.open_block(block)
        for raw in block.txs:
            self.app.deliver(raw)
        result = self.app.close_block()
        self.app.commit()
        return result


class Engine:
    """Drives a handler as CometBFT does; ``heard`` has the letters of each connection."""

    def __init__(self) -> None:
        self.disk = Disk()
        self.heard: list[str] = []
        self.begin()

    # --- processes ---

    def begin(self) -> None:
        """A new process over what the disk has, and the handshake."""
        self.app = App(StateStore(self.disk), Codes())
        self.handler = Handler(self.app)
        self.dial()

    def dial(self) -> None:
        """The handshake."""
        self.heard.append("")
        info = self.call("info").info
        self.height = info.last_block_height
        if self.height:
            return
        request = Request()
        start = request.init_chain
        start.time.seconds, start.chain_id, start.initial_height = TIME // 10**9, CHAIN_ID, 1
        # the node's database gives these bytes in another form than the file
        text = json.dumps(STATE, indent=2 if len(self.heard) == 1 else None, sort_keys=True)
        start.app_state_bytes = text.encode()
        self.ask("init_chain", request)

    def ask(self, method: str, request: Any) -> Any:
        """One call."""
        if method in LETTERS:
            self.heard[-1] += LETTERS[method]
        return self.handler.answer(method, request)

    def call(self, method: str, **fields: Any) -> Any:
        """One call with plain fields."""
        request = Request()
        body = getattr(request, method)
        body.SetInParent()
        for name, value in fields.items():
            if isinstance(value, list):
                getattr(body, name).extend(value)
            else:
                setattr(body, name, value)
        return self.ask(method, request)

    # --- calls ---

    def make(self, noise: Iterable[Noise]) -> bool:
        """Calls that may stand anywhere; whether a process ended among them."""
        ended = False
        for one in noise:
            if one.what in {"check", "recheck"}:
                self.call("check_tx", tx=TXS[one.index], type=int(one.what == "recheck"))
            elif one.what == "query":
                path, key = PATHS[one.index]
                self.call("query", path=path, data=key)
            elif one.what == "list":
                self.call("list_snapshots")
            else:
                (self.begin if one.what == "restart" else self.dial)()
                ended = True
        return ended

    def propose(self, rounds: Sequence[tuple[bool, list[int]]]) -> None:
        """Proposals that nobody decides on."""
        for ours, indices in rounds:
            txs = [TXS[index] for index in indices]
            if ours:
                made = self.call("prepare_proposal", txs=txs, max_tx_bytes=30_000)
                chosen = list(made.prepare_proposal.txs)
                answer = self.call("process_proposal", txs=chosen, height=self.height + 1)
                assert answer.process_proposal.status == 1
            else:
                self.call("process_proposal", txs=txs, height=self.height + 1)

    def finalize(self, block: BlockInput) -> Any:
        """Run a decided block."""
        request = Request()
        body = request.finalize_block
        body.height, body.proposer_address = block.height, block.proposer_address
        body.time.seconds, body.time.nanos = divmod(block.time, 10**9)
        body.txs.extend(block.txs)
        for fault in block.misbehavior:
            entry = body.misbehavior.add()
            entry.type, entry.height = fault.kind, fault.height
            entry.validator.address, entry.validator.power = fault.address, fault.power
            entry.time.seconds = fault.time // 10**9
            entry.total_voting_power = fault.total_power
        return self.ask("finalize_block", request).finalize_block

    def commit(self, end: str) -> None:
        """Write the block, or end in the middle of it."""
        self.disk.fail = end
        try:
            self.call("commit")
        except Crash:
            self.begin()

    def query(self, path: str, key: bytes) -> QueryResult:
        """A query of the committed state."""
        return self.app.query(path, key, 0, True)
