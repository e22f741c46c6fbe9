"""A trace as a tree for people."""

from __future__ import annotations

from typing import Any, Final

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

_VALUE_MAX: Final = 60
#: of lines that no terminal bounds
_WIDTH: Final = 10_000
_OPERATIONS: Final = {"get": "read", "set": "write", "remove": "delete", "range": "iterate"}


def show_trace(trace: dict[str, Any], names: dict[str, str]) -> None:
    """Print a trace (``Trace.to_json``); ``names`` of addresses stand in their place."""
    title = trace.get("hash") or "simulated transaction"
    state = "ok" if not trace["code"] else f"failed ({trace['codespace']}/{trace['code']})"
    root = Tree(Text(f"{title}  {state}, gas {trace['gas_used']:,}"))
    if trace["log"]:
        root.add(Text(trace["log"]))
    for step in trace["steps"]:
        _add(root, step, names)
    own = [event for event in trace["events"] if not _of_contract(event)]
    if own:
        branch = root.add(Text("events of the chain"))
        for event in own:
            branch.add(_event(event, names))
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=_WIDTH)
    console.print(root)


def _of_contract(event: dict[str, Any]) -> bool:
    return any(pair["key"] == "_contract_address" for pair in event["attributes"])


def _add(tree: Tree, step: dict[str, Any], names: dict[str, str]) -> None:
    if step["step"] == "storage":
        value = step["value"]
        shown = "" if value is None else f" = {_bytes(value)}"
        tree.add(Text(f"{_OPERATIONS[step['operation']]} {_bytes(step['key'])}{shown}"))
        return
    if step["step"] == "submessage":
        error = f": taken back, {step['error']}" if step["error"] else ""
        branch = tree.add(
            Text(
                f"submessage {step['reply_id']} {step['message']}, reply {step['reply_on']}{error}"
            )
        )
    else:
        ended = "" if step["outcome"] == "ok" else f": {step['outcome']}"
        who = names.get(step["contract"], step["contract"])
        branch = tree.add(Text(f"{step['kind']} {who} {step['msg']}  gas {step['gas']:,}{ended}"))
    for inner in step["steps"]:
        _add(branch, inner, names)
    for event in step.get("events", ()):
        branch.add(_event(event, names))


def _event(event: dict[str, Any], names: dict[str, str]) -> Text:
    pairs = " ".join(
        f"{pair['key']}={names.get(pair['value'], pair['value'])}"
        for pair in event["attributes"]
        if pair["key"] not in ("_contract_address", "msg_index")
    )
    return Text(f"event {event['type']} {pairs}".rstrip())


def _bytes(digits: str) -> str:
    """Bytes as text where they are, else as hex; long ones are cut."""
    raw = bytes.fromhex(digits)
    shown = "".join(chr(one) if 32 <= one < 127 else f"\\x{one:02x}" for one in raw)
    if shown.count("\\x") * 2 > len(raw):
        shown = f"0x{digits}"
    return shown if len(shown) <= _VALUE_MAX else f"{shown[:_VALUE_MAX]}… ({len(raw)} bytes)"
