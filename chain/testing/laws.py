"""What must hold: invariants of a state machine, and watchers who see every call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from chain.testing.results import ExecTxResult


class Call(NamedTuple):
    """One call of a run, as watchers see it. ``message`` is plain JSON; ``body`` what is in it.

    >>> call = Call("counter", address, "add", {"add": {"by": "3"}}, alice, [],
    ...             chain.execute(address, {"add": {"by": "3"}}, alice), chain.height, chain.time)
    """

    contract: str  # name
    address: str
    variant: str
    message: Any
    sender: str
    funds: Sequence[Mapping[str, str]]
    result: ExecTxResult
    height: int
    time: int

    @property
    def ok(self) -> bool:
        """Whether it was accepted.

        >>> result = chain.try_send(bob, alice, "1msg")
        >>> Call("counter", address, "add", {}, bob, [], result, 1, 0).ok
        False
        """
        return self.result.code == 0

    @property
    def body(self) -> Any:
        """The fields of the message.

        >>> result = chain.execute(address, {"add": {"by": "3"}}, alice)
        >>> Call("counter", address, "add", {"add": {"by": "3"}}, alice, [], result, 1, 0).body
        {'by': '3'}
        """
        return self.message[self.variant] if isinstance(self.message, dict) else {}

    def after(self, height: int | None, seconds: int | None) -> bool:
        """Whether the call came after a height or a time (of seconds) that ends something.

        >>> result = chain.send(alice, bob, "1msg")
        >>> call = Call("counter", address, "add", {}, bob, [], result, 7, 0)
        >>> call.after(6, None), call.after(7, None), call.after(None, None)
        (True, False, False)
        """
        if height is not None and self.height > height:
            return True
        return seconds is not None and self.time > seconds * 10**9

    def paid(self, payer: str) -> list[str]:
        """Who got coins from an address in this call.

        >>> result = chain.send(alice, bob, "1msg")
        >>> Call("bank", "", "send", {}, alice, [], result, 1, 0).paid(alice) == [bob]
        True
        """
        found = []
        for event in self.result._raw.events:
            if event.type == "transfer":
                pairs = dict(event.attributes)
                if pairs.get("sender") == payer:
                    found.append(str(pairs["recipient"]))
        return found


def hold(law: Callable[..., Any], machine: Any, call: Call | None) -> None:
    """Ask one invariant or watcher; False is a complaint."""
    if call is not None:
        answer = law(machine, call)
    elif getattr(law, "_wants_machine", False):
        answer = law(machine)
    else:
        answer = law(machine.chain, machine.address)
    if answer is False:
        raise AssertionError(f"{getattr(law, '__name__', 'invariant')} does not hold")


def of_machine(law: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Mark an invariant that takes the machine (ghost variables, actors) in place of (chain,
    address).

    >>> @of_machine
    ... def nobody_lost(machine):
    ...     return machine.ghost.lost == 0
    """
    law._wants_machine = True  # type: ignore[attr-defined]
    return law
