"""A2A's operations for one agent, over the ledger: nothing of a task is kept here.

A send is a transaction; a wait, a stream and a subscription read the task's entries again whenever
a block touched it. So an answer is the same from every gateway, and what anybody else writes (the
provider, an owner, another gateway) reaches every stream.
"""

from __future__ import annotations

import asyncio
import hashlib
import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Final

from a2a.server.context import ServerCallContext
from a2a.server.events import Event
from a2a.server.request_handlers.request_handler import RequestHandler, validate_request_params
from a2a.types import (
    AgentCard,
    CancelTaskRequest,
    GetExtendedAgentCardRequest,
    GetTaskRequest,
    ListTasksRequest,
    ListTasksResponse,
    Message,
    SendMessageRequest,
    SubscribeToTaskRequest,
    Task,
    TaskState,
)
from a2a.utils.errors import (
    ExtensionSupportRequiredError,
    InternalError,
    InvalidParamsError,
    TaskNotCancelableError,
    TaskNotFoundError,
    UnsupportedOperationError,
)
from a2a.utils.input_mode_validator import validate_input_modes
from a2a.utils.task import apply_history_length, validate_history_length, validate_page_size
from google.protobuf.json_format import MessageToDict

from chain.client import agent_calls as calls
from chain.client.card import PAYMENT_EXTENSION
from chain.client.task_content import with_message
from chain.gateway.a2a_callers import Caller, caller_of
from chain.gateway.a2a_cards import ServedCard
from chain.gateway.a2a_faults import faults, short
from chain.gateway.a2a_journal import (
    FINAL,
    OFFER_SKILL,
    WAITING,
    Entry,
    Record,
    asked_agent,
    entries_of,
    events_of,
    task_from,
)
from chain.gateway.a2a_ledger import pair_key
from chain.gateway.a2a_lists import list_tasks
from chain.gateway.a2a_payment import offer_params
from chain.gateway.a2a_push_handler import PushOperations

if TYPE_CHECKING:
    from chain.gateway.a2a_gate import Gate

#: how long a blocking send waits for an agent; then it answers with the task as it is
BLOCKING_SECONDS: Final = 120.0
_LOOK_SECONDS: Final = 20.0
_CONTEXT_MAX: Final = 128
_IDEMPOTENCY: Final = "idempotency-key"
_ANSWERED: Final = "provide_input"
_COMPLETED: Final = TaskState.TASK_STATE_COMPLETED


class LedgerHandler(PushOperations, RequestHandler):
    """The operations of one agent's address."""

    def __init__(self, core: Gate, agent_id: str, card: ServedCard) -> None:
        self.core = core
        self.agent_id = agent_id
        self.card = card

    # --- sending --------------------------------------------------------------------------------

    @validate_request_params
    async def on_message_send(
        self, params: SendMessageRequest, context: ServerCallContext
    ) -> Task | Message:
        """Create or go on with a task, and wait until it ends or waits for somebody. An agent that
        answered with a message alone is heard in place of the task, which the ledger keeps."""
        with faults():
            task_id, start = await self._begin(params, context)
            limit = 0.0 if params.configuration.return_immediately else BLOCKING_SECONDS
            task = await self._settled(task_id, start, limit)
            status = task.status
            if status.state == _COMPLETED and status.HasField("message") and not task.artifacts:
                return status.message
            return apply_history_length(task, params.configuration)

    @validate_request_params
    async def on_message_send_stream(
        self, params: SendMessageRequest, context: ServerCallContext
    ) -> AsyncGenerator[Event]:
        """Create or go on with a task, and tell what happens until it ends or asks."""
        with faults():
            self._check_streaming()
            task_id, start = await self._begin(params, context)
            first = True
            seen: set[str] = set()
            async with aclosing(self._follow(task_id)) as reads:
                async for record, entries in reads:
                    if first:
                        shown = entries[: max(start, 1)]
                        seen = {one.id for one in shown}
                        yield apply_history_length(task_from(record, shown), params.configuration)
                        first = False
                        if len(shown) == len(entries) and _ends_stream(shown[-1]):
                            return
                    for entry in entries:
                        if entry.id in seen:
                            continue
                        seen.add(entry.id)
                        for event in events_of(record, entry):
                            yield event
                        if _ends_stream(entry):
                            return

    async def _settled(self, task_id: str, start: int, seconds: float) -> Task:
        """The task when something after the first ``start`` entries ended or interrupted it."""
        latest: Task | None = None
        try:
            async with asyncio.timeout(seconds or None), aclosing(self._follow(task_id)) as reads:
                async for record, entries in reads:
                    latest = task_from(record, entries)
                    done = latest.status.state in FINAL | WAITING and len(entries) >= start
                    if done or not seconds:
                        return latest
        except TimeoutError:
            if latest is None:
                raise InternalError("the node does not answer") from None
        if latest is None:
            raise TaskNotFoundError
        return latest

    async def _follow(self, task_id: str) -> AsyncGenerator[tuple[Record, list[Entry]]]:
        """A task as it is, and again whenever a block touched it."""
        ledger = self.core.ledger
        with ledger.watch(task_id) as watch:
            while True:
                record = await ledger.record(task_id)
                if record is None:
                    raise TaskNotFoundError
                for one in (record, record.paid):
                    if one is not None:
                        view = one.view
                        pair = pair_key(view["provider_address"], view["requester"])
                        watch.add(one.task_id, pair)
                yield record, entries_of(record)
                await watch.wait(_LOOK_SECONDS)

    async def _begin(
        self, params: SendMessageRequest, context: ServerCallContext
    ) -> tuple[str, int]:
        """Write what was sent; the task's id, and how many entries it has with that."""
        caller = caller_of(context)
        self._check_extensions(context)
        message = params.message
        validate_history_length(params.configuration)
        if not all(part.WhichOneof("content") for part in message.parts):
            raise InvalidParamsError("a part has text, raw, url or data")
        validate_input_modes(message, self.card.proto)
        await self.check_push(params.configuration)
        if message.task_id:
            task_id, start = await self._go_on(message, caller)
        else:
            task_id, start = await self._create(params, caller, context)
        await self.keep_push(params.configuration, task_id, caller)
        return task_id, start

    async def _create(
        self, params: SendMessageRequest, caller: Caller, context: ServerCallContext
    ) -> tuple[str, int]:
        message = params.message
        if len(message.context_id.encode()) > _CONTEXT_MAX:
            raise InvalidParamsError(f"contextId: at most {_CONTEXT_MAX} bytes")
        wishes = _wishes(params)
        skill = self._skill(message, wishes)
        price, denom = await self.core.ledger.price(self.agent_id, skill)
        body = _given(message)
        key = context.state.get("headers", {}).get(_IDEMPOTENCY)
        options: dict[str, Any] = {"context_id": message.context_id or f"context-{uuid.uuid4()}"}
        if key:
            options["client_ref"] = f"a2a:{hashlib.sha256(key.encode()).hexdigest()}"
            options["context_id"] = message.context_id or options["client_ref"]
        to = self.core.ledger.contracts
        if price and not caller.known:
            asked = {"skill": skill, "price": str(price), "denom": denom}
            return await self._offer(caller, asked, body, options), 1
        if price and price > _limit(wishes):
            raise InvalidParamsError(f"the price is {price}{denom}, above max_price")
        wanted = calls.create_task(
            to, self.agent_id, skill, body, price=price, denom=denom, **options
        )
        done = await self.core.callers.submit(caller, wanted)
        return _task_id(done.attributes("wasm")), 1

    async def _offer(
        self,
        caller: Caller,
        asked: dict[str, str],
        body: dict[str, Any],
        options: dict[str, Any],
    ) -> str:
        """Keep a request that has to be paid for, on the ledger, and say so."""
        core = self.core
        offer = {
            "agent": self.agent_id,
            **asked,
            "tasks": core.ledger.contracts.tasks,
            "chain_id": await core.ledger.link.chain_id(),
        }
        wanted = calls.create_task(
            core.ledger.contracts,
            core.own_agent_id,
            OFFER_SKILL,
            offer_params(body, offer),
            price=0,
            **options,
        )
        done = await core.callers.submit(caller, wanted)
        return _task_id(done.attributes("wasm"))

    def _skill(self, message: Message, wishes: dict[str, Any]) -> str:
        skill = wishes.get("skill")
        if skill is None:
            for part in message.parts:
                if part.HasField("data") and part.data.HasField("struct_value"):
                    fields = part.data.struct_value.fields
                    if "skill" in fields and fields["skill"].string_value in self.card.skills:
                        return str(fields["skill"].string_value)
            return self.card.skills[0] if self.card.skills else "task"
        if skill not in self.card.skills:
            raise InvalidParamsError(
                f"the agent has no skill {short(str(skill))}; it has: {', '.join(self.card.skills)}"
            )
        return str(skill)

    async def _go_on(self, message: Message, caller: Caller) -> tuple[str, int]:
        record = await self.own_record(message.task_id, caller)
        if message.context_id and message.context_id != record.context_id:
            raise InvalidParamsError(
                f"context {short(message.context_id)} is not the context of task {record.task_id}"
            )
        entries = entries_of(record)
        task = task_from(record, entries)
        given = _given(message)
        if any(step["detail"] == given for step in record.steps if step["action"] == _ANSWERED):
            return task.id, len(entries)  # sent again: it was taken
        if task.status.state in FINAL:
            raise UnsupportedOperationError(f"task {task.id} is over")
        if record.is_offer and record.paid is None:
            named = _payment_in(message)
            if named is not None:
                await self.core.link_offer(record.view, named)
            return task.id, len(entries)
        if task.status.state != TaskState.TASK_STATE_INPUT_REQUIRED:
            state = TaskState.Name(task.status.state)
            raise UnsupportedOperationError(f"task {task.id} is {state} and asks for no input")
        if record.paid is not None:
            raise UnsupportedOperationError(
                f"task {task.id} was paid by {record.paid.view['requester']}, which answers with "
                f"provide_input for {record.paid.task_id} on the chain"
            )
        wanted = calls.step_task(self.core.ledger.contracts, _ANSWERED, task.id, input=given)
        await self.core.callers.submit(caller, wanted)
        return task.id, len(entries) + 1

    # --- reading --------------------------------------------------------------------------------

    async def own_record(self, task_id: str, caller: Caller) -> Record:
        """A task of the caller's with this agent; everything else does not exist."""

        def own(view: dict[str, Any]) -> bool:
            mine = bool(caller.address) and view["requester"] == caller.address
            return mine and asked_agent(view) == self.agent_id

        record = await self.core.ledger.record(task_id, of=own)
        if record is None:
            raise TaskNotFoundError(f"task {short(task_id)} not found")
        return record

    async def own_task(self, task_id: str, context: ServerCallContext) -> Task:
        """A task of the caller's with this agent. Raises: TaskNotFoundError."""
        record = await self.own_record(task_id, caller_of(context))
        return task_from(record, entries_of(record))

    @validate_request_params
    async def on_get_task(self, params: GetTaskRequest, context: ServerCallContext) -> Task | None:
        """A task as the ledger has it."""
        with faults():
            validate_history_length(params)
            return apply_history_length(await self.own_task(params.id, context), params)

    @validate_request_params
    async def on_list_tasks(
        self, params: ListTasksRequest, context: ServerCallContext
    ) -> ListTasksResponse:
        """The caller's tasks with this agent, what changed last first."""
        with faults():
            validate_history_length(params)
            if params.HasField("page_size"):
                validate_page_size(params.page_size)
            caller = caller_of(context)
            views = await self.core.ledger.tasks_of(caller.address) if caller.address else []
            mine = [one for one in views if asked_agent(one) == self.agent_id]
            return await list_tasks(self.core.ledger, mine, params)

    @validate_request_params
    async def on_cancel_task(
        self, params: CancelTaskRequest, context: ServerCallContext
    ) -> Task | None:
        """Take a task back; the contract refunds."""
        with faults():
            caller = caller_of(context)
            record = await self.own_record(params.id, caller)
            task = task_from(record, entries_of(record))
            if task.status.state in FINAL:
                raise TaskNotCancelableError(f"task {task.id} is over")
            if record.paid is not None:
                raise TaskNotCancelableError(
                    f"task {task.id} was paid by {record.paid.view['requester']}, which takes it "
                    f"back with cancel_task for {record.paid.task_id} on the chain"
                )
            to = self.core.ledger.contracts
            await self.core.callers.submit(caller, calls.step_task(to, "cancel_task", task.id))
            return await self.own_task(task.id, context)

    @validate_request_params
    async def on_subscribe_to_task(
        self, params: SubscribeToTaskRequest, context: ServerCallContext
    ) -> AsyncGenerator[Event]:
        """The task as it is, then what happens until it ends."""
        with faults():
            self._check_streaming()
            task = await self.own_task(params.id, context)
            if task.status.state in FINAL:
                raise UnsupportedOperationError(f"task {task.id} is over")
            seen: set[str] | None = None
            async with aclosing(self._follow(task.id)) as reads:
                async for record, entries in reads:
                    if seen is None:
                        seen = {one.id for one in entries}
                        task = task_from(record, entries)
                        yield task
                        if task.status.state in FINAL:
                            return
                    for entry in entries:
                        if entry.id in seen:
                            continue
                        seen.add(entry.id)
                        for event in events_of(record, entry):
                            yield event
                        if entry.state in FINAL:
                            return

    @validate_request_params
    async def on_get_extended_agent_card(
        self, params: GetExtendedAgentCardRequest, context: ServerCallContext
    ) -> AgentCard:
        """The card; an agent with an API key also learns what it may spend."""
        with faults():
            caller = caller_of(context)
            if not self.card.proto.capabilities.extended_agent_card:
                raise UnsupportedOperationError("the agent declares no extended card")
            if not caller.known:
                return self.card.proto
            ledger = self.core.ledger
            spending = await ledger.ask(
                ledger.contracts.tasks, "spending_status", agent=caller.address
            )
            return self.core.extended_card(self.card, caller, spending)

    def _check_streaming(self) -> None:
        if not self.card.proto.capabilities.streaming:
            raise UnsupportedOperationError("the agent declares no streaming")

    def _check_extensions(self, context: ServerCallContext) -> None:
        missing = self.card.required - set(context.requested_extensions)
        if missing:
            raise ExtensionSupportRequiredError(
                f"the agent requires the extensions {', '.join(sorted(missing))}"
            )


def _given(message: Message) -> dict[str, Any]:
    """A message as the ledger keeps it."""
    sent = MessageToDict(message)
    for name in ("taskId", "contextId"):
        sent.pop(name, None)
    return with_message(sent)


def _ends_stream(entry: Entry) -> bool:
    return entry.state in FINAL or entry.state == TaskState.TASK_STATE_INPUT_REQUIRED


def _wishes(params: SendMessageRequest) -> dict[str, Any]:
    """What the payment extension's metadata asks for: ``skill``, ``max_price``."""
    for metadata in (params.message.metadata, params.metadata):
        found = MessageToDict(metadata)
        own = found.get(PAYMENT_EXTENSION)
        if isinstance(own, dict):
            return own
        if isinstance(found.get("skill"), str):
            return {"skill": found["skill"]}
    return {}


def _limit(wishes: dict[str, Any]) -> float:
    text = wishes.get("max_price")
    if text is None:
        return float("inf")
    if isinstance(text, str) and text.isascii() and text.isdigit():
        return int(text)
    raise InvalidParamsError("max_price is a decimal text in whole units")


def _payment_in(message: Message) -> str | None:
    """The paid task that a message names."""
    found = MessageToDict(message.metadata)
    for name in (PAYMENT_EXTENSION, "x402.payment.payload"):
        own = found.get(name)
        if isinstance(own, dict) and isinstance(own.get("task_id"), str):
            return str(own["task_id"])
    return None


def _task_id(attributes: Any) -> str:
    for found in attributes:
        if "task_id" in found:
            return str(found["task_id"])
    raise InternalError("the transaction created no task")
