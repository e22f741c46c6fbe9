"""Questions to the agent registry."""

from chain.std import Binary, Deps, Env, Storage, Timestamp, Uint128
from chain.storage_plus import Bound, page_size
from contracts.agent_a2a_v1.msg import FindAgentsByCapability, FindAgentsResponse
from contracts.agent_registry_v1.error import A2aNotConfigured
from contracts.agent_registry_v1.msg import (
    Agent,
    AgentResponse,
    AgentsOfOwnerResponse,
    AgentsResponse,
    Announcement,
    AnnouncementsResponse,
    Card,
    CardResponse,
    ConfigResponse,
    Discover,
    DiscoverAgents,
    GetAgent,
    GetAgentByAddress,
    GetAgentByOwner,
    GetCard,
    GetConfig,
    GetSpendingPolicy,
    ListAgents,
    PriceModel,
    SpendingPolicy,
    SpendingPolicyResponse,
)
from contracts.agent_registry_v1.state import (
    AGENT_IDS,
    AGENTS,
    ANNOUNCEMENTS,
    CARDS,
    CONFIG,
    LISTED,
    LISTED_COUNT,
    OWNED,
    OWNED_COUNTS,
    POLICIES,
    STATUSES,
    AgentRecord,
)

#: A page of announcements also ends before its cards pass this (CH-6).
PAGE_BYTES_MAX = 4 * 1024 * 1024
#: Announcements that one page looks at; those of inactive agents and lapsed ones are passed over.
SCAN_MAX = 1_000


def agent_view(agent_id: str, agent: AgentRecord) -> Agent:
    """An agent as queries show it."""
    price = agent.price
    return Agent(
        agent_id=agent_id,
        owner=agent.owner,
        address=agent.address,
        name=agent.name,
        status=STATUSES[agent.status],
        price_model=None
        if price is None
        else PriceModel(price=str(price.price), denom=price.denom, model=price.model),
        metadata=None if agent.metadata is None else Binary(agent.metadata),
        card_hash=agent.card_hash,
        registered_at=Timestamp(agent.registered_at),
        updated_at=Timestamp(agent.updated_at),
    )


def may_view(storage: Storage, agent_id: str) -> Agent | None:
    """An agent as queries show it, or None."""
    agent = AGENTS.may_load(storage, agent_id)
    return None if agent is None else agent_view(agent_id, agent)


def query_get_agent(deps: Deps, env: Env, msg: GetAgent) -> AgentResponse:
    """One agent, or null; a deregistered one is shown with its status."""
    return AgentResponse(agent=may_view(deps.storage, msg.agent_id))


def query_get_agent_by_address(deps: Deps, env: Env, msg: GetAgentByAddress) -> AgentResponse:
    """The agent whose account this is, or null."""
    addr = deps.api.addr_validate(msg.address)
    agent_id = AGENT_IDS.may_load(deps.storage, addr)
    return AgentResponse(agent=None if agent_id is None else may_view(deps.storage, agent_id))


def query_get_agent_by_owner(deps: Deps, env: Env, msg: GetAgentByOwner) -> AgentsOfOwnerResponse:
    """The owner's agents by id."""
    owner_addr = deps.api.addr_validate(msg.owner)
    size_max = page_size(msg.limit)
    start = None if msg.start_after is None else Bound.exclusive(msg.start_after)
    page: list[Agent] = []
    if size_max > 0:
        for agent_id in OWNED.prefix(owner_addr).keys(deps.storage, start, None):
            page.append(agent_view(agent_id, AGENTS.load(deps.storage, agent_id)))
            if len(page) >= size_max:
                break
    return AgentsOfOwnerResponse(
        agent=page[0] if page else None,
        agents=tuple(page),
        total=OWNED_COUNTS.may_load(deps.storage, owner_addr) or 0,
    )


def query_list_agents(deps: Deps, env: Env, msg: ListAgents) -> AgentsResponse:
    """All agents by id."""
    size_max = page_size(msg.limit)
    start = None if msg.start_after is None else Bound.exclusive(msg.start_after)
    page: list[Agent] = []
    more = False
    for agent_id in LISTED.keys(deps.storage, start, None):
        if len(page) >= size_max:
            more = size_max > 0
            break
        page.append(agent_view(agent_id, AGENTS.load(deps.storage, agent_id)))
    return AgentsResponse(
        agents=tuple(page),
        total=LISTED_COUNT.may_load(deps.storage) or 0,
        next=page[-1].agent_id if more else None,
    )


def query_discover_agents(deps: Deps, env: Env, msg: DiscoverAgents) -> AgentsResponse:
    """Agents with a capability, cheapest first; ``agent_a2a_v1`` holds the index.

    Raises: A2aNotConfigured.
    """
    a2a = CONFIG.load(deps.storage).a2a
    if a2a is None:
        raise A2aNotConfigured
    found = deps.querier.query_wasm_smart(
        a2a,
        FindAgentsByCapability(
            capability=msg.capability,
            start_after=msg.start_after,
            limit=msg.limit,
            max_price=msg.max_price,
            order="price",
        ),
        FindAgentsResponse,
    )
    agents = [agent_view(item, AGENTS.load(deps.storage, item)) for item in found.agents]
    return AgentsResponse(agents=tuple(agents), total=found.count, next=found.next)


def query_get_card(deps: Deps, env: Env, msg: GetCard) -> CardResponse:
    """The stored card, or null."""
    record = CARDS.may_load(deps.storage, msg.agent_id)
    if record is None:
        return CardResponse(card=None)
    return CardResponse(
        card=Card(
            agent_id=msg.agent_id,
            card=Binary(record.card),
            card_hash=record.hash,
            updated_at=Timestamp(record.updated_at),
        )
    )


def query_discover(deps: Deps, env: Env, msg: Discover) -> AnnouncementsResponse:
    """Live announcements of active agents on a topic, by agent id."""
    storage = deps.storage
    topic = CONFIG.load(storage).discovery_topic if msg.topic is None else msg.topic
    size_max = page_size(msg.limit)
    start = None if msg.start_after is None else Bound.exclusive(msg.start_after)
    now = env.block.time.nanos()
    page: list[Announcement] = []
    filled = 0
    more = False
    looked = 0
    last = ""
    for agent_id, record in ANNOUNCEMENTS.prefix(topic).range(storage, start, None):
        if len(page) >= size_max or looked >= SCAN_MAX:
            more = size_max > 0
            break
        looked += 1
        before, last = last, agent_id
        if now > record.expires_at:
            continue
        agent = AGENTS.load(storage, agent_id)
        if STATUSES[agent.status] != "active":
            continue
        card = CARDS.load(storage, agent_id)
        filled += len(card.card) * 4 // 3 + 512
        if filled > PAGE_BYTES_MAX and page:
            more = True
            last = before
            break
        page.append(
            Announcement(
                agent_id=agent_id,
                owner=agent.owner,
                address=agent.address,
                topic=topic,
                card=Binary(card.card),
                card_hash=card.hash,
                announced_at=Timestamp(record.announced_at),
                expires_at=Timestamp(record.expires_at),
            )
        )
    return AnnouncementsResponse(announcements=tuple(page), next=last if more else None)


def query_get_spending_policy(
    deps: Deps, env: Env, msg: GetSpendingPolicy
) -> SpendingPolicyResponse:
    """What binds a payment by an account."""
    addr = deps.api.addr_validate(msg.address)
    agent_id = AGENT_IDS.may_load(deps.storage, addr)
    if agent_id is None:
        return SpendingPolicyResponse(agent_id=None, owner=None, policy=None)
    agent = AGENTS.load(deps.storage, agent_id)
    record = POLICIES.may_load(deps.storage, agent_id)
    policy = None
    if record is not None:
        policy = SpendingPolicy(
            per_tx_limit=None if record.per_tx_limit is None else Uint128(record.per_tx_limit),
            per_period_limit=None
            if record.per_period_limit is None
            else Uint128(record.per_period_limit),
            period_seconds=record.period_seconds,
            denom=record.denom,
        )
    return SpendingPolicyResponse(agent_id=agent_id, owner=agent.owner, policy=policy)


def query_get_config(deps: Deps, env: Env, msg: GetConfig) -> ConfigResponse:
    """The configuration."""
    config = CONFIG.load(deps.storage)
    return ConfigResponse(
        admin=config.admin,
        a2a_address=config.a2a,
        discovery_topic=config.discovery_topic,
        announce_ttl_seconds=config.announce_ttl_seconds,
        card_max_bytes=config.card_max_bytes,
    )
