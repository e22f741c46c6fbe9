"""Frames as CometBFT's own encoders write them, and a stream cut anywhere."""

from __future__ import annotations

import pytest

from chain.abci.handler import missing_methods
from chain.abci.server import FRAME_BYTES_MAX, FrameError, Frames
from chain.abci.wire import Request, Response, frame, method_of
from chain.protowire import varint


def test_frames_are_those_of_the_go_client() -> None:
    echo = Request()
    echo.echo.message = "hello"
    assert frame(echo).hex() == "090a070a0568656c6c6f"
    empty = Response()
    empty.check_tx.SetInParent()
    assert frame(empty).hex() == "024a00"
    block = Response()
    block.finalize_block.tx_results.add(gas_wanted=2, gas_used=1)
    block.finalize_block.app_hash = b"\xff"
    assert frame(block).hex() == "0caa01091204280230012a01ff"
    accepted = Response()
    accepted.process_proposal.status = 1
    assert frame(accepted).hex() == "059201020801"
    info = Request.FromString(bytes.fromhex("1a140a07302e33382e3231100b18082205322e302e30"))
    assert (info.info.version, info.info.block_version, info.info.abci_version) == (
        "0.38.21",
        11,
        "2.0.0",
    )
    assert method_of(info) == "info"


def test_a_stream_may_be_cut_anywhere() -> None:
    raw = b"".join(varint(n) + bytes(n) for n in (0, 1, 127, 128, 300, 70_000))
    for size in (1, 2, 7, 129, len(raw)):
        frames = Frames()
        found = [one for at in range(0, len(raw), size) for one in frames.feed(raw[at : at + size])]
        assert [len(one) for one in found] == [0, 1, 127, 128, 300, 70_000]


def test_a_frame_beyond_the_bound_and_an_endless_length_are_refused() -> None:
    with pytest.raises(FrameError, match="at most"):
        Frames().feed(varint(FRAME_BYTES_MAX + 1))
    with pytest.raises(FrameError):
        Frames().feed(b"\x80" * 11)


def test_every_method_is_answered() -> None:
    assert missing_methods() == []
    with pytest.raises(ValueError, match="one method"):
        method_of(Request())
