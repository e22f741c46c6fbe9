"""Rules: reading them, hashing them, asking them."""

from chain.std import Addr, Api, ContractError, Querier, ascii_lower, sha256
from contracts.agent_registry_v1.msg import AgentResponse, GetAgent
from contracts.ai_agent_constitution_v1.error import (
    AgentNotFound,
    InvalidAction,
    InvalidEffect,
    InvalidNote,
    InvalidRiskTier,
    TooManyRules,
)
from contracts.ai_agent_constitution_v1.msg import Rule
from contracts.ai_agent_constitution_v1.state import Config, RuleRecord, Version

RULES_MAX = 64  # a check looks at all of them
NOTE_LENGTH_MAX = 256
ACTION_LENGTH_MAX = 64
ACTION_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789_-:"
RISK_TIERS = ("low", "medium", "high")
EFFECTS = ("deny", "allow")
ANY = "*"


def parse_effect(text: str) -> bool:
    """Whether an effect allows. Raises: InvalidEffect."""
    word = ascii_lower(text)
    if word not in EFFECTS:
        raise InvalidEffect(text)
    return word == "allow"


def parse_risk_tier(text: str) -> str:
    """The tier's word. Raises: InvalidRiskTier."""
    word = ascii_lower(text)
    if word not in RISK_TIERS:
        raise InvalidRiskTier(text)
    return word


def check_action_name(action: str) -> None:
    """Raises: InvalidAction."""
    if not 1 <= len(action) <= ACTION_LENGTH_MAX or action.strip(ACTION_CHARACTERS) != "":
        raise InvalidAction(action)


def check_note(note: str | None) -> None:
    """Raises: InvalidNote."""
    if note is not None and len(note) > NOTE_LENGTH_MAX:
        raise InvalidNote(NOTE_LENGTH_MAX)


def resolve_agent(api: Api, querier: Querier, config: Config, agent_id: str) -> Addr:
    """The account of an agent given by address or by registered id. Raises: AgentNotFound."""
    try:
        return api.addr_validate(agent_id)
    except ContractError:
        if config.registry is None:
            raise AgentNotFound(agent_id) from None
    answer = querier.query_wasm_smart(config.registry, GetAgent(agent_id=agent_id), AgentResponse)
    if answer.agent is None:
        raise AgentNotFound(agent_id)
    return api.addr_validate(answer.agent.address)


def read_rule(api: Api, querier: Querier, config: Config, rule: Rule) -> RuleRecord:
    """A rule as it is stored, every part checked."""
    if rule.action != ANY:
        check_action_name(rule.action.removesuffix(ANY))
    check_note(rule.note)
    allow = parse_effect(rule.effect)
    agent = rule.agent if rule.agent == ANY else resolve_agent(api, querier, config, rule.agent)
    return RuleRecord(
        allow=allow,
        agent=agent,
        action=rule.action,
        risk_tier=ANY if rule.risk_tier == ANY else parse_risk_tier(rule.risk_tier),
        note=rule.note,
    )


def check_rule_count(count: int) -> None:
    """Raises: TooManyRules."""
    if count > RULES_MAX:
        raise TooManyRules(RULES_MAX)


def hash_rules(default_allow: bool, rules: tuple[RuleRecord, ...]) -> str:
    """Hex SHA-256 over one line a rule and one for the default; notes do not count.

    Addresses, actions and tiers hold no blanks and no line ends, so no two lists read alike.
    """
    lines = [f"default {EFFECTS[default_allow]}"]
    for rule in rules:
        lines.append(f"{EFFECTS[rule.allow]} {rule.agent} {rule.action} {rule.risk_tier}")
    return sha256("\n".join(lines).encode()).hex()


def decide(version: Version, agent: Addr, action: str, risk_tier: str) -> tuple[bool, int | None]:
    """The verdict, and the position of the rule that gave it; None for the default."""
    for position, rule in enumerate(version.rules):
        if (
            rule.agent in (ANY, agent)
            and rule.risk_tier in (ANY, risk_tier)
            and action_fits(rule.action, action)
        ):
            return (rule.allow, position)
    return (version.default_allow, None)


def action_fits(pattern: str, action: str) -> bool:
    """Whether a pattern covers an action."""
    if pattern[-1:] == ANY:
        return action.startswith(pattern[:-1])
    return pattern == action
