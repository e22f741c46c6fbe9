"""Makers of single values, and what they look at: the leaves of derived messages.

Names of fields count where a type says little: ``recipient`` is an address, ``end_height`` lies
near the chain's height.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from chain.std import encode
from chain.std.numbers import base64_encode
from chain.testing.choices import Choices
from chain.testing.harvest import ID_WORDS, NANOS, Harvest
from chain.testing.refusals import NOTHING_SAID, Refusal

_NAME: Final = "[a-z0-9_]*"
_ADDRESS_WORDS: Final = re.compile(
    rf"({_NAME}_)?(address|addr|owner|recipient|receiver|sender|spender|to|from|admin|minter|arbiter|"
    r"beneficiary|buyer|seller|bidder|account|contract|creator|operator|delegate|member|payee|payer|"
    r"participant|requester|approver|user|token|whitelist|relays?|members|receivers|participants)"
)
#: whole numbers that count something, besides those that are named as ids
_COUNTED: Final = re.compile(
    rf"({_NAME}_)?(number|index|no|seq|sequence|proposal|order|lot|auction|listing|position|grant|"
    r"loan|offer|poll|round|task|ticket|token|vault)"
)
_DURATION: Final = re.compile(
    rf"({_NAME}_)?(seconds|ttl|duration|timeout|period|interval|window|secs)"
)
_HEIGHT: Final = re.compile(rf"({_NAME}_)?(height|blocks?)")
_TIME: Final = re.compile(
    rf"({_NAME}_)?(time|deadline|expir{_NAME}|until|due|at|start|end|starts|ends|cliff|timestamp|after|before)"
)
_SHORT_IDS: Final = ("a", "b", "c", "d", "e")
_FIRST_IDS: Final = (1, 0, 2, 3)
_NEXT_ABOVE: Final = 236
#: of 256, and the names of fields that want a contract
_CONTRACT_BELOW: Final = 216
_ATTACKED_BELOW: Final = 168
CONTRACT_WORDS: Final = re.compile(rf"({_NAME}_)?contract(_addr|_address)?")
_FIRST_DENOM_BELOW: Final = 160
_PARTNER_BELOW: Final = 192
_PAINFUL_ABOVE: Final = 248
_TEXTS: Final = ("x", "y", "")
_PAINFUL: Final = (
    "", " ", "\u0000", "a" * 300, "\U0001f600", "a/b", "../..", "\"'", "null", "0", "-1", "é", "İ",
    "{}", "msg1", "x\ny",
)  # fmt: skip
_BYTES: Final = (b"", b"x", b"{}", b"\x00", bytes(64), b"\xff" * 33)
_SMALL: Final = (1, 2, 3, 5, 4, 10, 7, 0, 6, 9)
_ROUND: Final = (100, 1_000, 11, 50, 99, 10_000, 10**6, 33)
_DURATIONS: Final = (10, 1, 60, 5, 3_600, 0, 86_400, 7)
_STEPS_SECONDS: Final = (10, 1, 0, 5, 60, 3_600, 86_400)


class Surroundings:
    """What makers may look at: addresses, the clock, what was seen, and who is calling."""

    __slots__ = (
        "addresses",
        "balance",
        "call",
        "contracts",
        "denoms",
        "draw",
        "harvest",
        "height",
        "hook",
        "inside",
        "partner",
        "refusal",
        "sender",
        "time",
        "unpaid",
    )

    def __init__(self) -> None:
        self.addresses: Sequence[str] = ("msg1nobody",)
        #: contracts, the one under attack first
        self.contracts: Sequence[str] = ()
        self.denoms: Sequence[str] = ("amsg",)
        self.harvest = Harvest()
        self.height = 1
        self.time = 0
        self.sender = ""
        self.balance: Callable[[str, str], int] = _no_balance
        #: makes the message inside a ``msg`` field of bytes
        self.hook: Callable[[Choices, Surroundings], Any] | None = None
        #: the last message that was put inside of another
        self.inside: Any = None
        #: makes any message of the contract under attack, for a ``call`` field
        self.call: Callable[[Choices, Surroundings], bytes] | None = None
        #: whom addresses mostly are in this message, after what stood together before
        self.partner = ""
        #: what the same message was refused for just now, and what for the coins' sake
        self.refusal: Refusal = NOTHING_SAID
        self.unpaid: Refusal = NOTHING_SAID
        #: draws from a strategy that was given for a field or type
        self.draw: Callable[[Any], Any] | None = None


def _no_balance(address: str, denom: str) -> int:
    return 0


Maker: TypeAlias = Callable[[Choices, Surroundings], Any]


def address(choices: Choices, here: Surroundings) -> str:
    """Somebody of the cast, a contract, the caller, a stranger, or what is no address."""
    kind = choices.byte()
    if here.partner and kind < _PARTNER_BELOW:
        return here.partner
    return here.addresses[kind % len(here.addresses)]


def contract_address(choices: Choices, here: Surroundings) -> str:
    """Mostly the contract under attack, or another one; now and then any address."""
    kind = choices.byte()
    if not here.contracts or kind >= _CONTRACT_BELOW:
        return address(choices, here)
    return here.contracts[0 if kind < _ATTACKED_BELOW else kind % len(here.contracts)]


def amount(choices: Choices, here: Surroundings) -> int:
    """Small numbers, or those that a refusal named; amounts that were seen, their neighbours, the
    balance, extremes.
    """
    kind = choices.byte()
    if kind < 128:
        named = here.refusal.numbers or here.unpaid.numbers
        if named:
            return named[kind % len(named)]
        return _SMALL[kind % len(_SMALL)]
    if kind < 212:
        seen = here.harvest.amounts
        if seen:
            return max(0, seen[choices.below(len(seen))] + (0, 0, 1, -1)[kind & 3])
        return choices.below(200)
    if kind < 236:
        return choices.pick(_ROUND)
    if kind < 246:
        return max(0, here.balance(here.sender, here.denoms[0]) + (0, 1, -1)[kind % 3])
    return choices.pick((2**32, 2**53, 2**63, 2**64 - 1, 2**64, 2**127, 2**128 - 1))


def _duration(choices: Choices, here: Surroundings) -> int:
    return choices.pick(here.refusal.numbers or _DURATIONS)


def _near_height(choices: Choices, here: Surroundings) -> int:
    return here.height + choices.below(4)


def _near_second(choices: Choices, here: Surroundings) -> int:
    return moment(choices, here) // NANOS


def _counted(name: str) -> Callable[[Choices, Surroundings], int]:
    """Ids that are numbers: mostly the one seen last; where none was, the first ones."""

    def make(choices: Choices, here: Surroundings) -> int:
        kind = choices.byte()
        seen = [int(text) for text in here.harvest.texts(name) if text.isdigit()]
        if kind >= _PAINFUL_ABOVE:
            return amount(choices, here)
        if not seen:
            return _FIRST_IDS[kind % len(_FIRST_IDS)]
        if kind >= _NEXT_ABOVE:
            return seen[-1] + 1
        return seen[-1 - (0 if kind < 96 else kind % len(seen))]

    return make


def integer_maker(name: str, low: int, high: int) -> Maker:
    """A maker of whole numbers: ids, durations, heights and times by name, else amounts."""
    if ID_WORDS.fullmatch(name) or _COUNTED.fullmatch(name):
        near = _counted(name)
    elif _DURATION.fullmatch(name):
        near = _duration
    elif _HEIGHT.fullmatch(name):
        near = _near_height
    elif _TIME.fullmatch(name):
        near = _near_second
    else:
        near = amount

    def make(choices: Choices, here: Surroundings) -> int:
        if choices.chance(8):
            return choices.pick((low, high, low + 1, high - 1))
        return min(max(near(choices, here), low), high)

    return make


def moment(choices: Choices, here: Surroundings) -> int:
    """A time near the chain's, nanoseconds; now and then a deadline that was seen."""
    kind = choices.byte()
    if kind > 240:
        return choices.pick((0, 2**64 - 1, here.time - NANOS, here.time + 1))
    times = here.harvest.times
    if kind > 200 and times:
        return times[choices.below(len(times))]
    return here.time + _STEPS_SECONDS[kind % len(_STEPS_SECONDS)] * NANOS


def expiration(choices: Choices, here: Surroundings) -> dict[str, Any]:
    """A height or a time near the chain's, or never."""
    kind = choices.below(5)
    if kind == 0:
        return {"never": {}}
    if kind < 3:
        return {"at_height": here.height + choices.below(4)}
    return {"at_time": str(moment(choices, here))}


def coin_value(choices: Choices, here: Surroundings) -> dict[str, str]:
    """One coin."""
    kind = choices.byte()
    denom = here.denoms[0 if kind < _FIRST_DENOM_BELOW else kind % len(here.denoms)]
    return {"denom": denom, "amount": str(amount(choices, here))}


def text_maker(name: str, *, new: bool = False) -> Maker:
    """A maker of texts: denominations, ids and addresses by name. ``new``: mostly a new id."""
    if name == "denom" or name.endswith("_denom"):
        return lambda choices, here: here.denoms[choices.below(len(here.denoms))]
    if ID_WORDS.fullmatch(name):
        return lambda choices, here: _identifier(name, choices, here, new=new)
    if _ADDRESS_WORDS.fullmatch(name):
        return contract_address if CONTRACT_WORDS.fullmatch(name) else address

    def make(choices: Choices, here: Surroundings) -> str:
        kind = choices.byte()
        if kind < 176:
            seen = here.harvest.texts(name)
            return seen[kind % len(seen)] if seen else _TEXTS[kind // 80]
        if kind < 232:
            return _TEXTS[kind % 2]
        return choices.pick(_PAINFUL)

    return make


def _identifier(name: str, choices: Choices, here: Surroundings, *, new: bool) -> str:
    """An id: mostly the one seen last; where something is made, mostly a new one."""
    kind = choices.byte()
    if kind >= _PAINFUL_ABOVE:
        return choices.pick(_PAINFUL)
    seen = here.harvest.texts(name)
    if not seen and kind >= 192:
        seen = here.harvest.texts("state")
    fresh = [short for short in _SHORT_IDS if short not in seen]
    if new and fresh and kind < 176:
        return fresh[kind % len(fresh)]
    if not seen or (kind >= 216 and fresh):
        return (fresh or list(_SHORT_IDS))[0]
    return seen[-1 - (0 if kind < 96 else kind % len(seen))]


def untyped_leaf(name: str) -> Maker:
    """A value for a field of which only the name is known."""
    if _ADDRESS_WORDS.fullmatch(name) or ID_WORDS.fullmatch(name) or name.endswith("denom"):
        return text_maker(name)
    number = integer_maker(name, -(2**63), 2**128)
    painful = text_maker(name)

    def make(choices: Choices, here: Surroundings) -> Any:
        kind = choices.byte()
        if kind < 160:
            return number(choices, here)
        return str(number(choices, here)) if kind < 208 else painful(choices, here)

    return make


def binary(choices: Choices, here: Surroundings) -> str:
    """Bytes without meaning, as base64 text."""
    return base64_encode(choices.pick(_BYTES))


def carried(choices: Choices, here: Surroundings) -> str:
    """Bytes that a contract hands on: mostly a message for the contract under attack."""
    if here.hook is None or choices.chance(16):
        return base64_encode(choices.pick(_BYTES))
    hook, here.hook = here.hook, None  # a message inside carries no further one
    try:
        here.inside = made = hook(choices, here)
        return base64_encode(encode(made))
    finally:
        here.hook = hook


def called(choices: Choices, here: Surroundings) -> str:
    """Bytes that a contract sends as a call: a message of the contract under attack."""
    if here.call is None:
        return base64_encode(choices.pick(_BYTES))
    call, here.call = here.call, None
    try:
        return base64_encode(call(choices, here))
    finally:
        here.call = call
