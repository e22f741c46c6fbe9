"""The guide's own TypeScript clients, letter for letter, against two gateways of a devnet."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from devnet_process import Devnet
from gateway_process import Gateway, Net
from many_messages import allow_many_messages

HERE = Path(__file__).parent
MODULES = Path(os.environ.get("MSGCHAIN_NODE_MODULES", HERE / "node_modules"))
NODE = shutil.which("node")

pytestmark = pytest.mark.node


@pytest.mark.long
def test_the_guides_clients_and_its_story(tmp_path: Path) -> None:
    if NODE is None or not (MODULES / "typescript").is_dir():
        reason = f"needs Node.js and the packages of tests/system/node/package.json in {MODULES}"
        if os.environ.get("MSGCHAIN_CI") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    devnet = Devnet(tmp_path / "home", "--block-time", "100ms", "--no-ui")
    keys = tmp_path / "api-keys"
    allow_many_messages(devnet.url)
    off = ("--requests-per-second", "0", "--messages-per-second", "0")
    one = Gateway(tmp_path / "one", devnet.url, keys, *off)
    two = Gateway(tmp_path / "two", devnet.url, keys, *off)
    net = Net(devnet, keys, tmp_path, {}, one, two)
    agents = {
        name: net.create(name, "--key", f"dev:{name}", "--join")._asdict()
        for name in ("alice", "bob")
    }
    done = subprocess.run(
        [NODE, str(HERE / "guide.test.cjs"), one.url, two.url, json.dumps(agents)],
        capture_output=True,
        text=True,
        env={**os.environ, "MSGCHAIN_NODE_MODULES": str(MODULES)},
        timeout=500,
        check=False,
    )
    for gateway in (one, two):
        gateway.stop()
        assert "Traceback" not in gateway.errors
    assert devnet.stop() == 0
    if done.returncode:
        pytest.fail(f"{done.stdout}{done.stderr}", pytrace=False)
