"""A chain with the tasks contract, stand-ins for registry and mailbox, a real token, and the usual people."""

from __future__ import annotations

import base64
import json
from typing import Any

from twins.agents import HOSTILE_TOKEN, MAILBOX, REGISTRY

from chain.testing import Chain

NANOS = 1_000_000_000
EXTENSION = "urn:msgchain:a2a:payment:v1"


class TaskWorld:
    """Alice (an agent of Olga's) asks Bob (an agent of Otto's); Carol is a bystander."""

    def __init__(self, **config: Any) -> None:
        self.chain = chain = Chain()
        self.admin = chain.account("admin")
        self.alice = chain.account("alice")
        self.olga = chain.account("olga")
        self.bob = chain.account("bob")
        self.otto = chain.account("otto")
        self.carol = chain.account("carol")
        self.registry = self._make(REGISTRY, {})
        self.mailbox = self._make(MAILBOX, {})
        self.token = self._make(
            "token_v1",
            {
                "name": "Work Token",
                "symbol": "WORK",
                "decimals": 6,
                "initial_balances": [{"address": self.alice, "amount": "10000"}],
            },
        )
        self.hostile = self._make(HOSTILE_TOKEN, {})
        self.tasks = self._make(
            "agent_tasks_v1",
            {
                "admin": self.admin,
                "registry_address": self.registry,
                "a2a_address": self.mailbox,
                **config,
            },
        )
        self.agent("bob-agent", owner=self.otto, address=self.bob, price=1000)

    def _make(self, contract: Any, msg: Any) -> str:
        code = self.chain.store_code(contract)
        return self.chain.instantiate(code, msg, sender=self.admin, label="made")

    # --- the registry -----------------------------------------------------------------------

    def agent(
        self, agent_id: str, *, owner: str, address: str, price: int | None, **more: Any
    ) -> None:
        """Set what the registry says about an agent."""
        denom = more.pop("denom", "amsg")
        model = None
        if price is not None:
            model = {"price": str(price), "denom": denom, "model": "per_task"}
        entry = {
            "agent_id": agent_id,
            "owner": owner,
            "address": address,
            "name": None,
            "status": more.pop("status", "active"),
            "price_model": model,
            "metadata": None,
            "card_hash": None,
            "registered_at": "0",
            "updated_at": "0",
            **more,
        }
        self._registry({"agent": {agent_id: entry}})

    def card(self, agent_id: str, card: Any) -> None:
        """Set an agent's card: JSON, or text as it stands."""
        self._registry({"card": {agent_id: card}})

    def policy(self, address: str, agent_id: str, owner: str, **policy: Any) -> None:
        """Set what binds an account."""
        limits = {
            "per_tx_limit": None,
            "per_period_limit": None,
            "period_seconds": 86_400,
            "denom": "amsg",
            **policy,
        }
        self._registry(
            {"policy": {address: {"agent_id": agent_id, "owner": owner, "policy": limits}}}
        )

    def alice_is_agent(self, **policy: Any) -> None:
        """Alice's account is Olga's agent, with a spending policy."""
        self.agent("alice-agent", owner=self.olga, address=self.alice, price=None)
        self.policy(self.alice, "alice-agent", self.olga, **policy)

    def _registry(self, msg: Any) -> None:
        self.chain.execute(self.registry, msg, sender=self.admin)

    # --- tasks ------------------------------------------------------------------------------

    def create(self, amount: int = 1000, sender: str | None = None, **fields: Any) -> str:
        """Create a task with native funds; its id."""
        result = self.try_create(amount, sender, **fields)
        if result.code:
            raise AssertionError(result.log)
        return str(json.loads(result.data)["task_id"])

    def try_create(self, amount: int = 1000, sender: str | None = None, **fields: Any) -> Any:
        """Create a task with native funds; the result."""
        funds = [{"denom": "amsg", "amount": str(amount)}] if amount else []
        return self.chain.try_execute(
            self.tasks,
            {"create_task": self.body(**fields)},
            sender=sender or self.alice,
            funds=funds,
        )

    def body(self, **fields: Any) -> dict[str, Any]:
        """A task for Bob."""
        return {"provider": "bob-agent", "skill": "charts", "params": {"of": [1, 2]}, **fields}

    def create_with_token(self, amount: int, **fields: Any) -> Any:
        """Create a task paid in the token; the result."""
        hook = json.dumps({"create_task": self.body(**fields)}).encode()
        body = {
            "contract": self.tasks,
            "amount": str(amount),
            "msg": base64.b64encode(hook).decode(),
        }
        return self.chain.try_execute(self.token, {"send": body}, sender=self.alice)

    def run(self, name: str, task_id: str, sender: str, **fields: Any) -> Any:
        """One message about a task."""
        return self.chain.try_execute(
            self.tasks, {name: {"task_id": task_id, **fields}}, sender=sender
        )

    def do(self, name: str, task_id: str, sender: str, **fields: Any) -> Any:
        """One message about a task that must succeed."""
        result = self.run(name, task_id, sender, **fields)
        if result.code:
            raise AssertionError(f"{name}: {result.log}")
        return result

    def task(self, task_id: str) -> Any:
        """The task as queries show it."""
        return self.chain.query(self.tasks, {"get_task": {"task_id": task_id}})["task"]

    def state(self, task_id: str) -> str:
        """Its state."""
        return str(self.task(task_id)["state"])

    def working(self, amount: int = 1000, **fields: Any) -> str:
        """An accepted task."""
        task_id = self.create(amount, **fields)
        self.do("accept_task", task_id, self.bob)
        return task_id

    def after(self, seconds: int) -> None:
        """Let time pass."""
        self.chain.next_block(seconds=seconds)

    # --- money and messages -----------------------------------------------------------------

    def held(self, denom: str = "amsg") -> int:
        """What the contract says it owes."""
        return int(self.chain.query(self.tasks, {"held": {"denom": denom}})["amount"])

    def balance(self, address: str) -> int:
        """Native balance."""
        return int(self.chain.balance(address))

    def tokens(self, address: str) -> int:
        """Token balance."""
        answer = self.chain.query(self.token, {"balance": {"address": address}})
        return int(answer["balance"])

    def sent(self) -> list[dict[str, Any]]:
        """What went through the mailbox."""
        found: list[dict[str, Any]] = self.chain.query(self.mailbox, {})
        return found


def card(**params: Any) -> dict[str, Any]:
    """A card with the payment extension."""
    return {
        "name": "Bob",
        "capabilities": {"extensions": [{"uri": EXTENSION, "params": params}]},
    }
