"""Capabilities, and the registry's reports that decide who may change them."""

from chain.std import DepsMut, Env, Event, MessageInfo, Response
from contracts.agent_a2a_v1.checks import check_capability, refuse_funds
from contracts.agent_a2a_v1.error import CapabilityNotFound, Unauthorized
from contracts.agent_a2a_v1.holders import (
    capabilities_of,
    delist_offer,
    drop,
    hold,
    list_offer,
    load_agent,
)
from contracts.agent_a2a_v1.intent_store import match_waiting
from contracts.agent_a2a_v1.msg import (
    AddCapability,
    RemoveCapability,
    SyncAgent,
)
from contracts.agent_a2a_v1.state import AGENTS, CAPABILITIES, CONFIG, AgentRecord


def execute_add_capability(
    deps: DepsMut, env: Env, info: MessageInfo, msg: AddCapability
) -> Response:
    """Give the owner's agent a capability, and match the intents that waited for it."""
    refuse_funds(info)
    config = CONFIG.load(deps.storage)
    agent = load_agent(deps.storage, deps.querier, config, msg.agent_id)
    if info.sender != agent.owner:
        raise Unauthorized
    check_capability(msg.capability)
    agent = hold(
        deps.storage,
        config.capabilities_max,
        (msg.agent_id, agent),
        msg.capability,
        env.block.time.nanos(),
    )
    matches = match_waiting(
        deps.storage, env, config.candidates_max, msg.agent_id, (msg.capability,)
    )
    return changed(env, info, "add_capability", msg.agent_id, msg.capability).add_events(matches)


def execute_remove_capability(
    deps: DepsMut, env: Env, info: MessageInfo, msg: RemoveCapability
) -> Response:
    """Take a capability from the owner's agent."""
    refuse_funds(info)
    config = CONFIG.load(deps.storage)
    agent = load_agent(deps.storage, deps.querier, config, msg.agent_id)
    if info.sender != agent.owner:
        raise Unauthorized
    if not CAPABILITIES.has(deps.storage, (msg.agent_id, msg.capability)):
        raise CapabilityNotFound(msg.capability)
    drop(deps.storage, msg.agent_id, agent, msg.capability)
    return changed(env, info, "remove_capability", msg.agent_id, msg.capability)


def execute_sync_agent(deps: DepsMut, env: Env, info: MessageInfo, msg: SyncAgent) -> Response:
    """Take over what the registry says of an agent; of a removed one nothing stays."""
    refuse_funds(info)
    storage = deps.storage
    config = CONFIG.load(storage)
    if info.sender != config.registry:
        raise Unauthorized
    known = AGENTS.may_load(storage, msg.agent_id)
    if msg.removed:
        if known is not None:
            for capability in capabilities_of(storage, msg.agent_id):
                known = drop(storage, msg.agent_id, known, capability)
            AGENTS.remove(storage, msg.agent_id)
        return synced(env, info, msg)
    agent = AgentRecord(
        owner=deps.api.addr_validate(msg.owner),
        address=deps.api.addr_validate(msg.address),
        price=msg.price,
        active=msg.active,
        capabilities=0 if known is None else known.capabilities,
    )
    held = [] if known is None else capabilities_of(storage, msg.agent_id)
    if known is not None and (known.active != agent.active or known.price != agent.price):
        for capability in held:
            if known.active:
                delist_offer(storage, msg.agent_id, known, capability)
            if agent.active:
                list_offer(storage, msg.agent_id, agent, capability)
    AGENTS.save(storage, msg.agent_id, agent)
    for capability in msg.capabilities:
        check_capability(capability)
        if capability not in held:
            held.append(capability)
            now = env.block.time.nanos()
            target = (msg.agent_id, agent)
            agent = hold(storage, config.capabilities_max, target, capability, now)
    matches = match_waiting(storage, env, config.candidates_max, msg.agent_id, tuple(held))
    return synced(env, info, msg).add_events(matches)


def changed(env: Env, info: MessageInfo, action: str, agent_id: str, capability: str) -> Response:
    """The answer to a changed capability."""
    word = "added" if action == "add_capability" else "removed"
    event = Event(
        f"a2a_capability_{word}",
        (
            ("actor", info.sender),
            ("agent_id", agent_id),
            ("capability", capability),
            ("height", str(env.block.height)),
        ),
    )
    return (
        Response()
        .add_event(event)
        .add_attribute("action", action)
        .add_attribute("agent_id", agent_id)
        .add_attribute("capability", capability)
    )


def synced(env: Env, info: MessageInfo, msg: SyncAgent) -> Response:
    """The answer to a report."""
    event = Event(
        "a2a_agent_synced",
        (
            ("actor", info.sender),
            ("agent_id", msg.agent_id),
            ("owner", msg.owner),
            ("address", msg.address),
            ("active", "true" if msg.active and not msg.removed else "false"),
            ("height", str(env.block.height)),
        ),
    )
    return (
        Response()
        .add_event(event)
        .add_attribute("action", "sync_agent")
        .add_attribute("agent_id", msg.agent_id)
    )
