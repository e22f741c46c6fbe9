"""A door beside a chain that has not its contracts: every binding says so, and no log a traceback."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import grpc
import httpx
import pytest
from a2a_grpc import GrpcRaw, grpc_in
from a2a_raw import VERSION
from devnet_process import ROOT, Devnet

SEND = b'{"message": {"messageId": "1", "role": "ROLE_USER", "parts": [{"text": "x"}]}}'


@pytest.fixture
def outputs(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """What a gateway says that asks a contract which is not there, and its log."""
    net = Devnet(tmp_path / "home", "--block-time", "instant")
    wrong = "agent_registry_v1=msg1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu"
    words = [sys.executable, "-m", "chain.cli", "gateway", "--rpc", net.url, "--port", "0"]
    words += ["--a2a-port", "0", "--grpc-port", "0", "--contract", wrong]
    log = tmp_path / "log"
    with (
        log.open("w") as errors,
        subprocess.Popen(
            words, cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process,
    ):
        assert process.stdout is not None
        said = "".join(process.stdout.readline() for _ in range(3))
        yield said, log
        process.terminate()
        assert process.wait(20) == 0
    assert net.stop() == 0


def test_a_chain_without_the_contracts_is_unavailable(outputs: tuple[str, Path]) -> None:
    said, log = outputs
    found = re.search(r"A2A +(http://\S+)", said)
    assert found
    for path in ("/agents", "/agents/bob/.well-known/agent-card.json"):
        answer = _answer(f"{found[1]}{path}")
        assert answer.status_code == 503
        assert "--contract" in answer.json()["error"]["message"]
    answer = httpx.post(f"{found[1]}/message:send", content=SEND, headers=VERSION, timeout=60)
    assert answer.status_code == 503
    wire = GrpcRaw(grpc_in(said))
    refused = wire.ask("ListTasks")
    wire.close()
    assert refused.code == grpc.StatusCode.UNAVAILABLE
    assert "--contract" in refused.text
    assert "Traceback" not in log.read_text()


def _answer(url: str) -> httpx.Response:
    """The answer, once the gateway has found its node."""
    end = time.monotonic() + 30
    while True:
        found = httpx.get(url, timeout=60)
        if "the node does not answer" not in found.text or time.monotonic() > end:
            return found
        time.sleep(0.1)
