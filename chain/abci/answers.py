"""The answers of one ABCI connection, in the order of the requests.

CometBFT 0.38 hears one transaction from several peers, each in a thread. Between noting it and
asking the App about it such a thread may stand still, while another one asks about the next
transaction of that sender; between the App's answer and its listing likewise, so that the pool
lists the next one first and after a commit asks again in that order. The App would refuse it for
its sequence, and this node would lose it and all that follow. So such a refusal is held back for a
moment: when the earlier transaction is taken, the later one is asked about again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

from chain.abci.handler import Handler
from chain.abci.wire import frame
from chain.app.proposals import Turn

#: a refusal is held back until nothing came for so long, or until the oldest one is so old
IDLE_SECONDS: Final = 0.02
HELD_SECONDS: Final = 0.1


class Answers:
    """Takes the requests of a connection and gives the frames that may go out.

    ``reply(method, request)`` is the Response, whatever happens.
    """

    def __init__(self, handler: Handler, reply: Callable[[str, Any], Any]) -> None:
        self._handler = handler
        self._reply = reply
        self._replies: list[Any] = []
        #: requests that came too early, with the places of their answers, by what they wait for
        self._early: dict[Turn, list[tuple[int, Any]]] = {}
        self._since = 0.0

    @property
    def waiting(self) -> bool:
        """Whether answers are held back."""
        return bool(self._early)

    def take(self, asked: Sequence[tuple[str, Any]]) -> None:
        """Answer requests."""
        ahead = self._handler.prove_ahead(asked)
        for place, (method, request) in enumerate(asked):
            if place in ahead:
                with suppress(Exception):  # the answer tells of failures
                    next(ahead[place], None)
            self._replies.append(None)
            if method == "check_tx":
                self._check(len(self._replies) - 1, request)
            else:
                self._replies[-1] = self._reply(method, request)
        if self._early and time.monotonic() - self._since > HELD_SECONDS:
            self.settle()

    def _check(self, place: int, request: Any) -> None:
        """Answer about a transaction, and about those that waited for it."""
        due = [(place, request)]
        while due:
            place, request = due.pop()
            reply = self._replies[place] = self._reply("check_tx", request)
            turn = self._handler.waits_for(request, reply)
            if turn is not None:
                self._since = self._since if self._early else time.monotonic()
                self._early.setdefault(turn, []).append((place, request))
            elif self._early and not reply.check_tx.code and not reply.HasField("exception"):
                for turn in self._handler.turns_after(request):
                    due += self._early.pop(turn, ())

    def settle(self) -> None:
        """Wait no longer: who came too early is refused."""
        self._early.clear()

    def ready(self) -> bytes:
        """The frames that may go out, each once."""
        if self._early:
            return b""
        frames = b"".join([frame(reply) for reply in self._replies])
        self._replies.clear()
        return frames
