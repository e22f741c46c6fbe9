"""From process start: ``--version``, the first transaction of the demo, and the first that a client
has in a block of ``msgchain devnet --block-time instant``."""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from typing import Any

from chain.tx.builder import build_cosmos_direct, coins
from chain.tx.messages import MsgSend
from chain.wiring import dev_wallet

#: compiled code is kept, as that of an installed package is
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
}
ROUNDS = {"smoke": 1, "quick": 7, "real": 21}
_MAIN = "import sys; from chain.cli.main import main; sys.argv[0] = 'msgchain'; main()"


def command(*arguments: str) -> list[str]:
    """The command line in a process of its own."""
    return [sys.executable, "-c", _MAIN, *arguments]


def spent(arguments: tuple[str, ...], until: str) -> tuple[float, float, str]:
    """Seconds on the wall to a line with these words, processor seconds so far, and the line.

    The process is ended then.
    """
    before = os.times()
    began = time.perf_counter()
    with subprocess.Popen(
        command(*arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    ) as process:
        for line in process.stdout or ():
            if until in line:
                wall = time.perf_counter() - began
                process.kill()
                break
        else:
            raise RuntimeError(f"{arguments} did not say {until!r}: {process.communicate()[1]}")
    after = os.times()
    user = after.children_user - before.children_user
    return wall, user + after.children_system - before.children_system, line.strip()


def quickest(arguments: tuple[str, ...], until: str, rounds: int) -> tuple[float, float, str]:
    """The quickest of some starts after one that fills the caches of compiled code."""
    spent(arguments, until)
    return min(spent(arguments, until) for _ in range(rounds))


def first_transaction() -> tuple[float, float]:
    """Seconds on the wall from a devnet's start to the answer that a transaction is in a block, and
    processor seconds of the whole process."""
    params = {"tx": base64.b64encode(wallet_transfer()).decode()}
    body = json.dumps({"id": 1, "method": "broadcast_tx_commit", "params": params})
    port = free_port()
    before = os.times()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        words = ("devnet", "--home", folder, "--rpc-port", str(port), "--block-time", "instant")
        with subprocess.Popen(
            command(*words, "--gateway-port", "0", "--ui-port", "0"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=ENVIRONMENT,
        ) as process:
            while True:
                client = http.client.HTTPConnection("127.0.0.1", port)
                try:
                    client.request("POST", "/", body)
                    answer = json.loads(client.getresponse().read())
                    break
                except ConnectionRefusedError:
                    time.sleep(0.002)
                finally:
                    client.close()
            wall = time.perf_counter() - began
            client.close()
            process.terminate()
    if answer["result"]["tx_result"]["code"] or answer["result"]["height"] == "0":
        raise RuntimeError(answer)
    after = os.times()
    user = after.children_user - before.children_user
    return wall, user + after.children_system - before.children_system


def quickest_first_transaction(rounds: int) -> tuple[float, float]:
    """The quickest of some after one that fills the caches of compiled code."""
    first_transaction()
    return min(first_transaction() for _ in range(rounds))


def wallet_transfer() -> bytes:
    """A signed transfer of the devnet's first wallet account."""
    key = dev_wallet(0)
    return build_cosmos_direct(
        [MsgSend(key.address, dev_wallet(1).address, coins("1umsg"))],
        [key],
        chain_id="msg-chain-1",
        account_numbers=[8],
        sequences=[0],
        gas_limit=200_000,
        fee=coins("200umsg"),
    )


def free_port() -> int:
    """A port that nobody has now."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


STARTS = {
    "start_version": (("--version",), "version"),
    "start_first_tx": (("demo",), "block 2:"),
}


def run(size: str) -> dict[str, Any]:
    """Seconds on the wall and of the processor."""
    figures: dict[str, Any] = {}
    digest = hashlib.sha256()
    for name, (arguments, until) in STARTS.items():
        wall, cpu, line = quickest(arguments, until, ROUNDS[size])
        figures[f"{name}, s"] = round(wall, 3)
        figures[f"{name}, processor s"] = round(cpu, 3)
        digest.update(line.encode())
    wall, cpu = quickest_first_transaction(ROUNDS[size])
    figures["start_devnet_tx, s"] = round(wall, 3)
    figures["start_devnet_tx, processor s"] = round(cpu, 3)
    figures["digest"] = digest.hexdigest()[:16]
    return figures
