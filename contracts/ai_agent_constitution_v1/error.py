"""Refusals of the constitution."""

from chain.std import ContractError


class Unauthorized(ContractError):
    """The sender is not the authority."""

    def __init__(self) -> None:
        super().__init__("Unauthorized: sender is not the constitution authority")


class NonPayable(ContractError):
    """Funds came with a message; they would stay here for ever."""

    def __init__(self) -> None:
        super().__init__("This message does no accept funds")


class InvalidEffect(ContractError):
    """Neither allow nor deny."""

    def __init__(self, effect: str) -> None:
        super().__init__(f"Invalid effect: {effect}")


class InvalidAction(ContractError):
    """Not an action, or not a pattern of actions."""

    def __init__(self, action: str) -> None:
        super().__init__(f"Invalid action: {action}")


class InvalidRiskTier(ContractError):
    """Not low, medium or high."""

    def __init__(self, risk_tier: str) -> None:
        super().__init__(f"Invalid risk tier: {risk_tier}")


class InvalidNote(ContractError):
    """A note or reason above the limit."""

    def __init__(self, length_max: int) -> None:
        super().__init__(f"Invalid note: at most {length_max} characters")


class TooManyRules(ContractError):
    """More rules than a check may look at."""

    def __init__(self, count_max: int) -> None:
        super().__init__(f"Too many rules: max {count_max}")


class RuleNotFound(ContractError):
    """No rule at this position."""

    def __init__(self, position: int) -> None:
        super().__init__(f"Rule not found: {position}")


class VersionNotFound(ContractError):
    """No such version."""

    def __init__(self, version: int) -> None:
        super().__init__(f"Version not found: {version}")


class AgentNotFound(ContractError):
    """Neither an address nor an agent that the registry knows."""

    def __init__(self, agent_id: str) -> None:
        super().__init__(f"Agent not found: {agent_id}")


class AlreadySuspended(ContractError):
    """The agent is suspended."""

    def __init__(self, agent: str) -> None:
        super().__init__(f"Already suspended: {agent}")


class NotSuspended(ContractError):
    """The agent is not suspended."""

    def __init__(self, agent: str) -> None:
        super().__init__(f"Not suspended: {agent}")
