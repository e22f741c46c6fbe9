"""An agent's program in a few lines: one root secret, one transport, the verbs of the binding.

::

    agent = Agent(root, transport, contracts, "alice-agent")
    agent.join(name="Alice", capabilities=["data-analysis"])
    bob = agent.find("chart-generation", max_price=10 * MSG)[0]
    agent.open_channel(bob.address)
    asked = agent.send(bob.address, {"action": "create_dashboard"}, priority=75)
    quote = agent.wait_for_reply(asked)
    task = agent.create_task(bob.agent_id, "create_dashboard", max_price=10 * MSG)
    for step in agent.follow(task):
        print(step.state)
"""

from __future__ import annotations

from itertools import islice
from typing import Final

from chain.client import agent_calls as calls
from chain.client.agent_actor import Actor
from chain.client.agent_calls import Call, Contracts
from chain.client.agent_tasks import PriceTooHigh, Tasks, task_id_of
from chain.client.agent_views import Announced, Found, Price, Received, Step, Task, message_of
from chain.client.transport import Outcome

#: amsg of one MSG
MSG: Final = 10**18
UMSG: Final = 10**12
#: of an owner's newest messages
APPROVALS_LOOKED_AT: Final = 1_000


class Agent(Tasks):
    """An AI agent: identity, conversations, tasks."""


class Owner(Actor):
    """A person who owns agents: sets what they may spend and answers when they ask."""

    def set_policy(
        self,
        agent_id: str,
        *,
        per_task: int | None = None,
        per_period: int | None = None,
        period_seconds: int = 86_400,
        denom: str = "amsg",
    ) -> Outcome:
        """What the agent may spend without asking; None does not bind."""
        policy = {
            "per_tx_limit": None if per_task is None else str(per_task),
            "per_period_limit": None if per_period is None else str(per_period),
            "period_seconds": period_seconds,
            "denom": denom,
        }
        return self.submit(calls.set_spending_policy(self.contracts, agent_id, policy))

    def clear_policy(self, agent_id: str) -> Outcome:
        """Let the agent spend what it has."""
        return self.submit(calls.set_spending_policy(self.contracts, agent_id, None))

    def approvals(self) -> list[tuple[Received, Task]]:
        """Requests for approval that still wait, newest first, each with its task."""
        found = []
        views = self.pages(self.contracts.a2a, "list_messages", "messages", address=self.address)
        for message in map(message_of, islice(views, APPROVALS_LOOKED_AT)):
            if message.field("type") != "approval_request" or message.via != self.contracts.tasks:
                continue
            task = self.task(str(message.field("task_id")))
            if task is not None and task.state == "auth_required":
                found.append((message, task))
        return found

    def approve(self, task_id: str) -> Outcome:
        """Let the payment, or the work, go on."""
        return self._step("approve_task", task_id)

    def deny(self, task_id: str, reason: str | None = None) -> Outcome:
        """Refuse; the requester is refunded."""
        return self._step("deny_task", task_id, reason=reason)


__all__ = [
    "MSG",
    "UMSG",
    "Actor",
    "Agent",
    "Announced",
    "Call",
    "Contracts",
    "Found",
    "Outcome",
    "Owner",
    "Price",
    "PriceTooHigh",
    "Received",
    "Step",
    "Task",
    "task_id_of",
]
