"""Messages and their submessages: a loop over an explicit stack (DISP-1 to DISP-6, SUB-1 to
SUB-15).

A frame is a contract call whose messages are being dispatched. A submessage starts at a checkpoint
of the overlay and a
mark in the event list; success keeps both, failure cuts both back. Only ``run`` catches errors of
calls, and only to
hand them to the frame that dispatched the submessage: to its reply, or further up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from chain.app import static
from chain.app.context import EXECUTE, REPLY, Frame, Outcome, TxScope
from chain.app.events import Event, sort_attributes
from chain.app.responses import dispatched, finish
from chain.app.submessages import Prepared
from chain.app.wasm import Wasm
from chain.errors import AppError
from chain.gas import GasMeter, OutOfGas
from chain.std import Event as ContractEvent
from chain.std import MsgResponse, Reply, SubMsgResponse, SubMsgResult
from chain.tx.messages import Msg
from chain.vm.querier import redacted

#: nested dispatches; messages chained through replies do not count (DISP-5)
DEPTH_MAX: Final = 500

#: runs one message: a contract call gives a frame when it has messages to dispatch
Handler = Callable[..., "Frame | Outcome"]


class Dispatcher:
    """Runs a message with everything that it sets off."""

    __slots__ = ("_handlers", "_prefix", "_wasm")

    def __init__(self, wasm: Wasm, handlers: dict[type[Msg], Handler], prefix: str) -> None:
        self._wasm = wasm
        self._handlers = handlers
        self._prefix = prefix

    def run(self, tx: TxScope, message: Msg) -> Outcome:
        """Run a top-level message to its end. Raises: AppError, OutOfGas; the caller rolls back."""
        opened = self._handlers[type(message)](tx, message, tx.meter, 0)
        return opened if type(opened) is Outcome else self.drive(tx, opened)

    def drive(self, tx: TxScope, opened: Frame | Outcome) -> Outcome:
        """Dispatch what an opened call left to do. Raises: AppError, OutOfGas."""
        if type(opened) is Outcome:
            return opened
        stack: list[Frame] = [opened]  # type: ignore[list-item]  # mypy does not narrow through type()
        while True:
            frame = stack[-1]
            try:
                if frame.next < len(frame.messages):
                    child = self._begin(tx, frame)
                    if type(child) is Frame:
                        if not frame.messages[frame.next - 1].wasm:
                            tx.foreign = True
                        stack.append(child)
                        continue
                    reply = self._succeeded(tx, frame, child)  # type: ignore[arg-type]
                    if reply is not None:
                        stack.append(reply)
                    continue
                stack.pop()
                if not stack:
                    return finish(frame.kind, frame.address, frame.data)
                parent = stack[-1]
                if frame.kind is REPLY:
                    if frame.data is not None:  # DATA-3: absent keeps, anything else replaces
                        parent.data = frame.data
                    continue
                reply = self._succeeded(tx, parent, finish(frame.kind, frame.address, frame.data))
                if reply is not None:
                    stack.append(reply)
            except AppError as error:
                self._unwind(tx, stack, error)
            except OutOfGas as error:
                self._unwind_gas(tx, stack, error)

    def _begin(self, tx: TxScope, frame: Frame) -> Frame | Outcome:
        """Start the next submessage of a frame, on a meter of its own if it has a lower limit
        (SUB-8).
        """
        sub = frame.messages[frame.next]
        frame.next += 1
        frame.sub = sub
        frame.checkpoint = tx.overlay.checkpoint()
        frame.mark = len(tx.events)
        meter = frame.meter
        limit = sub.gas_limit
        if limit is not None and limit < meter.limit - meter.used:
            meter = GasMeter(limit)
        frame.child = meter
        if tx.observer is not None:
            tx.observer.dispatch(frame.address, sub.id, sub.reply_on, type(sub.message).__name__)
        if frame.depth >= DEPTH_MAX:
            raise AppError.wrap("wasm", 30, "dispatch")
        message = sub.message
        if isinstance(message, AppError):
            raise message
        static.check(message, self._prefix)
        return self._handlers[type(message)](tx, message, meter, frame.depth + 1)

    def _succeeded(self, tx: TxScope, frame: Frame, outcome: Outcome) -> Frame | None:
        """Close a successful submessage: gas to the parent, events kept, reply if it was asked
        for.
        """
        sub = self._settle(frame)
        if tx.observer is not None:
            tx.observer.outcome(frame.address, sub.id, None)
        wanted = sub.reply_on in ("always", "success")
        if sub.wasm and (wanted or frame.depth == 0 or tx.foreign):
            sort_attributes(
                tx.events[frame.mark :]
            )  # SUB-15; deeper ones are sorted with the outermost, if that one is a wasm message
        if not wanted:
            return None
        responses = (MsgResponse(outcome.type_url, outcome.value),) if outcome.type_url else ()
        answer = SubMsgResponse(
            [_shown(event) for event in tx.events[frame.mark :]] if sub.wasm else [],
            outcome.value or None,
            list(responses),
        )
        return self._reply(tx, frame, sub, SubMsgResult(ok=answer))

    def _failed(self, tx: TxScope, frame: Frame, error: AppError) -> Frame | None:
        """Take back a failed submessage and reply, if the policy catches. Raises: the error, if
        it does not.
        """
        sub = self._settle(frame)
        tx.overlay.rollback(frame.checkpoint)
        del tx.events[frame.mark :]
        error = unhandled(error)
        if tx.observer is not None:
            tx.observer.outcome(frame.address, sub.id, redacted(error))
        if sub.reply_on in ("success", "never"):
            raise error
        return self._reply(tx, frame, sub, SubMsgResult(error=redacted(error)))

    def _settle(self, frame: Frame) -> Prepared:
        """Charge the parent what a limited submessage used (SUB-10)."""
        child, sub = frame.child, frame.sub
        frame.child = frame.sub = None
        if child is None or sub is None:
            raise AppError.wrap("wasm", 29, "no submessage is running")
        if child is not frame.meter:
            frame.meter.consume(child.used, "From limited Sub-Message")
        return sub

    def _reply(self, tx: TxScope, frame: Frame, sub: Prepared, result: SubMsgResult) -> Frame:
        """Call ``reply``; its frame runs next, before the siblings (SUB-4). Raises: AppError with
        ``reply: `` in front.
        """
        reply = Reply(sub.id, result, sub.payload)
        try:
            opened = self._wasm.reply(tx, frame.address, reply, frame.meter, frame.depth)
        except AppError as error:
            raise replied(error) from None
        if not isinstance(opened, Frame):
            raise AppError.wrap("wasm", 29, "a reply gave no frame")
        return opened

    def _unwind(self, tx: TxScope, stack: list[Frame], error: AppError) -> None:
        """Carry an error outwards until a submessage's policy catches it. Raises: the error at
        the top.
        """
        while True:
            frame = stack[-1]
            if frame.child is not None:
                try:
                    reply = self._failed(tx, frame, error)
                except AppError as further:
                    error = further
                except OutOfGas as gone:
                    self._unwind_gas(tx, stack, gone)
                    return
                else:
                    if reply is not None:
                        stack.append(reply)
                    return
            stack.pop()  # the frame itself failed
            if frame.kind is REPLY:
                error = replied(dispatched(error))
            elif frame.kind is not EXECUTE:
                error = dispatched(error)
            if not stack:
                raise error

    def _unwind_gas(self, tx: TxScope, stack: list[Frame], error: OutOfGas) -> None:
        """Carry an exhausted meter outwards to the submessage that was limited. Raises: OutOfGas
        without one.
        """
        while stack:
            frame = stack[-1]
            child = frame.child
            if child is not None and child is not frame.meter:
                child.used = child.limit  # the parent pays the whole limit, not what went past it
                self._unwind(tx, stack, AppError.wrap("sdk", 11, "SubMsg hit gas limit"))
                return
            stack.pop()
        raise error


def unhandled(error: AppError) -> AppError:
    """The error of a message; where it was that nobody knows a message below, wasmd asks its other
    handlers too and forgets where that one was (SUB-13).
    """
    if error.code == 20 and error.codespace == "wasm":
        return AppError.wrap("wasm", 20, "no handler found")
    return error


def replied(error: AppError) -> AppError:
    """The same error after it passed out of a reply (SUB-13)."""
    return AppError(error.codespace, error.code, f"reply: {error.log}")


def _shown(event: Event) -> ContractEvent:
    return ContractEvent(event.type, event.attributes)
