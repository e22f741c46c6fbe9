"""The ABCI server over real sockets: cut frames, garbage, many connections, order, failures."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chain.abci import answers, server
from chain.abci.handler import Handler
from chain.abci.server import Frames, Server
from chain.abci.wire import Request, Response, frame
from chain.crypto.keys import MlDsa87Key
from chain.gas import OutOfGas
from chain.protowire import varint
from chain.store import MemoryBackend, StateStore
from chain.tx.builder import build_native, coins
from chain.tx.messages import MsgSend
from chain.wiring import App, KnownCodes, dev_secret

ALICE = MlDsa87Key(dev_secret("alice"))


class Line:
    """A client's connection."""

    def __init__(self, path: Path) -> None:
        self.end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.end.settimeout(10)
        self.end.connect(str(path))
        OPEN.append(self.end)
        self.frames = Frames()
        self.waiting: list[Any] = []

    def read(self) -> Any:
        while not self.waiting:
            data = self.end.recv(65_536)
            if not data:
                raise EOFError
            self.waiting = [Response.FromString(raw) for raw in self.frames.feed(data)]
        return self.waiting.pop(0)

    def call(self, request: Any) -> Any:
        self.end.sendall(frame(request))
        return self.read()


class Failures:
    def __init__(self) -> None:
        self.happened = threading.Event()


OPEN: list[socket.socket] = []


@pytest.fixture
def place(tmp_path: Path) -> Iterator[tuple[Path, Failures]]:
    app = App(StateStore(MemoryBackend()), KnownCodes({}))
    failures = Failures()
    path = tmp_path / "s"
    served = Server(f"unix://{path}", Handler(app), failures.happened.set)
    served.start()
    yield path, failures
    served.close()
    while OPEN:
        OPEN.pop().close()


def echo(text: str) -> Any:
    request = Request()
    request.echo.message = text
    return request


def init_chain() -> Any:
    request = Request()
    request.init_chain.chain_id = "abci"
    request.init_chain.time.seconds = 1000
    request.init_chain.initial_height = 1
    entry = {"address": ALICE.address, "coins": [{"denom": "msg", "amount": "5"}]}
    request.init_chain.app_state_bytes = str({"accounts": [entry]}).replace("'", '"').encode()
    return request


def pay(sequence: int) -> bytes:
    return build_native(
        [MsgSend(ALICE.address, ALICE.address, coins("1amsg"))],
        [ALICE],
        chain_id="abci",
        account_numbers=[0],
        sequences=[sequence],
        gas_limit=400_000,
        fee=coins(f"{400_000 * 10**9}amsg"),
    )


def check(raw: bytes, again: bool = False) -> Any:
    request = Request()
    request.check_tx.tx, request.check_tx.type = raw, int(again)
    return request


def flush() -> Any:
    request = Request()
    request.flush.SetInParent()
    return request


def finalize(height: int, txs: list[bytes]) -> Any:
    request = Request()
    block = request.finalize_block
    block.height, block.proposer_address = height, bytes(20)
    block.time.seconds = 1000 + height
    block.txs.extend(txs)
    return request


def commit() -> Any:
    request = Request()
    request.commit.SetInParent()
    return request


def test_frames_may_come_byte_by_byte_or_many_at_once(place: tuple[Path, Failures]) -> None:
    line = Line(place[0])
    for byte in frame(echo("slow")):
        line.end.sendall(bytes([byte]))
    assert line.read().echo.message == "slow"
    line.end.sendall(b"".join(frame(echo(str(n))) for n in range(100)))
    assert [line.read().echo.message for _ in range(100)] == [str(n) for n in range(100)]


def test_garbage_closes_that_connection_alone(place: tuple[Path, Failures]) -> None:
    good = Line(place[0])
    for junk in (b"\xff" * 20, varint(1 << 30), varint(3) + b"abc", varint(0)):
        bad = Line(place[0])
        bad.end.sendall(junk)
        with pytest.raises(EOFError):
            bad.read()
    half = Line(place[0])
    half.end.sendall(b"\x09\x0a")
    half.end.shutdown(socket.SHUT_WR)
    with pytest.raises(EOFError):
        half.read()
    assert good.call(echo("still here")).echo.message == "still here"


def test_twenty_connections_each_get_their_answers_in_order(place: tuple[Path, Failures]) -> None:
    lines = [Line(place[0]) for _ in range(20)]
    for number in range(30):
        for index, line in enumerate(lines):
            line.end.sendall(frame(echo(f"{index}/{number}")))
    for index, line in enumerate(lines):
        got = [line.read().echo.message for _ in range(30)]
        assert got == [f"{index}/{number}" for number in range(30)]


def test_a_large_frame_is_read(place: tuple[Path, Failures]) -> None:
    line = Line(place[0])
    text = "x" * 50_000_000
    threading.Thread(target=line.end.sendall, args=(frame(echo(text)),)).start()
    assert line.read().echo.message == text


def test_a_chain_lives_over_the_socket(place: tuple[Path, Failures]) -> None:
    line, other = Line(place[0]), Line(place[0])
    info = Request()
    info.info.version = "0.38.26"
    assert line.call(info).info.last_block_height == 0
    query = Request()
    query.query.path = "/store/bank/key"
    assert other.call(query).query.code != 0
    first = line.call(init_chain()).init_chain.app_hash
    assert line.call(init_chain()).init_chain.app_hash == first
    once = line.call(finalize(1, [b"junk"])).finalize_block
    again = line.call(finalize(1, [b"junk"])).finalize_block
    assert once == again
    assert [result.code for result in once.tx_results] == [2]
    line.call(commit())
    after = line.call(info).info
    assert (after.last_block_height, after.last_block_app_hash) == (1, once.app_hash)
    empty = line.call(finalize(2, [])).finalize_block
    assert empty.app_hash == once.app_hash
    check = Request()
    check.check_tx.tx = b"junk"
    assert other.call(check).check_tx.code == 2


def test_a_failing_app_says_so_and_ends(place: tuple[Path, Failures]) -> None:
    line, other = Line(place[0]), Line(place[0])
    line.call(init_chain())
    answer = line.call(commit())
    assert "commit" in answer.exception.error
    assert other.call(finalize(1, [])).exception.error == answer.exception.error
    assert place[1].happened.wait(5)


@pytest.mark.parametrize("error", [KeyError("bug"), OutOfGas("much")], ids=["bug", "gas"])
def test_what_strangers_cause_stops_nothing(
    place: tuple[Path, Failures], monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def broken(*args: object) -> None:
        raise error

    line = Line(place[0])
    line.call(init_chain())
    line.call(finalize(1, []))
    line.call(commit())
    for name in ("query", "check_tx", "list_snapshots", "load_snapshot_chunk"):
        monkeypatch.setattr(App, name, broken)
        request = Request()
        getattr(request, name).SetInParent()
        answer = line.call(request)
        assert not answer.HasField("exception")
        assert getattr(getattr(answer, name), "code", 1) == 1
    assert line.call(finalize(2, [])).finalize_block.app_hash
    assert not place[1].happened.is_set()


def test_the_pool_opens_with_the_chain(place: tuple[Path, Failures]) -> None:
    line, check = Line(place[0]), Request()
    check.check_tx.tx = b"junk"
    assert line.call(check).check_tx.code == 18
    line.call(init_chain())
    assert line.call(check).check_tx.code == 2


@pytest.mark.parametrize("again", [False, True], ids=["new", "recheck"])
def test_what_is_asked_too_early_is_asked_again_when_its_turn_comes(
    place: tuple[Path, Failures], monkeypatch: pytest.MonkeyPatch, again: bool
) -> None:
    monkeypatch.setattr(server, "IDLE_SECONDS", 9.0)  # a loaded machine is no reason to give up
    monkeypatch.setattr(answers, "HELD_SECONDS", 9.0)
    line = Line(place[0])
    for request in (init_chain(), finalize(1, []), commit()):
        line.call(request)
    txs = [pay(sequence) for sequence in range(4)]
    if again:
        line.end.sendall(b"".join(frame(check(raw)) for raw in txs))
        assert [line.read().check_tx.code for _ in txs] == [0] * 4
        line.call(finalize(2, [txs[0]]))
        line.call(commit())
    else:
        assert line.call(check(txs[0])).check_tx.code == 0
    mixed = [txs[2], txs[3], b"junk", txs[1], txs[1]]
    for raw in mixed:  # CometBFT flushes when it likes
        line.end.sendall(frame(check(raw, again)) + frame(flush()))
    for code in (0, 0, 2, 0, 32):
        assert line.read().check_tx.code == code
        assert line.read().HasField("flush")


def test_what_stays_too_early_is_refused_after_a_moment(
    place: tuple[Path, Failures],
) -> None:
    line = Line(place[0])
    for request in (init_chain(), finalize(1, []), commit()):
        line.call(request)
    assert line.call(check(pay(1))).check_tx.code == 32
    assert line.call(check(pay(0))).check_tx.code == 0
    line.end.sendall(frame(check(pay(2))) + frame(echo("next")))
    assert line.read().check_tx.code == 32
    assert line.read().echo.message == "next"


def test_nobody_else_may_open_the_socket(place: tuple[Path, Failures]) -> None:
    assert place[0].stat().st_mode & 0o777 == 0o600
