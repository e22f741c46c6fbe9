"""A devnet node in this process, in memory, with its controls at hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from chain import wiring
from chain.node.home import open_node
from chain.node.service import MANUAL, Node, Options

ALICE = wiring.dev_key("alice").address
BOB = wiring.dev_key("bob").address
TOKEN = wiring.dev_contract("token_v1")


@contextmanager
def running(block_time: int | str = MANUAL, home: Path | None = None) -> Iterator[Node]:
    """A node that runs; every node of one genesis begins with the same hashes."""
    node = open_node(home, wiring.devnet_genesis(), Options(block_time=block_time, devnet=True))
    node.start()
    try:
        yield node
    finally:
        node.stop()
        node.close()


def ask(node: Node, name: str, **values: Any) -> Any:
    """Call ``devnet_<name>`` as the RPC does."""
    method = node.extra_methods[f"devnet_{name}"]
    return method.handler(node, *[values.pop(param.name, None) for param in method.params])


def transfer(amount: int = 5, sender: str = ALICE, recipient: str = BOB) -> dict[str, Any]:
    """A transfer of the devnet's token, as plain JSON."""
    msg = {"transfer": {"recipient": recipient, "amount": str(amount)}}
    return {"type": "execute", "sender": sender, "contract": TOKEN, "msg": msg}


__all__ = ["ALICE", "BOB", "TOKEN", "ask", "running", "transfer"]
