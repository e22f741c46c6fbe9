"""Agents and their capabilities in storage: who holds what, at which price.

Indexes hold active agents only, so that a search never meets one it must leave out.
"""

from chain.std import Querier, Storage, replace
from contracts.agent_a2a_v1.error import (
    AgentNotRegistered,
    CapabilityAlreadyRegistered,
    TooManyCapabilities,
)
from contracts.agent_a2a_v1.state import (
    AGENTS,
    CAPABILITIES,
    HOLDER_COUNTS,
    HOLDERS,
    NO_PRICE,
    OFFERS,
    WIDE,
    AgentRecord,
    CapabilityRecord,
    Config,
)
from contracts.agent_registry_v1.msg import AgentResponse, GetAgent


def price_key(agent: AgentRecord) -> int:
    """Where an agent stands among the offers."""
    return NO_PRICE if agent.price is None else agent.price


def load_agent(storage: Storage, querier: Querier, config: Config, agent_id: str) -> AgentRecord:
    """The agent as the registry reported it; asked for where it did not.

    Raises: AgentNotRegistered.
    """
    agent = AGENTS.may_load(storage, agent_id)
    if agent is not None:
        return agent
    answer = querier.query_wasm_smart(config.registry, GetAgent(agent_id=agent_id), AgentResponse)
    found = answer.agent
    if found is None or found.status in ("deregistered", "pending"):
        raise AgentNotRegistered
    price = None
    if found.price_model is not None and found.price_model.denom == "amsg":
        price = int(found.price_model.price)
    agent = AgentRecord(
        owner=found.owner,
        address=found.address,
        price=price,
        active=found.status == "active",
        capabilities=0,
    )
    AGENTS.save(storage, agent_id, agent)
    return agent


def hold(
    storage: Storage, count_max: int, target: tuple[str, AgentRecord], capability: str, now: int
) -> AgentRecord:
    """Give an agent a capability. Raises: CapabilityAlreadyRegistered, TooManyCapabilities."""
    agent_id, agent = target
    if CAPABILITIES.has(storage, (agent_id, capability)):
        raise CapabilityAlreadyRegistered(capability)
    if agent.capabilities >= count_max:
        raise TooManyCapabilities(count_max)
    CAPABILITIES.save(storage, (agent_id, capability), CapabilityRecord(registered_at=now))
    if agent.active:
        list_offer(storage, agent_id, agent, capability)
    changed = replace(agent, capabilities=agent.capabilities + 1)
    AGENTS.save(storage, agent_id, changed)
    return changed


def drop(storage: Storage, agent_id: str, agent: AgentRecord, capability: str) -> AgentRecord:
    """Take a capability that the agent holds."""
    CAPABILITIES.remove(storage, (agent_id, capability))
    if agent.active:
        delist_offer(storage, agent_id, agent, capability)
    changed = replace(agent, capabilities=agent.capabilities - 1)
    AGENTS.save(storage, agent_id, changed)
    return changed


def capabilities_of(storage: Storage, agent_id: str) -> list[str]:
    """All capabilities of an agent, by name; bounded by ``capabilities_max``."""
    return list(CAPABILITIES.prefix(agent_id).keys(storage))


def list_offer(storage: Storage, agent_id: str, agent: AgentRecord, capability: str) -> None:
    """Enter an active agent where searches look."""
    HOLDERS.save(storage, (capability, agent_id), True)
    OFFERS.save(storage, (capability, price_key(agent), agent_id), True)
    count = HOLDER_COUNTS.may_load(storage, capability) or WIDE
    HOLDER_COUNTS.save(storage, capability, count + 1)


def delist_offer(storage: Storage, agent_id: str, agent: AgentRecord, capability: str) -> None:
    """Take an agent out of where searches look."""
    HOLDERS.remove(storage, (capability, agent_id))
    OFFERS.remove(storage, (capability, price_key(agent), agent_id))
    count = HOLDER_COUNTS.load(storage, capability) - 1
    if count == WIDE:
        HOLDER_COUNTS.remove(storage, capability)
    else:
        HOLDER_COUNTS.save(storage, capability, count)


def holder_count(storage: Storage, capability: str) -> int:
    """How many active agents hold a capability."""
    return (HOLDER_COUNTS.may_load(storage, capability) or WIDE) - WIDE
