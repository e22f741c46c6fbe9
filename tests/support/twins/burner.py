"""``burner``: only good to migrate to; pays out everything and deletes old state."""

from __future__ import annotations

from itertools import islice
from typing import Any

from chain.std import BankMsg, ContractError, Response
from chain.testing import Contract
from twins import serde

INSTANTIATE = serde.struct({})
MIGRATE = serde.struct({"payout": serde.text, "delete": serde.unsigned(32)}, {"delete": 0})
EXECUTE = serde.enum(
    {"cleanup": serde.struct({"limit": serde.optional(serde.unsigned(32))}, {"limit": None})}
)


def instantiate(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    """Refuse."""
    serde.parse(msg, INSTANTIATE, "burner::msg::InstantiateMsg")
    raise ContractError("Generic error: You can only use this contract for migrations")


def migrate(deps: Any, env: Any, msg: Any) -> Response:
    """Delete some keys and send the whole balance away."""
    fields = serde.parse(msg, MIGRATE, "burner::msg::MigrateMsg")
    deleted = remove_first(deps, fields["delete"])
    balance = deps.querier.query_all_balances(env.contract.address)
    return (
        Response()
        .add_message(BankMsg.Send(fields["payout"], balance))
        .add_attribute("action", "migrate")
        .add_attribute("payout", fields["payout"])
        .add_attribute("deleted_entries", str(deleted))
    )


def execute(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    """Delete more keys."""
    _, fields = serde.parse(msg, EXECUTE, "burner::msg::ExecuteMsg")
    deleted = remove_first(deps, fields["limit"])
    return (
        Response().add_attribute("action", "cleanup").add_attribute("deleted_entries", str(deleted))
    )


def remove_first(deps: Any, limit: int | None) -> int:
    """Remove the first keys in ascending order; returns how many."""
    keys = [key for key, _ in islice(deps.storage.range(), limit)]
    for key in keys:
        deps.storage.remove(key)
    return len(keys)


BURNER = Contract(
    name="burner",
    version="1.0.0",
    instantiate=instantiate,
    execute=execute,
    migrate=migrate,
)
