"""Coins to attach to a call: mostly some that fit, now and then some that do not."""

from __future__ import annotations

from typing import Final

from chain.testing.choices import Choices
from chain.testing.leaves import Surroundings, amount, coin_value

#: What a message seems to think of coins: anything, none, some.
ANY_FUNDS, NO_FUNDS, SOME_FUNDS = 0, 1, 2
_NONE_BELOW: Final = (104, 216, 24)
_FITS_BELOW: Final = 216


def funds(choices: Choices, here: Surroundings, liking: int = ANY_FUNDS) -> list[dict[str, str]]:
    """Coins to attach: mostly none or one small coin; now and then coins that do not fit.

    Where coins were what the message was refused for: what the refusal named, or one coin in place
    of none, and none in place of what does not fit.

    >>> here = Surroundings()
    >>> funds(Choices(b""), here), funds(Choices(bytes([140, 4])), here)
    ([], [{'denom': 'amsg', 'amount': '4'}])
    """
    kind = choices.byte()
    none = kind < _NONE_BELOW[liking]
    other = here.unpaid.about_funds
    numbers = here.unpaid.numbers
    if numbers and kind < _FITS_BELOW:
        named = numbers[kind % len(numbers)]
        return [{"denom": here.unpaid.denom, "amount": str(named)}] if named else []
    if none if not other else kind >= _FITS_BELOW:
        return []
    first = here.denoms[0]
    if none or kind < _FITS_BELOW:
        return [{"denom": first, "amount": str(amount(choices, here))}]
    if kind < 232:
        return [coin_value(choices, here)]
    return _unfit(choices, here, first)


def _unfit(choices: Choices, here: Surroundings, denom: str) -> list[dict[str, str]]:
    """More than there is, zero, twice the same, several, out of order, a denomination of nobody."""
    some = {"denom": denom, "amount": str(1 + choices.below(9))}
    more = str(here.balance(here.sender, denom) + 1)
    options: tuple[list[dict[str, str]], ...] = (
        [{"denom": here.denoms[-1], "amount": "1"}],
        [{"denom": denom, "amount": more}],
        [{"denom": denom, "amount": "0"}],
        [some, some],
        [some, {"denom": here.denoms[-1], "amount": "2"}],
        [{"denom": here.denoms[-1], "amount": "2"}, some],
        [{"denom": "nothing", "amount": "1"}],
    )
    return choices.pick(options)
