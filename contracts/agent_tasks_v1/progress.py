"""The provider works and the requester answers: every step that moves no money but the last."""

from chain.std import DepsMut, Env, MessageInfo, Response, Uint128, encode, replace
from contracts.agent_tasks_v1.create import check_text
from contracts.agent_tasks_v1.error import InvalidField, Unauthorized
from contracts.agent_tasks_v1.journal import (
    load_task,
    require_state,
    require_time,
    step_response,
    write_step,
)
from contracts.agent_tasks_v1.mirror import send_input, send_question, send_result, send_status
from contracts.agent_tasks_v1.money import pay, refuse_funds
from contracts.agent_tasks_v1.msg import AcceptTask, CompleteTask, ProvideInput, RequestInput
from contracts.agent_tasks_v1.state import (
    BODIES,
    COMPLETED,
    CONFIG,
    INPUT_REQUIRED,
    RESULTS,
    SUBMITTED,
    WORKING,
    Result,
    Task,
)

HASH_DIGITS = 64
HEX_DIGITS = "0123456789abcdef"
REFERENCE_MAX_BYTES = 2_048


def execute_accept_task(deps: DepsMut, env: Env, info: MessageInfo, msg: AcceptTask) -> Response:
    """submitted → working."""
    task = provider_task(deps, info, msg.task_id)
    require_state(task, (SUBMITTED,), "accept_task")
    require_time(task, env)
    changed = replace(task, state=WORKING, accepted=True)
    task = write_step(deps, env, changed, "accept_task", info.sender)
    response = step_response(env, task, "accept_task", info.sender)
    return send_status(
        response, CONFIG.load(deps.storage), task, BODIES.load(deps.storage, task.number)
    )


def execute_request_input(
    deps: DepsMut, env: Env, info: MessageInfo, msg: RequestInput
) -> Response:
    """working → input_required."""
    task = provider_task(deps, info, msg.task_id)
    require_state(task, (WORKING,), "request_input")
    require_time(task, env)
    check_content(deps, "question", msg.question)
    changed = replace(task, state=INPUT_REQUIRED, question_step=task.steps + 1)
    task = write_step(deps, env, changed, "request_input", info.sender, detail=msg.question)
    response = step_response(env, task, "request_input", info.sender)
    body = BODIES.load(deps.storage, task.number)
    return send_question(response, CONFIG.load(deps.storage), task, body, msg.question)


def execute_provide_input(
    deps: DepsMut, env: Env, info: MessageInfo, msg: ProvideInput
) -> Response:
    """input_required → working."""
    refuse_funds(info)
    task = load_task(deps, msg.task_id)
    if task.requester_addr != info.sender:
        raise Unauthorized("the requester")
    require_state(task, (INPUT_REQUIRED,), "provide_input")
    require_time(task, env)
    check_content(deps, "input", msg.input)
    changed = replace(task, state=WORKING, input_step=task.steps + 1)
    task = write_step(deps, env, changed, "provide_input", info.sender, detail=msg.input)
    response = step_response(env, task, "provide_input", info.sender)
    body = BODIES.load(deps.storage, task.number)
    return send_input(response, CONFIG.load(deps.storage), task, body, msg.input)


def execute_complete_task(
    deps: DepsMut, env: Env, info: MessageInfo, msg: CompleteTask
) -> Response:
    """working → completed: the whole price goes to the provider, here and now."""
    task = provider_task(deps, info, msg.task_id)
    require_state(task, (WORKING,), "complete_task")
    require_time(task, env)
    check_result(deps, msg)
    RESULTS.save(deps.storage, task.number, Result(encode(msg.content), msg.hash, msg.reference))
    changed = replace(task, state=COMPLETED, paid=Uint128(task.price))
    task = write_step(deps, env, changed, "complete_task", info.sender)
    response = step_response(env, task, "complete_task", info.sender)
    pay(deps.storage, response, task.provider_addr, task.denom, task.price)
    result: dict[str, object] = {"content": msg.content}
    if msg.hash is not None:
        result["hash"] = msg.hash
    if msg.reference is not None:
        result["reference"] = msg.reference
    body = BODIES.load(deps.storage, task.number)
    return send_result(response, CONFIG.load(deps.storage), task, body, result)


def provider_task(deps: DepsMut, info: MessageInfo, task_id: str) -> Task:
    """The task, if the sender is its provider and sent no money."""
    refuse_funds(info)
    task = load_task(deps, task_id)
    if task.provider_addr != info.sender:
        raise Unauthorized("the provider")
    return task


def check_content(deps: DepsMut, field: str, value: object) -> None:
    """JSON of at most the configured size."""
    content_max_bytes = CONFIG.load(deps.storage).content_max_bytes
    if len(encode(value)) > content_max_bytes:
        raise InvalidField(field, f"at most {content_max_bytes} bytes")


def check_result(deps: DepsMut, msg: CompleteTask) -> None:
    """A result says something: content, a hash, or where it is."""
    if msg.content is None and msg.hash is None and msg.reference is None:
        raise InvalidField("result", "give content, hash or reference")
    check_content(deps, "content", msg.content)
    if msg.hash is not None:
        digits = [digit for digit in msg.hash if digit in HEX_DIGITS]
        if len(msg.hash) != HASH_DIGITS or len(digits) != HASH_DIGITS:
            raise InvalidField("hash", "64 lower-case hexadecimal digits")
    if msg.reference is not None:
        check_text("reference", msg.reference, REFERENCE_MAX_BYTES)
