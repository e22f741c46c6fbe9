"""What instrumented code runs on: the compute state of the running call, and charging it.

The call layer brackets every entry call of a metered contract::

    enter(meter)
    try:
        answer = contract.execute(deps, env, info, msg)
    finally:
        leave()                  # charges what is still owed, so it may raise OutOfGas

or uses ``run(meter, function, *args)``, which does the same and also moves an outermost call to a
fresh thread when the caller's stack is already deep, so that the depth limit is the same everywhere
(threats E5). Each thread has one ``Compute``, found through a context variable because reading that
is three times as quick as a thread-local attribute. Nested calls (a contract's query that runs
another contract) stack up in it; a nested call goes on with the depth and the room for values of
the call around it (design, decision 4).

Steps are charged to ``GasMeter.step`` in batches. That moves the moment at which out of gas is
noticed by at most ``BATCH_STEPS``, never the amount, and the same on every machine. A call that
spends more than ``CALL_STEPS_MAX`` on compute alone is out of gas whatever its limit: that bounds
its time and memory also under a gas limit of 100,000,000.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextvars import ContextVar
from threading import Thread, get_ident
from typing import Any, Final, NoReturn, TypeVar

from chain.gas import STEPS_PER_GAS, GasMeter, OutOfGas

T = TypeVar("T")

BATCH_STEPS: Final = 1_000
CALL_STEPS_MAX: Final = 50_000_000  # five million gas; about half a second
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
    """The compute state of a thread's running entry call. Only this package touches it."""

    __slots__ = ("depth", "meter", "outer", "owed", "room", "spent", "thread")

    def __init__(self) -> None:
        self.thread = get_ident()
        self.rest()
        self.outer: list[tuple[GasMeter, int, int, int, int]] = []  # calls around this one

    def rest(self) -> None:
        """No call runs."""
        self.meter: GasMeter | None = None
        self.owed = 0  # steps not yet charged
        self.spent = 0  # steps charged in this entry call
        self.depth = 0
        self.room = ROOM_CELLS

    def flush(self) -> None:
        """Charge what is owed. Raises: OutOfGas."""
        owed = self.owed
        self.owed = 0
        self.spent += owed
        meter = self.meter
        if meter is None:
            raise Trap("contract code runs outside a call")
        meter.step(owed)
        if self.room < 0:
            raise Trap("too many values in one call")
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


def _state() -> Compute:
    """The thread's state; a context may have been copied from another thread."""
    state = _current.get(None)
    if state is None or state.thread != get_ident():
        state = Compute()
        _current.set(state)
    return state


def enter(meter: GasMeter) -> None:
    """Begin an entry call of a metered contract that pays to ``meter``."""
    state = _state()
    if state.meter is not None:
        state.outer.append((state.meter, state.owed, state.spent, state.depth, state.room))
        state.owed = state.spent = 0
    state.meter = meter


def leave() -> None:
    """End the entry call that ``enter`` began. Raises: OutOfGas when the last steps do not fit."""
    state = _current.get()
    meter = state.meter
    owed = state.owed
    if state.outer:
        state.meter, state.owed, state.spent, state.depth, state.room = state.outer.pop()
    else:
        state.rest()
    if owed and meter is not None:
        meter.step(owed)


def run(meter: GasMeter, function: Callable[..., T], *args: Any) -> T:
    """Call an entry point of a metered contract, on a stack that has room for all its depth."""
    state = _current.get(None)
    if state is None or state.meter is not None or state.thread != get_ident():
        return _run_nested(meter, function, *args)
    try:
        _frame(CALLER_FRAMES_MAX)
    except ValueError:  # as usual: the stack is not that deep
        pass
    else:
        answer: T = _on_fresh_stack(run, meter, function, *args)
        return answer
    state.meter = meter
    try:
        return function(*args)
    finally:
        total = state.owed + meter.steps
        state.meter = None  # as rest(), and GasMeter.step, without the calls
        state.owed = state.spent = state.depth = 0
        state.room = ROOM_CELLS
        meter.steps = total % STEPS_PER_GAS
        meter.used += total // STEPS_PER_GAS
        if meter.used > meter.limit:
            raise OutOfGas("compute")


def _run_nested(meter: GasMeter, function: Callable[..., T], *args: Any) -> T:
    """A call inside a call, or the first of a thread."""
    if _state().meter is None:
        return run(meter, function, *args)
    enter(meter)
    try:
        return function(*args)
    finally:
        leave()


_frame: Final = sys._getframe


def _on_fresh_stack(function: Callable[..., Any], *args: Any) -> Any:
    """Run on a new thread, whose stack is empty; its exception is raised here."""
    answers: list[Any] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            answers.append(function(*args))
        except BaseException as error:
            errors.append(error)

    thread = Thread(target=work, name="msgchain contract call")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return answers[0]
