"""The ledger as the A2A gateway reads it: tasks with their steps at one height, agents, prices."""

from __future__ import annotations

import asyncio
import base64
import json
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final

from chain.client.agent_calls import Contracts
from chain.client.task_content import PROGRESS, PROGRESS_TYPE
from chain.gateway.a2a_journal import OFFER_SKILL, PAID_TASK, Record
from chain.gateway.events import BlockEvents, Follower
from chain.gateway.link import Link

_PAGE: Final = 100
#: pages of a conversation that are looked at for a task's progress
_PROGRESS_PAGES: Final = 5
_LISTS_KEPT: Final = 200
#: letters of an id that may be there
_ID_MAX: Final = 200
_TASK_EVENT: Final = "wasm-agent_task"
_MESSAGE_EVENTS: Final = ("wasm-a2a_message_sent", "wasm-a2a_message_replied")

#: ids of tasks, and pairs of addresses, that a block touched
Touched = set[str]
View = dict[str, Any]


def pair_key(first: str, second: str) -> str:
    """One name for two addresses."""
    return "|".join(sorted((first, second)))


class Ledger:
    """Questions to the contracts, and who waits for what they will answer next."""

    def __init__(self, link: Link, follower: Follower, contracts: Contracts) -> None:
        self.link = link
        self.follower = follower
        self.contracts = contracts
        self._waiting: dict[str, set[asyncio.Event]] = {}
        self._lists: OrderedDict[str, _Listing] = OrderedDict()
        self._on_task: list[Callable[[dict[str, str]], None]] = []
        self._stop: Callable[[], None] | None = None
        follower.when_gone_back(self._lists.clear)

    def start(self) -> None:
        """Listen to blocks."""
        if self._stop is None:
            self._stop = self.follower.listen(self._block)

    def stop(self) -> None:
        """Listen no more."""
        if self._stop is not None:
            self._stop()
            self._stop = None

    def on_task(self, listener: Callable[[dict[str, str]], None]) -> None:
        """Call ``listener`` with the attributes of every step of any task."""
        self._on_task.append(listener)

    def _block(self, block: BlockEvents) -> None:
        for happened in block.events:
            event = happened.event
            if event.type == _TASK_EVENT:
                found = dict(event.attributes)
                if found.get("_contract_address") != self.contracts.tasks:
                    continue
                self._wake(found["task_id"])
                listing = self._lists.get(found["requester"])
                if listing is not None:
                    listing.stale.add(found["task_id"])
                for listener in self._on_task:
                    listener(found)
            elif event.type in _MESSAGE_EVENTS:
                found = dict(event.attributes)
                if found.get("_contract_address") == self.contracts.a2a and "via" not in found:
                    self._wake(pair_key(found["sender"], found["receiver"]))

    def _wake(self, name: str) -> None:
        for event in self._waiting.get(name, ()):
            event.set()

    def watch(self, *names: str) -> Watch:
        """A flag that is set when one of the tasks or pairs is touched."""
        return Watch(self._waiting, names)

    # --- questions ------------------------------------------------------------------------------

    async def ask(self, contract: str, variant: str, /, height: int = 0, **fields: Any) -> Any:
        """A contract's answer. Raises: QueryRefused."""
        body = {name: value for name, value in fields.items() if value is not None}
        query = json.dumps({variant: body}, separators=(",", ":")).encode()
        return json.loads(await self.link.smart(contract, query, height))

    async def view(self, task_id: str, height: int = 0) -> dict[str, Any] | None:
        """A task as the contract shows it."""
        if len(task_id) > _ID_MAX:
            return None
        found = await self.ask(self.contracts.tasks, "get_task", height, task_id=task_id)
        view: dict[str, Any] | None = found["task"]
        return view

    async def agent(self, agent_id: str) -> dict[str, Any] | None:
        """An agent as the registry shows it."""
        if len(agent_id) > _ID_MAX:
            return None
        found = await self.ask(self.contracts.registry, "get_agent", agent_id=agent_id)
        agent: dict[str, Any] | None = found["agent"]
        return agent

    async def card(self, agent_id: str) -> bytes | None:
        """The stored card of an agent."""
        found = (await self.ask(self.contracts.registry, "get_card", agent_id=agent_id))["card"]
        return None if found is None else base64.b64decode(found["card"])

    async def document(self, address: str) -> dict[str, Any] | None:
        """The DID document that speaks for an account."""
        found = await self.ask(self.contracts.did_registry, "did_by_address", address=address)
        if found["did"] is None:
            return None
        answer = await self.ask(self.contracts.did_registry, "resolve_did", did=found["did"])
        return dict(answer["document"]) if answer["active"] else None

    async def price(self, agent_id: str, skill: str) -> tuple[int, str]:
        """What a task costs now. Raises: QueryRefused."""
        found = await self.ask(self.contracts.tasks, "get_price", provider=agent_id, skill=skill)
        return int(found["price"]), str(found["denom"])

    async def record(
        self, task_id: str, *, progress: bool = True, of: Callable[[View], bool] | None = None
    ) -> Record | None:
        """A task with all its steps and progress, as of the last block; an offer with what was
        paid for it. One that ``of`` does not take is None, as fast as one that is not there."""
        height = self.follower.tip
        view = await self.view(task_id, height)
        if view is None or (of is not None and not of(view)):
            return None
        return await self._record(view, height, progress)

    async def _record(self, view: dict[str, Any], height: int, progress: bool) -> Record:
        steps = await self._steps(view["task_id"], height)
        if view["skill"] != OFFER_SKILL:
            said = await self._progress(view, height) if progress else []
            return Record(view, steps, said)
        result = (view["result"] or {}).get("content")
        paid = None
        if isinstance(result, dict) and isinstance(result.get(PAID_TASK), str):
            paid_view = await self.view(result[PAID_TASK], height)
            if paid_view is not None and paid_view["skill"] != OFFER_SKILL:
                paid = await self._record(paid_view, height, progress)
        return Record(view, steps, (), paid)

    async def _steps(self, task_id: str, height: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        cursor = None
        while True:
            page = await self.ask(
                self.contracts.tasks,
                "task_history",
                height,
                task_id=task_id,
                start_after=cursor,
                limit=_PAGE,
            )
            found += page["entries"]
            cursor = page["next"]
            if cursor is None:
                return found

    async def _progress(self, view: dict[str, Any], height: int) -> list[dict[str, Any]]:
        """Progress messages of the provider about a task that goes on, oldest first."""
        if view["state"] not in ("working", "input_required", "auth_required"):
            return []
        if view["approval"] == "payment":
            return []
        found: list[dict[str, Any]] = []
        cursor = None
        for _ in range(_PROGRESS_PAGES):
            page = await self.ask(
                self.contracts.a2a,
                "list_conversation",
                height,
                participants=[view["provider_address"], view["requester"]],
                start_after=cursor,
                limit=_PAGE,
            )
            for message in page["messages"]:
                if int(message["created_at"]) < int(view["created_at"]):
                    return found[::-1]
                one = _progress_of(message, view)
                if one is not None:
                    found.append(one)
            cursor = page["next"]
            if cursor is None:
                break
        return found[::-1]

    async def tasks_of(self, requester: str) -> list[dict[str, Any]]:
        """All tasks of a requester. What was read is kept; what blocks touched is read again."""
        listing = self._lists.get(requester)
        if listing is None:
            listing = self._lists[requester] = _Listing()
            if len(self._lists) > _LISTS_KEPT:
                self._lists.popitem(last=False)
        self._lists.move_to_end(requester)
        async with listing.lock:
            await self._refresh(listing, requester)
            return list(listing.views.values())

    async def _refresh(self, listing: _Listing, requester: str) -> None:
        if not listing.loaded:
            cursor = None
            while True:
                page = await self.ask(
                    self.contracts.tasks,
                    "list_tasks",
                    requester=requester,
                    start_after=cursor,
                    limit=_PAGE,
                )
                for view in page["tasks"]:
                    listing.views[view["task_id"]] = view
                cursor = page["next"]
                if cursor is None:
                    break
            listing.loaded = True
        stale, listing.stale = listing.stale, set()
        for task_id in stale:
            view = await self.view(task_id)
            if view is not None:
                listing.views[task_id] = view


class _Listing:
    """The tasks of a requester as they were read last."""

    def __init__(self) -> None:
        self.views: dict[str, dict[str, Any]] = {}
        self.stale: set[str] = set()
        self.loaded = False
        self.lock = asyncio.Lock()


class Watch:
    """Set when something named is touched; to be used as a context."""

    def __init__(self, waiting: dict[str, set[asyncio.Event]], names: tuple[str, ...]) -> None:
        self._waiting = waiting
        self._names: set[str] = set()
        self._event = asyncio.Event()
        self.add(*names)

    def add(self, *names: str) -> None:
        """Look out for more."""
        for name in names:
            self._names.add(name)
            self._waiting.setdefault(name, set()).add(self._event)

    async def wait(self, seconds: float) -> None:
        """Until something was touched since the last ``wait``, or so long."""
        try:
            async with asyncio.timeout(seconds):
                await self._event.wait()
        except TimeoutError:
            return
        finally:
            self._event.clear()

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *failure: object) -> None:
        for name in self._names:
            found = self._waiting.get(name)
            if found is not None:
                found.discard(self._event)
                if not found:
                    del self._waiting[name]


def _progress_of(message: dict[str, Any], view: dict[str, Any]) -> dict[str, Any] | None:
    if message["sender"] != view["provider_address"] or message["via"] is not None:
        return None
    try:
        body = json.loads(base64.b64decode(message["payload"]))
    except (ValueError, RecursionError):
        return None
    if not isinstance(body, dict) or body.get("task_id") != view["task_id"]:
        return None
    if body.get("type") != PROGRESS_TYPE or (body.get(PROGRESS) is None and "artifact" not in body):
        return None
    return {**body, "msg_id": message["msg_id"], "created_at": message["created_at"]}
