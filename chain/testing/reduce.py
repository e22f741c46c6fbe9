"""From a failing run to a short one: leave out steps, then make what is left simple.

A machine knows what Hypothesis cannot know: that a refused call changed nothing, how a step goes
without drawing it again, and that a byte of zero is the simplest choice. So it needs some hundred
small runs where shrinking a whole draw needs thousands of calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

#: runs that a reduction may take
TRIALS: Final = 600
_SMALL: Final = (1, 2, 3)


class Step(NamedTuple):
    """One step of a run: what it does (None: time passes), its choices, what strategies gave."""

    plan: Any
    raw: bytes
    drawn: Sequence[Any] = ()


Fails = Callable[[list[Step]], bool]


def shortest(steps: Sequence[Step], fails: Fails, trials: int = TRIALS) -> list[Step]:
    """The fewest and simplest of these steps that still fail.

    >>> steps = [Step(None, bytes([number, 9])) for number in range(9)]
    >>> shortest(steps, lambda some: any(step.raw[0] > 2 for step in some))
    [Step(plan=None, raw=b'\\x03\\x00', drawn=())]
    """
    left = [trials]

    def still(candidate: list[Step]) -> bool:
        left[0] -= 1
        return left[0] > 0 and fails(candidate)

    best = _fewer(list(steps), still)
    simple = [*best]
    for index in range(len(best)):
        simple = _simpler(simple, index, still)
    return _fewer(simple, still) if simple != best else best


def _fewer(steps: list[Step], fails: Fails) -> list[Step]:
    """Leave out ever smaller runs of steps, from the end."""
    size = max(1, len(steps) // 2)
    while True:
        shrunk = False
        at = len(steps) - size
        while at >= 0:
            candidate = steps[:at] + steps[at + size :]
            if fails(candidate):
                steps, shrunk = candidate, True
            at -= size
        if size > 1:
            size //= 2
        elif not shrunk:
            return steps


def _simpler(steps: list[Step], index: int, fails: Fails) -> list[Step]:
    """Bring the choices of one step towards zero: all of them, the tail, then one by one."""

    def with_raw(raw: bytes) -> list[Step]:
        return [*steps[:index], steps[index]._replace(raw=raw), *steps[index + 1 :]]

    raw = steps[index].raw
    keep, most = 0, len(raw)
    while keep < most:  # how many choices from the front are needed
        middle = (keep + most) // 2
        if fails(with_raw(raw[:middle].ljust(len(raw), b"\0"))):
            most = middle
        else:
            keep = middle + 1
    raw = raw[:most].ljust(len(raw), b"\0")
    for place in range(most):
        for value in (0, *_SMALL):
            if value >= raw[place]:
                break
            candidate = raw[:place] + bytes([value]) + raw[place + 1 :]
            if fails(with_raw(candidate)):
                raw = candidate
                break
    return with_raw(raw)


def kept(draw: Callable[[Any], Any], drawn: list[Any]) -> Callable[[Any], Any]:
    """A source of draws that keeps what it gave."""

    def keeping(strategy: Any) -> Any:
        value = draw(strategy)
        drawn.append(value)
        return value

    return keeping


def origin_of(error: BaseException) -> tuple[type, str, int]:
    """What tells two failures apart: the kind and the line that raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return type(error), "", 0
    return type(error), trace.tb_frame.f_code.co_filename, trace.tb_lineno
