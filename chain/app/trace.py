"""The observer of a transaction, and the tree that is made of what it is told: calls with gas,
storage and events. Nothing is called where there is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import msgspec

from chain.block.types import Event, TxResult


class Observer(Protocol):
    """Told what happens in the order in which it happens; must not change anything. Gas is the
    same with and without.
    """

    def enter(self, kind: str, contract: str, sender: str, msg: bytes, gas_used: int) -> None:
        """A contract is about to run; ``kind`` is the entry point, also ``query``."""

    def leave(self, outcome: str, gas_used: int) -> None:
        """The call that was entered last ended: ``ok`` or the text of its error."""

    def storage(self, operation: str, key: bytes, value: bytes | None) -> None:
        """The running contract used its storage: ``get``, ``set``, ``remove`` or ``range``."""

    def dispatch(self, contract: str, reply_id: int, reply_on: str, message: str) -> None:
        """A contract's submessage is about to run; ``message`` names its kind."""

    def outcome(self, contract: str, reply_id: int, error: str | None) -> None:
        """That submessage ended; ``error`` is what a reply is told, None for success."""


class Access(msgspec.Struct, tag="storage", tag_field="step"):
    """A use of the running contract's storage; a ``range`` has its bounds as key and value."""

    operation: str
    key: bytes
    value: bytes | None


class CallNode(msgspec.Struct, tag="call", tag_field="step"):
    """A run of an entry point: ``gas`` is what it used itself, with the queries that it made."""

    kind: str
    contract: str
    sender: str
    msg: bytes
    gas: int = 0
    outcome: str = ""
    steps: list[Access | CallNode] = msgspec.field(default_factory=list)
    events: list[Event] = msgspec.field(default_factory=list)


class SubNode(msgspec.Struct, tag="submessage", tag_field="step"):
    """A submessage and all that ran because of it, replies to what is in it included; ``error``
    says why it was taken back.
    """

    contract: str
    reply_id: int
    reply_on: str
    message: str
    error: str | None = None
    steps: list[CallNode | SubNode] = msgspec.field(default_factory=list)


class Trace(msgspec.Struct):
    """A traced transaction: its calls as a tree, and its result."""

    steps: list[CallNode | SubNode]
    result: TxResult

    def calls(self) -> Iterator[CallNode]:
        """All calls, also those of queries, in the order in which they began."""
        waiting: list[Any] = list(reversed(self.steps))
        while waiting:
            step = waiting.pop()
            if isinstance(step, CallNode):
                yield step
            if not isinstance(step, Access):
                waiting.extend(reversed(step.steps))

    def to_json(self) -> dict[str, Any]:
        """Plain values: keys and values in hex, messages as text."""
        result = self.result
        return {
            "code": result.code,
            "codespace": result.codespace,
            "log": result.log,
            "gas_wanted": result.gas_wanted,
            "gas_used": result.gas_used,
            "steps": [_plain(step) for step in self.steps],
            "events": [_event(event) for event in result.events],
        }


def _event(event: Event) -> dict[str, Any]:
    pairs = [{"key": key, "value": value} for key, value in event.attributes]
    return {"type": event.type, "attributes": pairs}


def _plain(step: Access | CallNode | SubNode) -> dict[str, Any]:
    if isinstance(step, Access):
        value = None if step.value is None else step.value.hex()
        return {
            "step": "storage",
            "operation": step.operation,
            "key": step.key.hex(),
            "value": value,
        }
    inner = [_plain(part) for part in step.steps]
    if isinstance(step, SubNode):
        return {
            "step": "submessage",
            "contract": step.contract,
            "reply_id": step.reply_id,
            "reply_on": step.reply_on,
            "message": step.message,
            "error": step.error,
            "steps": inner,
        }
    return {
        "step": "call",
        "kind": step.kind,
        "contract": step.contract,
        "sender": step.sender,
        "msg": step.msg.decode("utf-8", "replace"),
        "gas": step.gas,
        "outcome": step.outcome,
        "steps": inner,
        "events": [_event(event) for event in step.events],
    }


class Tracer:
    """An ``Observer`` that builds the tree; ``finish`` gives it. For one transaction."""

    def __init__(self) -> None:
        self._steps: list[CallNode | SubNode] = []
        self._subs: list[SubNode] = []
        self._calls: list[CallNode] = []
        self._starts: list[int] = []

    def enter(self, kind: str, contract: str, sender: str, msg: bytes, gas_used: int) -> None:
        """As ``Observer.enter``."""
        node = CallNode(kind, contract, sender, bytes(msg))
        if self._calls:
            self._calls[-1].steps.append(node)
        else:
            self._level().append(node)
        self._calls.append(node)
        self._starts.append(gas_used)

    def leave(self, outcome: str, gas_used: int) -> None:
        """As ``Observer.leave``."""
        node = self._calls.pop()
        node.gas = gas_used - self._starts.pop()
        node.outcome = outcome

    def storage(self, operation: str, key: bytes, value: bytes | None) -> None:
        """As ``Observer.storage``."""
        kept = None if value is None else bytes(value)
        self._calls[-1].steps.append(Access(operation, bytes(key), kept))

    def dispatch(self, contract: str, reply_id: int, reply_on: str, message: str) -> None:
        """As ``Observer.dispatch``."""
        node = SubNode(contract, reply_id, reply_on, message)
        self._level().append(node)
        self._subs.append(node)

    def outcome(self, contract: str, reply_id: int, error: str | None) -> None:
        """As ``Observer.outcome``; what was cut off inside of it ended with it."""
        while self._subs:
            node = self._subs.pop()
            node.error = error
            if (node.contract, node.reply_id) == (contract, reply_id):
                return

    def _level(self) -> list[CallNode | SubNode]:
        return self._subs[-1].steps if self._subs else self._steps

    def finish(self, result: TxResult) -> Trace:
        """The tree with the transaction's result; events stand with the calls that sent them."""
        for node in self._subs:
            node.error = node.error or result.log
        trace = Trace(self._steps, result)
        if result.code == 0:
            _give_events(_kept(self._steps), result.events)
        return trace


def _kept(steps: Sequence[CallNode | SubNode]) -> Iterator[CallNode]:
    """The calls whose events stayed, in order."""
    for step in steps:
        if isinstance(step, CallNode):
            yield step
        elif step.error is None:
            yield from _kept(step.steps)


def _give_events(calls: Iterator[CallNode], events: Sequence[Event]) -> None:
    """Events follow the event of their entry point, which names the contract."""
    call = next(calls, None)
    current: CallNode | None = None
    for event in events:
        address = next((v for k, v in event.attributes if k == "_contract_address"), None)
        if call is not None and address == call.contract and event.type == _entry(call.kind):
            current, call = call, next(calls, None)
        if current is not None and address == current.contract:
            current.events.append(event)


def _entry(kind: str) -> str:
    return "instantiate" if kind == "instantiate2" else kind
