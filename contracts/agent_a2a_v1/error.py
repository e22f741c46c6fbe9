"""Refusals of ``agent_a2a_v1``. The texts of the guide's errors are the guide's."""

from chain.std import ContractError


class Unauthorized(ContractError):
    """The sender may not do this."""

    def __init__(self) -> None:
        super().__init__("Unauthorized: sender is not the expected participant")


class NonPayable(ContractError):
    """Funds came with a message; they would stay here for ever."""

    def __init__(self) -> None:
        super().__init__("This message does no accept funds")


class MessageNotFound(ContractError):
    """No message has this id."""

    def __init__(self, msg_id: str) -> None:
        super().__init__(f"Message not found: {msg_id}")


class ChannelNotFound(ContractError):
    """No channel has this id."""

    def __init__(self, channel_id: str) -> None:
        super().__init__(f"Channel not found: {channel_id}")


class ChannelAlreadyExists(ContractError):
    """The pair has a live direct channel."""

    def __init__(self) -> None:
        super().__init__("Channel already exists for these participants")


class ChannelNotOpen(ContractError):
    """The channel is suspended or closed."""

    def __init__(self, channel_id: str) -> None:
        super().__init__(f"Channel is not open: {channel_id}")


class InvalidChannelType(ContractError):
    """Not a channel type, or not one that this operation serves."""

    def __init__(self, channel_type: str) -> None:
        super().__init__(f"Invalid channel type: {channel_type}")


class InvalidChannelTransition(ContractError):
    """The life cycle has no such move."""

    def __init__(self, before: str, after: str) -> None:
        super().__init__(f"Invalid channel transition: {before} to {after}")


class InvalidParticipants(ContractError):
    """A member twice, oneself, too many, or members where there are none."""

    def __init__(self, why: str) -> None:
        super().__init__(f"Invalid participants: {why}")


class MetadataTooLarge(ContractError):
    """More metadata than the limit."""

    def __init__(self, size_max: int) -> None:
        super().__init__(f"Metadata too large: max {size_max} bytes")


class InvalidMessageType(ContractError):
    """Not a message type."""

    def __init__(self, message_type: str) -> None:
        super().__init__(f"Invalid message type: {message_type}")


class InvalidPriority(ContractError):
    """Outside 0 to 255."""

    def __init__(self) -> None:
        super().__init__("Invalid priority: must be 0-255")


class InvalidTTL(ContractError):
    """Zero or less."""

    def __init__(self) -> None:
        super().__init__("TTL must be greater than 0")


class TTLTooLong(ContractError):
    """Above the limit."""

    def __init__(self, ttl_max: int) -> None:
        super().__init__(f"TTL must be at most {ttl_max} seconds")


class EmptyPayload(ContractError):
    """No payload."""

    def __init__(self) -> None:
        super().__init__("Payload is empty")


class MessageTooLarge(ContractError):
    """More payload than the limit."""

    def __init__(self, size_max: int) -> None:
        super().__init__(f"Message too large: max {size_max // 1024} KB")


class SelfMessage(ContractError):
    """Sender and receiver are one."""

    def __init__(self) -> None:
        super().__init__("Sender and receiver are the same")


class MessageExpired(ContractError):
    """Block time is past ``expires_at``."""

    def __init__(self) -> None:
        super().__init__("Message has expired")


class InvalidMessageStatus(ContractError):
    """The life cycle has no such move."""

    def __init__(self, before: str, after: str) -> None:
        super().__init__(f"Invalid message transition: {before} to {after}")


class InvalidStatus(ContractError):
    """Not a status word."""

    def __init__(self, status: str) -> None:
        super().__init__(f"Invalid status: {status}")


class OriginalMessageNotFound(ContractError):
    """A reply to nothing."""

    def __init__(self) -> None:
        super().__init__("Original message not found for reply")


class ReplyChainTooDeep(ContractError):
    """One reply more than the limit."""

    def __init__(self, depth_max: int) -> None:
        super().__init__(f"Reply chain too deep: max {depth_max} levels")


class InvalidCursor(ContractError):
    """``start_after`` is no id of this listing."""

    def __init__(self) -> None:
        super().__init__("Invalid start_after")


class InvalidTopic(ContractError):
    """Not a topic's name."""

    def __init__(self, topic: str) -> None:
        super().__init__(f"Invalid topic: {topic}")


class InvalidFilter(ContractError):
    """The filter does not parse."""

    def __init__(self, why: str) -> None:
        super().__init__(f"Invalid filter: {why}")


class NotSubscribed(ContractError):
    """No such subscription."""

    def __init__(self) -> None:
        super().__init__("Not subscribed")


class InvalidCapability(ContractError):
    """Not a capability's name."""

    def __init__(self, capability: str) -> None:
        super().__init__(f"Invalid capability: {capability}")


class CapabilityAlreadyRegistered(ContractError):
    """The agent has it."""

    def __init__(self, capability: str) -> None:
        super().__init__(f"Capability already registered: {capability}")


class CapabilityNotFound(ContractError):
    """The agent does not have it."""

    def __init__(self, capability: str) -> None:
        super().__init__(f"Capability not found: {capability}")


class TooManyCapabilities(ContractError):
    """One more than the limit."""

    def __init__(self, count_max: int) -> None:
        super().__init__(f"Too many capabilities: max {count_max}")


class AgentNotRegistered(ContractError):
    """The registry does not know the agent."""

    def __init__(self) -> None:
        super().__init__("Agent not registered in registry")


class DidVerificationFailed(ContractError):
    """The signature does not verify with the sender's DID document."""

    def __init__(self) -> None:
        super().__init__("DID verification failed")


class InvalidNonce(ContractError):
    """Not a nonce."""

    def __init__(self) -> None:
        super().__init__("Invalid nonce: 1 to 64 characters of A-Z a-z 0-9 . _ -")


class NonceUsed(ContractError):
    """The sender signed with this nonce before."""

    def __init__(self) -> None:
        super().__init__("Nonce already used")


class ConstitutionCheckFailed(ContractError):
    """The constitution denies the action."""

    def __init__(self) -> None:
        super().__init__("Constitution check failed: action not allowed")


class ConstitutionHashMismatch(ContractError):
    """Other rules are in force than the sender named."""

    def __init__(self) -> None:
        super().__init__("Constitution hash mismatch: other rules are in force")


class RateLimitExceeded(ContractError):
    """The sender's window is full."""

    def __init__(self) -> None:
        super().__init__("Rate limit exceeded")


class InvalidIntent(ContractError):
    """Capabilities missing, twice, or too many; or too many open intents."""

    def __init__(self, why: str) -> None:
        super().__init__(f"Invalid intent: {why}")


class IntentNotFound(ContractError):
    """No intent has this id."""

    def __init__(self, intent_id: str) -> None:
        super().__init__(f"Intent not found: {intent_id}")


class IntentExpired(ContractError):
    """Block time is past the intent's end."""

    def __init__(self) -> None:
        super().__init__("Intent has expired")


class InvalidIntentStatus(ContractError):
    """The life cycle has no such move."""

    def __init__(self, before: str, after: str) -> None:
        super().__init__(f"Invalid intent transition: {before} to {after}")


class NoAgentMatched(ContractError):
    """No agent holds the capabilities at the price, or the chosen one does not."""

    def __init__(self) -> None:
        super().__init__("No agent matches the intent")


class InvalidAmount(ContractError):
    """Not a whole number below 2^128."""

    def __init__(self) -> None:
        super().__init__("Invalid amount")


class InvalidLimit(ContractError):
    """A configured limit out of its bounds."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Invalid limit: {name}")


class MigrationRefused(ContractError):
    """Another contract, or an older version."""

    def __init__(self, why: str) -> None:
        super().__init__(f"Cannot migrate: {why}")
