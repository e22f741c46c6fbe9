"""Loading a task, and the one place where a step is written: head, history, event."""

from chain.std import Addr, Deps, DepsMut, Env, Event, Response, encode, replace
from contracts.agent_tasks_v1.error import DeadlinePassed, TaskNotFound, WrongState
from contracts.agent_tasks_v1.mirror import task_id
from contracts.agent_tasks_v1.price import is_number
from contracts.agent_tasks_v1.state import (
    FINAL,
    NEVER_DUE,
    STEPS,
    TASKS,
    Step,
    Task,
)

ID_PREFIX = "task-"


def parse_task_id(text: str) -> int | None:
    """The number in ``task-<number>``, in its one spelling."""
    digits = text[len(ID_PREFIX) :]
    if not text.startswith(ID_PREFIX) or not is_number(digits) or digits.startswith("0"):
        return None
    number = int(digits)
    return number if number < 1 << 64 else None


def may_load_task(deps: Deps, text: str) -> Task | None:
    """The task with this id."""
    number = parse_task_id(text)
    return None if number is None else TASKS.may_load(deps.storage, number)


def load_task(deps: Deps, text: str) -> Task:
    """The task with this id, or a refusal."""
    task = may_load_task(deps, text)
    if task is None:
        raise TaskNotFound(text)
    return task


def now_of(env: Env) -> int:
    """Block time in nanoseconds."""
    return env.block.time.nanos()


def require_state(task: Task, states: tuple[str, ...], action: str) -> None:
    """The step is possible from these states only."""
    if task.state not in states:
        raise WrongState(task_id(task.number), task.state, action)


def require_open(task: Task, action: str) -> None:
    """The step is possible from every state that is not final."""
    if task.state in FINAL:
        raise WrongState(task_id(task.number), task.state, action)


def require_time(task: Task, env: Env) -> None:
    """The task is alive while block time is at most its deadline."""
    if now_of(env) > task.deadline:
        raise DeadlinePassed(task_id(task.number))


def write_step(
    deps: DepsMut, env: Env, task: Task, action: str, actor: Addr, *, detail: object = None
) -> Task:
    """Store the head with the moment until which it can go on, and one entry of the history."""
    if task.state in FINAL:
        due = NEVER_DUE
    elif task.approval is not None:
        due = min(task.deadline, task.approval_deadline)
    else:
        due = task.deadline
    now = now_of(env)
    written = replace(task, due=due, steps=task.steps + 1, updated_at=now)
    TASKS.save(deps.storage, task.number, written)
    entry = Step(action, task.state, actor, now, env.block.height, encode(detail))
    STEPS.save(deps.storage, (task.number, written.steps), entry)
    return written


def step_response(env: Env, task: Task, action: str, actor: Addr) -> Response:
    """Attributes for the caller, and the event ``agent_task`` by which the log is searched."""
    event = (
        Event("agent_task")
        .add_attribute("action", action)
        .add_attribute("task_id", task_id(task.number))
        .add_attribute("state", task.state)
        .add_attribute("actor", actor)
        .add_attribute("requester", task.requester_addr)
        .add_attribute("provider", task.provider)
        .add_attribute("provider_address", task.provider_addr)
        .add_attribute("price", str(task.price))
        .add_attribute("denom", task.denom)
        .add_attribute("paid", str(task.paid))
        .add_attribute("refunded", str(task.refunded))
        .add_attribute("height", str(env.block.height))
    )
    return (
        Response()
        .add_attribute("action", action)
        .add_attribute("task_id", task_id(task.number))
        .add_attribute("state", task.state)
        .add_event(event)
    )
