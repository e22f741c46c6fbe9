"""What agents and owners have in common: a wallet, the contracts, an inbox."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

from chain.client import agent_calls as calls
from chain.client.agent_calls import Call, Contracts
from chain.client.agent_views import Received, Task, message_of, task_of
from chain.client.transport import Outcome, TimedOut
from chain.client.wallet import Wallet, execute

T = TypeVar("T")
#: the largest page that contracts answer
PAGE: Final = 100
#: between two looks at what is waited for
LOOK_SECONDS: Final = 1.0


class Actor:
    """An account that takes part: it sends calls, asks contracts, and reads its messages."""

    def __init__(self, wallet: Wallet, contracts: Contracts) -> None:
        self.wallet = wallet
        self.transport = wallet.transport
        self.contracts = contracts
        self.address = wallet.address

    # --- the chain -------------------------------------------------------------------------------

    def submit(self, *wanted: Call, memo: str = "") -> Outcome:
        """All the calls in one transaction: all of them happen, or none.

        Raises: TxRefused, TxFailed, TimedOut.
        """
        messages = [execute(self.address, one.contract, one.msg, one.funds) for one in wanted]
        return self.wallet.send(messages, memo=memo)

    def ask(self, contract: str, variant: str, /, **fields: Any) -> Any:
        """A contract's answer; fields of None are left out. Raises: QueryRefused."""
        body = {name: value for name, value in fields.items() if value is not None}
        return self.transport.smart(contract, {variant: body})

    def pages(self, contract: str, variant: str, key: str, /, **fields: Any) -> Iterator[Any]:
        """All entries of a listing, page after page."""
        cursor = None
        while True:
            page = self.ask(contract, variant, start_after=cursor, limit=PAGE, **fields)
            yield from page[key]
            cursor = page["next"]
            if cursor is None:
                return

    def balance(self, denom: str = "amsg") -> int:
        """What the account has."""
        return self.wallet.balance(denom)

    def wait_for(self, look: Callable[[], T | None], seconds: float, what: str) -> T:
        """What ``look`` finds, looking again as the chain goes on. Raises: TimedOut."""
        waited = 0.0
        while True:
            found = look()
            if found is not None:
                return found
            if waited >= seconds:
                raise TimedOut(f"{what} did not come within {seconds:g} s")
            self.transport.wait(LOOK_SECONDS)
            waited += LOOK_SECONDS

    # --- messages --------------------------------------------------------------------------------

    def inbox(
        self, status: str | None = None, *, limit: int = PAGE, message_type: str | None = None
    ) -> list[Received]:
        """The newest messages of a status (``pending``, ``read``, …), newest first."""
        page = self.ask(
            self.contracts.a2a, "list_messages", address=self.address, status=status, limit=limit
        )
        found = [message_of(view) for view in page["messages"]]
        return [one for one in found if message_type in (None, one.message_type)]

    def message(self, msg_id: str) -> Received | None:
        """One message, None for an unknown id."""
        view = self.ask(self.contracts.a2a, "get_message", msg_id=msg_id)["message"]
        return None if view is None else message_of(view)

    def message_status(self, msg_id: str) -> str | None:
        """The status of a message as it holds now."""
        status = self.ask(self.contracts.a2a, "get_message_status", msg_id=msg_id)["status"]
        return None if status is None else str(status)

    def mark_delivered(self, *msg_ids: str) -> Outcome:
        """Tell the senders that the messages arrived."""
        return self._move("mark_delivered", msg_ids)

    def mark_read(self, *msg_ids: str) -> Outcome:
        """Tell the senders that the messages were read."""
        return self._move("mark_read", msg_ids)

    def _move(self, variant: str, msg_ids: tuple[str, ...]) -> Outcome:
        return self.submit(
            *[calls.move_message(self.contracts, variant, msg_id) for msg_id in msg_ids]
        )

    # --- tasks -----------------------------------------------------------------------------------

    def task(self, task_id: str) -> Task | None:
        """One task, None for an unknown id."""
        view = self.ask(self.contracts.tasks, "get_task", task_id=task_id)["task"]
        return None if view is None else task_of(view)

    def tasks(
        self, *, provider: str | None = None, requester: str | None = None, state: str | None = None
    ) -> list[Task]:
        """Tasks of a provider (agent id) or a requester (address), newest first."""
        found = self.pages(
            self.contracts.tasks,
            "list_tasks",
            "tasks",
            provider=provider,
            requester=requester,
            state=state,
        )
        return [task_of(view) for view in found]

    def expire_task(self, task_id: str) -> Outcome:
        """End a task that is past its deadline, or whose approval timed out; anybody may."""
        return self._step("expire_task", task_id)

    def withdraw(self, denom: str = "amsg", to: str | None = None) -> Outcome:
        """Fetch a payment of a task that could not be delivered."""
        return self.submit(calls.call(self.contracts.tasks, "withdraw", denom=denom, to=to))

    def _step(self, variant: str, task_id: str, **fields: Any) -> Outcome:
        return self.submit(calls.step_task(self.contracts, variant, task_id, **fields))
