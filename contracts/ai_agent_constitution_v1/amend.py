"""Changing the rules: each change is a version with its own hash."""

from chain.std import DepsMut, Env, Event, MessageInfo, Response
from contracts.ai_agent_constitution_v1.error import NonPayable, RuleNotFound, Unauthorized
from contracts.ai_agent_constitution_v1.msg import (
    AddRule,
    RemoveRule,
    SetRules,
    UpdateAuthority,
    UpdateConfig,
)
from contracts.ai_agent_constitution_v1.rules import (
    check_rule_count,
    hash_rules,
    parse_effect,
    read_rule,
)
from contracts.ai_agent_constitution_v1.state import (
    CONFIG,
    CURRENT,
    VERSIONS,
    Config,
    RuleRecord,
    Version,
)


def authorise(deps: DepsMut, info: MessageInfo) -> Config:
    """The configuration, if the sender is its authority. Raises: NonPayable, Unauthorized."""
    if info.funds:
        raise NonPayable
    config = CONFIG.load(deps.storage)
    if info.sender != config.authority:
        raise Unauthorized
    return config


def store_version(
    deps: DepsMut, env: Env, number: int, default_allow: bool, rules: tuple[RuleRecord, ...]
) -> Version:
    """Put rules in force. Raises: TooManyRules."""
    check_rule_count(len(rules))
    version = Version(
        version=number,
        hash=hash_rules(default_allow, rules),
        default_allow=default_allow,
        rules=rules,
        created_at=env.block.time.nanos(),
        height=env.block.height,
    )
    CURRENT.save(deps.storage, version)
    VERSIONS.save(deps.storage, number, version)
    return version


def execute_set_rules(deps: DepsMut, env: Env, info: MessageInfo, msg: SetRules) -> Response:
    """Replace all rules."""
    config = authorise(deps, info)
    current = CURRENT.load(deps.storage)
    default_allow = current.default_allow if msg.default is None else parse_effect(msg.default)
    check_rule_count(len(msg.rules))
    rules = tuple([read_rule(deps.api, deps.querier, config, rule) for rule in msg.rules])
    version = store_version(deps, env, current.version + 1, default_allow, rules)
    return amended(env, info, "set_rules", version)


def execute_add_rule(deps: DepsMut, env: Env, info: MessageInfo, msg: AddRule) -> Response:
    """Insert one rule."""
    config = authorise(deps, info)
    current = CURRENT.load(deps.storage)
    rules = list(current.rules)
    position = len(rules) if msg.position is None else msg.position
    if position > len(rules):
        raise RuleNotFound(position)
    rules.insert(position, read_rule(deps.api, deps.querier, config, msg.rule))
    version = store_version(deps, env, current.version + 1, current.default_allow, tuple(rules))
    return amended(env, info, "add_rule", version)


def execute_remove_rule(deps: DepsMut, env: Env, info: MessageInfo, msg: RemoveRule) -> Response:
    """Remove one rule."""
    authorise(deps, info)
    current = CURRENT.load(deps.storage)
    if msg.position >= len(current.rules):
        raise RuleNotFound(msg.position)
    rules = (*current.rules[: msg.position], *current.rules[msg.position + 1 :])
    version = store_version(deps, env, current.version + 1, current.default_allow, rules)
    return amended(env, info, "remove_rule", version)


def execute_update_authority(
    deps: DepsMut, env: Env, info: MessageInfo, msg: UpdateAuthority
) -> Response:
    """Hand the constitution over."""
    config = authorise(deps, info)
    authority = deps.api.addr_validate(msg.authority)
    CONFIG.save(deps.storage, Config(authority=authority, registry=config.registry))
    event = Event(
        "constitution_authority_updated",
        (
            ("actor", info.sender),
            ("authority", authority),
            ("height", str(env.block.height)),
        ),
    )
    return Response().add_event(event).add_attribute("action", "update_authority")


def execute_update_config(
    deps: DepsMut, env: Env, info: MessageInfo, msg: UpdateConfig
) -> Response:
    """Name the registry that resolves agent ids."""
    config = authorise(deps, info)
    registry = deps.api.addr_validate(msg.registry_address)
    CONFIG.save(deps.storage, Config(authority=config.authority, registry=registry))
    event = Event(
        "constitution_config_updated",
        (
            ("actor", info.sender),
            ("registry", registry),
            ("height", str(env.block.height)),
        ),
    )
    return Response().add_event(event).add_attribute("action", "update_config")


def amended(env: Env, info: MessageInfo, action: str, version: Version) -> Response:
    """The answer to a new version."""
    event = Event(
        "constitution_amended",
        (
            ("actor", info.sender),
            ("version", str(version.version)),
            ("constitution_hash", version.hash),
            ("height", str(env.block.height)),
        ),
    )
    return (
        Response()
        .add_event(event)
        .add_attribute("action", action)
        .add_attribute("version", str(version.version))
        .add_attribute("constitution_hash", version.hash)
    )
