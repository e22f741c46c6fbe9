"""What clients may do to a node: floods, nonsense, silence; and many transactions at once."""

from __future__ import annotations

import base64
import json
import re
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from dev_txs import found, native_send, send, wallet_send
from devnet_process import Devnet


def address_of(net: Devnet) -> tuple[str, int]:
    host, port = net.url.removeprefix("http://").rsplit(":", 1)
    return host, int(port)


def test_50_transactions_of_one_account_land_in_order(net: Devnet) -> None:
    raw = [wallet_send(0, sequence) for sequence in range(50)]
    for one in raw:
        assert send(net, one)["code"] == 0
    end = time.monotonic() + 20
    while found(net, raw[-1]) is None and time.monotonic() < end:
        time.sleep(0.1)
    places = [(int(one["height"]), one["index"]) for one in (found(net, r) for r in raw)]
    assert places == sorted(places)
    assert all(found(net, one)["tx_result"]["code"] == 0 for one in raw)


def test_a_skipped_sequence_and_duplicates_are_refused_as_recorded(net: Devnet) -> None:
    ahead = wallet_send(1, 1)
    refused = send(net, ahead)
    assert (refused["code"], refused["codespace"]) == (32, "sdk")
    assert refused["log"] == (
        "account sequence mismatch, expected 0, got 1: incorrect account sequence"
    )
    first = wallet_send(1, 0)
    assert send(net, first)["code"] == 0
    again = net.ask(
        {
            "id": 1,
            "method": "broadcast_tx_sync",
            "params": {"tx": base64.b64encode(first).decode()},
        }
    )
    assert again["error"]["data"] == "tx already exists in cache"
    assert send(net, ahead)["code"] == 0  # the cause is gone
    end = time.monotonic() + 10
    while found(net, ahead) is None and time.monotonic() < end:
        time.sleep(0.1)
    assert found(net, ahead)["tx_result"]["code"] == 0


def test_native_transactions_travel_over_the_same_rpc(net: Devnet) -> None:
    result = send(net, native_send("alice", 2, 0), "commit")
    assert result["check_tx"]["code"] == 0, result
    assert result["tx_result"]["code"] == 0, result


def test_big_bodies_are_refused_with_400(net: Devnet) -> None:
    for size in (1_000_001, 10_000_000):
        status, raw = net.post(b"x" * size)
        assert status == 400
        answer = json.loads(raw)
        assert answer["error"]["code"] == -32600
        assert "http: request body too large" in answer["error"]["data"]
    status, raw = net.post(b'{"id":1,"method":"health","x":"' + b"y" * 900_000 + b'"}')
    assert status == 200


def test_deep_and_malformed_json_is_refused(net: Devnet) -> None:
    for body in (
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"id":1,"method":"health","params":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b"{",
        b"\xff\xfe",
        b'{"id":1,"method":"status","params":{"a":NaN}}',
        b'"' * 5,
    ):
        status, raw = net.post(body)
        assert status == 400, body[:20]
        answer = json.loads(raw)
        assert answer["error"]["code"] == -32700
        assert "Traceback" not in raw.decode()


def test_1000_idle_connections_do_not_stop_it(net: Devnet) -> None:
    held = []
    try:
        for _ in range(1_000):
            held.append(socket.create_connection(address_of(net), timeout=10))
        before = net.height
        net.wait_for_height(before + 2)
        assert net.call("health") == {}
    finally:
        for one in held:
            one.close()


def test_half_requests_do_not_stop_it(net: Devnet) -> None:
    held = []
    for _ in range(50):
        one = socket.create_connection(address_of(net), timeout=10)
        one.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
        held.append(one)
    assert net.call("health") == {}
    for one in held:
        one.close()


def _answers(one: socket.socket, count: int) -> list[int]:
    """The ids of so many answers, in the order in which they came."""
    raw = b""
    while raw.count(b'"result"') + raw.count(b'"error"') < count:
        piece = one.recv(65_536)
        assert piece, raw
        raw += piece
    return [int(found) for found in re.findall(rb'"jsonrpc":"2.0","id":(-?\d+)', raw)]


def _request(number: int, method: str = "health") -> bytes:
    body = b'{"jsonrpc":"2.0","id":%d,"method":"%s","params":{}}' % (number, method.encode())
    return b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


def test_requests_in_any_pieces_are_answered_in_order(net: Devnet) -> None:
    with socket.create_connection(address_of(net), timeout=20) as one:
        one.sendall(_request(1))
        assert _answers(one, 1) == [1]
        one.sendall(_request(2) + _request(3, "block") + _request(4))  # at once
        assert _answers(one, 3) == [2, 3, 4]
        for number in range(5, 25):  # without waiting, so that some come while one is answered
            one.sendall(_request(number, "validators" if number % 3 else "health"))
        assert _answers(one, 20) == list(range(5, 25))
        raw = _request(25)
        for at in range(len(raw)):  # byte by byte
            one.sendall(raw[at : at + 1])
        assert _answers(one, 1) == [25]
        one.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert _answers(one, 1) == [-1]


def test_a_full_pool_says_so_and_has_room_again(tmp_path: Path) -> None:
    net = Devnet(tmp_path / "home", "--block-time", "manual", "--mempool-txs", "2")
    try:
        for sequence in range(2):
            assert send(net, wallet_send(0, sequence))["code"] == 0
        body = {
            "id": 1,
            "method": "broadcast_tx_sync",
            "params": {"tx": base64.b64encode(wallet_send(0, 2)).decode()},
        }
        assert "mempool is full: number of txs 2 (max: 2)" in net.ask(body)["error"]["data"]
        net.call("devnet_mine", blocks=1)
        assert send(net, wallet_send(0, 2))["code"] == 0
    finally:
        assert net.stop() == 0


def test_one_second_blocks_keep_time_under_load(tmp_path: Path) -> None:
    net = Devnet(tmp_path / "home", "--block-time", "1s", "--accounts", "8")
    stop = threading.Event()

    def flood(index: int) -> int:
        sent = 0
        while not stop.is_set():
            if send(net, wallet_send(index, sent))["code"] == 0:
                sent += 1
            time.sleep(0.02)
        return sent

    def query() -> int:
        asked = 0
        while not stop.is_set():
            net.call("status")
            asked += 1
            time.sleep(0.02)
        return asked

    try:
        start = net.height
        with ThreadPoolExecutor(8) as pool:
            floods = [pool.submit(flood, index) for index in range(4)]
            queries = [pool.submit(query) for _ in range(4)]
            net.wait_for_height(start + 8, 30)
            stop.set()
            sent = sum(one.result() for one in floods)
            assert sent > 30, sent
            assert sum(one.result() for one in queries) > 30
        assert net.metric("msgchain_block_late_seconds_count") >= 8
    finally:
        assert net.stop() == 0
