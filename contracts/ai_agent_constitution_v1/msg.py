"""Messages of the constitution: rules, suspension, and the one question other contracts ask."""

from chain.std import U32, Answer, Message, Timestamp

# --- shared ---------------------------------------------------------------------------------------


class Rule(Message):
    """One rule; the first rule that fits a question decides it."""

    effect: str  # allow or deny, any case
    agent: str = "*"  # an account's address, a registered agent's id, or * for every agent
    action: str = "*"  # an action such as a2a:broadcast, a prefix such as a2a:*, or *
    risk_tier: str = "*"  # low, medium, high, or *
    note: str | None = None  # why, at most 256 characters


# --- instantiate ----------------------------------------------------------------------------------


class InstantiateMsg(Message):
    """Who may change the rules, and the first version of them."""

    authority: str
    default: str = "allow"  # what holds when no rule fits: allow or deny
    rules: tuple[Rule, ...] = ()
    registry_address: str | None = None  # resolves agent ids in rules and suspensions


# --- execute --------------------------------------------------------------------------------------


class SetRules(Message):
    """Replace all rules, and the default where given: a new version."""

    rules: tuple[Rule, ...]
    default: str | None = None


class AddRule(Message):
    """Insert one rule before ``position`` (0 is first), or at the end: a new version."""

    rule: Rule
    position: U32 | None = None


class RemoveRule(Message):
    """Remove the rule at ``position``: a new version."""

    position: U32


class SuspendAgent(Message):
    """Deny every action of one agent until it is reinstated."""

    agent_id: str  # an account's address or a registered agent's id
    reason: str | None = None


class ReinstateAgent(Message):
    """End the suspension of an agent."""

    agent_id: str


class UpdateAuthority(Message):
    """Hand the constitution to another account."""

    authority: str


class UpdateConfig(Message):
    """Change the registry that resolves agent ids."""

    registry_address: str


EXECUTE = (
    SetRules,
    AddRule,
    RemoveRule,
    SuspendAgent,
    ReinstateAgent,
    UpdateAuthority,
    UpdateConfig,
)

# --- query ----------------------------------------------------------------------------------------


class CheckAction(Message):
    """May this agent do this, at this risk tier, now?"""

    agent_id: str
    action: str
    risk_tier: str = "low"


class GetRules(Message):
    """The rules of a version; of the one in force where none is named."""

    version: U32 | None = None


class ListVersions(Message):
    """Versions, newest first."""

    start_after: U32 | None = None
    limit: U32 | None = None


class GetSuspension(Message):
    """The suspension of an agent, or null."""

    agent_id: str


class ListSuspensions(Message):
    """Suspended agents, by address."""

    start_after: str | None = None
    limit: U32 | None = None


class GetConfig(Message):
    """Authority, registry, version in force."""


QUERY = (CheckAction, GetRules, ListVersions, GetSuspension, ListSuspensions, GetConfig)

# --- answers --------------------------------------------------------------------------------------


class CheckActionResponse(Answer):
    """The verdict, which rule gave it, and the hash of the rules in force."""

    allowed: bool
    reason: str  # rule, default, or suspended
    rule: int | None  # position of the rule that decided
    version: int
    constitution_hash: str  # hex SHA-256 of the canonical rules


class RulesResponse(Answer):
    """One version of the constitution."""

    version: int
    constitution_hash: str
    default: str
    rules: tuple[Rule, ...]
    created_at: Timestamp
    height: int


class VersionEntry(Answer):
    """One line of the list of versions."""

    version: int
    constitution_hash: str
    created_at: Timestamp
    height: int


class VersionsResponse(Answer):
    """A page of versions; ``total`` counts all."""

    versions: tuple[VersionEntry, ...]
    total: int


class Suspension(Answer):
    """A suspended agent."""

    agent: str  # the account's address
    reason: str | None
    since: Timestamp


class SuspensionResponse(Answer):
    """The suspension, or null."""

    suspension: Suspension | None


class SuspensionsResponse(Answer):
    """A page of suspended agents; ``total`` counts all."""

    suspensions: tuple[Suspension, ...]
    total: int


class ConfigResponse(Answer):
    """Who decides, and what is in force."""

    authority: str
    registry_address: str | None
    version: int
    constitution_hash: str


ANSWERS = {
    "check_action": CheckActionResponse,
    "get_rules": RulesResponse,
    "list_versions": VersionsResponse,
    "get_suspension": SuspensionResponse,
    "list_suspensions": SuspensionsResponse,
    "get_config": ConfigResponse,
}
