"""What may stand in a block: what ``prepare`` makes is accepted, and nothing that it cannot make."""

from __future__ import annotations

from app_world import World, coins
from hypothesis import given, settings
from hypothesis import strategies as st

from chain.app import proposals
from chain.app.proposals import Basis
from chain.app.records import Params
from chain.tx.codec import decode_tx
from chain.tx.messages import MsgSend

WORLD = World()
WORLD.block()
SENDERS = (WORLD.alice, WORLD.bob)
#: of two senders, three in a row each; the later ones are larger and want more gas
TXS = [
    WORLD.native_tx(
        [MsgSend(sender.address, WORLD.gov.address, coins("1amsg"))],
        sender,
        skip=step,
        gas_limit=100_000 * (step + 1),
        memo="m" * 40 * step,
    )
    for sender in SENDERS
    for step in range(3)
]
SIZES = [len(raw) for raw in TXS[:3]]
#: transactions in any order, a repetition of one, and what is none
OFFERED = st.lists(st.sampled_from([*TXS, *TXS[:2], b"", b"junk", b"\x0a\x00"]), max_size=9)
PARAMS = st.builds(
    Params,
    block_max_gas=st.sampled_from([-1, 0, 150_000, 300_000, 10**9]),
    block_max_bytes=st.sampled_from([1, SIZES[0] + 3, SIZES[0] + 2, 2 * SIZES[2] + 6, 10**6]),
    tx_max_bytes=st.sampled_from([SIZES[1], SIZES[2] - 1, 10**6]),
)


def basis(params: Params) -> Basis:
    return Basis(WORLD.app.store.view, params, WORLD.app.height + 1)


def in_order(txs: list[bytes]) -> bool:
    """Whether each sender's sequences rise by one from the committed one."""
    due: dict[str, int] = {}
    for raw in txs:
        for signer in decode_tx(raw).signers:
            if signer.sequence != due.get(signer.address, 0):
                return False
            due[signer.address] = signer.sequence + 1
    return True


@settings(max_examples=60)
@given(OFFERED, st.sampled_from([0, SIZES[0] + 3, 3 * SIZES[2], 10**7]), PARAMS)
def test_what_is_prepared_is_accepted_and_small_enough(
    offered: list[bytes], room: int, params: Params
) -> None:
    made = proposals.prepare(offered, room, basis(params))
    assert proposals.accepts(made, basis(params))
    assert len(set(made)) == len(made)
    assert in_order(made)
    framed = sum(
        len(raw) + 1 + (1 if len(raw) < 128 else 2 if len(raw) < 16384 else 3) for raw in made
    )
    assert framed <= min(room, params.block_max_bytes)


@settings(max_examples=60)
@given(OFFERED, PARAMS)
def test_only_what_can_be_prepared_is_accepted(offered: list[bytes], params: Params) -> None:
    made = proposals.prepare(offered, 10**9, basis(params))
    assert proposals.accepts(offered, basis(params)) == (made == offered)


@settings(max_examples=40)
@given(st.permutations(TXS))
def test_a_pool_in_any_order_makes_a_block_in_which_nothing_fails(pool: list[bytes]) -> None:
    made = WORLD.app.prepare_proposal(pool, 10**6)
    assert sorted(made) == sorted(TXS)
    assert in_order(made)
    assert WORLD.app.process_proposal(made)


def test_a_pool_in_order_stays_as_it_is() -> None:
    mixed = [TXS[place] for place in (0, 3, 1, 4, 5, 2)]
    assert WORLD.app.prepare_proposal(mixed, 10**6) == mixed


def test_what_lacks_its_predecessor_waits_and_what_came_too_late_is_left_out() -> None:
    net = World()
    net.block()

    def pay(skip: int, **options: int) -> bytes:
        message = MsgSend(net.alice.address, net.bob.address, coins("1amsg"))
        return net.native_tx([message], net.alice, skip=skip, **options)

    first, second, third = (pay(skip) for skip in range(3))
    late = pay(0, timeout_height=net.app.height)
    other = net.native_tx([MsgSend(net.bob.address, net.alice.address, coins("1amsg"))], net.bob)
    propose = net.app.prepare_proposal
    assert propose([third, other, first], 10**6) == [other, first]
    assert propose([late, second, other], 10**6) == [other]
    assert not net.app.process_proposal([late])
    assert not net.app.process_proposal([second, first])
    two = len(first) + len(second) + 6
    assert propose([third, first, other, second], two) == [first, other]
    assert [one.code for one in net.block(first).tx_results] == [0]
    assert propose([first, third, second], 10**6) == [second, third]


def test_who_signs_with_another_waits_for_both() -> None:
    net = World()
    net.block()
    sends = {
        key: MsgSend(key.address, net.gov.address, coins("1amsg")) for key in (net.alice, net.bob)
    }
    alone = [net.native_tx([sends[key]], key) for key in sends]
    both = net.native_tx(list(sends.values()), *sends, skip=1)
    made = net.app.prepare_proposal([both, *alone], 10**6)
    assert made == [*alone, both]
    assert [one.code for one in net.block(*made).tx_results] == [0, 0, 0]
    assert net.app.prepare_proposal([both], 10**6) == []


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
