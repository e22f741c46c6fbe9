"""Refusals of the agent registry."""

from chain.std import ContractError


class Unauthorized(ContractError):
    """The sender is not who may do this."""

    def __init__(self, who: str) -> None:
        super().__init__(f"Unauthorized: only {who} may do this")


class NonPayable(ContractError):
    """Funds came with a message; they would stay here for ever."""

    def __init__(self) -> None:
        super().__init__("This message does no accept funds")


class InvalidAgentId(ContractError):
    """Not an agent id."""

    def __init__(self, agent_id: str) -> None:
        super().__init__(f"Invalid agent id: {agent_id}")


class AgentAlreadyRegistered(ContractError):
    """The id is taken, or belongs to its last owner."""

    def __init__(self, agent_id: str) -> None:
        super().__init__(f"Agent already registered: {agent_id}")


class AddressAlreadyRegistered(ContractError):
    """The account is an agent's."""

    def __init__(self, address: str) -> None:
        super().__init__(f"Address already registered: {address}")


class AgentNotFound(ContractError):
    """No such agent, or none any more."""

    def __init__(self, agent_id: str) -> None:
        super().__init__(f"Agent not found: {agent_id}")


class AgentNotActive(ContractError):
    """The agent is pending or inactive."""

    def __init__(self, agent_id: str) -> None:
        super().__init__(f"Agent not active: {agent_id}")


class NotPending(ContractError):
    """The agent waits for no confirmation."""

    def __init__(self, agent_id: str) -> None:
        super().__init__(f"Agent is not pending: {agent_id}")


class InvalidStatus(ContractError):
    """Neither active nor inactive."""

    def __init__(self, status: str) -> None:
        super().__init__(f"Invalid status: {status}")


class InvalidPrice(ContractError):
    """A price, denomination or model that is none."""

    def __init__(self, why: str) -> None:
        super().__init__(f"Invalid price: {why}")


class InvalidPolicy(ContractError):
    """A spending policy that is none."""

    def __init__(self, why: str) -> None:
        super().__init__(f"Invalid policy: {why}")


class TooLarge(ContractError):
    """A field above its limit."""

    def __init__(self, what: str, size_max: int) -> None:
        super().__init__(f"Too large: {what}, max {size_max}")


class InvalidCard(ContractError):
    """An empty card, or a hash that is not the card's."""

    def __init__(self, why: str) -> None:
        super().__init__(f"Invalid card: {why}")


class CardNotFound(ContractError):
    """The agent has no card."""

    def __init__(self, agent_id: str) -> None:
        super().__init__(f"Card not found: {agent_id}")


class InvalidTopic(ContractError):
    """Not a topic's name."""

    def __init__(self, topic: str) -> None:
        super().__init__(f"Invalid topic: {topic}")


class InvalidTtl(ContractError):
    """A lifetime out of bounds."""

    def __init__(self, ttl_max: int) -> None:
        super().__init__(f"Invalid TTL: 1 to {ttl_max} seconds")


class NotAnnounced(ContractError):
    """No such announcement."""

    def __init__(self) -> None:
        super().__init__("Card is not announced on this topic")


class A2aNotConfigured(ContractError):
    """The registry does not know ``agent_a2a_v1`` yet."""

    def __init__(self) -> None:
        super().__init__("agent_a2a_v1 is not configured")


class InvalidLimit(ContractError):
    """A configured limit out of its bounds."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Invalid limit: {name}")
