"""Records every dispatched submessage of a test chain, in the form of the recordings' ``trace``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from chain.app.context import REPLY, Frame
from chain.app.dispatch import Dispatcher
from chain.errors import AppError
from chain.testing import Chain
from chain.vm.querier import redacted


class TracingDispatcher(Dispatcher):
    """The chain's own dispatcher, with one row a submessage written down beside it."""

    def __init__(self, plain: Dispatcher) -> None:
        super().__init__(plain._wasm, plain._handlers, plain._prefix)
        self.rows: list[list[Any]] = []
        self._parent: dict[int, int] = {}  # frame -> row of the submessage it belongs to
        self._current: dict[int, int] = {}  # frame -> row of the submessage that runs
        self._replying: dict[int, int] = {}  # reply frame -> row that it replies to
        self._kept: list[Frame] = []  # so that no id is used twice

    def _begin(self, tx: Any, frame: Frame) -> Any:
        sub = frame.messages[frame.next]
        parent = self._parent.get(id(frame), -1)
        self.rows.append([parent, frame.address, sub.id, sub.reply_on, "unwound", "none"])
        row = self._current[id(frame)] = len(self.rows) - 1
        self._kept.append(frame)
        child = super()._begin(tx, frame)
        if isinstance(child, Frame):
            self._parent[id(child)] = row
            self._kept.append(child)
        return child

    def _succeeded(self, tx: Any, frame: Frame, outcome: Any) -> Any:
        self.rows[self._current[id(frame)]][4] = "ok"
        return super()._succeeded(tx, frame, outcome)

    def _failed(self, tx: Any, frame: Frame, error: AppError) -> Any:
        row = self.rows[self._current[id(frame)]]
        row[4] = "err"
        row += [error.codespace, error.code, redacted(error)]
        return super()._failed(tx, frame, error)

    def _reply(self, tx: Any, frame: Frame, sub: Any, result: Any) -> Frame:
        number = self._current[id(frame)]
        row = self.rows[number]
        row[5] = "unwound"
        try:
            reply = super()._reply(tx, frame, sub, result)
        except AppError:
            row[5] = "err"
            raise
        row[5] = "ok"
        self._kept.append(reply)
        self._parent[id(reply)] = self._parent.get(id(frame), -1)
        self._replying[id(reply)] = number
        return reply

    def _unwind(self, tx: Any, stack: list[Frame], error: AppError) -> None:
        before = list(stack)
        try:
            super()._unwind(tx, stack, error)
        finally:
            self._mark(before, stack, "err", ("ok",))

    def _unwind_gas(self, tx: Any, stack: list[Frame], error: Any) -> None:
        while stack and not (
            stack[-1].child is not None and stack[-1].child is not stack[-1].meter
        ):
            frame = stack.pop()
            if frame.kind is REPLY:
                self.rows[self._replying[id(frame)]][5] = "unwound"
        super()._unwind_gas(tx, stack, error)

    def _mark(
        self, before: list[Frame], after: list[Frame], text: str, over: tuple[str, ...]
    ) -> None:
        for frame in before:
            if frame.kind is REPLY and not any(frame is left for left in after):
                row = self.rows[self._replying[id(frame)]]
                if row[5] in over:
                    row[5] = text


@contextmanager
def traced(chain: Chain) -> Iterator[list[list[Any]]]:
    """The rows of everything dispatched meanwhile."""
    execution = chain._engine.app.execution
    plain = execution.dispatcher
    tracing = TracingDispatcher(plain)
    execution.dispatcher = tracing
    try:
        yield tracing.rows
    finally:
        execution.dispatcher = plain
