"""An owner is asked: about a payment above the agent's policy, or about a provider's work."""

from chain.std import DepsMut, Env, MessageInfo, Response, replace
from contracts.agent_registry_v1.msg import AgentResponse
from contracts.agent_tasks_v1.create import approval_deadline, check_text
from contracts.agent_tasks_v1.ending import REASON_MAX_BYTES, end_task, reason_text
from contracts.agent_tasks_v1.error import ApprovalTimedOut, Unauthorized
from contracts.agent_tasks_v1.journal import (
    load_task,
    now_of,
    require_state,
    require_time,
    step_response,
    write_step,
)
from contracts.agent_tasks_v1.mirror import (
    ask_owner,
    send_ended,
    send_request,
    send_status,
    task_id,
)
from contracts.agent_tasks_v1.money import refuse_funds
from contracts.agent_tasks_v1.msg import ApproveTask, DenyTask, RequestApproval
from contracts.agent_tasks_v1.progress import provider_task
from contracts.agent_tasks_v1.state import (
    APPROVAL_PAYMENT,
    APPROVAL_WORK,
    AUTH_REQUIRED,
    BODIES,
    CONFIG,
    FAILED,
    SUBMITTED,
    WORKING,
    Task,
)


def execute_request_approval(
    deps: DepsMut, env: Env, info: MessageInfo, msg: RequestApproval
) -> Response:
    """working → auth_required: the provider waits for its owner."""
    task = provider_task(deps, info, msg.task_id)
    require_state(task, (WORKING,), "request_approval")
    require_time(task, env)
    check_text("reason", msg.reason, REASON_MAX_BYTES)
    config = CONFIG.load(deps.storage)
    owner = owner_of(deps, task.provider)
    changed = replace(
        task,
        state=AUTH_REQUIRED,
        approval=APPROVAL_WORK,
        approver_addr=owner,
        approval_deadline=approval_deadline(config, env, task.deadline),
    )
    task = write_step(deps, env, changed, "request_approval", info.sender, detail=msg.reason)
    response = step_response(env, task, "request_approval", info.sender)
    body = BODIES.load(deps.storage, task.number)
    response = send_status(response, config, task, body)
    return ask_owner(response, config, task, body, info.sender, why=msg.reason)


def execute_approve_task(deps: DepsMut, env: Env, info: MessageInfo, msg: ApproveTask) -> Response:
    """The owner agrees: the payment goes to the provider's desk, or the work goes on."""
    task = asked_task(deps, info, msg.task_id, "approve_task")
    require_time(task, env)
    if now_of(env) > task.due:
        raise ApprovalTimedOut(task_id(task.number))
    about_payment = task.approval == APPROVAL_PAYMENT
    changed = replace(
        task,
        state=SUBMITTED if about_payment else WORKING,
        approval=None,
        approver_addr=None,
    )
    task = write_step(deps, env, changed, "approve_task", info.sender)
    response = step_response(env, task, "approve_task", info.sender)
    config = CONFIG.load(deps.storage)
    body = BODIES.load(deps.storage, task.number)
    if about_payment:
        return send_request(response, config, task, body)
    return send_status(response, config, task, body)


def execute_deny_task(deps: DepsMut, env: Env, info: MessageInfo, msg: DenyTask) -> Response:
    """The owner refuses: failed, and the requester has everything back.

    Possible until somebody ends the task.
    """
    task = asked_task(deps, info, msg.task_id, "deny_task")
    about_payment = task.approval == APPROVAL_PAYMENT
    error = reason_text(msg.reason, "denied by the owner")
    task, response = end_task(deps, env, task, FAILED, "deny_task", actor=info.sender, error=error)
    body = BODIES.load(deps.storage, task.number)
    return send_ended(response, CONFIG.load(deps.storage), task, body, not about_payment)


def asked_task(deps: DepsMut, info: MessageInfo, text: str, action: str) -> Task:
    """The task, if it waits for an owner and the sender is the one.

    Who owns the agent now, not who did.
    """
    refuse_funds(info)
    task = load_task(deps, text)
    require_state(task, (AUTH_REQUIRED,), action)
    agent = task.provider
    if task.approval == APPROVAL_PAYMENT:
        agent = BODIES.load(deps.storage, task.number).requester_agent or ""
    if owner_of(deps, agent) != info.sender:
        raise Unauthorized("the agent's owner")
    return task


def owner_of(deps: DepsMut, agent_id: str) -> str | None:
    """Who owns an agent now; a deregistered one still has its last owner."""
    registry_addr = CONFIG.load(deps.storage).registry_addr
    answer: AgentResponse = deps.querier.query_wasm_smart(
        registry_addr, {"get_agent": {"agent_id": agent_id}}, AgentResponse
    )
    return None if answer.agent is None else answer.agent.owner
