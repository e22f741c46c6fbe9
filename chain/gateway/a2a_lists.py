"""ListTasks: a caller's tasks, what changed last first, in pages that survive changes."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from a2a.types import ListTasksRequest, ListTasksResponse, Task, TaskState
from a2a.utils.errors import InvalidParamsError
from a2a.utils.task import (
    ListTasksCursor,
    apply_history_length,
    decode_list_tasks_cursor,
    encode_list_tasks_cursor,
)

from chain.gateway.a2a_journal import (
    OFFER_SKILL,
    PAID_TASK,
    STATES,
    context_of,
    entries_of,
    moment,
    task_from,
)
from chain.gateway.a2a_ledger import Ledger

_PAGE: Final = 50
_AT_ONCE: Final = 16


class _Row:
    """A task's place in the list."""

    def __init__(self, view: dict[str, Any], state: TaskState, at: int) -> None:
        self.task_id = str(view["task_id"])
        self.context_id = context_of(view)
        self.state = state
        self.at = moment(at).ToNanoseconds()

    @property
    def place(self) -> tuple[int, int]:
        return self.at, _number(self.task_id)


def _number(task_id: str) -> int:
    digits = task_id.rpartition("-")[2]
    return int(digits) if digits.isascii() and digits.isdigit() else 0


async def list_tasks(
    ledger: Ledger, views: list[dict[str, Any]], params: ListTasksRequest
) -> ListTasksResponse:
    """A page of the tasks. Raises: InvalidParamsError for a token that is none."""
    rows = [await _row(ledger, view) for view in views]
    if params.context_id:
        rows = [one for one in rows if one.context_id == params.context_id]
    if params.status:
        rows = [one for one in rows if one.state == params.status]
    if params.HasField("status_timestamp_after"):
        after = params.status_timestamp_after.ToNanoseconds()
        rows = [one for one in rows if one.at >= after]
    rows.sort(key=lambda one: one.place, reverse=True)
    total = len(rows)
    if params.page_token:
        cursor = decode_list_tasks_cursor(params.page_token)
        if cursor is None or cursor.timestamp_ns is None:
            raise InvalidParamsError("pageToken is none that this agent gave")
        place = (cursor.timestamp_ns, _number(cursor.task_id))
        rows = [one for one in rows if one.place < place]
    size = params.page_size if params.HasField("page_size") else _PAGE
    page, more = rows[:size], len(rows) > size
    tasks = await _tasks(ledger, page, params)
    token = ""
    if more:
        last = page[-1]
        token = encode_list_tasks_cursor(ListTasksCursor(last.at, last.task_id))
    return ListTasksResponse(tasks=tasks, next_page_token=token, page_size=size, total_size=total)


async def _row(ledger: Ledger, view: dict[str, Any]) -> _Row:
    state, at = STATES[view["state"]], int(view["updated_at"])
    if view["skill"] == OFFER_SKILL:
        if view["state"] == "submitted":
            state = TaskState.TASK_STATE_INPUT_REQUIRED
        content = (view["result"] or {}).get("content")
        if isinstance(content, dict) and PAID_TASK in content:
            paid = await ledger.view(str(content[PAID_TASK]))
            if paid is not None:
                state, at = STATES[paid["state"]], int(paid["updated_at"])
    return _Row(view, state, at)


async def _tasks(ledger: Ledger, rows: list[_Row], params: ListTasksRequest) -> list[Task]:
    gate = asyncio.Semaphore(_AT_ONCE)

    async def one(row: _Row) -> Task | None:
        async with gate:
            record = await ledger.record(row.task_id, progress=False)
        if record is None:
            return None
        task = apply_history_length(task_from(record, entries_of(record)), params)
        if not params.include_artifacts:
            task.ClearField("artifacts")
        return task

    found = await asyncio.gather(*(one(row) for row in rows))
    return [task for task in found if task is not None]
