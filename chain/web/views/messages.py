"""Messages: boxes by status, chat per conversation and channel, threads, one message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chain.client import agent_calls as calls
from chain.client.agent_messages import payload_of
from chain.client.envelope import default_ttl
from chain.client.transport import Outcome
from chain.web import kit
from chain.web.chat import (
    PAGE,
    STATUSES,
    TYPES,
    content_of,
    moves,
    opened,
    reply_form,
    show_message,
)
from chain.web.context import Context
from chain.web.source import Account
from chain.web.text import short
from chain.web.views.agents import address_of, channels_of, show_channels

Json = dict[str, Any]


# --- boxes ----------------------------------------------------------------------------------------


async def show_messages(context: Context) -> None:
    """The acting account's inbox by status, what it sent, its channels, and a new message."""
    t, me = context.t, context.me
    if me is None:
        kit.note(t("This node is no devnet: the page has no accounts to act as."))
        return
    account = me
    await kit.live(
        context,
        lambda: _counts(context, account),
        lambda found: _show_boxes(context, found),
    )
    result = kit.Result()
    await kit.live(
        context,
        lambda: _box(context, account),
        lambda page: _show_box(context, page, result),
    )
    with kit.section(t("Channels")):
        await kit.live(
            context,
            lambda: channels_of(context, account.address),
            lambda page: show_channels(context, page),
        )
        _channel_form(context, account)
    with kit.section(t("New message")):
        _send_form(context, account, context.get("to"))


def _counts(context: Context, me: Account) -> list[tuple[str, int]]:
    source = context.source
    a2a = source.addresses().a2a
    found = []
    for status in ("", *STATUSES):
        page = source.ask(a2a, "list_messages", address=me.address, status=status or None, limit=1)
        found.append((status, int(page["total"])))
    return found


def _show_boxes(context: Context, found: list[tuple[str, int]]) -> None:
    t = context.t
    with kit.Tag("nav", css="tabs", aria_label=t("Boxes")):
        for status, count in found:
            label = f"{t(status) if status else t('Inbox')} ({count})"
            shown = kit.link(context, label, "/messages", status=status)
            if context.get("status") == status and not context.get("box"):
                shown.props["aria-current"] = "true"
        sent = kit.link(context, t("Sent"), "/messages", box="sent")
        if context.get("box") == "sent":
            sent.props["aria-current"] = "true"


def _box(context: Context, me: Account) -> Json:
    source = context.source
    a2a = source.addresses().a2a
    after = context.get("after") or None
    page: Json
    if context.get("box") == "sent":
        page = source.ask(
            a2a, "list_sent_messages", address=me.address, start_after=after, limit=PAGE
        )
    else:
        status = context.get("status") or None
        page = source.ask(
            a2a, "list_messages", address=me.address, status=status, start_after=after, limit=PAGE
        )
    return {**page, "messages": opened(source, me, page["messages"])}


def _show_box(context: Context, page: Json, result: kit.Result) -> None:
    t, me = context.t, context.me
    if not page["messages"]:
        kit.note(t("No messages here"))
    for view in page["messages"]:
        with kit.Tag("div", css="entry"):
            show_message(context, view)
            with kit.Tag("div", css="line"):
                moves(context, view, result)
                kit.link(context, t("Open and reply"), f"/message/{view['msg_id']}", "action")
                other = view["receiver"]
                if me is not None and other == me.address:
                    other = view["sender"]
                if not view["topic"]:
                    kit.link(context, t("Conversation"), "/chat", "action", with_=other)
    kit.more(context, page["next"])


def _channel_form(context: Context, me: Account) -> None:
    t = context.t
    with kit.folded(t("Open a channel"), "step"):
        who = kit.Field(t("With (account name or address)"))
        result = kit.Result()

        def read() -> Callable[[], Outcome]:
            other = address_of(context, who.value)

            def step() -> Outcome:
                actor = context.source.actor(me)
                return actor.submit(calls.create_channel(actor.contracts, other))

            return lambda: context.source.act(me, step)

        kit.button(context, t("Open"), read, result, css="primary")


# --- sending --------------------------------------------------------------------------------------


def _send_form(context: Context, me: Account, to: str = "", channel_id: str = "") -> None:
    """A message to somebody; with ``to`` given, to nobody else."""
    t = context.t
    with kit.Tag("div", css="form"):
        who = kit.Field(t("To (account name or address)"), context.names.get(to, to))
        kind = kit.Choice(t("Type"), [(one, t(one)) for one in TYPES])
        priority = kit.Field(t("Priority, 0 to 255"), "50")
    words = kit.Field(t("Message: text or JSON"), lines=3)
    result = kit.Result()

    def read() -> Callable[[], Outcome]:
        other = address_of(context, who.value)
        content = content_of(context, words.value)
        level = _level(context, priority.value)

        def step() -> Outcome:
            actor = context.source.actor(me)
            return actor.submit(
                calls.send_message(
                    actor.contracts,
                    other,
                    payload_of(content),
                    message_type=kind.value,
                    priority=level,
                    ttl=default_ttl(kind.value, level),
                    channel_id=channel_id or None,
                )
            )

        return lambda: context.source.act(me, step)

    def done(outcome: Outcome) -> str:
        words.clear()
        return t("Sent in block {height}", height=outcome.height)

    kit.button(context, t("Send"), read, result, done=done, css="primary")


def _level(context: Context, text: str) -> int:
    """A priority. Raises: ValueError."""
    wanted = text.strip()
    if not (wanted.isascii() and wanted.isdigit()) or len(wanted) > 3 or int(wanted) > 255:
        raise ValueError(context.t("A priority is a number from 0 to 255"))
    return int(wanted)


# --- conversations --------------------------------------------------------------------------------


async def show_chat(context: Context) -> None:
    """All messages between the acting account and another, oldest at the top."""
    t, me, other = context.t, context.me, context.get("with")
    if me is None or not other:
        kit.note(t("Choose somebody to talk to"))
        return
    account = me
    with kit.Tag("p", css="line"):
        kit.person(context, account.address)
        kit.Tag("span", "↔")
        kit.person(context, other)

    def load() -> Json:
        source = context.source
        found: Json = source.ask(
            source.addresses().a2a,
            "list_conversation",
            participants=[account.address, other],
            start_after=context.get("after") or None,
            limit=PAGE,
        )
        return {**found, "messages": opened(source, account, found["messages"])}

    result = kit.Result()
    await kit.live(context, load, lambda page: _show_talk(context, page, result))
    with kit.section(t("New message")):
        _send_form(context, account, other)


def _show_talk(context: Context, page: Json, result: kit.Result) -> None:
    t = context.t
    kit.more(context, page["next"])
    with kit.Tag("div", css="talk", role="log", aria_label=t("Conversation")):
        if not page["messages"]:
            kit.note(t("No messages here"))
        for view in reversed(page["messages"]):
            mine = context.me is not None and view["sender"] == context.me.address
            with kit.Tag("div", css="said mine" if mine else "said"):
                show_message(context, view)
                with kit.Tag("div", css="line"):
                    moves(context, view, result)


async def show_channel(context: Context) -> None:
    """A channel and its messages."""
    t, channel_id = context.t, context.get("id")
    source = context.source

    def load() -> tuple[Json | None, Json]:
        a2a = source.addresses().a2a
        channel = source.ask(a2a, "get_channel", channel_id=channel_id)["channel"]
        messages = source.ask(
            a2a, "list_channel_messages", channel_id=channel_id,
            start_after=context.get("after") or None, limit=PAGE,
        )  # fmt: skip
        return channel, {**messages, "messages": opened(source, context.me, messages["messages"])}

    result = kit.Result()
    channel, _ = await kit.live(context, load, lambda found: _show_channel(context, *found, result))
    me = context.me
    if channel is None or me is None or channel["status"] == "closed":
        return
    others = [one for one in channel["participants"] if one != me.address]
    if channel["channel_type"] == "direct" and len(others) == 1:
        with kit.section(t("New message")):
            _send_form(context, me, others[0], channel_id)
    if me.address in channel["participants"]:
        with kit.section(t("Close the channel")):
            _close_form(context, me, channel_id)


def _show_channel(context: Context, channel: Json | None, page: Json, result: kit.Result) -> None:
    t = context.t
    if channel is None:
        kit.alert(t("There is no such channel"))
        return
    with kit.Tag("section", css="card", aria_label=t("Channel")):
        kit.facts(
            [
                (t("Channel"), lambda: kit.code(channel["channel_id"]) and None),
                (t("Type"), t(channel["channel_type"])),
                (t("Status"), lambda: kit.badge(t(channel["status"]), channel["status"]) and None),
                (t("Owner"), lambda: kit.person(context, channel["owner"]) and None),
                (t("Opened"), lambda: kit.at(int(channel["created_at"])) and None),
            ]
        )
    _show_talk(context, page, result)


def _close_form(context: Context, me: Account, channel_id: str) -> None:
    result = kit.Result()

    def step() -> Outcome:
        actor = context.source.actor(me)
        return actor.submit(calls.close_channel(actor.contracts, channel_id))

    kit.button(
        context, context.t("Close for good"),
        lambda: lambda: context.source.act(me, step), result,
    )  # fmt: skip


# --- one message ----------------------------------------------------------------------------------


async def show_one(context: Context) -> None:
    """A message whole, its signature checked, its thread, and a reply."""
    t, msg_id = context.t, str(context.params["msg_id"])
    source = context.source

    def load() -> tuple[Json | None, list[Json], Json | None]:
        a2a = source.addresses().a2a
        view = source.ask(a2a, "get_message", msg_id=msg_id)["message"]
        if view is None:
            return None, [], None
        thread = source.ask(a2a, "list_thread", msg_id=msg_id, limit=PAGE)["messages"]
        checked = source.ask(a2a, "verify_message", msg_id=msg_id) if view["signature"] else None
        (view,) = opened(source, context.me, [view])
        return view, opened(source, context.me, thread), checked

    result = kit.Result()
    view, _, _ = await kit.live(context, load, lambda found: _show_one(context, *found, result))
    if view is None:
        kit.alert(t("There is no message {name}", name=short(msg_id)))
        return
    reply_form(context, view)


def _show_one(
    context: Context, view: Json | None, thread: list[Json], checked: Json | None,
    result: kit.Result,
) -> None:  # fmt: skip
    t = context.t
    if view is None:
        return
    show_message(context, view, whole=True)
    with kit.Tag("div", css="line"):
        moves(context, view, result)
        kit.link(context, t("Block {height}", height=view["height"]), f"/block/{view['height']}",
                 "action")  # fmt: skip
    if checked is not None:
        kit.badge(
            t("signature verified") if checked["valid"] else t("signature does not verify"),
            "good" if checked["valid"] else "urgent",
        )
    if len(thread) > 1:
        with kit.section(t("Thread")):
            for one in reversed(thread):
                with kit.Tag("div", css=f"depth{min(int(one['depth']), 4)}"):
                    show_message(context, one)
