"""The ways a task ends without a result; each sends the price where it belongs at once, and once.

Whoever ends it, the state is final before any money moves, so no order of messages can move it
again.
"""

from chain.std import Addr, DepsMut, Env, MessageInfo, Response, Uint128, replace
from contracts.agent_tasks_v1.create import check_text
from contracts.agent_tasks_v1.error import InvalidField, NotDue, Unauthorized
from contracts.agent_tasks_v1.journal import (
    load_task,
    now_of,
    require_open,
    require_state,
    step_response,
    write_step,
)
from contracts.agent_tasks_v1.mirror import send_cancelled, send_ended, send_status, task_id
from contracts.agent_tasks_v1.money import pay, refuse_funds
from contracts.agent_tasks_v1.msg import CancelTask, ExpireTask, FailTask, RejectTask
from contracts.agent_tasks_v1.price import SHARE_WHOLE_BPS
from contracts.agent_tasks_v1.progress import provider_task
from contracts.agent_tasks_v1.spending import NOT_COUNTED, give_back
from contracts.agent_tasks_v1.state import (
    APPROVAL_PAYMENT,
    BODIES,
    CANCELED,
    CONFIG,
    FAILED,
    REJECTED,
    SUBMITTED,
    Task,
)

REASON_MAX_BYTES = 4_096


def execute_fail_task(deps: DepsMut, env: Env, info: MessageInfo, msg: FailTask) -> Response:
    """The provider gives up an accepted task; the requester has everything back."""
    task = provider_task(deps, info, msg.task_id)
    require_open(task, "fail_task")
    if not task.accepted:
        require_state(task, (), "fail_task")
    check_text("error", msg.error, REASON_MAX_BYTES)
    task, response = end_task(
        deps, env, task, FAILED, "fail_task", actor=info.sender, error=msg.error
    )
    body = BODIES.load(deps.storage, task.number)
    return send_status(response, CONFIG.load(deps.storage), task, body)


def execute_reject_task(deps: DepsMut, env: Env, info: MessageInfo, msg: RejectTask) -> Response:
    """The provider declines a task it has not accepted."""
    task = provider_task(deps, info, msg.task_id)
    require_state(task, (SUBMITTED,), "reject_task")
    task, response = end_task(
        deps,
        env,
        task,
        REJECTED,
        "reject_task",
        actor=info.sender,
        error=reason_text(msg.reason, "rejected"),
    )
    body = BODIES.load(deps.storage, task.number)
    return send_status(response, CONFIG.load(deps.storage), task, body)


def execute_cancel_task(deps: DepsMut, env: Env, info: MessageInfo, msg: CancelTask) -> Response:
    """The requester takes the task back. Accepted and in time: the provider keeps its share."""
    refuse_funds(info)
    task = load_task(deps, msg.task_id)
    if task.requester_addr != info.sender:
        raise Unauthorized("the requester")
    require_open(task, "cancel_task")
    provider_knew = task.approval != APPROVAL_PAYMENT
    share = 0
    if task.accepted and now_of(env) <= task.deadline:
        share = task.price * task.cancellation_share_bps // SHARE_WHOLE_BPS
    task, response = end_task(
        deps,
        env,
        task,
        CANCELED,
        "cancel_task",
        actor=info.sender,
        error=reason_text(msg.reason, "canceled"),
        share=share,
    )
    if not provider_knew:
        return response
    body = BODIES.load(deps.storage, task.number)
    return send_cancelled(response, CONFIG.load(deps.storage), task, body)


def execute_expire_task(deps: DepsMut, env: Env, info: MessageInfo, msg: ExpireTask) -> Response:
    """Anybody ends a task that can no longer go on."""
    refuse_funds(info)
    task = load_task(deps, msg.task_id)
    require_open(task, "expire_task")
    if now_of(env) <= task.due:
        raise NotDue(task_id(task.number))
    return expire(deps, env, task, info.sender)


def expire(deps: DepsMut, env: Env, task: Task, actor: Addr) -> Response:
    """failed, refunded: the deadline has passed, or the owner has not answered."""
    provider_knew = task.approval != APPROVAL_PAYMENT
    error = "deadline passed" if now_of(env) > task.deadline else "approval timed out"
    task, response = end_task(deps, env, task, FAILED, "expire_task", actor=actor, error=error)
    body = BODIES.load(deps.storage, task.number)
    return send_ended(response, CONFIG.load(deps.storage), task, body, provider_knew)


def end_task(
    deps: DepsMut,
    env: Env,
    task: Task,
    state: str,
    action: str,
    *,
    actor: Addr,
    error: str,
    share: int = 0,
) -> tuple[Task, Response]:
    """Write the final state, then pay the share and give the rest back."""
    refund = task.price - share
    ended = replace(
        task,
        state=state,
        approval=None,
        approver_addr=None,
        paid=Uint128(share),
        refunded=Uint128(refund),
        error=error,
    )
    written = write_step(deps, env, ended, action, actor, detail=error)
    if task.period_start != NOT_COUNTED:
        give_back(deps.storage, task.requester_addr, task.period_start, task.denom, refund)
    response = step_response(env, written, action, actor)
    pay(deps.storage, response, task.provider_addr, task.denom, share)
    pay(deps.storage, response, task.requester_addr, task.denom, refund)
    return written, response


def reason_text(reason: str | None, default: str) -> str:
    """What the sender said, or the plain fact."""
    if reason is None or reason == "":
        return default
    if len(reason.encode()) > REASON_MAX_BYTES:
        raise InvalidField("reason", f"at most {REASON_MAX_BYTES} bytes")
    return reason
