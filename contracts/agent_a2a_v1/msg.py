"""Messages of ``agent_a2a_v1``: what it takes, what it answers."""

from chain.std import U32, Answer, Binary, Message, Uint128
from contracts.agent_a2a_v1.answers import (
    CapabilitiesResponse,
    ChannelResponse,
    ChannelsResponse,
    ConfigResponse,
    CountResponse,
    HasCapabilityResponse,
    IntentResponse,
    IntentsResponse,
    MessageResponse,
    MessagesResponse,
    MessageStatusResponse,
    RateLimitResponse,
    SubscriptionsResponse,
    VerifyMessageResponse,
)

# --- shared ---------------------------------------------------------------------------------------


class Limits(Message):
    """Every limit of the contract; what is null keeps its value (at instantiate: its default)."""

    payload_max_bytes: int | None = None  # 262,144
    ttl_max_seconds: int | None = None  # 31,536,000
    reply_depth_max: int | None = None  # 10
    rate_window_seconds: int | None = None  # 1
    rate_messages_max: int | None = None  # 20 in a window
    rate_discovery_max: int | None = None  # 5 in a window
    members_max: int | None = None  # 100, also the receivers of one broadcast
    metadata_max_bytes: int | None = None  # 4,096
    capabilities_max: int | None = None  # 64 for one agent
    candidates_max: int | None = None  # 100 looked at for one match
    intents_open_max: int | None = None  # 100 pending or matched for one address
    sweep_max: int | None = None  # 100 expired records rewritten in one block


class Signature(Message):
    """A signature over the signed content (README, "Signed content")."""

    verification_method: str  # did:msg:agent:<id>#<key>, under assertionMethod
    value: Binary
    nonce: str  # 1 to 64 characters of A-Z a-z 0-9 . _ - ; once per sender


# --- instantiate ----------------------------------------------------------------------------------


class InstantiateMsg(Message):
    """Admin and the contracts this one asks."""

    admin: str
    registry_address: str
    did_registry_address: str
    constitution_address: str | None = None
    relays: tuple[str, ...] = ()  # contracts that may name the sender
    limits: Limits | None = None


# --- execute: messages ----------------------------------------------------------------------------


class SendMessage(Message):
    """Send a message to one receiver."""

    to: str
    message_type: str  # request, response, broadcast, notification, discovery
    payload: Binary
    priority: int  # 0 to 255
    ttl: int  # seconds
    reply_to: str | None = None
    channel_id: str | None = None
    constitution_hash: str | None = None  # refuse unless these rules are in force
    signature: Signature | None = None
    on_behalf_of: str | None = None  # the sender that a relay names


class ReplyMessage(Message):
    """Answer a message that was received; priority, lifetime and channel are the original's."""

    original_msg_id: str
    payload: Binary
    constitution_hash: str | None = None
    signature: Signature | None = None
    on_behalf_of: str | None = None


class CancelMessage(Message):
    """Take a pending message back."""

    msg_id: str


class MarkDelivered(Message):
    """The receiver has the message."""

    msg_id: str


class MarkRead(Message):
    """The receiver has read the message; for a topic message: the subscriber has read up to it."""

    msg_id: str


# --- execute: channels ----------------------------------------------------------------------------


class CreateChannel(Message):
    """Open a channel: to ``participant``, to ``members``, or to whoever subscribes."""

    channel_type: str  # direct, broadcast, pubsub
    participant: str | None = None
    metadata: Binary | None = None
    members: tuple[str, ...] = ()


class UpdateChannel(Message):
    """Change status, metadata or members; what is null stays."""

    channel_id: str
    status: str | None = None
    metadata: Binary | None = None  # empty bytes clear it
    add_members: tuple[str, ...] = ()
    remove_members: tuple[str, ...] = ()


class CloseChannel(Message):
    """Close a channel for good."""

    channel_id: str


class Broadcast(Message):
    """One message to each member of a broadcast channel, or to each of the receivers."""

    payload: Binary
    priority: int
    ttl: int
    channel_id: str | None = None
    receivers: tuple[str, ...] | None = None
    constitution_hash: str | None = None


class Publish(Message):
    """Store one message under a topic of a pubsub channel."""

    channel_id: str
    topic: str  # 1 to 64 characters of a-z 0-9 . _ - /
    payload: Binary
    priority: int = 50
    ttl: int = 3_600
    message_type: str = "notification"
    constitution_hash: str | None = None


class Subscribe(Message):
    """Follow a topic; again with another filter replaces the filter."""

    channel_id: str
    topic: str
    filter: str | None = None  # message_type = request AND priority >= 100


class Unsubscribe(Message):
    """Stop following a topic."""

    channel_id: str
    topic: str


# --- execute: capabilities and intents ------------------------------------------------------------


class AddCapability(Message):
    """Declare that an agent can do something; its owner only."""

    agent_id: str
    capability: str


class RemoveCapability(Message):
    """Withdraw a capability; the agent's owner only."""

    agent_id: str
    capability: str


class SyncAgent(Message):
    """The registry reports an agent; the registry only."""

    agent_id: str
    owner: str
    address: str
    price: Uint128 | None  # amsg; null: none that can be compared
    active: bool
    removed: bool = False
    capabilities: tuple[str, ...] = ()  # to add


class SubmitIntent(Message):
    """Say what is wanted; agents that hold all the capabilities at the price are matched."""

    target_capabilities: tuple[str, ...]  # 1 to 8
    payload: Binary
    priority: int
    ttl: int
    max_price: int | str | None = None  # amsg; decimal text or a JSON integer


class RouteIntent(Message):
    """Send the intent's payload to the chosen agent, or to the best match."""

    intent_id: str
    agent_id: str | None = None


class CancelIntent(Message):
    """Take an intent back that was not routed yet."""

    intent_id: str


class UpdateConfig(Message):
    """Change what is given; the admin only."""

    admin: str | None = None
    registry_address: str | None = None
    did_registry_address: str | None = None
    constitution_address: str | None = None  # the empty text removes it
    relays: tuple[str, ...] | None = None
    limits: Limits | None = None


EXECUTE = (
    SendMessage,
    ReplyMessage,
    CancelMessage,
    MarkDelivered,
    MarkRead,
    CreateChannel,
    UpdateChannel,
    CloseChannel,
    Broadcast,
    Publish,
    Subscribe,
    Unsubscribe,
    AddCapability,
    RemoveCapability,
    SyncAgent,
    SubmitIntent,
    RouteIntent,
    CancelIntent,
    UpdateConfig,
)

# --- migrate, sudo --------------------------------------------------------------------------------


class MigrateMsg(Message):
    """Same contract, equal or newer version."""


class BeginBlock(Message):
    """Start of a block: rewrite what expired, within ``sweep_max``."""


MIGRATE = MigrateMsg
SUDO = (BeginBlock,)

# --- query ----------------------------------------------------------------------------------------


class GetMessage(Message):
    """One message with its payload, or null."""

    msg_id: str


class GetMessageStatus(Message):
    """The status of a message, or null."""

    msg_id: str


class ListMessages(Message):
    """The inbox of an address, newest first."""

    address: str
    status: str | None = None
    start_after: str | None = None
    limit: U32 | None = None


class ListSentMessages(Message):
    """What an address sent, newest first."""

    address: str
    start_after: str | None = None
    limit: U32 | None = None


class ListConversation(Message):
    """Messages between two addresses in both directions, newest first."""

    participants: tuple[str, str]
    start_after: str | None = None
    limit: U32 | None = None


class ListChannelMessages(Message):
    """Messages over a channel, newest first."""

    channel_id: str
    start_after: str | None = None
    limit: U32 | None = None


class ListThread(Message):
    """The chain of replies that a message belongs to, newest first."""

    msg_id: str
    start_after: str | None = None
    limit: U32 | None = None


class ListTopicMessages(Message):
    """A topic, newest first; or what a subscriber has not read, oldest first."""

    channel_id: str
    topic: str
    subscriber: str | None = None
    start_after: str | None = None
    limit: U32 | None = None


class CountPendingMessages(Message):
    """How many live pending messages wait for an address."""

    address: str


class GetChannel(Message):
    """One channel, or null."""

    channel_id: str


class ListChannels(Message):
    """Direct channels of a pair, newest first."""

    participants: tuple[str, str]
    start_after: str | None = None
    limit: U32 | None = None


class ListChannelsOf(Message):
    """Channels that an address takes part in, newest first."""

    address: str
    start_after: str | None = None
    limit: U32 | None = None


class ListSubscriptions(Message):
    """Subscriptions of an address, by channel and topic."""

    subscriber: str
    start_after: tuple[str, str] | None = None  # channel id, topic
    limit: U32 | None = None


class ListCapabilities(Message):
    """All capabilities of an agent, by name."""

    agent_id: str


class HasCapability(Message):
    """Whether an active agent holds a capability."""

    agent_id: str
    capability: str


class FindAgentsByCapability(Message):
    """Active agents that hold a capability: by id, or cheapest first."""

    capability: str
    start_after: str | None = None  # agent id
    limit: U32 | None = None
    max_price: int | str | None = None  # amsg; implies order price
    order: str = "agent_id"  # agent_id or price


class GetIntent(Message):
    """One intent, or null."""

    intent_id: str


class ListIntents(Message):
    """Intents of an address, newest first."""

    address: str
    status: str | None = None
    start_after: str | None = None
    limit: U32 | None = None


class VerifyMessage(Message):
    """Check the stored signature of a message against the DID registry as it is now."""

    msg_id: str


class RateLimitStatus(Message):
    """What an address has left in the current window."""

    address: str


class GetConfig(Message):
    """The configuration."""


QUERY = (
    GetMessage,
    GetMessageStatus,
    ListMessages,
    ListSentMessages,
    ListConversation,
    ListChannelMessages,
    ListThread,
    ListTopicMessages,
    CountPendingMessages,
    GetChannel,
    ListChannels,
    ListChannelsOf,
    ListSubscriptions,
    ListCapabilities,
    HasCapability,
    FindAgentsByCapability,
    GetIntent,
    ListIntents,
    VerifyMessage,
    RateLimitStatus,
    GetConfig,
)

# --- answers --------------------------------------------------------------------------------------


class AgentEntry(Answer):
    """An agent that was found."""

    agent_id: str
    owner: str
    address: str
    price: Uint128 | None


class FindAgentsResponse(Answer):
    """Agent ids of a page; ``count`` counts all that hold the capability."""

    agents: tuple[str, ...]
    count: int
    entries: tuple[AgentEntry, ...]
    next: str | None


ANSWERS = {
    "get_message": MessageResponse,
    "get_message_status": MessageStatusResponse,
    "list_messages": MessagesResponse,
    "list_sent_messages": MessagesResponse,
    "list_conversation": MessagesResponse,
    "list_channel_messages": MessagesResponse,
    "list_thread": MessagesResponse,
    "list_topic_messages": MessagesResponse,
    "count_pending_messages": CountResponse,
    "get_channel": ChannelResponse,
    "list_channels": ChannelsResponse,
    "list_channels_of": ChannelsResponse,
    "list_subscriptions": SubscriptionsResponse,
    "list_capabilities": CapabilitiesResponse,
    "has_capability": HasCapabilityResponse,
    "find_agents_by_capability": FindAgentsResponse,
    "get_intent": IntentResponse,
    "list_intents": IntentsResponse,
    "verify_message": VerifyMessageResponse,
    "rate_limit_status": RateLimitResponse,
    "get_config": ConfigResponse,
}
