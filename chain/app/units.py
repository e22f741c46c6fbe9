"""Coins: what a list must look like, and the units of the native token (CH-3).

State, events and contracts know ``amsg`` only. ``umsg`` and ``msg`` are other words for amounts of
it, accepted in
transactions, fees, contract messages and as a query's denomination. A list is checked as it was
sent, then converted, added up and sorted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Protocol

from chain.errors import AppError
from chain.std import Coin

BASE: Final = "amsg"
#: unit -> how many amsg one of it is
UNITS: Final[dict[str, int]] = {"amsg": 1, "umsg": 10**12, "msg": 10**18}
#: amounts above are refused, as the SDK's 256-bit integers do
AMOUNT_MAX: Final = (1 << 256) - 1
_LETTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_MARKS: Final = _LETTERS | frozenset("0123456789/:._-")
_DENOM_MIN: Final = 3
_DENOM_MAX: Final = 128


class CoinLike(Protocol):
    """Anything with a denomination and an amount."""

    @property
    def denom(self) -> str:
        """The denomination, any unit."""

    @property
    def amount(self) -> int:
        """How many of it."""


def valid_denom(denom: str) -> bool:
    """Whether a denomination follows the Cosmos rule: a letter, then 2 to 127 letters, digits or
    ``/:._-`` (BANK-8).
    """
    return (
        _DENOM_MIN <= len(denom) <= _DENOM_MAX and denom[0] in _LETTERS and _MARKS.issuperset(denom)
    )


def text(coins: Iterable[CoinLike]) -> str:
    """Coins as events show them: ``<amount><denom>``, comma separated."""
    return ",".join([f"{int(coin.amount)}{coin.denom}" for coin in coins])


def list_error(coins: Sequence[CoinLike]) -> str | None:
    """Why a coin list is not a valid one as sent, in the SDK's words; None when it is valid or
    empty.
    """
    last = ""
    for coin in coins:
        denom = coin.denom
        if not valid_denom(denom):
            return f"invalid denom: {denom}"
        if denom < last:
            return f"denomination {denom} is not sorted"
        if denom == last:
            return f"duplicate denomination {denom}"
        if coin.amount <= 0:
            shown = f"{denom}" if last else f"{int(coin.amount)}{denom}"  # the SDK's two texts
            return f"coin {shown} amount is not positive"
        last = denom
    return None


def convert(coins: Sequence[CoinLike]) -> tuple[Coin, ...]:
    """The coins in base units: units converted, equal denominations added, zeros dropped, sorted
    by denomination.

    Raises: AppError sdk/10 for an amount beyond 256 bits as sent; in base units it may be longer.
    """
    if not coins:
        return ()
    if len(coins) == 1:
        coin = coins[0]
        denom, amount = coin.denom, int(coin.amount)
        if amount > AMOUNT_MAX:
            raise AppError.wrap("sdk", 10, f"{amount}{denom}")
        factor = UNITS.get(denom)
        if factor is not None:
            amount *= factor
            denom = BASE
        return (Coin(denom, amount),) if amount else ()
    sums: dict[str, int] = {}
    for coin in coins:
        if coin.amount > AMOUNT_MAX:
            raise AppError.wrap("sdk", 10, f"{int(coin.amount)}{coin.denom}")
        factor = UNITS.get(coin.denom)
        denom = coin.denom if factor is None else BASE
        sums[denom] = sums.get(denom, 0) + int(coin.amount) * (factor or 1)
    return tuple([Coin(denom, sums[denom]) for denom in sorted(sums) if sums[denom]])


def query_denom(denom: str) -> tuple[str, int]:
    """The stored denomination behind a query's, and by how much to divide (rounding down)."""
    factor = UNITS.get(denom)
    return (denom, 1) if factor is None else (BASE, factor)
