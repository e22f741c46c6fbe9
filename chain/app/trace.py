"""The observer of a transaction: a call tree with gas, storage and events. Nothing is called
where there is none.
"""

from __future__ import annotations

from typing import Protocol


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
