"""Messages of the agent registry."""

from chain.std import U32, Answer, Binary, Message, Timestamp, Uint128

# --- shared ---------------------------------------------------------------------------------------


class PriceModel(Message):
    """What an agent asks. ``umsg`` and ``msg`` are turned into ``amsg`` when stored."""

    price: int | str  # decimal text or a JSON integer; 0 is free; always text in answers
    denom: str = "amsg"  # a native denomination, or cw20:<token contract>
    model: str = "per_task"  # per_task, per_message, per_hour, subscription, negotiable


class SpendingPolicy(Message):
    """What the agent may spend without asking its owner, in one denomination.

    A payment is within the policy when it is at most ``per_tx_limit`` and the period's payments
    with it are at most ``per_period_limit``. A limit of null does not bind. Payments in another
    denomination need the owner's approval.
    """

    per_tx_limit: Uint128 | None = None
    per_period_limit: Uint128 | None = None
    period_seconds: int = (
        86_400  # 1 to 31,536,000; periods start at whole multiples of it since the epoch
    )
    denom: str = "amsg"


# --- instantiate ----------------------------------------------------------------------------------


class InstantiateMsg(Message):
    """Who administers the registry, and where ``agent_a2a_v1`` is (it may be named later)."""

    admin: str
    a2a_address: str | None = None
    discovery_topic: str = "logos-agent-discovery-v1"
    announce_ttl_seconds: int = 3_600
    card_max_bytes: int = 65_536


# --- execute --------------------------------------------------------------------------------------


class RegisterAgent(Message):
    """Register an agent: active when its own account sends this, else that account must confirm."""

    agent_id: str  # 1 to 64 characters of a-z 0-9 . _ -
    name: str | None = None  # at most 128 characters
    address: str | None = None  # the agent's account; default the sender
    owner: str | None = None  # default the sender; only the agent's own account may name another
    price_model: PriceModel | None = None
    metadata: Binary | None = None  # at most 4,096 bytes
    capabilities: tuple[str, ...] = ()  # handed on to agent_a2a_v1


class ConfirmAgent(Message):
    """The agent's own account agrees to be this agent.

    From here on the chain treats it as an AI agent.
    """

    agent_id: str


class UpdateAgent(Message):
    """Change what is given; the owner only. ``status`` is active or inactive."""

    agent_id: str
    name: str | None = None
    price_model: PriceModel | None = None
    metadata: Binary | None = None
    status: str | None = None


class TransferOwnership(Message):
    """Hand the agent, and the right over its capabilities, to another account."""

    agent_id: str
    new_owner: str


class DeregisterAgent(Message):
    """End an agent: its account is free, its capabilities go, its id stays with its last owner."""

    agent_id: str


class SetCard(Message):
    """Store the agent card: the JSON text as bytes; the owner or the agent's account."""

    agent_id: str
    card: Binary
    card_hash: str | None = None  # hex SHA-256; where given it must be the card's


class AnnounceCard(Message):
    """Announce the stored card on a topic, or refresh the announcement.

    The owner or the agent's account.
    """

    agent_id: str
    topic: str | None = None  # default the configured topic
    ttl_seconds: int | None = None  # default and maximum: the configured time


class WithdrawCard(Message):
    """Take an announcement back."""

    agent_id: str
    topic: str | None = None


class SetSpendingPolicy(Message):
    """Set the agent's spending policy, or remove it with null; the owner only."""

    agent_id: str
    policy: SpendingPolicy | None = None


class UpdateConfig(Message):
    """Change what is given; the admin only."""

    admin: str | None = None
    a2a_address: str | None = None
    discovery_topic: str | None = None
    announce_ttl_seconds: int | None = None
    card_max_bytes: int | None = None


EXECUTE = (
    RegisterAgent,
    ConfirmAgent,
    UpdateAgent,
    TransferOwnership,
    DeregisterAgent,
    SetCard,
    AnnounceCard,
    WithdrawCard,
    SetSpendingPolicy,
    UpdateConfig,
)


# --- sudo -----------------------------------------------------------------------------------------


class BeginBlock(Message):
    """Start of a block: prune announcements that lapsed, within a bound."""


SUDO = (BeginBlock,)

# --- query ----------------------------------------------------------------------------------------


class GetAgent(Message):
    """One agent by id, or null."""

    agent_id: str


class GetAgentByOwner(Message):
    """The owner's agents by id; ``agent`` is the first of the page."""

    owner: str
    start_after: str | None = None
    limit: U32 | None = None


class GetAgentByAddress(Message):
    """The agent whose own account this is, or null."""

    address: str


class ListAgents(Message):
    """All agents by id, deregistered ones left out."""

    start_after: str | None = None
    limit: U32 | None = None


class DiscoverAgents(Message):
    """Active agents with a capability, cheapest first, then by id; asks ``agent_a2a_v1``."""

    capability: str
    max_price: int | str | None = None  # amsg; decimal text or a JSON integer
    start_after: str | None = None  # the page before's ``next``, or an agent id
    limit: U32 | None = None


class GetCard(Message):
    """The stored card of an agent, or null."""

    agent_id: str


class Discover(Message):
    """Live announcements on a topic, by agent id."""

    topic: str | None = None
    start_after: str | None = None
    limit: U32 | None = None


class GetSpendingPolicy(Message):
    """Owner and policy of the agent with this account; all null for an account that is no agent."""

    address: str


class GetConfig(Message):
    """The configuration."""


QUERY = (
    GetAgent,
    GetAgentByOwner,
    GetAgentByAddress,
    ListAgents,
    DiscoverAgents,
    GetCard,
    Discover,
    GetSpendingPolicy,
    GetConfig,
)

# --- answers --------------------------------------------------------------------------------------


class Agent(Answer):
    """An agent as the registry knows it."""

    agent_id: str
    owner: str
    address: str
    name: str | None
    status: str  # pending, active, inactive, deregistered
    price_model: PriceModel | None
    metadata: Binary | None
    card_hash: str | None
    registered_at: Timestamp
    updated_at: Timestamp


class AgentResponse(Answer):
    """One agent, or null."""

    agent: Agent | None


class AgentsOfOwnerResponse(Answer):
    """The owner's agents; ``agent`` is the first of them, or null."""

    agent: Agent | None
    agents: tuple[Agent, ...]
    total: int


class AgentsResponse(Answer):
    """A page of agents.

    ``total`` counts all that match, ``next`` is the cursor where more remain.
    """

    agents: tuple[Agent, ...]
    total: int
    next: str | None


class Card(Answer):
    """A stored agent card."""

    agent_id: str
    card: Binary
    card_hash: str  # hex SHA-256 of the card
    updated_at: Timestamp


class CardResponse(Answer):
    """The card, or null."""

    card: Card | None


class Announcement(Answer):
    """A live announcement of a card."""

    agent_id: str
    owner: str
    address: str
    topic: str
    card: Binary
    card_hash: str
    announced_at: Timestamp
    expires_at: Timestamp


class AnnouncementsResponse(Answer):
    """A page of live announcements; ``next`` is the cursor where more remain."""

    announcements: tuple[Announcement, ...]
    next: str | None


class SpendingPolicyResponse(Answer):
    """What binds a payment by this account."""

    agent_id: str | None
    owner: str | None
    policy: SpendingPolicy | None


class ConfigResponse(Answer):
    """The configuration."""

    admin: str
    a2a_address: str | None
    discovery_topic: str
    announce_ttl_seconds: int
    card_max_bytes: int


ANSWERS = {
    "get_agent": AgentResponse,
    "get_agent_by_owner": AgentsOfOwnerResponse,
    "get_agent_by_address": AgentResponse,
    "list_agents": AgentsResponse,
    "discover_agents": AgentsResponse,
    "get_card": CardResponse,
    "discover": AnnouncementsResponse,
    "get_spending_policy": SpendingPolicyResponse,
    "get_config": ConfigResponse,
}
