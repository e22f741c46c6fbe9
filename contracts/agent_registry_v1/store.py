"""Agents in storage, their lists, and what ``agent_a2a_v1`` is told."""

from chain.std import Addr, Response, Storage, Uint128, WasmMsg
from contracts.agent_a2a_v1.msg import SyncAgent
from contracts.agent_registry_v1.error import AgentNotFound
from contracts.agent_registry_v1.state import (
    ACTIVE,
    AGENT_ACCOUNTS,
    AGENT_IDS,
    AGENTS,
    CONFIG,
    DEREGISTERED,
    LISTED,
    LISTED_COUNT,
    OWNED,
    OWNED_COUNTS,
    PENDING,
    AgentRecord,
)


def load_agent(storage: Storage, agent_id: str) -> AgentRecord:
    """A registered agent. Raises: AgentNotFound, also for a deregistered one."""
    agent = AGENTS.may_load(storage, agent_id)
    if agent is None or agent.status == DEREGISTERED:
        raise AgentNotFound(agent_id)
    return agent


def enlist(storage: Storage, agent_id: str, agent: AgentRecord) -> None:
    """Store a new agent and put it into the lists."""
    AGENTS.save(storage, agent_id, agent)
    LISTED.save(storage, agent_id, True)
    LISTED_COUNT.save(storage, (LISTED_COUNT.may_load(storage) or 0) + 1)
    own(storage, agent.owner, agent_id)


def delist(storage: Storage, agent_id: str, agent: AgentRecord) -> None:
    """Take an agent out of the lists."""
    LISTED.remove(storage, agent_id)
    LISTED_COUNT.save(storage, LISTED_COUNT.load(storage) - 1)
    disown(storage, agent.owner, agent_id)


def own(storage: Storage, owner_addr: Addr, agent_id: str) -> None:
    """Put an agent into its owner's list."""
    OWNED.save(storage, (owner_addr, agent_id), True)
    OWNED_COUNTS.save(storage, owner_addr, (OWNED_COUNTS.may_load(storage, owner_addr) or 0) + 1)


def disown(storage: Storage, owner_addr: Addr, agent_id: str) -> None:
    """Take an agent out of its owner's list."""
    OWNED.remove(storage, (owner_addr, agent_id))
    OWNED_COUNTS.save(storage, owner_addr, OWNED_COUNTS.load(storage, owner_addr) - 1)


def bind_account(storage: Storage, agent_id: str, agent: AgentRecord) -> None:
    """From here on the chain treats the account as an AI agent."""
    AGENT_ACCOUNTS.save(storage, agent.address, agent.owner)
    AGENT_IDS.save(storage, agent.address, agent_id)


def free_account(storage: Storage, agent: AgentRecord) -> None:
    """The account is an ordinary one again."""
    AGENT_ACCOUNTS.remove(storage, agent.address)
    AGENT_IDS.remove(storage, agent.address)


def report(
    storage: Storage,
    response: Response,
    agent_id: str,
    agent: AgentRecord,
    capabilities: tuple[str, ...] = (),
) -> Response:
    """Tell ``agent_a2a_v1`` in the same transaction.

    Nothing where it is not known or the agent is pending.
    """
    a2a = CONFIG.load(storage).a2a
    if a2a is None or agent.status == PENDING:
        return response
    price = None
    if agent.price is not None and agent.price.denom == "amsg":
        price = Uint128(agent.price.price)
    return response.add_message(
        WasmMsg.Execute(
            a2a,
            SyncAgent(
                agent_id=agent_id,
                owner=agent.owner,
                address=agent.address,
                price=price,
                active=agent.status == ACTIVE,
                removed=agent.status == DEREGISTERED,
                capabilities=capabilities,
            ),
        )
    )
