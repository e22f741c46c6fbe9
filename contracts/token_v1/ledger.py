"""The three moves every message is made of: take, give, and change the supply."""

from chain.std import Addr, Storage, Uint128, replace
from contracts.token_v1.error import Overdrawn
from contracts.token_v1.state import BALANCES, TOKEN_INFO


def add_amounts(first: int, second: int) -> Uint128:
    """Add as Rust does with overflow checks.

    A sum above 128 bits is a panic (wasm/29), no refusal.
    """
    return Uint128(first + second)


def take(storage: Storage, owner_addr: Addr, amount: int) -> None:
    """Lower a balance; a balance of 0 stays on record."""
    balance = BALANCES.may_load(storage, owner_addr) or 0
    if amount > balance:
        raise Overdrawn
    BALANCES.save(storage, owner_addr, Uint128(balance - amount))


def give(storage: Storage, recipient_addr: Addr, amount: int) -> None:
    """Raise a balance."""
    balance = BALANCES.may_load(storage, recipient_addr) or 0
    BALANCES.save(storage, recipient_addr, add_amounts(balance, amount))


def lower_supply(storage: Storage, amount: int) -> None:
    """Take burned tokens, which somebody held, out of the supply."""
    info = TOKEN_INFO.load(storage)
    left = Uint128(info.total_supply - amount)
    TOKEN_INFO.save(storage, replace(info, total_supply=left))
