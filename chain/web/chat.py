"""A message as the views show it: payload by its envelope, delivery state, what can be done."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterable
from typing import Any, Final

from chain.client import agent_calls as calls
from chain.client.agent_messages import payload_of
from chain.client.transport import Outcome
from chain.web import kit
from chain.web.context import Context
from chain.web.source import Account, Source
from chain.web.text import SHOWN_MAX, WHOLE_MAX, payload, unsealed

View = dict[str, Any]
#: what the guide's chat shows for a state (9.1)
MARKS: Final = {
    "pending": "○", "delivered": "✓✓", "read": "◎", "replied": "↩", "expired": "∅",
    "cancelled": "✕",
}  # fmt: skip
STATUSES: Final = ("pending", "delivered", "read", "replied", "expired", "cancelled")
TYPES: Final = ("request", "response", "notification", "discovery")
PAGE: Final = 20
_ANSWERED_FROM: Final = ("pending", "delivered", "read")


def raw_of(view: View) -> bytes:
    """The payload of a message as the contract shows it."""
    try:
        return base64.b64decode(view["payload"])
    except (binascii.Error, ValueError):
        return b""


def opened(source: Source, me: Account | None, views: Iterable[View]) -> list[View]:
    """The messages with what was sealed for a development account beside it; blocks."""
    found = []
    for view in views:
        if me is not None and me.native and view["receiver"] == me.address:
            content = unsealed(source.key_of(me), view["sender"], view["receiver"], raw_of(view))
            if content is not None:
                view = {**view, "opened": content}
        found.append(view)
    return found


def show_payload(context: Context, raw: bytes, *, whole: bool = False) -> None:
    """A payload by its envelope: text, JSON, binary with size and hash, sealed."""
    t = context.t
    shown = payload(raw)
    limit = WHOLE_MAX if whole else SHOWN_MAX
    if shown.kind == "text":
        kit.Tag("p", shown.text, "words", limit=limit)
    elif shown.kind in ("json", "broken", "binary"):
        if shown.kind != "json":
            kit.badge(t("binary") if shown.kind == "binary" else t("broken envelope"))
        if shown.text:
            kit.block_of_text(shown.text, t("Payload"), limit)
    if shown.kind == "sealed":
        kit.note(t("Sealed: only the receiver can read it"))
    if whole or shown.kind in ("binary", "sealed"):
        kit.facts(
            [
                (t("Size"), t("{size} bytes", size=f"{shown.size:,}")),
                ("SHA-256", lambda: kit.code(shown.sha256) and None),
                *([(t("Content type"), shown.content_type)] if shown.content_type else ()),
                *([(t("Schema"), shown.schema)] if shown.schema else ()),
            ]
        )


def show_state(context: Context, view: View) -> None:
    """The delivery state of a message."""
    status = str(view["status"])
    kit.badge(f"{MARKS.get(status, '')} {context.t(status)}", status)


def show_message(context: Context, view: View, *, whole: bool = False) -> None:
    """One message of a list."""
    t = context.t
    mine = context.me is not None and view["sender"] == context.me.address
    answer = "" if view["reply_to"] is None else "answer"
    with kit.Tag("article", css=f"message {'mine' if mine else ''} {answer}".strip()):
        with kit.Tag("p", css="line"):
            kit.person(context, view["sender"])
            kit.Tag("span", "→")
            if view["topic"]:
                kit.Tag("span", f"#{view['topic']}")
            else:
                kit.person(context, view["receiver"])
            kit.badge(t(str(view["message_type"])))
            if view["priority"] >= 100:
                kit.badge(t(str(view["priority_label"])), "urgent")
            show_state(context, view)
        if view["reply_to"]:
            with kit.Tag("p", css="line quiet"):
                kit.Tag("span", t("Answers"))
                kit.link(context, view["reply_to"], f"/message/{view['reply_to']}")
        if "opened" in view:
            kit.badge(t("sealed, opened with your key"), "good")
            show_payload(context, view["opened"], whole=whole)
        else:
            show_payload(context, raw_of(view), whole=whole)
        with kit.Tag("p", css="line quiet"):
            kit.at(int(view["created_at"]))
            kit.link(context, view["msg_id"], f"/message/{view['msg_id']}", "id")
            if view["signature"]:
                kit.badge(t("signed"))
            if view["via"]:
                kit.Tag("span", t("by way of {name}", name=context.name(view["via"])))


def moves(context: Context, view: View, result: kit.Result) -> None:
    """Buttons of the receiver, and of the sender of a pending message."""
    t, me = context.t, context.me
    if me is None or view["topic"]:
        return
    steps: list[tuple[str, str]] = []
    if view["receiver"] == me.address:
        if view["status"] == "pending":
            steps.append(("mark_delivered", t("Mark delivered")))
        if view["status"] in ("pending", "delivered"):
            steps.append(("mark_read", t("Mark read")))
    elif view["sender"] == me.address and view["status"] == "pending":
        steps.append(("cancel_message", t("Take back")))
    for variant, text in steps:
        kit.button(context, text, _move(context, me, variant, view["msg_id"]), result)


def _move(
    context: Context, me: Account, variant: str, msg_id: str
) -> Callable[[], Callable[[], Outcome]]:
    def step() -> Outcome:
        actor = context.source.actor(me)
        return actor.submit(calls.move_message(actor.contracts, variant, msg_id))

    return lambda: lambda: context.source.act(me, step)


def reply_form(context: Context, view: View) -> None:
    """A field that answers a message, for its receiver."""
    me, t = context.me, context.t
    if me is None or view["receiver"] != me.address or view["status"] not in _ANSWERED_FROM:
        return
    with kit.section(t("Reply")):
        words = kit.Field(t("Answer"), lines=3)
        result = kit.Result()

        def read() -> Callable[[], Outcome]:
            content = content_of(context, words.value)
            msg_id = view["msg_id"]

            def step() -> Outcome:
                actor = context.source.actor(me)
                return actor.submit(
                    calls.reply_message(actor.contracts, msg_id, payload_of(content))
                )

            return lambda: context.source.act(me, step)

        def done(outcome: Outcome) -> str:
            words.clear()
            return t("Sent in block {height}", height=outcome.height)

        kit.button(context, t("Send reply"), read, result, done=done, css="primary")


def content_of(context: Context, typed: str) -> Any:
    """What was typed: a JSON object or list as itself, other text as text. Raises: ValueError."""
    if not typed.strip():
        raise ValueError(context.t("There is nothing to send yet"))
    if typed.lstrip()[:1] in ("{", "["):
        return kit.json_value(typed)
    return {"text": typed}
