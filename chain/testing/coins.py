"""Coins as tests write them: text, or a list that goes in as it stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from chain.std import Coin as StdCoin
from chain.tx.messages import Amount, Coin, Coins

#: What every ``balance`` and ``funds`` accepts.
CoinsLike = str | Coin | StdCoin | Iterable[Any]


def parse_coins(value: CoinsLike) -> Coins:
    """Coins of ``"5msg,3earth"`` (sorted by denomination), or of a list of ``Coin`` or of dicts,
    untouched; one of them stands for a list of it.

    Raises: ValueError for text that is no coin list, TypeError for anything else.
    """
    if not value:
        return ()
    if isinstance(value, str):
        found = [_parse_coin(part.strip()) for part in value.split(",")]
        return tuple(sorted(found, key=lambda coin: coin.denom))
    if isinstance(value, Coin | StdCoin | Mapping):
        return (_as_coin(value),)
    return tuple([_as_coin(entry) for entry in value])


def _parse_coin(text: str) -> Coin:
    digits = len(text)
    for index, char in enumerate(text):
        if not ("0" <= char <= "9"):
            digits = index
            break
    if digits == 0 or digits == len(text):
        raise ValueError(f"{text!r} is no coin; write an amount and a denomination, as in 5msg")
    return Coin(text[digits:].strip(), Amount(int(text[:digits])))


def _as_coin(entry: Any) -> Coin:
    if isinstance(entry, Mapping):
        return Coin(str(entry["denom"]), Amount(int(entry["amount"])))
    if isinstance(entry, Coin | StdCoin):
        return Coin(entry.denom, Amount(int(entry.amount)))
    raise TypeError(
        f"{entry!r} is no coin; write 5msg, Coin(denom, amount) or a dict of denom and amount"
    )
