"""Questions to the constitution."""

from chain.std import Deps, Env, Timestamp
from chain.storage_plus import Bound, Order, page_size
from contracts.ai_agent_constitution_v1.error import VersionNotFound
from contracts.ai_agent_constitution_v1.msg import (
    CheckAction,
    CheckActionResponse,
    ConfigResponse,
    GetConfig,
    GetRules,
    GetSuspension,
    ListSuspensions,
    ListVersions,
    Rule,
    RulesResponse,
    Suspension,
    SuspensionResponse,
    SuspensionsResponse,
    VersionEntry,
    VersionsResponse,
)
from contracts.ai_agent_constitution_v1.rules import (
    EFFECTS,
    check_action_name,
    decide,
    parse_risk_tier,
    resolve_agent,
)
from contracts.ai_agent_constitution_v1.state import (
    CONFIG,
    CURRENT,
    SUSPENSION_COUNT,
    SUSPENSIONS,
    VERSIONS,
    SuspensionRecord,
)


def query_check_action(deps: Deps, env: Env, msg: CheckAction) -> CheckActionResponse:
    """Suspension first, then the rules in order, then the default."""
    check_action_name(msg.action)
    risk_tier = parse_risk_tier(msg.risk_tier)
    agent_addr = resolve_agent(deps.api, deps.querier, CONFIG.load(deps.storage), msg.agent_id)
    version = CURRENT.load(deps.storage)
    if SUSPENSIONS.has(deps.storage, agent_addr):
        allowed = False
        rule = None
        reason = "suspended"
    else:
        allowed, rule = decide(version, agent_addr, msg.action, risk_tier)
        reason = "default" if rule is None else "rule"
    return CheckActionResponse(
        allowed=allowed,
        reason=reason,
        rule=rule,
        version=version.version,
        constitution_hash=version.hash,
    )


def query_get_rules(deps: Deps, env: Env, msg: GetRules) -> RulesResponse:
    """One version. Raises: VersionNotFound."""
    if msg.version is None:
        version = CURRENT.load(deps.storage)
    else:
        found = VERSIONS.may_load(deps.storage, msg.version)
        if found is None:
            raise VersionNotFound(msg.version)
        version = found
    rules = [
        Rule(
            effect=EFFECTS[rule.allow],
            agent=rule.agent,
            action=rule.action,
            risk_tier=rule.risk_tier,
            note=rule.note,
        )
        for rule in version.rules
    ]
    return RulesResponse(
        version=version.version,
        constitution_hash=version.hash,
        default=EFFECTS[version.default_allow],
        rules=tuple(rules),
        created_at=Timestamp(version.created_at),
        height=version.height,
    )


def query_list_versions(deps: Deps, env: Env, msg: ListVersions) -> VersionsResponse:
    """Newest first; versions are numbered from 1 without a gap."""
    last = CURRENT.load(deps.storage).version
    size_max = page_size(msg.limit)
    cursor = None if msg.start_after is None else Bound.exclusive(msg.start_after)
    page: list[VersionEntry] = []
    if size_max > 0:
        for number, version in VERSIONS.range(deps.storage, None, cursor, Order.DESCENDING):
            page.append(
                VersionEntry(
                    version=number,
                    constitution_hash=version.hash,
                    created_at=Timestamp(version.created_at),
                    height=version.height,
                )
            )
            if len(page) >= size_max:
                break
    return VersionsResponse(versions=tuple(page), total=last)


def query_get_suspension(deps: Deps, env: Env, msg: GetSuspension) -> SuspensionResponse:
    """The suspension of one agent, or null."""
    agent_addr = resolve_agent(deps.api, deps.querier, CONFIG.load(deps.storage), msg.agent_id)
    record = SUSPENSIONS.may_load(deps.storage, agent_addr)
    if record is None:
        return SuspensionResponse(suspension=None)
    return SuspensionResponse(suspension=suspension_view(agent_addr, record))


def query_list_suspensions(deps: Deps, env: Env, msg: ListSuspensions) -> SuspensionsResponse:
    """Suspended agents by address."""
    size_max = page_size(msg.limit)
    start = None if msg.start_after is None else Bound.exclusive(msg.start_after)
    page: list[Suspension] = []
    if size_max > 0:
        for agent_addr, record in SUSPENSIONS.range(deps.storage, start, None):
            page.append(suspension_view(agent_addr, record))
            if len(page) >= size_max:
                break
    return SuspensionsResponse(
        suspensions=tuple(page), total=SUSPENSION_COUNT.may_load(deps.storage) or 0
    )


def suspension_view(agent: str, record: SuspensionRecord) -> Suspension:
    """A suspension as queries show it."""
    return Suspension(agent=agent, reason=record.reason, since=Timestamp(record.since))


def query_get_config(deps: Deps, env: Env, msg: GetConfig) -> ConfigResponse:
    """Who decides, and what is in force."""
    config = CONFIG.load(deps.storage)
    version = CURRENT.load(deps.storage)
    return ConfigResponse(
        authority=config.authority,
        registry_address=config.registry,
        version=version.version,
        constitution_hash=version.hash,
    )
