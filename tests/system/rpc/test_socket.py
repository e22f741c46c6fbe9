"""The WebSocket of a real process: recorded sessions, subscriptions, slow and many clients."""

from __future__ import annotations

import json
import socket as socket_module
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from dev_txs import send, wallet_send
from devnet_process import Devnet
from recorded_rpc import load
from rpc_compare import compare
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

SESSIONS = {entry["id"]: entry["frames"] for entry in load("rpc")["websocket"]}
PLAIN = (
    "ws_envelope",
    "ws_binary",
    "ws_unsubscribe_all",
    "ws_double_subscribe",
    "ws_bad_queries",
    "ws_subprotocol",
    "ws_origin",
    "ws_permessage_deflate",
)


def dial(net: Devnet, **options: Any) -> ClientConnection:
    return connect(net.socket_url + "/websocket", max_size=None, **options)


def ask(socket: ClientConnection, method: str, request_id: Any = 1, **params: Any) -> Any:
    socket.send(json.dumps({"id": request_id, "method": method, "params": params}))
    return answer(socket)


def answer(socket: ClientConnection) -> Any:
    """The next answer: a block may be pushed between a request and its answer."""
    while True:
        frame = json.loads(socket.recv(10))
        if "query" not in (frame.get("result") or {}):
            return frame


@pytest.mark.parametrize("name", PLAIN)
def test_recorded_session(net: Devnet, name: str) -> None:
    options: dict[str, Any] = {}
    if name == "ws_origin":
        options["origin"] = "http://example.com"
    if name == "ws_subprotocol":
        options["subprotocols"] = ["chat"]
    with dial(net, **options) as socket:
        for frame in SESSIONS[name]:
            if frame.get("dir") == "send":
                text = frame["text"]
                socket.send(text.encode() if frame.get("binary") else text)
            elif "text" in frame:
                found = compare(json.loads(frame["text"]), json.loads(socket.recv(10)))
                assert not found, found
        with pytest.raises(TimeoutError):
            socket.recv(0.1)


def test_calls_answer_in_order(net: Devnet) -> None:
    with dial(net) as socket:
        for number in range(50):
            socket.send(json.dumps({"id": number, "method": "status", "params": {}}))
        assert [json.loads(socket.recv(10))["id"] for _ in range(50)] == list(range(50))


def test_a_frame_above_the_limit_closes_with_1009(net: Devnet) -> None:
    with dial(net) as socket:
        socket.send("x" * 1_100_000)
        with pytest.raises(ConnectionClosed) as caught:
            socket.recv(10)
        assert caught.value.rcvd is not None
        assert caught.value.rcvd.code == 1009


def test_blocks_headers_events_and_transactions_are_pushed(net: Devnet) -> None:
    with dial(net) as socket:
        kinds = ("NewBlock", "NewBlockHeader", "NewBlockEvents", "Tx")
        for number, kind in enumerate(kinds):
            assert ask(socket, "subscribe", number, query=f"tm.event='{kind}'")["result"] == {}
        raw = wallet_send(0, 0)
        assert send(net, raw)["code"] == 0
        seen: dict[str, Any] = {}
        end = time.monotonic() + 10
        while "tendermint/event/Tx" not in seen and time.monotonic() < end:
            pushed = json.loads(socket.recv(10))
            seen[pushed["result"]["data"]["type"]] = pushed
        assert len(seen) == 4
        push = seen["tendermint/event/Tx"]
        assert push["id"] == 3
        assert push["result"]["query"] == "tm.event='Tx'"
        result = push["result"]["data"]["value"]["TxResult"]
        assert "index" not in result
        assert "code" not in result["result"]
        assert push["result"]["events"]["tx.height"] == [result["height"]]
        recorded = next(
            json.loads(frame["text"])
            for frame in SESSIONS["ws_tx_hash"]
            if "TxResult" in frame.get("text", "")
        )["result"]
        assert list(push["result"]) == list(recorded)
        assert list(result) == list(recorded["data"]["value"]["TxResult"])
        assert set(push["result"]["events"]) == set(recorded["events"])


@pytest.mark.parametrize("name", ["ws_vote_and_rounds", "ws_new_block_events"])
def test_recorded_pushes(net: Devnet, name: str) -> None:
    wanted: dict[int, list[Any]] = {}
    with dial(net) as socket:
        for frame in SESSIONS[name]:
            if frame["dir"] == "send":
                socket.send(frame["text"])
                assert answer(socket)["result"] == {}
            elif "query" in (push := json.loads(frame["text"]))["result"]:
                wanted.setdefault(push["id"], []).append(push)
        found: dict[int, list[Any]] = {number: [] for number in wanted}
        while any(len(found[number]) < len(wanted[number]) for number in wanted):
            push = json.loads(socket.recv(10))
            found[push["id"]].append(push)
    for number, pushes in wanted.items():
        for recorded, ours in zip(pushes, found[number], strict=False):
            if name == "ws_new_block_events":  # other modules, other events
                recorded, ours = recorded["result"]["data"], ours["result"]["data"]
                recorded["value"]["events"] = ours["value"]["events"] = []
            assert not compare(recorded, ours)


def test_conditions_hold_across_events(net: Devnet) -> None:
    with dial(net) as socket:
        query = "tm.event='Tx' AND transfer.amount='1000000000000amsg' AND tx.fee EXISTS"
        assert ask(socket, "subscribe", 5, query=query)["result"] == {}
        assert ask(socket, "subscribe", 6, query="tx.height>99999999")["result"] == {}
        assert send(net, wallet_send(1, 0))["code"] == 0
        assert json.loads(socket.recv(10))["id"] == 5
        with pytest.raises(TimeoutError):
            socket.recv(0.7)


def test_99_clients_may_subscribe(net: Devnet) -> None:
    query = "tm.event='Tx' AND tx.height>999999"
    with ExitStack() as stack:
        last = stack.enter_context(dial(net))
        first = stack.enter_context(dial(net))
        sockets = [first, *(stack.enter_context(dial(net)) for _ in range(98))]
        answers = [ask(socket, "subscribe", query=query) for socket in (*sockets, last)]
        assert [answer.get("result") for answer in answers[:99]] == [{}] * 99
        assert answers[99]["error"]["data"] == "max_subscription_clients 100 reached"
        assert ask(first, "unsubscribe_all")["result"] == {}
        assert ask(last, "subscribe", query=query)["result"] == {}


def test_a_client_that_reads_nothing_is_dropped(tmp_path: Path) -> None:
    net = Devnet(tmp_path / "home", "--block-time", "manual")
    try:
        narrow = socket_module.socket()
        narrow.setsockopt(socket_module.SOL_SOCKET, socket_module.SO_RCVBUF, 4_096)
        host, port = net.url.removeprefix("http://").rsplit(":", 1)
        narrow.connect((host, int(port)))
        with dial(net, sock=narrow, max_queue=1, ping_interval=None, close_timeout=1) as slow:
            for more in ("", *[f" AND tm.event CONTAINS '{letter}'" for letter in "NewB"]):
                assert ask(slow, "subscribe", query=f"tm.event='NewBlock'{more}")["result"] == {}
            for _ in range(40):
                net.call("devnet_mine", blocks=100)
                if "msgchain_dropped_total 1.0" in net.get("/metrics"):
                    break
            assert "msgchain_dropped_total 1.0" in net.get("/metrics")
        assert net.height > 200
    finally:
        assert net.stop() == 0


def test_a_stop_with_open_subscriptions_is_clean(tmp_path: Path) -> None:
    net = Devnet(tmp_path / "home", "--block-time", "200ms")
    with ExitStack() as stack:
        sockets = [stack.enter_context(dial(net)) for _ in range(5)]
        for socket in sockets:
            ask(socket, "subscribe", query="tm.event='NewBlock'")
        before = time.monotonic()
        assert net.stop() == 0
        assert time.monotonic() - before < 10
        assert "Traceback" not in net.errors, net.errors
        for socket in sockets:
            with pytest.raises(ConnectionClosed):
                _read_to_the_end(socket)


def _read_to_the_end(socket: ClientConnection) -> None:
    while True:
        socket.recv(5)
