"""A pool that hears and lists transactions in the wrong order loses none, and none fails."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from app_world import CHAIN_ID, World, coins, native
from hypothesis import given, settings
from hypothesis import strategies as st

from chain.abci import answers
from chain.abci.answers import Answers
from chain.abci.handler import Handler
from chain.abci.server import Frames
from chain.abci.wire import Request, Response, method_of
from chain.tx.messages import MsgSend

NAMES = ("alice", "bob")
EACH = 4


def payments() -> list[bytes]:
    """Of each sender some in a row, as they were sent."""
    world = World()
    world.block()
    return [
        world.native_tx(
            [MsgSend(native(name).address, native("gov").address, coins("1amsg"))],
            native(name),
            skip=step,
            chain_id=CHAIN_ID,
        )
        for step in range(EACH)
        for name in NAMES
    ]


SENT = payments()
#: which of those that were sent comes next: swaps of neighbours and more, as threads make them
ORDERS = st.permutations(range(len(SENT)))


@pytest.fixture(autouse=True, scope="module")
def patience() -> Iterator[None]:
    """A loaded machine is no reason to give up."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answers, "HELD_SECONDS", 60.0)
        yield


class Node:
    """CometBFT's pool, as far as order goes, over a real App."""

    def __init__(self) -> None:
        self.world = World()
        self.world.block()
        self.handler = Handler(self.world.app)
        self.answers = Answers(self.handler, self.handler.answer)
        self.pool: list[bytes] = []

    def check(self, txs: list[bytes], again: bool) -> list[int]:
        """Ask about transactions, each with a flush; the codes."""
        for raw in txs:
            check, flush = Request(), Request()
            check.check_tx.tx, check.check_tx.type = raw, int(again)
            flush.flush.SetInParent()
            self.answers.take([("check_tx", check), ("flush", flush)])
        self.answers.settle()
        replies: list[Any] = [
            Response.FromString(raw) for raw in Frames().feed(self.answers.ready())
        ]
        assert [method_of(one) for one in replies] == ["check_tx", "flush"] * len(txs)
        return [one.check_tx.code for one in replies[::2]]

    def block(self, room: int) -> list[bytes]:
        """Propose, run and commit a block; drop what is in it and what a recheck refuses."""
        size = sum(len(raw) + 3 for raw in SENT[:room])
        chosen = self.world.app.prepare_proposal(self.pool, size)
        assert self.world.app.process_proposal(chosen)
        results = self.world.block(*chosen).tx_results
        assert [one.code for one in results] == [0] * len(chosen)
        left = [raw for raw in self.pool if raw not in chosen]
        codes = self.check(left, True)
        self.pool = [raw for raw, code in zip(left, codes, strict=True) if not code]
        return chosen


@settings(max_examples=25)
@given(heard=ORDERS, listed=ORDERS, room=st.integers(1, len(SENT)))
def test_whatever_the_order_nothing_fails_and_nothing_is_lost(
    heard: list[int], listed: list[int], room: int
) -> None:
    node = Node()
    assert node.check([SENT[index] for index in heard], False) == [0] * len(SENT)
    node.pool = [SENT[index] for index in listed]
    decided: list[bytes] = []
    while node.pool:
        made = node.block(room)
        assert made
        decided += made
    assert sorted(decided) == sorted(SENT)


def test_what_lacks_its_predecessor_is_refused_and_holds_nothing_up() -> None:
    node = Node()
    first = SENT[: len(NAMES)]
    assert node.check([SENT[-1], *first, b"junk"], False) == [32, 0, 0, 2]
    assert not node.answers.waiting


def requests(raws: list[bytes]) -> list[tuple[str, Any]]:
    """CheckTx requests that came together."""
    found = []
    for raw in raws:
        request = Request()
        request.check_tx.tx = raw
        found.append((method_of(request), request))
    return found


def test_signatures_of_what_waits_together_are_verified_in_parts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    node, parts = Node(), []

    def proving(*given: list[bytes]) -> Iterator[None]:
        parts.extend(map(len, given))
        return iter([None] * len(given))

    monkeypatch.setattr(node.world.app, "proving", proving)
    many = [bytes([number]) for number in range(70)]
    assert list(node.handler.prove_ahead(requests(many))) == [0, 32, 64]
    assert parts == [32, 32, 6]
    assert node.handler.prove_ahead(requests(many[:1])) == {}
    assert parts == [32, 32, 6]


@pytest.mark.parametrize("when", ["begun", "awaited"])
def test_checks_go_on_where_verifying_ahead_fails(
    monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    node = Node()

    def proving(*given: list[bytes]) -> Iterator[None]:
        if when == "begun":
            raise RuntimeError("not today")
        return (1 // 0 for _ in given)  # type: ignore[return-value]

    monkeypatch.setattr(node.world.app, "proving", proving)
    node.answers.take(requests(SENT))
    replies = [Response.FromString(raw) for raw in Frames().feed(node.answers.ready())]
    assert [reply.check_tx.code for reply in replies] == [0] * len(SENT)
