"""Unmodified CosmJS against a started devnet."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from devnet_process import Devnet

from chain.driver.codes import line_of
from chain.wiring import contract_addresses
from contracts.registry import REGISTRY

HERE = Path(__file__).parent
MODULES = Path(os.environ.get("MSGCHAIN_NODE_MODULES", HERE / "node_modules"))
NODE = shutil.which("node")

pytestmark = pytest.mark.node


@pytest.fixture(scope="module")
def devnet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Devnet]:
    if NODE is None or not (MODULES / "@cosmjs").is_dir():
        reason = f"needs Node.js and the packages of tests/system/node/package.json in {MODULES}"
        if os.environ.get("MSGCHAIN_CI") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    net = Devnet(tmp_path_factory.mktemp("net") / "home", "--block-time", "instant")
    yield net
    assert net.stop() == 0
    assert "Traceback" not in net.errors


def run(script: str, *arguments: str) -> None:
    """Run a script of this folder; its output is the failure's text."""
    environment = {**os.environ, "MSGCHAIN_NODE_MODULES": str(MODULES)}
    done = subprocess.run(
        [NODE or "node", str(HERE / script), *arguments],
        capture_output=True,
        text=True,
        env=environment,
        timeout=400,
        check=False,
    )
    if done.returncode:
        pytest.fail(f"{script}\n{done.stdout}{done.stderr}", pytrace=False)


def test_every_call_of_the_client(devnet: Devnet) -> None:
    line = line_of(REGISTRY["escrow_v1"])
    run("cosmjs.test.cjs", devnet.url, devnet.socket_url, json.dumps(contract_addresses()), line)


def test_the_story_of_the_guide(devnet: Devnet) -> None:
    run("story.test.cjs", devnet.url, devnet.socket_url, json.dumps(contract_addresses()))


def test_the_client_of_0_32(devnet: Devnet) -> None:
    if not (MODULES / "cosmjs-0.32").is_dir() and os.environ.get("MSGCHAIN_CI") != "1":
        pytest.skip(f"needs cosmjs-0.32 of tests/system/node/package.json in {MODULES}")
    addresses = json.dumps(contract_addresses())
    run("cosmjs-0.32.test.cjs", devnet.url, devnet.socket_url, addresses)
