"""The tree of a transaction's calls, as nested folds."""

from __future__ import annotations

from typing import Any, Final

from chain.web import kit
from chain.web.context import Context
from chain.web.text import bytes_shown

Json = dict[str, Any]
#: steps that are drawn; a trace may have thousands
STEPS_MAX: Final = 400
_OPERATIONS: Final = {"get": "load", "set": "save", "remove": "delete", "range": "iterate"}


class _Left:
    """How many steps may still be drawn."""

    def __init__(self) -> None:
        self.count = STEPS_MAX


def show_trace(context: Context, trace: Json) -> None:
    """A trace as ``chain.app.trace`` writes it."""
    left = _Left()
    if not trace["steps"]:
        kit.note(context.t("No contract was called"))
    for step in trace["steps"]:
        _show_step(context, step, left)
    if left.count <= 0:
        kit.note(context.t("Only the first {count} steps are shown", count=STEPS_MAX))


def _show_step(context: Context, step: Json, left: _Left) -> None:
    left.count -= 1
    if left.count < 0:
        return
    if step["step"] == "storage":
        _show_access(context, step)
        return
    with kit.folded(_title(context, step), "call", open_=True):
        if step["step"] == "submessage" and step["error"]:
            kit.Tag("p", step["error"], "alert")
        if step["step"] == "call":
            kit.Tag("p", step["msg"], "words code")
            if step["outcome"] != "ok":
                kit.Tag("p", step["outcome"], "alert")
        for inner in step["steps"]:
            _show_step(context, inner, left)
        for found in step.get("events", ()):
            pairs = " ".join(f"{one['key']}={one['value']}" for one in found["attributes"])
            kit.Tag("p", f"{context.t('event')} {found['type']} {pairs}", "quiet words")


def _title(context: Context, step: Json) -> str:
    t, who = context.t, context.name(step["contract"])
    if step["step"] == "submessage":
        return t("submessage {message}, reply {when}", message=step["message"],
                 when=step["reply_on"])  # fmt: skip
    return t("{kind} {who}, gas {gas}", kind=step["kind"], who=who, gas=f"{step['gas']:,}")


def _show_access(context: Context, step: Json) -> None:
    key = bytes_shown(bytes.fromhex(step["key"]))
    value = "" if step["value"] is None else f" = {bytes_shown(bytes.fromhex(step['value']))}"
    word = context.t(_OPERATIONS[step["operation"]])
    kit.Tag("p", f"{word} {key}{value}", "quiet words code", limit=200)
