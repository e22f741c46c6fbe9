"""The owner's spending policy, and the agent's period, which is counted here.

Only payments that the agent made by itself count; what the owner approved is the owner's own
decision. A refund in the period in which it was counted gives the room back.
"""

from chain.std import Addr, Coin, Deps, Record, Storage, Uint128, replace
from contracts.agent_registry_v1.msg import SpendingPolicy, SpendingPolicyResponse
from contracts.agent_tasks_v1.state import SPENT, Spent

NANOS = 1_000_000_000
NOT_COUNTED = -1


class Verdict(Record):
    """May the payment go on by itself, and in which period was it counted."""

    needs_owner: bool
    period_start: int


def load_policy(deps: Deps, registry_addr: str, addr: Addr) -> SpendingPolicyResponse:
    """Agent id, owner and policy of an account."""
    found: SpendingPolicyResponse = deps.querier.query_wasm_smart(
        registry_addr, {"get_spending_policy": {"address": addr}}, SpendingPolicyResponse
    )
    return found


def period_of(policy: SpendingPolicy, now_nanos: int) -> int:
    """Start of the period in seconds.

    Whole multiples of its length since the epoch, the start included.
    """
    seconds = now_nanos // NANOS
    length = max(policy.period_seconds, 1)
    return seconds - seconds % length


def spent_in(storage: Storage, agent_addr: Addr, policy: SpendingPolicy, start: int) -> int:
    """What this period has used.

    A policy with another period or denomination starts from nothing.
    """
    spent = SPENT.may_load(storage, agent_addr)
    if (
        spent is None
        or spent.period_start != start
        or spent.period_seconds != policy.period_seconds
        or spent.denom != policy.denom
    ):
        return 0
    return int(spent.amount)


def judge_payment(
    storage: Storage,
    agent_addr: Addr,
    policy: SpendingPolicy | None,
    cost: Coin,
    now_nanos: int,
) -> Verdict:
    """Count a payment that is within the policy.

    One that is not waits for the owner and is not counted.
    """
    if policy is None or cost.amount == 0:
        return Verdict(False, NOT_COUNTED)
    if cost.denom != policy.denom:
        return Verdict(True, NOT_COUNTED)
    if policy.per_tx_limit is not None and cost.amount > policy.per_tx_limit:
        return Verdict(True, NOT_COUNTED)
    start = period_of(policy, now_nanos)
    total = spent_in(storage, agent_addr, policy, start) + cost.amount
    if policy.per_period_limit is not None and total > policy.per_period_limit:
        return Verdict(True, NOT_COUNTED)
    SPENT.save(storage, agent_addr, Spent(start, policy.period_seconds, cost.denom, Uint128(total)))
    return Verdict(False, start)


def give_back(
    storage: Storage, agent_addr: Addr, period_start: int, denom: str, amount: int
) -> None:
    """A counted payment came back: free its room, unless another period has begun."""
    spent = SPENT.may_load(storage, agent_addr)
    if spent is None or spent.period_start != period_start or spent.denom != denom:
        return
    left = max(spent.amount - amount, 0)
    SPENT.save(storage, agent_addr, replace(spent, amount=Uint128(left)))
