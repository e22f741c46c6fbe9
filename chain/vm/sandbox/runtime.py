"""What instrumented code runs on: the compute state of the running call, and charging it.

The call layer brackets every entry call of a metered contract::

    enter(meter)
    try:
        answer = contract.execute(deps, env, info, msg)
    finally:
        leave()                  # charges what is still owed, so it may raise OutOfGas

or uses ``run(meter, function, *args)``, which does the same and also moves an outermost call to a
fresh thread when the caller's stack is already deep, so that the depth limit is the same everywhere
(threats E5). The state is found through a context variable: threads do not see each other's, and
nested calls (a contract's query that runs another contract) stack up. A nested call goes on with the
depth and the room for values of the call around it (design, decision 4).

Steps are charged to ``GasMeter.step`` in batches. That moves the moment at which out of gas is
noticed by at most ``BATCH_STEPS``, never the amount, and the same on every machine. A call that
spends more than ``CALL_STEPS_MAX`` on compute alone is out of gas whatever its limit: that bounds its
time and memory also under a gas limit of 100,000,000.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextvars import ContextVar
from threading import Thread
from typing import Any, Final, NoReturn, TypeVar

from chain.gas import GasMeter

T = TypeVar("T")

BATCH_STEPS: Final = 1_000
CALL_STEPS_MAX: Final = 100_000_000  # ten million gas; about a second
DEPTH_MAX: Final = 200  # contract functions inside each other, nested queries included
#: Cells that one entry call may fill: items put into containers, and 16 bytes of made text each.
ROOM_CELLS: Final = 2_097_152
#: A caller's stack may be this deep; 200 contract frames, their helpers and ten nested queries fit
#: above it within Python's own limit of 1,000.
CALLER_FRAMES_MAX: Final = 200


class Trap(Exception):
    """The room's own refusal at run time: a value too large, too deep, or of a kind not allowed.

    Contracts cannot name it. Its text is fixed, so it may be shown and compared.
    """


class Compute:
    """The compute state of one entry call. Only this package touches it."""

    __slots__ = ("depth", "meter", "outer", "owed", "room", "spent")

    def __init__(self, meter: GasMeter, outer: Compute | None) -> None:
        self.meter = meter
        self.outer = outer
        self.owed = 0
        self.spent = 0
        if outer is None:
            self.depth = 0
            self.room = ROOM_CELLS
        else:
            self.depth = outer.depth
            self.room = outer.room

    def flush(self) -> None:
        """Charge what is owed. Raises: OutOfGas."""
        owed = self.owed
        self.owed = 0
        self.spent += owed
        meter = self.meter
        meter.step(owed)
        if self.spent > CALL_STEPS_MAX:
            meter.consume(meter.remaining + 1, "compute")

    def charge(self, steps: int) -> None:
        """Owe steps; flush when a batch is full. Raises: OutOfGas."""
        self.owed += steps
        if self.owed > BATCH_STEPS:
            self.flush()

    def fill(self, cells: int) -> None:
        """Use up room for values. Raises: Trap when the call has made too many."""
        self.room -= cells
        if self.room < 0:
            raise Trap("too many values in one call")

    def too_deep(self) -> NoReturn:
        """Refuse one more function inside another."""
        raise Trap(f"more than {DEPTH_MAX} calls inside each other")


_current: ContextVar[Compute] = ContextVar("msgchain_compute")
#: The state of the running call; instrumented code calls this. LookupError outside any call.
current: Final = _current.get


def enter(meter: GasMeter) -> None:
    """Begin an entry call of a metered contract that pays to ``meter``."""
    _current.set(Compute(meter, _current.get(None)))  # type: ignore[arg-type]


def leave() -> None:
    """End the entry call that ``enter`` began. Raises: OutOfGas when the last steps pass the limit."""
    state = _current.get()
    _current.set(state.outer)  # type: ignore[arg-type]
    if state.owed:
        state.flush()


def run(meter: GasMeter, function: Callable[..., T], *args: Any) -> T:
    """Call an entry point of a metered contract, from a stack that leaves room for all its depth."""
    if _current.get(None) is None and _caller_is_deep():
        return _on_fresh_stack(_run, meter, function, *args)
    return _run(meter, function, *args)


def _run(meter: GasMeter, function: Callable[..., T], *args: Any) -> T:
    enter(meter)
    try:
        return function(*args)
    finally:
        leave()


def _caller_is_deep() -> bool:
    try:
        sys._getframe(CALLER_FRAMES_MAX)
    except ValueError:
        return False
    return True


def _on_fresh_stack(function: Callable[..., T], *args: Any) -> T:
    """Run on a new thread, whose stack is empty; its exception is raised here."""
    answers: list[T] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            answers.append(function(*args))
        except BaseException as error:  # noqa: BLE001 - handed to the caller as it is
            errors.append(error)

    thread = Thread(target=work, name="msgchain contract call")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return answers[0]
