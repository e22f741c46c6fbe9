"""What both examples need: a secret of their own, a node, coins from a devnet's faucet."""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path
from typing import Final

from chain.client.agent import Agent
from chain.client.agent_calls import Contracts
from chain.client.control import Control, NotADevnet
from chain.client.jsonrpc import DEFAULT_URL
from chain.client.rpc import RpcClient
from chain.crypto.root import RootSecret

CAPABILITY: Final = "chart-generation"
FOLDER: Final = Path(".msgchain/examples")
_SOURCE: Final = re.compile(r"msgchain:(\w+)@[0-9a-f]+")
_COINS: Final = "100msg"


def arguments(about: str) -> argparse.ArgumentParser:
    """The options that both have."""
    found = argparse.ArgumentParser(description=about)
    found.add_argument("--rpc", default=os.environ.get("MSGCHAIN_RPC", DEFAULT_URL))
    found.add_argument("--folder", type=Path, default=FOLDER, help="where secrets are kept")
    return found


def open_agent(name: str, rpc: str, folder: Path) -> Agent:
    """The agent of a name: its secret is made once and kept; on a devnet it gets some coins."""
    client = RpcClient(rpc)
    contracts = Contracts.from_names(contracts_on(client))
    agent = Agent(_secret(folder / f"{name}.secret"), client, contracts, name)
    if agent.balance() == 0:
        try:
            Control(client.http).call("faucet", address=agent.address, amount=_COINS)
        except NotADevnet:
            raise SystemExit(f"send some coins to {agent.address} and start again") from None
    return agent


def contracts_on(client: RpcClient) -> dict[str, str]:
    """Where the contracts of a chain are, by name: the first instance of each code."""
    found: dict[str, str] = {}
    for code in client.codes():
        match = _SOURCE.fullmatch(client.code(code.code_id).source)
        instances = client.contracts_by_code(code.code_id)
        if match is not None and instances:
            found.setdefault(match[1], instances[0])
    return found


def _secret(path: Path) -> RootSecret:
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(os.urandom(32).hex())
    return RootSecret(bytes.fromhex(path.read_text(encoding="ascii").strip()))


def say(text: str) -> None:
    """A line for people."""
    os.write(1, f"{text}\n".encode())
