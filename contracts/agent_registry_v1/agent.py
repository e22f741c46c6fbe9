"""Registering agents, and what their owners change."""

from chain.std import DepsMut, Env, Event, MessageInfo, Response, Storage, ascii_lower, replace
from contracts.agent_registry_v1.checks import (
    check_agent_id,
    check_capabilities,
    check_sizes,
    read_policy,
    read_price,
    refuse_funds,
)
from contracts.agent_registry_v1.discovery import withdraw_all
from contracts.agent_registry_v1.error import (
    AddressAlreadyRegistered,
    AgentAlreadyRegistered,
    AgentNotActive,
    InvalidStatus,
    NotPending,
    Unauthorized,
)
from contracts.agent_registry_v1.msg import (
    ConfirmAgent,
    DeregisterAgent,
    RegisterAgent,
    SetSpendingPolicy,
    TransferOwnership,
    UpdateAgent,
)
from contracts.agent_registry_v1.state import (
    ACTIVE,
    AGENT_ACCOUNTS,
    AGENTS,
    CARDS,
    DEREGISTERED,
    INACTIVE,
    PENDING,
    POLICIES,
    STATUSES,
    AgentRecord,
)
from contracts.agent_registry_v1.store import (
    bind_account,
    delist,
    disown,
    enlist,
    free_account,
    load_agent,
    own,
    report,
)


def execute_register_agent(
    deps: DepsMut, env: Env, info: MessageInfo, msg: RegisterAgent
) -> Response:
    """Register an agent: active when its own account sends this, else it must confirm."""
    refuse_funds(info)
    storage = deps.storage
    check_agent_id(msg.agent_id)
    address = info.sender if msg.address is None else deps.api.addr_validate(msg.address)
    owner_addr = info.sender if msg.owner is None else deps.api.addr_validate(msg.owner)
    if info.sender not in (address, owner_addr):
        raise Unauthorized("the agent's account or its owner")
    known = AGENTS.may_load(storage, msg.agent_id)
    if known is not None and (known.status != DEREGISTERED or known.owner != info.sender):
        raise AgentAlreadyRegistered(msg.agent_id)
    if AGENT_ACCOUNTS.has(storage, address):
        raise AddressAlreadyRegistered(address)
    check_sizes(msg.name, msg.metadata)
    check_capabilities(msg.capabilities)
    status = ACTIVE if address == info.sender else PENDING
    now = env.block.time.nanos()
    agent = AgentRecord(
        owner=owner_addr,
        address=address,
        name=msg.name,
        status=status,
        price=read_price(deps.api, msg.price_model),
        metadata=msg.metadata,
        card_hash=None,
        capabilities=() if status == ACTIVE else msg.capabilities,
        registered_at=now,
        updated_at=now,
    )
    enlist(storage, msg.agent_id, agent)
    if status == ACTIVE:
        bind_account(storage, msg.agent_id, agent)
    response = changed(env, info, "register_agent", (msg.agent_id, agent))
    return report(storage, response, msg.agent_id, agent, msg.capabilities)


def execute_confirm_agent(
    deps: DepsMut, env: Env, info: MessageInfo, msg: ConfirmAgent
) -> Response:
    """The agent's own account agrees."""
    refuse_funds(info)
    storage = deps.storage
    agent = load_agent(storage, msg.agent_id)
    if agent.status != PENDING:
        raise NotPending(msg.agent_id)
    if info.sender != agent.address:
        raise Unauthorized("the agent's account")
    if AGENT_ACCOUNTS.has(storage, agent.address):
        raise AddressAlreadyRegistered(agent.address)
    capabilities = agent.capabilities
    agent = replace(agent, status=ACTIVE, capabilities=(), updated_at=env.block.time.nanos())
    AGENTS.save(storage, msg.agent_id, agent)
    bind_account(storage, msg.agent_id, agent)
    response = changed(env, info, "confirm_agent", (msg.agent_id, agent))
    return report(storage, response, msg.agent_id, agent, capabilities)


def load_own(storage: Storage, info: MessageInfo, agent_id: str) -> AgentRecord:
    """The sender's agent. Raises: NonPayable, AgentNotFound, Unauthorized."""
    refuse_funds(info)
    agent = load_agent(storage, agent_id)
    if info.sender != agent.owner:
        raise Unauthorized("the agent's owner")
    return agent


def execute_update_agent(deps: DepsMut, env: Env, info: MessageInfo, msg: UpdateAgent) -> Response:
    """Change what is given."""
    storage = deps.storage
    agent = load_own(storage, info, msg.agent_id)
    check_sizes(msg.name, msg.metadata)
    if msg.status is not None:
        word = ascii_lower(msg.status)
        if word not in (STATUSES[ACTIVE], STATUSES[INACTIVE]):
            raise InvalidStatus(msg.status)
        if agent.status == PENDING:
            raise AgentNotActive(msg.agent_id)
        agent = replace(agent, status=STATUSES.index(word))
    if msg.name is not None:
        agent = replace(agent, name=msg.name)
    if msg.metadata is not None:
        agent = replace(agent, metadata=msg.metadata)
    if msg.price_model is not None:
        agent = replace(agent, price=read_price(deps.api, msg.price_model))
    agent = replace(agent, updated_at=env.block.time.nanos())
    AGENTS.save(storage, msg.agent_id, agent)
    response = changed(env, info, "update_agent", (msg.agent_id, agent))
    return report(storage, response, msg.agent_id, agent)


def execute_transfer_ownership(
    deps: DepsMut, env: Env, info: MessageInfo, msg: TransferOwnership
) -> Response:
    """Hand an agent over; its spending policy goes, because it was the last owner's word."""
    storage = deps.storage
    agent = load_own(storage, info, msg.agent_id)
    new_owner = deps.api.addr_validate(msg.new_owner)
    disown(storage, agent.owner, msg.agent_id)
    agent = replace(agent, owner=new_owner, updated_at=env.block.time.nanos())
    own(storage, new_owner, msg.agent_id)
    AGENTS.save(storage, msg.agent_id, agent)
    if agent.status != PENDING:
        bind_account(storage, msg.agent_id, agent)
    POLICIES.remove(storage, msg.agent_id)
    response = changed(env, info, "transfer_ownership", (msg.agent_id, agent))
    return report(storage, response, msg.agent_id, agent)


def execute_deregister_agent(
    deps: DepsMut, env: Env, info: MessageInfo, msg: DeregisterAgent
) -> Response:
    """End an agent: its account is free, its card, announcements, policy and capabilities go."""
    storage = deps.storage
    agent = load_own(storage, info, msg.agent_id)
    delist(storage, msg.agent_id, agent)
    was_pending = agent.status == PENDING
    if not was_pending:
        free_account(storage, agent)
    withdraw_all(storage, msg.agent_id)
    CARDS.remove(storage, msg.agent_id)
    POLICIES.remove(storage, msg.agent_id)
    agent = replace(
        agent,
        status=DEREGISTERED,
        card_hash=None,
        capabilities=(),
        updated_at=env.block.time.nanos(),
    )
    AGENTS.save(storage, msg.agent_id, agent)
    response = changed(env, info, "deregister_agent", (msg.agent_id, agent))
    if was_pending:
        return response
    return report(storage, response, msg.agent_id, agent)


def execute_set_spending_policy(
    deps: DepsMut, env: Env, info: MessageInfo, msg: SetSpendingPolicy
) -> Response:
    """Set or remove the policy."""
    storage = deps.storage
    agent = load_own(storage, info, msg.agent_id)
    if msg.policy is None:
        POLICIES.remove(storage, msg.agent_id)
    else:
        POLICIES.save(storage, msg.agent_id, read_policy(deps.api, msg.policy))
    return changed(env, info, "set_spending_policy", (msg.agent_id, agent))


def changed(env: Env, info: MessageInfo, action: str, target: tuple[str, AgentRecord]) -> Response:
    """The answer to a changed agent."""
    agent_id, agent = target
    words = {
        "register_agent": "agent_registered",
        "confirm_agent": "agent_confirmed",
        "update_agent": "agent_updated",
        "transfer_ownership": "agent_transferred",
        "deregister_agent": "agent_deregistered",
        "set_spending_policy": "agent_policy_set",
    }
    event = Event(
        words[action],
        (
            ("actor", info.sender),
            ("agent_id", agent_id),
            ("owner", agent.owner),
            ("address", agent.address),
            ("status", STATUSES[agent.status]),
            ("height", str(env.block.height)),
        ),
    )
    return (
        Response()
        .add_event(event)
        .add_attribute("action", action)
        .add_attribute("agent_id", agent_id)
    )
