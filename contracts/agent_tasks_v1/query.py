"""What the tasks contract answers."""

from chain.std import Deps, Env, Timestamp, Uint128, ascii_lower, decode
from chain.storage_plus import Order, page_size, paginate
from contracts.agent_tasks_v1.error import InvalidField
from contracts.agent_tasks_v1.journal import load_task, may_load_task, now_of, parse_task_id
from contracts.agent_tasks_v1.mirror import task_id
from contracts.agent_tasks_v1.msg import (
    Claimable,
    ClaimableResponse,
    ClaimView,
    ConfigResponse,
    GetConfig,
    GetPrice,
    GetTask,
    GetTaskByRef,
    Held,
    HeldResponse,
    HistoryEntry,
    HistoryResponse,
    ListClaimable,
    ListTasks,
    PriceResponse,
    ResultView,
    SpendingStatus,
    SpendingStatusResponse,
    TaskHistory,
    TaskResponse,
    TasksResponse,
    TaskView,
)
from contracts.agent_tasks_v1.price import load_price, load_provider
from contracts.agent_tasks_v1.spending import NANOS, load_policy, period_of, spent_in
from contracts.agent_tasks_v1.state import (
    BODIES,
    BY_PROVIDER,
    BY_PROVIDER_STATE,
    BY_REQUESTER,
    BY_REQUESTER_STATE,
    BY_STATE,
    CLAIMABLE,
    CLIENT_REFS,
    CONFIG,
    FINAL,
    HELD,
    RESULTS,
    STATES,
    STEPS,
    TASKS,
    Task,
)

CLAIMS_MAX = 100


def query_get_task(deps: Deps, env: Env, msg: GetTask) -> TaskResponse:
    """One task, or null."""
    task = may_load_task(deps, msg.task_id)
    return TaskResponse(None if task is None else task_view(deps, env, task))


def query_get_task_by_ref(deps: Deps, env: Env, msg: GetTaskByRef) -> TaskResponse:
    """The task of a ``client_ref``, or null."""
    requester_addr = deps.api.addr_validate(msg.requester)
    number = CLIENT_REFS.may_load(deps.storage, (requester_addr, msg.client_ref))
    if number is None:
        return TaskResponse(None)
    return TaskResponse(task_view(deps, env, TASKS.load(deps.storage, number)))


def query_list_tasks(deps: Deps, env: Env, msg: ListTasks) -> TasksResponse:
    """Newest first; the cost is that of the page, whichever way is asked."""
    if msg.requester is not None and msg.provider is not None:
        raise InvalidField("provider", "ask by requester or by provider, not by both")
    state = None if msg.state is None else state_word(msg.state)
    cursor = None
    if msg.start_after is not None:
        cursor = parse_task_id(msg.start_after)
        if cursor is None:
            raise InvalidField("start_after", "a task id")
    if msg.requester is not None:
        requester_addr = deps.api.addr_validate(msg.requester)
        source = BY_REQUESTER.prefix(requester_addr)
        if state is not None:
            source = BY_REQUESTER_STATE.prefix((requester_addr, state))
    elif msg.provider is not None:
        source = BY_PROVIDER.prefix(msg.provider)
        if state is not None:
            source = BY_PROVIDER_STATE.prefix((msg.provider, state))
    elif state is not None:
        source = BY_STATE.prefix(state)
    else:
        rows = paginate(TASKS, deps.storage, cursor, msg.limit)
        return tasks_page(deps, env, rows, msg.limit)
    rows = paginate(source, deps.storage, cursor, msg.limit)
    return tasks_page(deps, env, rows, msg.limit)


def query_task_history(deps: Deps, env: Env, msg: TaskHistory) -> HistoryResponse:
    """The steps, oldest first."""
    task = load_task(deps, msg.task_id)
    rows = paginate(
        STEPS.prefix(task.number), deps.storage, msg.start_after, msg.limit, Order.ASCENDING
    )
    entries = [
        HistoryEntry(
            number,
            step.action,
            step.state,
            step.actor,
            Timestamp(step.at),
            step.height,
            decode(step.detail),
        )
        for number, step in rows
    ]
    more = is_full(len(rows), msg.limit) and entries[-1].number < task.steps
    return HistoryResponse(tuple(entries), entries[-1].number if more else None)


def query_get_price(deps: Deps, env: Env, msg: GetPrice) -> PriceResponse:
    """What a skill costs now."""
    config = CONFIG.load(deps.storage)
    agent = load_provider(deps, config.registry_addr, msg.provider)
    price = load_price(deps, config.registry_addr, agent, msg.skill)
    return PriceResponse(
        Uint128(price.amount), price.denom, price.source, price.cancellation_share_bps
    )


def query_spending_status(deps: Deps, env: Env, msg: SpendingStatus) -> SpendingStatusResponse:
    """The policy and the current period."""
    agent_addr = deps.api.addr_validate(msg.agent)
    found = load_policy(deps, CONFIG.load(deps.storage).registry_addr, agent_addr)
    policy = found.policy
    if policy is None:
        return SpendingStatusResponse(
            found.agent_id, found.owner, None, None, None, None, None, None, Uint128(0), None
        )
    start = period_of(policy, now_of(env))
    spent = spent_in(deps.storage, agent_addr, policy, start)
    remaining = None
    if policy.per_period_limit is not None:
        remaining = Uint128(max(policy.per_period_limit - spent, 0))
    return SpendingStatusResponse(
        found.agent_id,
        found.owner,
        policy.denom,
        policy.per_tx_limit,
        policy.per_period_limit,
        policy.period_seconds,
        Timestamp(start * NANOS),
        Timestamp((start + policy.period_seconds) * NANOS),
        Uint128(spent),
        remaining,
    )


def query_claimable(deps: Deps, env: Env, msg: Claimable) -> ClaimableResponse:
    """What waits for one address."""
    addr = deps.api.addr_validate(msg.address)
    rows = paginate(CLAIMABLE.prefix(addr), deps.storage, None, CLAIMS_MAX, Order.ASCENDING)
    return ClaimableResponse(
        tuple([ClaimView(addr, denom, amount) for denom, amount in rows]), None
    )


def query_list_claimable(deps: Deps, env: Env, msg: ListClaimable) -> ClaimableResponse:
    """What waits for anybody."""
    rows = paginate(CLAIMABLE, deps.storage, msg.start_after, msg.limit, Order.ASCENDING)
    claims = [ClaimView(key[0], key[1], amount) for key, amount in rows]
    cursor = (claims[-1].address, claims[-1].denom) if is_full(len(rows), msg.limit) else None
    return ClaimableResponse(tuple(claims), cursor)


def query_held(deps: Deps, env: Env, msg: Held) -> HeldResponse:
    """What is owed in a denomination."""
    return HeldResponse(msg.denom, HELD.may_load(deps.storage, msg.denom) or Uint128(0))


def query_get_config(deps: Deps, env: Env, msg: GetConfig) -> ConfigResponse:
    """The configuration."""
    config = CONFIG.load(deps.storage)
    return ConfigResponse(
        config.admin_addr,
        config.registry_addr,
        config.a2a_addr,
        config.approval_timeout_seconds,
        config.deadline_default_seconds,
        config.deadline_max_seconds,
        config.content_max_bytes,
        config.sweep_max,
    )


def state_word(text: str) -> str:
    """A state in any spelling.

    ``input_required``, ``input-required``, ``TASK_STATE_INPUT_REQUIRED``.
    """
    wanted = ascii_lower(text).replace("-", "_")
    if wanted.startswith("task_state_"):
        wanted = wanted[len("task_state_") :]
    for state in STATES:
        if wanted == state or wanted == state.replace("_", ""):
            return state
    raise InvalidField("state", "no task state")


def is_full(found: int, limit: int | None) -> bool:
    """A full page may have another behind it."""
    return found > 0 and found == page_size(limit)


def tasks_page(
    deps: Deps, env: Env, rows: list[tuple[int, Task]], limit: int | None
) -> TasksResponse:
    """Views of a page, and the cursor where more may remain."""
    views = [task_view(deps, env, task) for number, task in rows]
    return TasksResponse(tuple(views), views[-1].task_id if is_full(len(rows), limit) else None)


def last_detail(deps: Deps, task: Task, step: int) -> object:
    """What was asked, or answered, in a step; 0 is none."""
    if step == 0:
        return None
    return decode(STEPS.load(deps.storage, (task.number, step)).detail)


def task_view(deps: Deps, env: Env, task: Task) -> TaskView:
    """Everything about a task."""
    body = BODIES.load(deps.storage, task.number)
    result = RESULTS.may_load(deps.storage, task.number)
    waiting = task.approval is not None
    return TaskView(
        task_id=task_id(task.number),
        context_id=body.context_id,
        requester=task.requester_addr,
        requester_agent=body.requester_agent,
        provider=task.provider,
        provider_address=task.provider_addr,
        skill=body.skill,
        params=decode(body.params),
        price=task.price,
        denom=task.denom,
        state=task.state,
        approval=task.approval,
        approver=task.approver_addr,
        approval_deadline=Timestamp(task.approval_deadline) if waiting else None,
        deadline=Timestamp(task.deadline),
        overdue=task.state not in FINAL and now_of(env) > task.due,
        cancellation_share_bps=task.cancellation_share_bps,
        question=last_detail(deps, task, task.question_step),
        input=last_detail(deps, task, task.input_step),
        result=None
        if result is None
        else ResultView(decode(result.content), result.hash, result.reference),
        error=task.error,
        paid=task.paid,
        refunded=task.refunded,
        client_ref=body.client_ref,
        created_at=Timestamp(body.created_at),
        created_height=body.created_height,
        updated_at=Timestamp(task.updated_at),
    )
