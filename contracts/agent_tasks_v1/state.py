"""What the tasks contract stores.

A task is three records: the head, which every step rewrites; the body, written once; the result.
Tasks are numbered from 1; ``task-<number>`` is the id outside.
"""

from chain.std import Addr, Record, Uint64, Uint128
from chain.storage_plus import IndexedMap, Item, Map, MultiIndex

SUBMITTED = "submitted"
WORKING = "working"
INPUT_REQUIRED = "input_required"
AUTH_REQUIRED = "auth_required"
COMPLETED = "completed"
FAILED = "failed"
CANCELED = "canceled"
REJECTED = "rejected"

STATES = (
    SUBMITTED,
    WORKING,
    INPUT_REQUIRED,
    AUTH_REQUIRED,
    COMPLETED,
    FAILED,
    CANCELED,
    REJECTED,
)
FINAL = (COMPLETED, FAILED, CANCELED, REJECTED)

#: What an owner is asked about.
APPROVAL_PAYMENT = "payment"
APPROVAL_WORK = "work"

#: Sorts after every moment: a task that is over is never due.
NEVER_DUE = (1 << 64) - 1


class Config(Record):
    """The configuration; see ``InstantiateMsg``."""

    admin_addr: Addr
    registry_addr: Addr
    a2a_addr: Addr | None
    approval_timeout_seconds: int
    deadline_default_seconds: int
    deadline_max_seconds: int
    content_max_bytes: int
    sweep_max: int


class Task(Record):
    """The head of a task. Times in nanoseconds.

    ``due`` is the last moment at which it can go on.
    """

    number: int
    requester_addr: Addr
    provider: str
    provider_addr: Addr
    denom: str
    price: Uint128
    cancellation_share_bps: int
    state: str
    accepted: bool
    approval: str | None
    approver_addr: Addr | None
    approval_deadline: int
    deadline: int
    due: int
    #: start of the spending period in which the price was counted, in seconds; -1: it was not
    period_start: int
    paid: Uint128
    refunded: Uint128
    error: str | None
    steps: int
    #: number of the last step that asked for input, and of the last that gave it; 0: none yet
    question_step: int
    input_step: int
    updated_at: int


class Body(Record):
    """What the requester sent, and when. ``params`` is JSON."""

    requester_agent: str | None
    skill: str
    params: bytes
    asked_price: Uint128 | None
    asked_deadline: int | None
    client_ref: str | None
    context_id: str | None
    created_at: int
    created_height: int


class Result(Record):
    """What the provider delivered. ``content`` is JSON."""

    content: bytes
    hash: str | None
    reference: str | None


class Step(Record):
    """One entry of a task's history. ``detail`` is JSON: a question, an answer, a reason."""

    action: str
    state: str
    actor: str
    at: int
    height: int
    detail: bytes


class Spent(Record):
    """What an agent spent by itself in a period of its policy."""

    period_start: int
    period_seconds: int
    denom: str
    amount: Uint128


def requester_of(key: bytes, task: Task) -> Addr:
    """Index value."""
    return task.requester_addr


def requester_state_of(key: bytes, task: Task) -> tuple[Addr, str]:
    """Index value."""
    return (task.requester_addr, task.state)


def provider_of(key: bytes, task: Task) -> str:
    """Index value."""
    return task.provider


def provider_state_of(key: bytes, task: Task) -> tuple[str, str]:
    """Index value."""
    return (task.provider, task.state)


def state_of(key: bytes, task: Task) -> str:
    """Index value."""
    return task.state


def due_of(key: bytes, task: Task) -> int:
    """Index value."""
    return task.due


CONFIG = Item("config", Config)
TASK_COUNT = Item("task_count", Uint64)
BY_REQUESTER = MultiIndex(requester_of, "tasks__requester", (Addr,))
BY_REQUESTER_STATE = MultiIndex(requester_state_of, "tasks__requester_state", (Addr, str))
BY_PROVIDER = MultiIndex(provider_of, "tasks__provider", (str,))
BY_PROVIDER_STATE = MultiIndex(provider_state_of, "tasks__provider_state", (str, str))
BY_STATE = MultiIndex(state_of, "tasks__state", (str,))
BY_DUE = MultiIndex(due_of, "tasks__due", (Uint64,))
TASKS = IndexedMap(
    "tasks",
    (Uint64,),
    Task,
    (BY_REQUESTER, BY_REQUESTER_STATE, BY_PROVIDER, BY_PROVIDER_STATE, BY_STATE, BY_DUE),
)
BODIES = Map("bodies", (Uint64,), Body)
RESULTS = Map("results", (Uint64,), Result)
#: (task, number of the step from 1)
STEPS = Map("steps", (Uint64, Uint64), Step)
#: (requester, client_ref) → task
CLIENT_REFS = Map("client_refs", (Addr, str), Uint64)
SPENT = Map("spent", (Addr,), Spent)
#: denomination → open tasks and undelivered payments together
HELD = Map("held", (str,), Uint128)
#: (address, denomination) → undelivered payments
CLAIMABLE = Map("claimable", (Addr, str), Uint128)
