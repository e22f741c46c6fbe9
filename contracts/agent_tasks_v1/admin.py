"""The configuration, and money that waits for its payee."""

from chain.std import Addr, DepsMut, Env, MessageInfo, Response, replace
from contracts.agent_tasks_v1.error import InvalidField, OwnAddress, Unauthorized
from contracts.agent_tasks_v1.money import refuse_funds, withdraw
from contracts.agent_tasks_v1.msg import InstantiateMsg, UpdateConfig, Withdraw
from contracts.agent_tasks_v1.state import CONFIG, Config

SECONDS_MAX = 31_536_000
CONTENT_MAX_BYTES = 131_072
SWEEP_MAX = 100


def create_config(deps: DepsMut, msg: InstantiateMsg) -> None:
    """Check and store the first configuration."""
    save_config(
        deps,
        Config(
            admin_addr=deps.api.addr_validate(msg.admin),
            registry_addr=deps.api.addr_validate(msg.registry_address),
            a2a_addr=optional_addr(deps, msg.a2a_address),
            approval_timeout_seconds=msg.approval_timeout_seconds,
            deadline_default_seconds=msg.deadline_default_seconds,
            deadline_max_seconds=msg.deadline_max_seconds,
            content_max_bytes=msg.content_max_bytes,
            sweep_max=msg.sweep_max,
        ),
    )


def execute_update_config(
    deps: DepsMut, env: Env, info: MessageInfo, msg: UpdateConfig
) -> Response:
    """Change what is given."""
    refuse_funds(info)
    config = CONFIG.load(deps.storage)
    if config.admin_addr != info.sender:
        raise Unauthorized("the admin")
    if msg.admin is not None:
        config = replace(config, admin_addr=deps.api.addr_validate(msg.admin))
    if msg.registry_address is not None:
        config = replace(config, registry_addr=deps.api.addr_validate(msg.registry_address))
    if msg.a2a_address is not None:
        config = replace(config, a2a_addr=optional_addr(deps, msg.a2a_address))
    if msg.approval_timeout_seconds is not None:
        config = replace(config, approval_timeout_seconds=msg.approval_timeout_seconds)
    if msg.deadline_default_seconds is not None:
        config = replace(config, deadline_default_seconds=msg.deadline_default_seconds)
    if msg.deadline_max_seconds is not None:
        config = replace(config, deadline_max_seconds=msg.deadline_max_seconds)
    if msg.content_max_bytes is not None:
        config = replace(config, content_max_bytes=msg.content_max_bytes)
    if msg.sweep_max is not None:
        config = replace(config, sweep_max=msg.sweep_max)
    save_config(deps, config)
    return Response().add_attribute("action", "update_config")


def execute_withdraw(deps: DepsMut, env: Env, info: MessageInfo, msg: Withdraw) -> Response:
    """Fetch what could not be delivered."""
    refuse_funds(info)
    to_addr = info.sender if msg.to is None else deps.api.addr_validate(msg.to)
    if to_addr == env.contract.address:
        raise OwnAddress
    return withdraw(deps, info.sender, msg.denom, to_addr)


def save_config(deps: DepsMut, config: Config) -> None:
    """Refuse what would leave a task without an end."""
    check_range("approval_timeout_seconds", config.approval_timeout_seconds, 1, SECONDS_MAX)
    check_range("deadline_max_seconds", config.deadline_max_seconds, 1, SECONDS_MAX)
    check_range(
        "deadline_default_seconds",
        config.deadline_default_seconds,
        1,
        config.deadline_max_seconds,
    )
    check_range("content_max_bytes", config.content_max_bytes, 1, CONTENT_MAX_BYTES)
    check_range("sweep_max", config.sweep_max, 0, SWEEP_MAX)
    CONFIG.save(deps.storage, config)


def check_range(field: str, value: int, low: int, high: int) -> None:
    """Both ends are allowed."""
    if value < low or value > high:
        raise InvalidField(field, f"{low} to {high}")


def optional_addr(deps: DepsMut, text: str | None) -> Addr | None:
    """An address, or nothing for null and the empty text."""
    return None if text is None or text == "" else deps.api.addr_validate(text)
