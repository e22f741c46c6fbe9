"""The example agents, started by one command each; a deadline that refunds; curl alone."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from a2a_raw import JSONRPC, RawWorld
from devnet_process import ROOT

from chain.client.agent import MSG, Agent
from chain.client.agent_calls import Call
from chain.client.card import Skill
from chain.client.control import Control
from chain.client.provider_card import signed_card
from chain.crypto.root import RootSecret
from chain.wiring import dev_secret


def example(name: str, door: RawWorld, folder: Path, *options: str) -> subprocess.Popen[str]:
    words = [sys.executable, "-m", f"chain.client.examples.{name}", "--rpc", door.net.url]
    return subprocess.Popen(
        [*words, "--folder", str(folder), *options],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_agents_find_each_other_negotiate_and_pay(door: RawWorld, tmp_path: Path) -> None:
    painter = example("painter", door, tmp_path, "--gateway", door.url)
    try:
        editor = example("editor", door, tmp_path)
        said, errors = editor.communicate(timeout=400)
        assert editor.returncode == 0, errors
    finally:
        painter.terminate()
        heard, failed = painter.communicate(timeout=90)
    assert "Traceback" not in failed
    assert f"asks {2 * MSG} amsg" in said
    for state in ("submitted", "completed"):
        assert f" {state}\n" in said
    assert f"paid {2 * MSG} amsg for" in said
    assert "Tasks a day\nMon " in said
    assert "#" * 20 in said
    assert "quoted" in heard
    card = door.own.http.get(f"{door.url}/agents/painter/.well-known/agent-card.json").json()
    assert card["name"] == "Painter"


def test_a_task_past_its_deadline_is_refunded_and_a2a_says_so(door: RawWorld) -> None:
    """A provider that never answers keeps nobody's money; the chain itself ends the task."""
    control = Control(door.client.http)
    agents = {}
    for name in ("idler", "buyer"):
        agent = Agent(RootSecret(dev_secret(f"late/{name}")), door.client, door.contracts, name)
        control.faucet(agent.address)
        agents[name] = agent
    skill = Skill("sleep", "Sleep", "Never answers.", ("none",), price=MSG)
    root = RootSecret(dev_secret("late/idler"))
    fields = {"name": "Idler", "description": "Sleeps.", "skills": [skill], "gateways": [door.url]}
    agents["idler"].join(name="Idler", card=signed_card(root, "idler", **fields))
    agents["buyer"].join(name="Buyer")
    raw = door.at("idler")
    offer = raw.send("go", metadata={"skill": "sleep"})
    asked = offer["status"]["message"]["parts"][1]["data"]["msg"]["create_task"]
    assert (asked["skill"], asked["price"]) == ("sleep", str(MSG))
    soon = agents["buyer"].transport.block_time() + 3_600 * 10**9
    body = {**asked, "deadline": str(soon)}
    before = agents["buyer"].balance()
    done = agents["buyer"].submit(
        Call(door.contracts.tasks, {"create_task": body}, f"{MSG}amsg"),
    )
    assert any("task_id" in one for one in done.attributes("wasm"))
    assert before - agents["buyer"].balance() >= MSG
    task = raw.until(offer["id"], "TASK_STATE_SUBMITTED", "TASK_STATE_FAILED")
    assert task["status"]["state"] == "TASK_STATE_SUBMITTED"
    control.advance_time(7_200)
    task = raw.until(offer["id"], "TASK_STATE_FAILED")
    facts = next(iter(task["metadata"].values()))
    assert (facts["status"], facts["refunded"], facts["paid"]) == (
        "payment-refunded",
        str(MSG),
        "0",
    )
    assert before - agents["buyer"].balance() < MSG // 10  # fees alone


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_one_line_of_curl_is_enough(door: RawWorld) -> None:
    body = json.dumps(
        {"message": {"messageId": "1", "role": "ROLE_USER", "parts": [{"text": "hello"}]}}
    )
    words = ["curl", "-s", f"{door.url}/message:send", "-H", "A2A-Version: 1.0", "-d", body]
    done = subprocess.run(words, capture_output=True, text=True, timeout=180, check=True)
    task = json.loads(done.stdout)["task"]
    assert task["artifacts"][0]["parts"] == [{"text": "hello"}]
    words = ["curl", "-sN", f"{door.url}/message:stream", "-H", "A2A-Version: 1.0", "-d", body]
    done = subprocess.run(words, capture_output=True, text=True, timeout=180, check=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("data:")]
    assert "TASK_STATE_COMPLETED" in lines[-1]
    assert door.own.ask(JSONRPC, "GetTask", {"id": task["id"]}).error is None
