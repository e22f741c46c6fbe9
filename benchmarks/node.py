"""A devnet under load: 200 signed transactions and 200 queries a second against 1 s blocks.

``latest_block_ms`` is how long after its time the latest block was begun; ``broadcast_ms_…`` how
long a client waited for the answer of ``broadcast_tx_sync``, blocks or not.
``door_txs_per_second``: before that, four clients send signed transactions as quickly as they are
answered, until the last is in a block.
"""

from __future__ import annotations

import base64
import http.client
import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from chain.tx.builder import build_cosmos_direct, coins
from chain.tx.messages import MsgSend
from chain.wiring import dev_wallet

#: seconds of load, transactions and queries a second
_SIZES = {"smoke": (3, 50, 50), "real": (30, 200, 200)}
_CLIENTS = 4
#: transactions of each client through the door
_DOOR = {"smoke": 10, "real": 1_000}
_FIRST_WALLET = 8  # account number of the first wallet of a devnet
_START = "from chain.cli.main import main; main()"


def _signed(wallet: int, first: int, count: int) -> list[bytes]:
    key = dev_wallet(wallet)
    messages = [MsgSend(key.address, dev_wallet(0).address, coins("1umsg"))]
    return [
        build_cosmos_direct(
            messages,
            [key],
            chain_id="msg-chain-1",
            account_numbers=[_FIRST_WALLET + wallet],
            sequences=[sequence],
            gas_limit=200_000,
            fee=coins("200umsg"),
        )
        for sequence in range(first, first + count)
    ]


def _call(client: http.client.HTTPConnection, method: str, params: dict[str, Any]) -> Any:
    client.request("POST", "/", json.dumps({"id": 1, "method": method, "params": params}))
    return json.loads(client.getresponse().read())


def _paced(seconds: int, rate: float, act: Any) -> int:
    """Do something at a rate; how often it was done."""
    start = time.monotonic()
    done = 0
    while time.monotonic() - start < seconds:
        act(done)
        done += 1
        ahead = start + done / rate - time.monotonic()
        if ahead > 0:
            time.sleep(ahead)
    return done


def _late(text: str) -> list[tuple[float, float]]:
    """The buckets of the metric: seconds, blocks."""
    found = re.findall(r'msgchain_block_late_seconds_bucket\{le="([^"]+)"\} (\S+)', text)
    return [(float(limit), float(count)) for limit, count in found]


def run(size: str) -> dict[str, Any]:
    """Figures of one run."""
    seconds, txs, queries = _SIZES[size]
    count = seconds * txs // _CLIENTS + 10
    through = [_signed(wallet, 0, _DOOR[size]) for wallet in range(_CLIENTS)]
    signed = [_signed(wallet, _DOOR[size], count) for wallet in range(_CLIENTS)]
    with tempfile.TemporaryDirectory() as folder:
        words = ["devnet", "--home", f"{folder}/home", "--rpc-port", "0", "--block-time", "1s"]
        process = subprocess.Popen(
            [sys.executable, "-c", _START, *words, "--no-gateway", "--no-ui"],
            stdout=(Path(folder) / "out").open("w"),
        )
        try:
            port = _port(Path(folder) / "out")
            door = _door(port, through)
            found = _measure(port, signed, seconds, txs, queries)
            return {**found, "door_txs_per_second": door}
        finally:
            process.terminate()
            process.wait(30)


def _port(output: Path) -> int:
    for _ in range(600):
        found = re.search(r"RPC +http://127.0.0.1:(\d+)", output.read_text())
        if found:
            try:
                _call(http.client.HTTPConnection("127.0.0.1", int(found[1])), "status", {})
                return int(found[1])
            except OSError:
                pass
        time.sleep(0.1)
    raise RuntimeError("the devnet did not start")


def _door(port: int, signed: list[list[bytes]]) -> float:
    """Transactions a second through the RPC door, from the first request to the last block."""

    def send(raws: list[bytes]) -> None:
        client = http.client.HTTPConnection("127.0.0.1", port)
        for raw in raws:
            params = {"tx": base64.b64encode(raw).decode()}
            answer = _call(client, "broadcast_tx_sync", params)
            if answer["result"]["code"]:
                raise RuntimeError(answer)

    began = time.monotonic()
    with ThreadPoolExecutor(len(signed)) as pool:
        list(pool.map(send, signed))
    client = http.client.HTTPConnection("127.0.0.1", port)
    while int(_call(client, "num_unconfirmed_txs", {})["result"]["total"]):
        time.sleep(0.02)
    return round(sum(map(len, signed)) / (time.monotonic() - began), 1)


def _measure(
    port: int, signed: list[list[bytes]], seconds: int, txs: int, queries: int
) -> dict[str, Any]:
    times: list[float] = []
    sent: list[int] = []
    asked: list[int] = []

    def flood(wallet: int) -> None:
        client = http.client.HTTPConnection("127.0.0.1", port)

        def act(number: int) -> None:
            before = time.perf_counter()
            raw = base64.b64encode(signed[wallet][number]).decode()
            answer = _call(client, "broadcast_tx_sync", {"tx": raw})
            times.append(time.perf_counter() - before)
            if answer["result"]["code"]:
                raise RuntimeError(answer)

        sent.append(_paced(seconds, txs / _CLIENTS, act))

    def ask(_: int) -> None:
        client = http.client.HTTPConnection("127.0.0.1", port)
        path = "/cosmos.bank.v1beta1.Query/SupplyOf"
        params = {"path": path, "data": "0a04616d7367"}
        rate = queries / _CLIENTS
        asked.append(_paced(seconds, rate, lambda _: _call(client, "abci_query", params)))

    threads = [
        threading.Thread(target=work, args=(number,))
        for work in (flood, ask)
        for number in range(_CLIENTS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    client = http.client.HTTPConnection("127.0.0.1", port)
    client.request("GET", "/metrics")
    text = client.getresponse().read().decode()
    buckets = _late(text)
    latest = re.search(r"^msgchain_block_late_max_seconds (\S+)", text, re.MULTILINE)
    blocks = buckets[-1][1]
    times.sort()
    return {
        "txs_per_second": round(sum(sent) / seconds, 1),
        "queries_per_second": round(sum(asked) / seconds, 1),
        "blocks": blocks,
        "latest_block_ms": round(1e3 * float(latest[1]), 1) if latest else None,
        "blocks_late_over_100_ms": blocks - dict(buckets)[0.1],
        "broadcast_ms_median": round(times[len(times) // 2] * 1e3, 2),
        "broadcast_ms_99th": round(times[int(len(times) * 0.99)] * 1e3, 2),
    }
