"""What must be true of a state after every block. Tests call these; a breach is our bug or a
damaged disk.
"""

from __future__ import annotations

from chain.app import keys, records
from chain.errors import invariant
from chain.vm.storage import ReadStore


def supply_equals_balances(store: ReadStore) -> None:
    """The supply of each denomination is the sum of its balances (BANK-11)."""
    sums: dict[str, int] = {}
    for key, raw in store.range(keys.BALANCE, keys.prefix_end(keys.BALANCE)):
        denom = key[3 + key[2] :].decode()
        amount = int.from_bytes(raw, "big")
        invariant(amount > 0, f"a zero balance of {denom} is stored")
        sums[denom] = sums.get(denom, 0) + amount
    supplies = {
        key[2:].decode(): int.from_bytes(raw, "big")
        for key, raw in store.range(keys.SUPPLY, keys.prefix_end(keys.SUPPLY))
    }
    invariant(sums == supplies, f"supply differs from balances: {supplies} against {sums}")


def fee_collector_is_empty(store: ReadStore, collector: bytes) -> None:
    """Between blocks no fee is held (CH-4)."""
    prefix = keys.balances(collector)
    held = next(iter(store.range(prefix, keys.prefix_end(prefix))), None)
    invariant(held is None, "the fee collector holds coins between blocks")


def account_numbers_are_unique(store: ReadStore) -> None:
    """Account numbers are 0 to the counter, each given once."""
    numbers = [
        records.decode_account(raw).number
        for _, raw in store.range(keys.ACCOUNT, keys.prefix_end(keys.ACCOUNT))
    ]
    following = keys.decode_amount(store.get(keys.ACCOUNT_NUMBER))
    invariant(sorted(numbers) == list(range(following)), "account numbers have gaps or repeat")


def contracts_have_codes(store: ReadStore) -> None:
    """Every contract runs a stored code, has an account and a history as long as it says."""
    for key, raw in store.range(keys.CONTRACT, keys.prefix_end(keys.CONTRACT)):
        record = records.decode_contract(raw)
        canonical = key[2:]
        invariant(store.get(keys.code(record.code_id)) is not None, "a contract without code")
        invariant(store.get(keys.ACCOUNT + canonical) is not None, "a contract without account")
        last = store.get(keys.history(canonical, record.history))
        invariant(last is not None, "a contract's history is shorter than it says")
        if last is not None:
            invariant(
                records.decode_history(last).code_id == record.code_id, "history ends elsewhere"
            )


def check_all(store: ReadStore, collector: bytes) -> None:
    """All of them. Raises: InvariantViolation."""
    supply_equals_balances(store)
    fee_collector_is_empty(store, collector)
    account_numbers_are_unique(store)
    contracts_have_codes(store)
