"""Unmodified ``@a2a-js/sdk`` against a devnet and its gateway, over both bindings."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from a2a_world import Callback, World

from chain.client.wallet import Wallet
from chain.wiring import dev_key

HERE = Path(__file__).parent
MODULES = Path(os.environ.get("MSGCHAIN_A2A_MODULES", HERE / "node_modules"))
NODE = shutil.which("node")

pytestmark = pytest.mark.node


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    if NODE is None or not (MODULES / "@a2a-js").is_dir():
        reason = f"needs Node.js and the packages of tests/system/a2a/package.json in {MODULES}"
        if os.environ.get("MSGCHAIN_CI") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    made = World(tmp_path_factory.mktemp("a2ajs"))
    yield made
    made.close()


@pytest.mark.parametrize("binding", ["JSONRPC", "HTTP+JSON"])
def test_everything_a_client_does(world: World, binding: str) -> None:
    hook = Callback()
    payer = Wallet(dev_key("dave"), world.client())
    words = [NODE or "node", str(HERE / "a2a.test.cjs"), f"{world.url}/agents/bob", binding]
    environment = {**os.environ, "MSGCHAIN_A2A_MODULES": str(MODULES)}
    with subprocess.Popen(
        [*words, hook.url],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        said = []
        for line in process.stdout:
            word, _, rest = line.strip().partition(" ")
            if word not in ("OWNER", "PAY", "DONE"):  # the SDK talks as well
                continue
            said.append(word)
            if word == "OWNER":
                world.owner.approve(rest)
            elif word == "PAY":
                call = json.loads(rest)
                payer.execute(call["contract"], call["msg"], call["funds"])
        errors = process.stderr.read()
    heard = process.returncode != 0 or hook.heard("COMPLETED")
    hook.close()
    assert process.returncode == 0, errors
    assert said == ["OWNER", "PAY", "DONE"]
    assert hook.calls[0][0]["x-a2a-notification-token"] == "from-js"
    assert heard, hook.calls[-1]
