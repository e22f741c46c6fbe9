"""A devnet with its gateway, agents that work on it, and the callbacks they make."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

from devnet_process import ROOT, START_SECONDS, Devnet
from many_messages import allow_many_messages

from chain.client.agent import MSG, Agent, Owner
from chain.client.agent_calls import Contracts
from chain.client.card import Skill
from chain.client.provider import Job, Provider, Refuse
from chain.client.provider_card import signed_card
from chain.client.rpc import RpcClient
from chain.client.wallet import Wallet
from chain.crypto.root import RootSecret
from chain.gateway.keys import ApiKeys
from chain.wiring import contract_addresses, dev_key, dev_secret

BLOCK_TIME = "200ms"
SKILLS = [
    Skill("chart", "Chart", "Draws a chart.", ("chart",), price=2 * MSG),
    Skill("echo", "Echo", "Says it again.", ("echo",), price=0),
    Skill("lunch", "Lunch", "Asks what to eat.", ("ask",), price=0),
    Skill("careful", "Careful", "Asks its owner.", ("owner",), price=0),
    Skill("never", "Never", "Declines.", ("no",), price=MSG),
    Skill("broken", "Broken", "Breaks.", ("no",), price=MSG),
    Skill("slow", "Slow", "Takes its time.", ("slow",), price=MSG),
]


def chart(job: Job) -> Any:
    job.progress("drawing")
    return {"chart": job.params}


def lunch(job: Job) -> Any:
    dish = job.ask("What?")
    drink = job.ask("And to drink?")
    return f"{dish} with {drink}"


def careful(job: Job) -> Any:
    job.approval("it could be dangerous")
    return "done"


def never(job: Job) -> Any:
    raise Refuse("not today")


def broken(job: Job) -> Any:
    job.accept()
    raise ZeroDivisionError("no")


def slow(job: Job) -> Any:
    job.progress("begun")
    for _ in range(200):
        time.sleep(0.1)
        if job._provider.stopped.is_set():
            break
    return "late"


def answers(url: str, seconds: float = START_SECONDS) -> None:
    """Wait until a door answers with its own agent."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"{url}/.well-known/agent-card.json", timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"{url} does not answer")


class World:
    """Everything that a test needs, running."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.net = Devnet(
            folder / "home",
            *("--block-time", BLOCK_TIME, "--gateway-port", "0", "--a2a-port", "0"),
            *("--grpc-port", "0"),
            *("--no-ui", "--allow-private-callbacks"),
        )
        self.clients: list[RpcClient] = []
        self.gateways: list[subprocess.Popen[str]] = []
        found = None
        end = time.monotonic() + START_SECONDS
        while found is None and time.monotonic() < end:
            found = re.search(r"A2A +(http://\S+)", self.net.output)
            time.sleep(0.05)
        assert found is not None, self.net.output + self.net.errors
        self.url = found[1]
        allow_many_messages(self.net.url)
        answers(self.url)
        self.contracts = Contracts.from_names(contract_addresses())
        self.owner = Owner(Wallet(dev_key("alice"), self.client()), self.contracts)
        self.bob = self.agent("bob")
        self.bob.join(
            name="Bob", owner=self.owner.address, capabilities=["chart"], card=self.card()
        )
        work = {"chart": chart, "lunch": lunch, "careful": careful, "never": never}
        work |= {"broken": broken, "slow": slow, "echo": lambda job: job.params}
        self.provider = Provider(self.bob, work)
        self.working = self.provider.start()

    def client(self) -> RpcClient:
        made = RpcClient(self.net.url)
        self.clients.append(made)
        return made

    def agent(self, name: str) -> Agent:
        """An agent with coins, not registered yet."""
        agent = Agent(RootSecret(dev_secret(f"test/{name}")), self.client(), self.contracts, name)
        self.net.call("devnet_faucet", address=agent.address, amount="1000msg")
        return agent

    def card(self) -> bytes:
        return signed_card(
            RootSecret(dev_secret("test/bob")),
            "bob",
            name="Bob",
            description="Draws and lunches.",
            skills=SKILLS,
            gateways=[self.url],
            cancellation_share_bps=2_500,
        )

    def api_key(self, folder: Path, agent_id: str, account: str) -> str:
        """A key for an agent whose account is a devnet's."""
        address = dev_key(account).pubkey.address()
        token, _ = ApiKeys(folder).create(agent_id, address, f"dev:{account}")
        return token

    def gateway(self, *options: str) -> tuple[subprocess.Popen[str], str]:
        """Another gateway of the chain, and where its A2A door is."""
        start = "from chain.cli.main import main; main()"
        words = [sys.executable, "-c", start, "gateway", "--rpc", self.net.url, "--port", "0"]
        words += ["--a2a-port", "0", "--grpc-port", "0", "--allow-private-callbacks"]
        words += ["--a2a-folder", str(self.folder / f"a2a{len(self.gateways)}"), *options]
        process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        self.gateways.append(process)
        assert process.stdout is not None
        for line in process.stdout:
            found = re.search(r"A2A +(http://\S+)", line)
            if found:
                answers(found[1])
                return process, found[1]
        raise AssertionError("the gateway did not start")

    def close(self) -> None:
        self.provider.stop()
        for process in self.gateways:
            if process.poll() is None:
                process.terminate()
                process.wait(60)
            if process.stdout is not None:
                process.stdout.close()
        self.working.join(60)
        for client in self.clients:
            client.close()
        assert self.net.stop() == 0
        assert "Traceback" not in self.net.errors


class Callback:
    """A server that takes push notifications."""

    def __init__(self) -> None:
        self.calls: list[tuple[dict[str, str], dict[str, Any]]] = []
        calls = self.calls

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                size = int(self.headers["content-length"])
                heads = {name.lower(): value for name, value in self.headers.items()}
                calls.append((heads, json.loads(self.rfile.read(size))))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *words: object) -> None:
                return

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def heard(self, word: str) -> bool:
        """Whether the last call says this, at once or soon: they are made beside everything else."""
        end = time.monotonic() + START_SECONDS
        while not (self.calls and word in str(self.calls[-1][1])):
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
