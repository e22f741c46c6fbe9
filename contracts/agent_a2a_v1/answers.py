"""What ``agent_a2a_v1`` answers; what other contracts read is in ``msg.py``."""

from chain.std import Answer, Binary, Timestamp, Uint128


class MessageView(Answer):
    """A message as queries show it; ``status`` is the one that holds at the block."""

    msg_id: str
    sender: str
    receiver: str
    message_type: str
    payload: Binary
    priority: int
    status: str  # pending, delivered, read, replied, expired, cancelled
    channel_id: str | None
    reply_to: str | None
    ttl: int
    created_at: Timestamp
    expires_at: Timestamp
    constitution_hash: str | None
    signature: Binary | None
    verification_method: str | None
    nonce: str | None
    priority_label: str  # low, normal, high, critical
    height: int
    depth: int  # 0, or how many messages this one answers up to the thread's root
    thread: str  # id of the thread's root
    topic: str | None
    via: str | None  # the relay that named the sender


class MessageResponse(Answer):
    """One message, or null."""

    message: MessageView | None


class MessageStatusResponse(Answer):
    """The status, or null for an unknown id."""

    msg_id: str
    status: str | None
    expires_at: Timestamp | None


class MessagesResponse(Answer):
    """A page of messages.

    ``total`` counts all matches, ``next`` is the cursor where more remain.
    """

    messages: tuple[MessageView, ...]
    total: int
    next: str | None


class CountResponse(Answer):
    """A count."""

    count: int


class ChannelView(Answer):
    """A channel as queries show it."""

    channel_id: str
    participants: tuple[str, ...]  # who opened it first
    status: str  # open, active, suspended, closed
    channel_type: str
    metadata: Binary | None
    created_at: Timestamp
    updated_at: Timestamp
    message_count: int
    owner: str


class ChannelResponse(Answer):
    """One channel, or null."""

    channel: ChannelView | None


class ChannelsResponse(Answer):
    """A page of channels; ``total`` counts all matches."""

    channels: tuple[ChannelView, ...]
    total: int
    next: str | None


class SubscriptionView(Answer):
    """A subscription; ``cursor`` is the last message marked read."""

    subscriber: str
    topic: str
    channel_id: str
    filter: str | None
    active: bool
    created_at: Timestamp
    cursor: str | None


class SubscriptionsResponse(Answer):
    """A page of subscriptions."""

    subscriptions: tuple[SubscriptionView, ...]
    next: tuple[str, str] | None


class CapabilitiesResponse(Answer):
    """Names of capabilities."""

    capabilities: tuple[str, ...]


class HasCapabilityResponse(Answer):
    """The guide's shape with a plain answer added."""

    agents: tuple[str, ...]
    count: int
    has: bool


class IntentView(Answer):
    """An intent as queries show it."""

    intent_id: str
    source_agent: str  # the address that submitted it
    target_capabilities: tuple[str, ...]
    payload: Binary
    priority: int
    ttl: int
    status: str  # pending, matched, routed, expired, cancelled
    matched_agents: tuple[str, ...]
    max_price: Uint128 | None
    created_at: Timestamp
    expires_at: Timestamp
    routed_to: str | None
    msg_id: str | None


class IntentResponse(Answer):
    """One intent, or null."""

    intent: IntentView | None


class IntentsResponse(Answer):
    """A page of intents; ``total`` counts all matches."""

    intents: tuple[IntentView, ...]
    total: int
    next: str | None


class VerifyMessageResponse(Answer):
    """Whether the stored signature still verifies, and over which bytes."""

    valid: bool
    #: unsigned, unknown_did, deactivated, unknown_key, wrong_relation, wrong_account, bad_signature
    reason: str | None
    signed_content: Binary | None
    verification_method: str | None


class RateLimitResponse(Answer):
    """The sender's window at the block's time."""

    window_seconds: int
    messages_used: int
    messages_max: int
    discovery_used: int
    discovery_max: int


class LimitsView(Answer):
    """Limits in force."""

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


class ConfigResponse(Answer):
    """The configuration."""

    admin: str
    registry_address: str
    did_registry_address: str
    constitution_address: str | None
    relays: tuple[str, ...]
    limits: LimitsView
