"""Whatever legal calls CometBFT makes, and wherever the App's process ends: only committed blocks count.

The other side is a model that sees each committed block once, and nothing else."""

from __future__ import annotations

import abci_calls
import pytest
from abci_calls import PATHS, Engine, Height, Model, block_of, fits
from app_world import Codes
from hypothesis import given, settings

from chain.abci import convert
from chain.abci.handler import Handler
from chain.abci.wire import Request, Response
from chain.app import snapshots
from chain.app.application import App
from chain.store import MemoryBackend, StateStore


def play(plans: list[Height]) -> Engine:
    engine, model = Engine(), Model()
    for place, plan in enumerate(plans):
        height = place + 1
        block = block_of(height, plan)
        first, *between = plan.noise
        engine.make(first)
        engine.propose(plan.rounds)
        expected = Response().finalize_block
        result = model.commit(block)
        convert.put_block_result(expected, result)
        assert engine.finalize(block) == expected
        for noise in between:
            if engine.make(noise):  # the process ended: the block is run again
                assert engine.height == place
                engine.propose(plan.rounds[:1])
                assert engine.finalize(block) == expected
        assert engine.finalize(block) == expected, "once more in the same process"
        engine.commit(plan.end)
        if plan.end == "before":
            assert engine.height == place
            assert engine.finalize(block) == expected
            engine.commit("")
        info = engine.app.info()
        assert (info.last_height, info.app_hash) == (height, result.app_hash)
        engine.height = height
        for path, key in PATHS:
            assert engine.query(path, key) == model.app.query(path, key, 0, True)
    return engine


def join(source: Engine) -> None:
    """A fresh App takes the last state as a snapshot, and goes on as its source does."""
    answer = source.call("list_snapshots").list_snapshots
    offered = answer.snapshots[0]
    app = App(StateStore(MemoryBackend()), Codes())
    handler, letters = Handler(app), "O"
    offer = Request()
    offer.offer_snapshot.snapshot.CopyFrom(offered)
    offer.offer_snapshot.app_hash = source.app.info().app_hash
    assert handler.answer("offer_snapshot", offer).offer_snapshot.result == snapshots.ACCEPT
    for index in range(offered.chunks):
        chunk = source.call(
            "load_snapshot_chunk", height=offered.height, format=offered.format, chunk=index
        )
        apply = Request()
        apply.apply_snapshot_chunk.index = index
        apply.apply_snapshot_chunk.chunk = chunk.load_snapshot_chunk.chunk
        applied = handler.answer("apply_snapshot_chunk", apply).apply_snapshot_chunk
        assert applied.result == snapshots.ACCEPT
        letters += "A"
    assert app.info() == source.app.info()
    assert fits(letters + "i")
    block = block_of(source.height + 1, Height([3, 8, 0], 0, 2, [], [], ""))
    assert app.finalize_block(block) == source.app.finalize_block(block)


def check(plans: list[Height]) -> None:
    engine = play(plans)
    for letters in engine.heard:
        assert fits(letters), letters
    join(engine)


@pytest.fixture(autouse=True, scope="module")
def every_height_is_offered():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(snapshots, "INTERVAL", 1)
        yield


@settings(max_examples=25)
@given(abci_calls.HEIGHTS)
def test_only_committed_blocks_count(plans: list[Height]) -> None:
    check(plans)


@pytest.mark.long
@settings(max_examples=2_000)
@given(abci_calls.HEIGHTS)
def test_only_committed_blocks_count_at_length(plans: list[Height]) -> None:
    check(plans)


@pytest.mark.parametrize(
    "row", ["", "i", "iI", "iIFC", "iIPpFC", "iIppPpFFCpFC", "OAAiFC", "OAOAA"]
)
def test_legal_rows(row: str) -> None:
    assert fits(row) == (row != "OAOAA")


@pytest.mark.parametrize("row", ["I", "iC", "iIC", "iIFCC", "iIIFC", "FC", "iIFPC", "iIFCi"])
def test_rows_that_are_none(row: str) -> None:
    assert not fits(row)
