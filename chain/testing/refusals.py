"""What a refusal says about how to do better: amounts that it names, and whether coins were wrong.

Honest contracts tell what they wanted ("this costs 30, got 5"). A refused message is tried again
with such numbers, so that a law is asked about states that chance alone hardly reaches.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from chain.testing.report import ADDRESS, error_text

#: numbers that one refusal gives
_MOST: Final = 6
_DIGITS_MAX: Final = 39
_NUMBER: Final = re.compile(r"(?<![A-Za-z0-9_])\d+")
#: what a refusal for the coins' sake reads like
_ABOUT_FUNDS: Final = re.compile(
    r"(?i)fund|coin|attach|\bsend\b|\bpa(y|id)|payment|underpaid|deposit|\bcosts?\b|\bprice|\bfees?\b"
)


#: what a refusal for the sender's sake reads like
_ABOUT_SENDER: Final = re.compile(
    r"(?i)unauthori[sz]ed|permission|forbidden|\bonly\b|"
    r"not (an?|the|your|allowed)\b|\b(owner|admin|minter)"
)


class Refusal:
    """The last refusal of a message that is being tried.

    >>> refusal = Refusal("This costs 30 amsg, got 5", ("stray", "amsg"))
    >>> refusal.numbers, refusal.denom, refusal.about_funds
    ((30, 5), 'amsg', True)
    """

    __slots__ = ("about_funds", "about_sender", "denom", "numbers")

    def __init__(self, log: str = "", denoms: Sequence[str] = ("",)) -> None:
        text = error_text(log)
        self.about_funds = about_funds(text)
        self.about_sender = _ABOUT_SENDER.search(text) is not None
        self.denom = next((denom for denom in denoms if denom in text), denoms[0])
        self.numbers = numbers(text)


def numbers(text: str) -> tuple[int, ...]:
    """The numbers in a text, each once, not those that are parts of names and addresses.

    >>> numbers("There are 7 in cw20:x1, asked for 9 of 7amsg")
    (7, 9)
    """
    found = _NUMBER.findall(ADDRESS.sub("", text))
    short = [int(digits) for digits in found if len(digits) <= _DIGITS_MAX]
    return tuple(dict.fromkeys(short))[:_MOST]


def about_funds(text: str) -> bool:
    """Whether coins seem to be what was wrong.

    >>> about_funds("Send some coins"), about_funds("Unauthorized")
    (True, False)
    """
    return _ABOUT_FUNDS.search(text) is not None


NOTHING_SAID: Final = Refusal()
