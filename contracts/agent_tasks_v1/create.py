"""A new task: who is asked, what it costs, whether the owner has to agree."""

from chain.std import (
    Addr,
    Coin,
    DepsMut,
    Env,
    MessageInfo,
    Response,
    Uint64,
    Uint128,
    decode_variant,
    encode,
)
from contracts.agent_tasks_v1.error import (
    ClientRefConflict,
    InvalidField,
    PriceChanged,
    SelfTask,
    Underpaid,
    WrongDenom,
)
from contracts.agent_tasks_v1.journal import now_of, step_response, write_step
from contracts.agent_tasks_v1.mirror import ask_owner, send_request, task_id
from contracts.agent_tasks_v1.money import CW20_PREFIX, attached, hold, pay, refuse_funds
from contracts.agent_tasks_v1.msg import HOOK, CreateTask, Receive
from contracts.agent_tasks_v1.price import Price, load_price, load_provider
from contracts.agent_tasks_v1.spending import NANOS, judge_payment, load_policy
from contracts.agent_tasks_v1.state import (
    APPROVAL_PAYMENT,
    AUTH_REQUIRED,
    BODIES,
    CLIENT_REFS,
    CONFIG,
    NEVER_DUE,
    SUBMITTED,
    TASK_COUNT,
    TASKS,
    Body,
    Config,
    Task,
)

SKILL_MAX_BYTES = 128
REF_MAX_BYTES = 128


def execute_create_task(deps: DepsMut, env: Env, info: MessageInfo, msg: CreateTask) -> Response:
    """A task paid in native coins."""
    return create_task(deps, env, info.sender, attached(info), msg)


def execute_receive(deps: DepsMut, env: Env, info: MessageInfo, msg: Receive) -> Response:
    """A task paid in a token: the caller is the token, and the tokens are here already."""
    refuse_funds(info)
    requester_addr = deps.api.addr_validate(msg.sender)
    hook = decode_variant(msg.msg, HOOK, "HookMsg")
    paid = Coin(f"{CW20_PREFIX}{info.sender}", msg.amount)
    return create_task(deps, env, requester_addr, paid, hook)


def create_task(
    deps: DepsMut, env: Env, requester_addr: Addr, paid: Coin, msg: CreateTask
) -> Response:
    """Store the task, keep its price, give the rest back, tell the provider or the owner.

    Order of checks: client_ref, fields, provider, price, funds, policy.
    """
    config = CONFIG.load(deps.storage)
    hold(deps.storage, paid.denom, paid.amount)
    known = known_task(deps, requester_addr, msg)
    if known is not None:
        return answer_again(deps, env, paid, known)
    check_fields(config, env, msg)
    agent = load_provider(deps, config.registry_addr, msg.provider)
    provider_addr = deps.api.addr_validate(agent.address)
    if provider_addr == requester_addr:
        raise SelfTask
    asked = load_price(deps, config.registry_addr, agent, msg.skill)
    cost = agree(asked, msg.price, paid)
    policy = load_policy(deps, config.registry_addr, requester_addr)
    verdict = judge_payment(deps.storage, requester_addr, policy.policy, cost, now_of(env))
    deadline = deadline_of(config, env, msg)
    task = Task(
        number=next_number(deps),
        requester_addr=requester_addr,
        provider=msg.provider,
        provider_addr=provider_addr,
        denom=cost.denom,
        price=Uint128(cost.amount),
        cancellation_share_bps=asked.cancellation_share_bps,
        state=AUTH_REQUIRED if verdict.needs_owner else SUBMITTED,
        accepted=False,
        approval=APPROVAL_PAYMENT if verdict.needs_owner else None,
        approver_addr=Addr(policy.owner) if verdict.needs_owner and policy.owner else None,
        approval_deadline=approval_deadline(config, env, deadline),
        deadline=deadline,
        due=deadline,
        period_start=verdict.period_start,
        paid=Uint128(0),
        refunded=Uint128(0),
        error=None,
        steps=0,
        question_step=0,
        input_step=0,
        updated_at=now_of(env),
    )
    body = store_body(deps, env, task, msg, policy.agent_id)
    task = write_step(deps, env, task, "create_task", requester_addr)
    response = step_response(env, task, "create_task", requester_addr)
    response.set_data(encode({"task_id": task_id(task.number)}))
    pay(deps.storage, response, requester_addr, paid.denom, paid.amount - cost.amount)
    if verdict.needs_owner:
        return ask_owner(response, config, task, body, requester_addr, why="spending policy")
    return send_request(response, config, task, body)


def known_task(deps: DepsMut, requester_addr: Addr, msg: CreateTask) -> Task | None:
    """The task of this ``client_ref``; with another body that is a conflict."""
    if msg.client_ref is None:
        return None
    number = CLIENT_REFS.may_load(deps.storage, (requester_addr, msg.client_ref))
    if number is None:
        return None
    task = TASKS.load(deps.storage, number)
    body = BODIES.load(deps.storage, number)
    same = (
        task.provider == msg.provider
        and body.skill == msg.skill
        and body.params == encode(msg.params)
        and body.asked_price == msg.price
        and body.asked_deadline == msg.deadline
        and body.context_id == msg.context_id
    )
    if not same:
        raise ClientRefConflict(msg.client_ref, task_id(number))
    return task


def answer_again(deps: DepsMut, env: Env, paid: Coin, task: Task) -> Response:
    """A retry changes nothing: the same id comes back, and all that was attached."""
    response = (
        Response()
        .add_attribute("action", "create_task")
        .add_attribute("task_id", task_id(task.number))
        .add_attribute("state", task.state)
        .add_attribute("repeated", "true")
        .set_data(encode({"task_id": task_id(task.number)}))
    )
    return pay(deps.storage, response, task.requester_addr, paid.denom, paid.amount)


def check_fields(config: Config, env: Env, msg: CreateTask) -> None:
    """Lengths, sizes, and a deadline that lies ahead."""
    check_text("skill", msg.skill, SKILL_MAX_BYTES)
    if msg.client_ref is not None:
        check_text("client_ref", msg.client_ref, REF_MAX_BYTES)
    if msg.context_id is not None:
        check_text("context_id", msg.context_id, REF_MAX_BYTES)
    if len(encode(msg.params)) > config.content_max_bytes:
        raise InvalidField("params", f"at most {config.content_max_bytes} bytes")
    if msg.deadline is not None:
        if msg.deadline.nanos() <= now_of(env):
            raise InvalidField("deadline", "it has passed")
        if msg.deadline.nanos() > now_of(env) + config.deadline_max_seconds * NANOS:
            raise InvalidField("deadline", f"at most {config.deadline_max_seconds} seconds ahead")


def check_text(field: str, text: str, max_bytes: int) -> None:
    """One to ``max_bytes`` bytes."""
    if text == "" or len(text.encode()) > max_bytes:
        raise InvalidField(field, f"1 to {max_bytes} bytes")


def agree(asked: Price, offered: Uint128 | None, paid: Coin) -> Coin:
    """What the task costs: what the requester named, at least what the card asks.

    And it is attached.
    """
    price = asked.amount if offered is None else offered
    if price < asked.amount:
        raise PriceChanged(asked.amount, price, asked.denom)
    if price == 0:
        return Coin(asked.denom, 0)
    denom = asked.denom
    if paid.amount > 0 and paid.denom != asked.denom:
        if asked.amount > 0:
            raise WrongDenom(asked.denom, paid.denom)
        denom = paid.denom
    if paid.amount < price:
        raise Underpaid(price, paid.amount, denom)
    return Coin(denom, price)


def deadline_of(config: Config, env: Env, msg: CreateTask) -> int:
    """The last moment of the task."""
    if msg.deadline is not None:
        return msg.deadline.nanos()
    return min(now_of(env) + config.deadline_default_seconds * NANOS, NEVER_DUE - 1)


def approval_deadline(config: Config, env: Env, deadline: int) -> int:
    """The last moment at which an owner who is asked now can agree."""
    return min(now_of(env) + config.approval_timeout_seconds * NANOS, deadline)


def next_number(deps: DepsMut) -> int:
    """Tasks are numbered from 1."""
    number = (TASK_COUNT.may_load(deps.storage) or 0) + 1
    TASK_COUNT.save(deps.storage, Uint64(number))
    return number


def store_body(
    deps: DepsMut, env: Env, task: Task, msg: CreateTask, requester_agent: str | None
) -> Body:
    """Write what never changes."""
    body = Body(
        requester_agent=requester_agent,
        skill=msg.skill,
        params=encode(msg.params),
        asked_price=msg.price,
        asked_deadline=None if msg.deadline is None else msg.deadline.nanos(),
        client_ref=msg.client_ref,
        context_id=msg.context_id,
        created_at=now_of(env),
        created_height=env.block.height,
    )
    BODIES.save(deps.storage, task.number, body)
    if msg.client_ref is not None:
        CLIENT_REFS.save(deps.storage, (task.requester_addr, msg.client_ref), Uint64(task.number))
    return body
