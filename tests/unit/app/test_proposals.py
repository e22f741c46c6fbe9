"""What may stand in a block: what ``prepare`` makes is accepted, and nothing that it cannot make."""

from __future__ import annotations

from itertools import pairwise

from app_world import World, coins
from hypothesis import given, settings
from hypothesis import strategies as st

from chain.app import proposals
from chain.app.records import Params
from chain.tx.messages import MsgSend

WORLD = World()
WORLD.block()
TXS = [
    WORLD.native_tx(
        [MsgSend(WORLD.alice.address, WORLD.bob.address, coins("1amsg"))],
        WORLD.alice,
        gas_limit=100_000 * (index + 1),
        memo="m" * 40 * index,
    )
    for index in range(4)
]
SIZES = [len(raw) for raw in TXS]
#: transactions, a repetition of one, and what is none
OFFERED = st.lists(st.sampled_from([*TXS, TXS[0], b"", b"junk", b"\x0a\x00"]), max_size=8)
LIMITS = st.builds(
    Params,
    block_max_gas=st.sampled_from([-1, 0, 150_000, 300_000, 10**9]),
    block_max_bytes=st.sampled_from([1, SIZES[0] + 3, SIZES[0] + 2, 2 * SIZES[3] + 6, 10**6]),
    tx_max_bytes=st.sampled_from([SIZES[1], SIZES[2] - 1, 10**6]),
)


@settings(max_examples=60)
@given(OFFERED, st.sampled_from([0, SIZES[0] + 3, 3 * SIZES[3], 10**7]), LIMITS)
def test_what_is_prepared_is_accepted_and_small_enough(
    offered: list[bytes], room: int, params: Params
) -> None:
    made = proposals.prepare(offered, room, params)
    assert proposals.accepts(made, params)
    assert len(set(made)) == len(made)
    places = [offered.index(raw) for raw in made]
    assert all(one < other for one, other in pairwise(places)), "in the order of the pool"
    framed = sum(
        len(raw) + 1 + (1 if len(raw) < 128 else 2 if len(raw) < 16384 else 3) for raw in made
    )
    assert framed <= min(room, params.block_max_bytes)


@settings(max_examples=60)
@given(OFFERED, LIMITS)
def test_only_what_can_be_prepared_is_accepted(offered: list[bytes], params: Params) -> None:
    made = proposals.prepare(offered, 10**9, params)
    assert proposals.accepts(offered, params) == (made == offered)


def test_every_kind_of_forced_transaction_is_refused_in_a_proposal_and_fails_in_a_block() -> None:
    net = World(tx_max_bytes=8_000)
    net.block()
    send = MsgSend(net.alice.address, net.bob.address, coins("1amsg"))
    good = net.native_tx([send], net.alice)
    large = net.native_tx([send] * 60, net.alice)
    assert len(large) > 8_000
    for forced in ([good, good], [b"junk"], [large]):
        assert not net.app.process_proposal(forced)
    result = net.block(good, good, b"junk", b"", large)
    assert [(one.codespace, one.code) for one in result.tx_results] == [
        ("", 0),
        ("sdk", 32),
        ("sdk", 2),
        ("sdk", 18),
        ("sdk", 21),
    ]
