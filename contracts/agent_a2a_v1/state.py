"""Storage of ``agent_a2a_v1``.

Authenticated: what cannot be computed from anything else. A message is written once and never
again; where it stands is a small record beside it, absent while it is pending. Derived
(``derived=True``): indexes, counts and rate windows, all computable from the messages; they stay
outside the Merkle tree and only ``ledger.py``, ``sweep.py``, ``channel_store.py``, ``holders.py``
and ``intent_store.py`` write them. Numbers that grow are stored from ``WIDE`` up, which MessagePack
writes in nine bytes whatever they are, so that a send costs the same gas at any size. Key strings
and field orders are consensus: only added to.
"""

from chain.std import Addr, Record, Uint128
from chain.storage_plus import Item, Map

# --- codes ----------------------------------------------------------------------------------------

PENDING = 0
DELIVERED = 1
READ = 2
REPLIED = 3
EXPIRED = 4
CANCELLED = 5
MESSAGE_STATUSES = ("pending", "delivered", "read", "replied", "expired", "cancelled")

MESSAGE_TYPES = ("request", "response", "broadcast", "notification", "discovery")
REQUEST = 0
RESPONSE = 1
BROADCAST = 2
DISCOVERY = 4
#: What the constitution is asked for each message type.
ACTIONS = ("a2a:send_request", "a2a:send_response", "a2a:broadcast", "a2a:notify", "a2a:discover")

OPEN = 0
ACTIVE = 1
SUSPENDED = 2
CLOSED = 3
CHANNEL_STATUSES = ("open", "active", "suspended", "closed")

DIRECT = 0
BROADCASTING = 1
PUBSUB = 2
CHANNEL_TYPES = ("direct", "broadcast", "pubsub")

MATCHED = 1
ROUTED = 2
INTENT_EXPIRED = 3
INTENT_CANCELLED = 4
INTENT_STATUSES = ("pending", "matched", "routed", "expired", "cancelled")

#: Zero of a stored number that grows.
WIDE = 1 << 32

#: First word of a message's id.
KINDS = ("msg", "reply", "topic")
SENT_KIND = 0
REPLY_KIND = 1
TOPIC_KIND = 2

#: An agent without a price that can be compared sorts behind every price.
NO_PRICE = (1 << 128) - 1

# --- records: times in nanoseconds ----------------------------------------------------------------


class Config(Record):
    """Who is asked, who may name senders, and every limit."""

    admin: Addr
    registry: Addr
    did_registry: Addr
    constitution: Addr | None
    relays: tuple[Addr, ...]
    payload_max_bytes: int
    ttl_max_seconds: int
    reply_depth_max: int
    rate_window_seconds: int
    rate_messages_max: int
    rate_discovery_max: int
    members_max: int
    metadata_max_bytes: int
    capabilities_max: int
    candidates_max: int
    intents_open_max: int
    sweep_max: int


class SignatureRecord(Record):
    """A signature that verified when the message was sent."""

    verification_method: str
    value: bytes
    nonce: str
    channel_signed: bool  # whether the sender named the channel, or the contract found it


class MessageRecord(Record):
    """A message as it was sent.

    Its id is made of ``kind``, both addresses, ``height`` and its number.
    """

    kind: int
    sender: Addr
    receiver: Addr  # of a topic message: this contract
    message_type: int
    payload: bytes
    priority: int
    ttl: int
    created_at: int
    expires_at: int
    height: int
    depth: int = 0
    channel_id: str | None = None
    reply_to: str | None = None
    root: str | None = None  # id of the thread's first message; None: this one
    constitution_hash: str | None = None
    signature: SignatureRecord | None = None
    topic: str | None = None
    via: Addr | None = None


class StatusRecord(Record):
    """Where a message that is no longer pending stands."""

    status: int
    at: int


class ExpiryRecord(Record):
    """What the sweep needs to know of a message, so that it never loads a payload."""

    msg_id: str
    sender: Addr


class DueRecord(Record):
    """Live messages of one receiver that end at one instant, by status."""

    pending: int
    delivered: int
    read: int


class WindowEntry(Record):
    """What one sender sent at one earlier block time."""

    at: int
    messages: int
    discovery: int


class Inbox(Record):
    """Messages received by an address: all of them, and by recorded status."""

    received: int
    pending: int
    delivered: int
    read: int
    replied: int
    expired: int
    cancelled: int


class Sender(Record):
    """Messages sent by an address, and its rate window: the last block time it sent at, with what
    it sent then, and earlier ones.
    """

    sent: int
    at: int
    messages: int
    discovery: int
    earlier: tuple[WindowEntry, ...]


class Pair(Record):
    """Two addresses: how many messages, and their direct channels."""

    messages: int
    channels: int  # how many there ever were
    live: bool  # whether the latest is not closed
    status: int  # of the latest


class ChannelRecord(Record):
    """A channel. ``participants[0]`` opened it."""

    number: int
    channel_type: int
    status: int
    participants: tuple[Addr, ...]
    metadata: bytes | None
    created_at: int
    updated_at: int


class ChannelStats(Record):
    """Messages over a channel."""

    messages: int
    last_at: int


class TopicEntry(Record):
    """What a subscription's filter looks at."""

    message_type: int
    priority: int
    sender: Addr


class SubscriptionRecord(Record):
    """Who follows a topic, from where, through which filter."""

    filter: str | None
    active: bool
    created_at: int
    cursor: int  # number of the last message marked read; at first the last one that existed
    cursor_id: str | None


class AgentRecord(Record):
    """An agent as the registry reported it."""

    owner: Addr
    address: Addr
    price: int | None
    active: bool
    capabilities: int


class CapabilityRecord(Record):
    """Since when an agent holds a capability."""

    registered_at: int


class IntentRecord(Record):
    """An intent as it was submitted."""

    source: Addr
    targets: tuple[str, ...]
    payload: bytes
    priority: int
    ttl: int
    max_price: int | None
    created_at: int
    expires_at: int
    height: int


class IntentState(Record):
    """Where an intent stands."""

    status: int
    matched: tuple[str, ...]
    routed_to: str | None
    msg_id: str | None


class OpenIntent(Record):
    """An intent that is pending or matched: what matching and the sweep need to know."""

    intent_id: str
    source: Addr
    status: int
    expires_at: int
    targets: tuple[str, ...]
    max_price: int | None


class IntentCounts(Record):
    """Intents of an address: all of them, and by recorded status."""

    submitted: int
    by_status: tuple[int, ...]  # in the order of INTENT_STATUSES


# --- authenticated --------------------------------------------------------------------------------

CONFIG = Item("config", Config)
MESSAGE_NUMBER = Item("message_number", int)
CHANNEL_NUMBER = Item("channel_number", int)
INTENT_NUMBER = Item("intent_number", int)

MESSAGES = Map("messages", (int,), MessageRecord)
STATUSES = Map("statuses", (int,), StatusRecord)
CHANNELS = Map("channels", (str,), ChannelRecord)
SUBSCRIPTIONS = Map(
    "subscriptions", (Addr, str, str), SubscriptionRecord
)  # subscriber, channel, topic
AGENTS = Map("agents", (str,), AgentRecord)
CAPABILITIES = Map("capabilities", (str, str), CapabilityRecord)  # agent, capability
INTENTS = Map("intents", (int,), IntentRecord)
INTENT_STATES = Map("intent_states", (int,), IntentState)

# --- derived: messages ----------------------------------------------------------------------------

INBOX = Map("inbox", (Addr, int), bool, derived=True)  # receiver, number
INBOX_BY_STATUS = Map("inbox_by_status", (Addr, str, int), int, derived=True)  # -> expires_at
SENT = Map("sent", (Addr, int), bool, derived=True)
CONVERSATIONS = Map("conversations", (Addr, Addr, int), bool, derived=True)  # lower, higher, number
CHANNEL_MESSAGES = Map("channel_messages", (str, int), bool, derived=True)
THREADS = Map("threads", (int, int), bool, derived=True)  # root, reply
TOPIC_MESSAGES = Map("topic_messages", (str, str, int), TopicEntry, derived=True)
TOPIC_COUNTS = Map("topic_counts", (str, str), int, derived=True)
EXPIRY = Map("expiry", (int, Addr, int), ExpiryRecord, derived=True)  # instant, receiver, number
DUE = Map("due", (Addr, int), DueRecord, derived=True)  # receiver, instant
INBOXES = Map("inboxes", (Addr,), Inbox, derived=True)
SENDERS = Map("senders", (Addr,), Sender, derived=True)
NONCES = Map("nonces", (Addr, str), int, derived=True)  # sender, nonce -> message

# --- derived: channels ----------------------------------------------------------------------------

PAIRS = Map("pairs", (Addr, Addr), Pair, derived=True)  # lower, higher
CHANNEL_STATS = Map("channel_stats", (str,), ChannelStats, derived=True)
CHANNELS_OF = Map("channels_of", (Addr, int), str, derived=True)  # participant, number -> channel
CHANNEL_COUNTS = Map("channel_counts", (Addr,), int, derived=True)

# --- derived: capabilities and intents ------------------------------------------------------------

HOLDERS = Map("holders", (str, str), bool, derived=True)  # capability, agent; active agents only
OFFERS = Map(
    "offers", (str, Uint128, str), bool, derived=True
)  # capability, price, agent; active agents only
HOLDER_COUNTS = Map("holder_counts", (str,), int, derived=True)
INTENTS_OF = Map("intents_of", (Addr, int), bool, derived=True)
INTENTS_BY_STATUS = Map(
    "intents_by_status", (Addr, str, int), bool, derived=True
)  # recorded status
INTENT_COUNTS = Map("intent_counts", (Addr,), IntentCounts, derived=True)
OPEN_INTENTS = Map(
    "open_intents", (Addr, int), OpenIntent, derived=True
)  # at most intents_open_max an address
WAITING = Map("waiting", (str, int), Addr, derived=True)  # capability, pending intent -> source
INTENT_EXPIRY = Map("intent_expiry", (int, int), Addr, derived=True)  # instant, intent -> source
