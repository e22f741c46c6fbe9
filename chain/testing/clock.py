"""Time in a run of a state machine: to just before, at and just after what was seen to be due."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chain.testing.choices import Choices
from chain.testing.harvest import NANOS, Harvest

if TYPE_CHECKING:
    from chain.testing.chain import Chain

#: choices of one step of time
CLOCK_BYTES: Final = 3
_STEPS_SECONDS: Final = (5, 1, 60, 3_600, 86_400)
_NEXT_BELOW: Final = 112
_HEIGHTS: Final = (1, 0, -1, 2)
_TIMES: Final = (1, 0, -1, NANOS, -NANOS)


def advance(chain: Chain, address: str, harvest: Harvest, choices: Choices) -> None:
    """Open a block: the next one, or one around a deadline that answers or raw state mention.

    >>> from chain.testing import Chain
    >>> chain = Chain()
    >>> advance(chain, chain.account("nobody"), Harvest(), Choices(bytes(CLOCK_BYTES)))
    >>> chain.height
    2
    """
    kind = choices.byte()
    if kind < _NEXT_BELOW:
        chain.next_block()
        return
    harvest.raw_state(chain.storage(address), chain.height, chain.time)
    deadlines = harvest.deadlines(chain.height, chain.time)
    if not deadlines:
        chain.next_block(seconds=_STEPS_SECONDS[kind % len(_STEPS_SECONDS)])
        return
    what, value = deadlines[choices.below(len(deadlines))]
    side = choices.byte()
    if what == "height":
        target = value + _HEIGHTS[side % len(_HEIGHTS)]
        if target > chain.height:
            chain.set_height(target)
            return
    else:
        target = value + _TIMES[side % len(_TIMES)]
        if target > chain.time:
            chain.set_time(target)
            return
    chain.next_block()
