"""Storage of the agent registry.

``AGENT_ACCOUNTS`` is read raw by the chain's safety boundary: an agent's account to its owner's.
"""

from chain.std import Addr, Record
from chain.storage_plus import Item, Map

PENDING = 0
ACTIVE = 1
INACTIVE = 2
DEREGISTERED = 3
STATUSES = ("pending", "active", "inactive", "deregistered")


class Config(Record):
    """Who administers, where ``agent_a2a_v1`` is, limits."""

    admin: Addr
    a2a: Addr | None
    discovery_topic: str
    announce_ttl_seconds: int
    card_max_bytes: int


class PriceRecord(Record):
    """A price as stored: ``umsg`` and ``msg`` are ``amsg`` here."""

    price: int
    denom: str
    model: str


class AgentRecord(Record):
    """An agent. A deregistered one keeps its id for its last owner."""

    owner: Addr
    address: Addr
    name: str | None
    status: int
    price: PriceRecord | None
    metadata: bytes | None
    card_hash: str | None
    capabilities: tuple[str, ...]  # to hand on when a pending agent is confirmed
    registered_at: int  # nanoseconds
    updated_at: int


class CardRecord(Record):
    """A card as stored."""

    card: bytes
    hash: str
    updated_at: int  # nanoseconds


class AnnouncementRecord(Record):
    """Since when and until when a card is announced."""

    announced_at: int  # nanoseconds
    expires_at: int


class PolicyRecord(Record):
    """The owner's spending policy for an agent."""

    per_tx_limit: int | None
    per_period_limit: int | None
    period_seconds: int
    denom: str


CONFIG = Item("config", Config)
AGENTS = Map("agents", (str,), AgentRecord)
AGENT_ACCOUNTS = Map("agent_accounts", (Addr,), Addr)  # agent's account -> owner's
AGENT_IDS = Map("agent_ids", (Addr,), str)  # agent's account -> agent id
CARDS = Map("cards", (str,), CardRecord)
ANNOUNCEMENTS = Map("announcements", (str, str), AnnouncementRecord)  # topic, agent
POLICIES = Map("policies", (str,), PolicyRecord)

OWNED = Map("owned", (Addr, str), bool, derived=True)  # owner, agent; not deregistered
OWNED_COUNTS = Map("owned_counts", (Addr,), int, derived=True)
LISTED = Map("listed", (str,), bool, derived=True)  # agent; not deregistered
LISTED_COUNT = Item("listed_count", int, derived=True)
LAPSES = Map("lapses", (int, str, str), bool, derived=True)  # instant, topic, agent
TOPICS_OF = Map("topics_of", (str, str), bool, derived=True)  # agent, topic
