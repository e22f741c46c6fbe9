"""A task of the ledger as A2A shows it: entries in their order, and the task that they add up to.

Everything is made of what contracts answer at one height, so any gateway at any time makes the
same entries with the same ids. A stream emits entries; a snapshot is their sum.

An offer is a task of the gateway's own that keeps a request nobody has paid for yet; when somebody
pays, the paid task's entries follow the offer's, under the offer's id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from a2a.types import (
    Task,
    TaskArtifactUpdateEvent,
    TaskState,
    TaskStatus,
    TaskStatusUpdateEvent,
)
from google.protobuf.json_format import ParseDict, ParseError
from google.protobuf.timestamp_pb2 import Timestamp

from chain.client.task_content import (
    ARTIFACT,
    PROGRESS,
    artifacts_of,
    from_ledger,
    message_in,
    parts_of,
    words_of,
)
from chain.gateway.a2a_payment import payment_facts, payment_message

#: the skill of offers, and the field of a finished one that names the paid task
OFFER_SKILL: Final = "a2a-offer"
PAID_TASK: Final = "paid_task"
STATES: Final[dict[str, TaskState]] = {
    "submitted": TaskState.TASK_STATE_SUBMITTED,
    "working": TaskState.TASK_STATE_WORKING,
    "input_required": TaskState.TASK_STATE_INPUT_REQUIRED,
    "auth_required": TaskState.TASK_STATE_AUTH_REQUIRED,
    "completed": TaskState.TASK_STATE_COMPLETED,
    "failed": TaskState.TASK_STATE_FAILED,
    "canceled": TaskState.TASK_STATE_CANCELED,
    "rejected": TaskState.TASK_STATE_REJECTED,
}
FINAL: Final = frozenset(STATES[one] for one in ("completed", "failed", "canceled", "rejected"))
WAITING: Final = frozenset(STATES[one] for one in ("input_required", "auth_required"))
_MS: Final = 1_000_000
_ENDED: Final = ("failed", "canceled", "rejected")


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened to a task. ``state`` of None changes no status; ``said`` is the
    status message, ``heard`` the requester's own message; both ProtoJSON."""

    id: str
    at: int
    rank: int = 0
    state: TaskState | None = None
    said: dict[str, Any] | None = None
    heard: dict[str, Any] | None = None
    artifacts: tuple[dict[str, Any], ...] = ()
    append: bool = False
    facts: dict[str, Any] | None = None


class Record(msgspec.Struct, frozen=True):
    """A task as contracts showed it at a height; ``paid`` is an offer's paid task."""

    view: dict[str, Any]
    steps: Sequence[dict[str, Any]]
    progress: Sequence[dict[str, Any]] = ()
    paid: Record | None = None

    @property
    def task_id(self) -> str:
        """The id that clients know."""
        return str(self.view["task_id"])

    @property
    def context_id(self) -> str:
        """The requester's, or one that follows from the id."""
        return context_of(self.view)

    @property
    def is_offer(self) -> bool:
        """Whether it keeps an unpaid request."""
        return bool(self.view["skill"] == OFFER_SKILL)

    @property
    def agent_id(self) -> str:
        """The agent that the client asked."""
        return asked_agent(self.view)


def context_of(view: Mapping[str, Any]) -> str:
    """A task's context."""
    return str(view["context_id"] or f"context-{view['task_id']}")


def asked_agent(view: Mapping[str, Any]) -> str:
    """Whom a task, or an offer, asks."""
    if view["skill"] == OFFER_SKILL and isinstance(view["params"], dict):
        offer = view["params"].get("offer")
        if isinstance(offer, dict):
            return str(offer.get("agent", ""))
    return str(view["provider"])


# --- entries --------------------------------------------------------------------------------------


def entries_of(record: Record) -> list[Entry]:
    """The entries of a task, oldest first."""
    if record.is_offer:
        return _offer_entries(record)
    return _task_entries(record, "s", record.task_id)


def _task_entries(record: Record, mark: str, task_id: str) -> list[Entry]:
    view = record.view
    found = [_step(step, view, record.context_id, mark, task_id) for step in record.steps]
    found += [_progress(one, record.context_id, task_id) for one in record.progress]
    return sorted(found, key=lambda one: (one.at, one.rank))


def _step(
    step: Mapping[str, Any], view: Mapping[str, Any], context_id: str, mark: str, task_id: str
) -> Entry:
    action, detail = step["action"], step["detail"]
    entry_id = f"{mark}{step['number']}"
    said: dict[str, Any] | None = None
    heard: dict[str, Any] | None = None
    delivered = action == "complete_task"
    spoken = words_of(view["result"]) if delivered else []
    if action == "create_task":
        heard = _heard(view["params"], f"{task_id}-{entry_id}", context_id, task_id)
        if step["state"] == "auth_required":
            said = _said(["The owner of the requesting agent is asked to agree to the payment."])
    elif action == "provide_input":
        heard = _heard(detail, f"{task_id}-{entry_id}", context_id, task_id)
    elif action == "request_input":
        said = {"parts": parts_of(detail)}
    elif action == "request_approval":
        said = _said([f"The owner of the agent is asked: {detail}"])
    elif spoken:
        said = {"parts": spoken}
    elif step["state"] in _ENDED and isinstance(detail, str):
        said = _said([detail])
    if said is not None:
        said |= {
            "messageId": f"{task_id}-{entry_id}",
            "role": "ROLE_AGENT",
            "taskId": task_id,
            "contextId": context_id,
        }
    final = step["state"] in (*_ENDED, "completed")
    return Entry(
        id=entry_id,
        at=int(step["at"]),
        rank=2 if final else 0,
        state=STATES[step["state"]],
        said=said,
        heard=heard,
        artifacts=tuple(artifacts_of(view["result"])) if delivered and not spoken else (),
        facts=payment_facts(view, step),
    )


def _progress(message: Mapping[str, Any], context_id: str, task_id: str) -> Entry:
    """A provider's progress message; its fields were checked where it was read."""
    said = None
    if message.get(PROGRESS) is not None:
        said = {
            "messageId": message["msg_id"],
            "role": "ROLE_AGENT",
            "parts": parts_of(message[PROGRESS]),
            "taskId": task_id,
            "contextId": context_id,
        }
    piece = from_ledger(message.get(ARTIFACT))
    return Entry(
        id=f"m{message['msg_id']}",
        at=int(message["created_at"]),
        rank=1,
        state=TaskState.TASK_STATE_WORKING if said else None,
        said=said,
        artifacts=(piece,) if isinstance(piece, dict) else (),
        append=bool(message.get("append")),
    )


def _offer_entries(record: Record) -> list[Entry]:
    view, task_id, context_id = record.view, record.task_id, record.context_id
    first = record.steps[0]
    heard = _heard(view["params"], f"{task_id}-o1", context_id, task_id)
    asked = payment_message(view) | {
        "messageId": f"{task_id}-o1-payment",
        "role": "ROLE_AGENT",
        "taskId": task_id,
        "contextId": context_id,
    }
    found = [
        Entry(
            id="o1",
            at=int(first["at"]),
            state=TaskState.TASK_STATE_INPUT_REQUIRED,
            heard=heard,
            said=asked,
            facts=payment_facts(view, first),
        )
    ]
    for step in record.steps[1:]:
        if step["state"] in _ENDED:
            ended = _step(step, view, context_id, "o", task_id)
            found.append(msgspec.structs.replace(ended, heard=None))
    if record.paid is not None:
        for entry in _task_entries(record.paid, "s", task_id):
            found.append(msgspec.structs.replace(entry, heard=None) if entry.id == "s1" else entry)
    return found


def _said(texts: Sequence[str]) -> dict[str, Any]:
    return {"parts": [{"text": text} for text in texts]}


def _heard(value: Any, default_id: str, context_id: str, task_id: str) -> dict[str, Any]:
    message = message_in(value) or {"parts": parts_of(value)}
    made = {**message, "role": "ROLE_USER", "taskId": task_id, "contextId": context_id}
    made.setdefault("messageId", default_id)
    return made


# --- what clients see -----------------------------------------------------------------------------


def moment(nanos: int) -> Timestamp:
    """A time, to the millisecond."""
    made = Timestamp()
    made.FromNanoseconds(nanos // _MS * _MS)
    return made


def task_from(record: Record, entries: Sequence[Entry]) -> Task:
    """The task that entries add up to. History holds what was said before the status message."""
    task = Task(id=record.task_id, context_id=record.context_id)
    for entry in entries:
        status = status_of(entry)
        if status is not None:
            asked = task.status.state == TaskState.TASK_STATE_INPUT_REQUIRED
            if asked and task.status.HasField("message"):
                task.history.add().CopyFrom(task.status.message)
            task.status.CopyFrom(status)
        if entry.heard is not None:
            _parse(entry.heard, task.history.add())
        for made in entry.artifacts:
            _merge(task, made, append=entry.append)
        if entry.facts:
            ParseDict(entry.facts, task.metadata)
    return task


def status_of(entry: Entry) -> TaskStatus | None:
    """The status that an entry set."""
    if entry.state is None:
        return None
    status = TaskStatus(state=entry.state, timestamp=moment(entry.at))
    if entry.said is not None:
        _parse(entry.said, status.message)
    return status


def events_of(
    record: Record, entry: Entry
) -> list[TaskArtifactUpdateEvent | TaskStatusUpdateEvent]:
    """What a stream says of an entry: its artifacts, then its status."""
    found: list[TaskArtifactUpdateEvent | TaskStatusUpdateEvent] = []
    for made in entry.artifacts:
        event = TaskArtifactUpdateEvent(
            task_id=record.task_id,
            context_id=record.context_id,
            append=entry.append,
            last_chunk=entry.state in FINAL,
        )
        _parse(made, event.artifact)
        found.append(event)
    status = status_of(entry)
    if status is not None:
        update = TaskStatusUpdateEvent(task_id=record.task_id, context_id=record.context_id)
        update.status.CopyFrom(status)
        if entry.facts:
            ParseDict(entry.facts, update.metadata)
        found.append(update)
    return found


def _merge(task: Task, made: dict[str, Any], *, append: bool) -> None:
    for artifact in task.artifacts:
        if artifact.artifact_id == made.get("artifactId"):
            kept = list(artifact.parts)
            artifact.Clear()
            _parse(made, artifact)
            if append:
                fresh = list(artifact.parts)
                del artifact.parts[:]
                artifact.parts.extend(kept + fresh)
            return
    _parse(made, task.artifacts.add())


def _parse(value: dict[str, Any], into: Any) -> None:
    """ProtoJSON from the ledger; what others wrote badly is shown as data."""
    try:
        ParseDict(value, into, ignore_unknown_fields=True)
    except ParseError:
        into.Clear()
        known = {"messageId", "role", "taskId", "contextId", "artifactId", "name"}
        kept = {name: one for name, one in value.items() if name in known and isinstance(one, str)}
        ParseDict({**kept, "parts": [{"data": value.get("parts")}]}, into)
