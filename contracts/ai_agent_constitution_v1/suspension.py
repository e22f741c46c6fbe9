"""Suspending an agent: everything it asks is denied until it is reinstated."""

from chain.std import Addr, DepsMut, Env, Event, MessageInfo, Response
from contracts.ai_agent_constitution_v1.amend import authorise
from contracts.ai_agent_constitution_v1.error import AlreadySuspended, NotSuspended
from contracts.ai_agent_constitution_v1.msg import ReinstateAgent, SuspendAgent
from contracts.ai_agent_constitution_v1.rules import check_note, resolve_agent
from contracts.ai_agent_constitution_v1.state import (
    SUSPENSION_COUNT,
    SUSPENSIONS,
    SuspensionRecord,
)


def execute_suspend_agent(
    deps: DepsMut, env: Env, info: MessageInfo, msg: SuspendAgent
) -> Response:
    """Deny an agent everything."""
    config = authorise(deps, info)
    check_note(msg.reason)
    agent_addr = resolve_agent(deps.api, deps.querier, config, msg.agent_id)
    if SUSPENSIONS.has(deps.storage, agent_addr):
        raise AlreadySuspended(agent_addr)
    record = SuspensionRecord(reason=msg.reason, since=env.block.time.nanos())
    SUSPENSIONS.save(deps.storage, agent_addr, record)
    SUSPENSION_COUNT.save(deps.storage, (SUSPENSION_COUNT.may_load(deps.storage) or 0) + 1)
    return suspension_changed(env, info, "suspend_agent", agent_addr)


def execute_reinstate_agent(
    deps: DepsMut, env: Env, info: MessageInfo, msg: ReinstateAgent
) -> Response:
    """Let the rules decide again."""
    config = authorise(deps, info)
    agent_addr = resolve_agent(deps.api, deps.querier, config, msg.agent_id)
    if not SUSPENSIONS.has(deps.storage, agent_addr):
        raise NotSuspended(agent_addr)
    SUSPENSIONS.remove(deps.storage, agent_addr)
    SUSPENSION_COUNT.save(deps.storage, SUSPENSION_COUNT.load(deps.storage) - 1)
    return suspension_changed(env, info, "reinstate_agent", agent_addr)


def suspension_changed(env: Env, info: MessageInfo, action: str, agent_addr: Addr) -> Response:
    """The answer to a changed suspension."""
    word = "suspended" if action == "suspend_agent" else "reinstated"
    event = Event(
        f"constitution_agent_{word}",
        (
            ("actor", info.sender),
            ("agent", agent_addr),
            ("height", str(env.block.height)),
        ),
    )
    return (
        Response()
        .add_event(event)
        .add_attribute("action", action)
        .add_attribute("agent", agent_addr)
    )
