"""The App is a function of state and block: two of them agree, split and whole blocks agree, reverts leave nothing."""

from __future__ import annotations

from app_world import World
from hypothesis import given, settings
from hypothesis import strategies as st

BODIES = st.sampled_from(
    [
        b"{}",
        b'{"set":{"a":"1"}}',
        b'{"set":{"a":"2","b":"3"},"attr":{"z":"1","a":"2"}}',
        b'{"set":{"a":"9"},"fail":"no"}',
        b'{"crash":"x"}',
        b'{"burn":5}',
        b'{"new":1}',
        b"not json",
    ]
)


def play(world, blocks):
    hashes = []
    for bodies in blocks:
        world.open()
        for body in bodies:
            world.call(body, funds="7amsg")
        result = world.app.close_block()
        world.app.commit()
        hashes.append((result.app_hash, result.tx_results, result.events))
    return hashes


@settings(max_examples=20)
@given(st.lists(st.lists(BODIES, max_size=4), min_size=1, max_size=3))
def test_two_chains_with_the_same_blocks_are_equal(blocks):
    assert play(World(), blocks) == play(World(), blocks)


@settings(max_examples=20)
@given(st.lists(BODIES, max_size=4), st.lists(BODIES, min_size=1, max_size=4))
def test_a_reverted_part_leaves_no_trace(kept, dropped):
    straight, detour = World(), World()
    expected = play(straight, [kept])
    detour.open()
    for body in kept:
        detour.call(body, funds="7amsg")
    mark = detour.app.snapshot()
    for body in dropped:
        detour.call(body, funds="7amsg")
    detour.app.revert(mark)
    result = detour.app.close_block()
    assert [(result.app_hash, result.tx_results, result.events)] == expected


@settings(max_examples=20)
@given(BODIES)
def test_gas_is_the_same_cold_warm_and_observed(body):
    class Silent:
        def __getattr__(self, name):
            return lambda *args: None

    world = World()
    world.open()
    mark = world.app.snapshot()
    cold = world.call(body)
    world.app.revert(mark)
    mark = world.app.snapshot()
    warm = world.call(body)
    world.app.revert(mark)
    world.app.observer = Silent()
    observed = world.call(body)
    assert cold == warm == observed
