"""The ledger as the A2A door reads it, over a node that is a dictionary."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from chain.client.agent_calls import Contracts
from chain.gateway.a2a_ledger import Ledger
from chain.gateway.accounts import Accounts
from chain.gateway.events import BlockEvents, Follower
from chain.wiring import contract_addresses

CONTRACTS = Contracts.from_names(contract_addresses())


class Node:
    """Answers questions about tasks, and counts them."""

    def __init__(self) -> None:
        self.tasks = {"task-1": view("task-1", "alice")}
        self.asked: list[str] = []

    async def smart(self, contract: str, query: bytes, height: int = 0) -> bytes:
        ((name, fields),) = json.loads(query).items()
        self.asked.append(name)
        answers: dict[str, Any] = {
            "get_task": lambda: {"task": self.tasks.get(fields.get("task_id"))},
            "list_tasks": lambda: {"tasks": list(self.tasks.values()), "next": None},
            "task_history": lambda: {"entries": [], "next": None},
            "list_conversation": lambda: {"messages": [], "next": None},
        }
        return json.dumps(answers[name]()).encode()


def view(task_id: str, requester: str) -> dict[str, Any]:
    return {
        "task_id": task_id,
        "requester": requester,
        "provider": "bob",
        "provider_address": "bob",
        "skill": "echo",
        "state": "working",
        "approval": None,
        "created_at": "0",
    }


def made() -> tuple[Node, Follower, Ledger]:
    node = Node()
    follower = Follower(node)  # type: ignore[arg-type]
    return node, follower, Ledger(node, follower, CONTRACTS)  # type: ignore[arg-type]


def test_a_task_that_is_not_mine_costs_what_none_costs() -> None:
    node, _, ledger = made()
    costs = []
    for task_id in ("task-1", "task-2"):
        node.asked.clear()
        found = ledger.record(task_id, of=lambda one: one["requester"] == "carol")
        assert asyncio.run(found) is None
        costs.append(list(node.asked))
    assert costs == [["get_task"]] * 2
    mine = asyncio.run(ledger.record("task-1", of=lambda one: one["requester"] == "alice"))
    assert mine is not None


def test_lists_are_read_again_when_a_devnet_went_back() -> None:
    node, follower, ledger = made()

    async def ids() -> list[str]:
        return [one["task_id"] for one in await ledger.tasks_of("alice")]

    async def run() -> None:
        follower._take(BlockEvents(5, "A", 0, {}, []))
        assert await ids() == ["task-1"]
        node.tasks = {"task-7": view("task-7", "alice")}
        assert await ids() == ["task-1"]
        follower._go_back(3)
        assert await ids() == ["task-7"]

    asyncio.run(run())


def test_accounts_are_looked_up_again_when_a_devnet_went_back() -> None:
    node, follower, _ = made()
    accounts = Accounts(node, follower)  # type: ignore[arg-type]
    accounts._known["alice"] = object()  # type: ignore[assignment]
    follower._go_back(1)
    assert accounts._known == {}
