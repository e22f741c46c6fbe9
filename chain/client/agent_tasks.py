"""Work and money between agents: tasks whose price the contract holds until it knows whose it is.

A requester creates (and pays), answers questions, cancels; a provider accepts, asks, completes,
fails, rejects; owners approve. Each verb is one transaction.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from chain.client import agent_calls as calls
from chain.client.agent_actor import LOOK_SECONDS
from chain.client.agent_messages import Messages
from chain.client.agent_views import Price, Received, Step, Task, price_of, step_of
from chain.client.transport import Outcome, TimedOut


class PriceTooHigh(Exception):
    """The provider asks more than the program wants to spend."""

    def __init__(self, price: Price, max_price: int) -> None:
        super().__init__(f"the price is {price.amount}{price.denom}, at most {max_price} is wanted")
        self.price = price
        self.max_price = max_price


class Tasks(Messages):
    """The working half of an agent."""

    # --- as requester ----------------------------------------------------------------------------

    def price(self, provider: str, skill: str) -> Price:
        """What a task of this skill would cost now."""
        return price_of(self.ask(self.contracts.tasks, "get_price", provider=provider, skill=skill))

    def compose_task(
        self,
        provider: str,
        skill: str,
        params: Any = None,
        *,
        price: int | None = None,
        max_price: int | None = None,
        deadline: int | None = None,
        client_ref: str | None = None,
        context_id: str | None = None,
    ) -> calls.Call:
        """The call that creates a task and pays its price into the contract.

        ``price`` of None is what the card asks now; the contract refuses the task if that rose in
        between. Raises: PriceTooHigh.
        """
        asked = self.price(provider, skill)
        amount = asked.amount if price is None else price
        if max_price is not None and amount > max_price:
            raise PriceTooHigh(asked, max_price)
        return calls.create_task(
            self.contracts,
            provider,
            skill,
            params,
            price=amount,
            denom=asked.denom,
            deadline=deadline,
            client_ref=client_ref,
            context_id=context_id,
        )

    def create_task(self, provider: str, skill: str, params: Any = None, **options: Any) -> str:
        """Create a task (options as in ``compose_task``); its id.

        With the same ``client_ref`` again it is the same task. Above the agent's spending policy
        the task waits in ``auth_required`` for the owner.
        """
        done = self.submit(self.compose_task(provider, skill, params, **options))
        return task_id_of(done)

    def provide_input(self, task_id: str, answer: Any) -> Outcome:
        """Answer the provider's question."""
        return self._step("provide_input", task_id, input=answer)

    def cancel_task(self, task_id: str, reason: str | None = None) -> Outcome:
        """Take the task back; after acceptance the card's cancellation share is due."""
        return self._step("cancel_task", task_id, reason=reason)

    def spending(self) -> dict[str, Any]:
        """The agent's spending policy, and what its period has used."""
        return dict(self.ask(self.contracts.tasks, "spending_status", agent=self.address))

    # --- as provider -----------------------------------------------------------------------------

    def assigned(self, state: str | None = "submitted") -> list[Task]:
        """Tasks that wait for this agent, newest first."""
        return self.tasks(provider=self.agent_id, state=state)

    def accept_task(self, task_id: str) -> Outcome:
        """Start the work."""
        return self._step("accept_task", task_id)

    def request_input(self, task_id: str, question: Any) -> Outcome:
        """Ask the requester."""
        return self._step("request_input", task_id, question=question)

    def request_approval(self, task_id: str, reason: str) -> Outcome:
        """Ask this agent's own owner before going on."""
        return self._step("request_approval", task_id, reason=reason)

    def complete_task(
        self,
        task_id: str,
        content: Any = None,
        *,
        content_hash: str | None = None,
        reference: str | None = None,
    ) -> Outcome:
        """Deliver; the price is paid out in the same transaction. At least one of the three."""
        return self._step(
            "complete_task", task_id, content=content, hash=content_hash, reference=reference
        )

    def fail_task(self, task_id: str, error: str) -> Outcome:
        """Give up; the requester is refunded."""
        return self._step("fail_task", task_id, error=error)

    def reject_task(self, task_id: str, reason: str | None = None) -> Outcome:
        """Decline before accepting; the requester is refunded."""
        return self._step("reject_task", task_id, reason=reason)

    # --- following -------------------------------------------------------------------------------

    def history(self, task_id: str, after: int | None = None) -> list[Step]:
        """The steps of a task after a number, oldest first."""
        page = self.ask(
            self.contracts.tasks, "task_history", task_id=task_id, start_after=after, limit=100
        )
        return [step_of(view) for view in page["entries"]]

    def follow(self, task_id: str, seconds: float = 60.0) -> Iterator[Step]:
        """The steps of a task as they happen, until it is final. Raises: TimedOut when nothing
        happens for so long."""
        last: int | None = None
        waited = 0.0
        while True:
            task = self.task(task_id)  # before its steps, so that the last is not missed
            steps = self.history(task_id, last)
            yield from steps
            if steps:
                last, waited = steps[-1].number, 0.0
                continue
            if task is None or task.final:
                return
            if waited >= seconds:
                raise TimedOut(f"nothing happened to {task_id} within {seconds:g} s")
            self.transport.wait(LOOK_SECONDS)
            waited += LOOK_SECONDS

    def task_messages(self, task_id: str) -> list[Received]:
        """The messages of a task between its two agents, oldest first."""
        task = self.task(task_id)
        if task is None:
            return []
        parties = (task.requester, task.provider_address)
        other = parties[1] if self.address == parties[0] else parties[0]
        found = [one for one in self.conversation(other) if one.field("task_id") == task_id]
        return found[::-1]


def task_id_of(outcome: Outcome) -> str:
    """The id of the task that a transaction created, also of one that was there already."""
    for found in outcome.attributes("wasm"):
        if "task_id" in found:
            return found["task_id"]
    raise KeyError("the transaction created no task")
