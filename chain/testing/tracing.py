"""What a transaction of a test chain did, run once more on the state that it met."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from chain.app import gov
from chain.app.ante import Mode
from chain.app.application import App
from chain.app.trace import Access, CallNode, SubNode, Trace, Tracer
from chain.block.types import BlockInput, TxResult
from chain.driver.trace import BEGIN_BLOCK, block_scope
from chain.store.types import Reader
from chain.testing.engine import Engine
from chain.testing.genesis import ChainGenesis
from chain.tx.value import Tx

_VALUE_MAX: Final = 60
_OPERATIONS: Final = {"get": "read", "set": "write", "remove": "delete", "range": "iterate"}


class TraceView:
    """A trace that prints as a tree; ``trace`` has it as values, ``to_json`` as plain JSON."""

    def __init__(self, trace: Trace, names: Mapping[str, str], said: Sequence[str] = ()) -> None:
        self.trace = trace
        self._said = said  # the transaction as Python, for one that calls no contract
        self._names = names

    def to_json(self) -> dict[str, Any]:
        """Plain values: keys and values in hex, messages as text."""
        return self.trace.to_json()

    def __str__(self) -> str:
        result = self.trace.result
        state = "ok" if not result.code else f"failed ({result.codespace}/{result.code})"
        lines = [f"transaction  {state}, gas {result.gas_used:,}"]
        if result.log:
            lines.append(f"  {result.log}")
        if not self.trace.steps:
            lines += [f"  {line}" for line in self._said]
        _steps(lines, self.trace.steps, 1)
        text = "\n".join(lines)
        for address, name in self._names.items():
            text = text.replace(address, name)
        return text


def _steps(lines: list[str], steps: Sequence[Access | CallNode | SubNode], depth: int) -> None:
    pad = "  " * depth
    for step in steps:
        if isinstance(step, Access):
            value = "" if step.value is None else f" = {_bytes(step.value)}"
            lines.append(f"{pad}{_OPERATIONS[step.operation]} {_bytes(step.key)}{value}")
            continue
        if isinstance(step, SubNode):
            error = f": taken back, {step.error}" if step.error else ""
            lines.append(
                f"{pad}submessage {step.reply_id} {step.message}, reply {step.reply_on}{error}"
            )
        else:
            ended = "" if step.outcome == "ok" else f": {step.outcome}"
            body = step.msg.decode("utf-8", "replace")
            lines.append(f"{pad}{step.kind} {step.contract} {body}  gas {step.gas:,}{ended}")
        _steps(lines, step.steps, depth + 1)
        for event in getattr(step, "events", ()):
            pairs = " ".join(
                f"{key}={value}"
                for key, value in event.attributes
                if key not in {"_contract_address", "msg_index"}
            )
            lines.append(f"{pad}  event {event.type} {pairs}".rstrip())


def _bytes(raw: bytes) -> str:
    shown = "".join(chr(one) if 32 <= one < 127 else f"\\x{one:02x}" for one in raw)
    if shown.count("\\x") * 2 > len(raw):
        shown = f"0x{raw.hex()}"
    return shown if len(shown) <= _VALUE_MAX else f"{shown[:_VALUE_MAX]}… ({len(raw)} bytes)"


def trace_again(
    engine: Engine, block: BlockInput, txs: Sequence[Tx], index: int
) -> tuple[Trace, TxResult]:
    """Run a block up to a transaction on the state that it met, and watch that one."""
    app = engine.app
    scope = block_scope(_state_before(engine, block.height), block)
    params = gov.load_params(scope.overlay)
    for contract in params.begin_block_contracts:
        app.execution.privileged_sudo(scope, contract, BEGIN_BLOCK, params.begin_block_gas)
    for tx in txs[:index]:
        app.execution.deliver(scope, tx, Mode(), None)
    tracer = Tracer()
    result = app.execution.deliver(scope, txs[index], Mode(), tracer)
    return tracer.finish(result), result


def _state_before(engine: Engine, height: int) -> Reader:
    store = engine.store
    if store.height and height > store.height:
        return store.view
    first = engine.genesis.genesis.initial_height
    if height > first:
        return store.view_at(height - 1)
    return _genesis_state(engine.app, engine.genesis)


def _genesis_state(app: App, genesis: ChainGenesis) -> Reader:
    if not app.store.height:
        return app.genesis_view()
    fresh = Engine(genesis)
    return fresh.app.genesis_view()
