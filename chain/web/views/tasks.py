"""Tasks: lists, one as a line in time with its money, approvals to grant or refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from chain.client import agent_calls as calls
from chain.client.transport import Outcome
from chain.web import kit
from chain.web.context import Context
from chain.web.source import Account
from chain.web.text import money, pretty
from chain.web.views.task_parts import STATES, show_task, task_form

Json = dict[str, Any]
_PAGE: Final = 20
#: agents of one owner whose waiting tasks are looked at
_AGENTS: Final = 30


async def show_tasks(context: Context) -> None:
    """All tasks, or those of an agent or a requester; what waits for the visitor's approval."""
    t, me = context.t, context.me
    if me is not None:
        account = me
        await kit.live(
            context,
            lambda: _approvals(context, account),
            lambda found: _show_approvals(context, account, found),
        )
    kit.search_form(
        context,
        [("provider", t("Provider (agent id)")), ("state", t("State"))],
        t("Filter tasks"),
        choices={"state": STATES},
    )
    await kit.live(context, lambda: _tasks(context), lambda page: _show_page(context, page))
    if me is not None:
        with kit.section(t("New task")):
            task_form(context, me)


def _tasks(context: Context) -> Json:
    source = context.source
    found: Json = source.ask(
        source.addresses().tasks,
        "list_tasks",
        provider=context.get("provider") or None,
        requester=context.get("requester") or None,
        state=context.get("state") or None,
        start_after=context.get("after") or None,
        limit=_PAGE,
    )
    return found


def _show_page(context: Context, page: Json) -> None:
    if not page["tasks"]:
        kit.note(context.t("No tasks yet"))
    with kit.Tag("div", css="rows"):
        for one in page["tasks"]:
            show_task(context, one)
    kit.more(context, page["next"])


# --- approvals ------------------------------------------------------------------------------------


def _approvals(context: Context, me: Account) -> tuple[list[Json], int]:
    """Tasks that wait for the account's word: asked for by its first agents, or given to them;
    and how many agents it has."""
    source = context.source
    to = source.addresses()
    owned = source.ask(to.registry, "get_agent_by_owner", owner=me.address, limit=_AGENTS)
    found: dict[str, Json] = {}
    for agent in owned["agents"]:
        for role in ({"requester": agent["address"]}, {"provider": agent["agent_id"]}):
            page = source.ask(to.tasks, "list_tasks", **role, state="auth_required", limit=_PAGE)
            found.update({one["task_id"]: one for one in page["tasks"]})
    waiting = [one for one in found.values() if one["approver"] == me.address]
    return waiting, int(owned["total"])


def _show_approvals(context: Context, me: Account, found: tuple[list[Json], int]) -> None:
    waiting, agents = found
    if agents > _AGENTS:
        counts = {"count": _AGENTS, "total": agents}
        kit.note(context.t("Approvals of {count} of your {total} agents", **counts))
    if not waiting:
        return
    with kit.section(context.t("Waiting for your approval"), "urgent"):
        for one in waiting:
            show_task(context, one)
            _decide(context, me, one["task_id"])


def _decide(context: Context, me: Account, task_id: str) -> None:
    """Grant or refuse."""
    t = context.t
    with kit.Tag("div", css="line"):
        result = kit.Result()
        approve = kit.button(
            context, t("Approve"), _stepper(context, me, "approve_task", task_id), result,
            css="primary",
        )  # fmt: skip
        approve.props["aria-label"] = t("Approve {task}", task=task_id)
        deny = kit.button(context, t("Refuse"), _stepper(context, me, "deny_task", task_id), result)
        deny.props["aria-label"] = t("Refuse {task}", task=task_id)


def _stepper(
    context: Context,
    me: Account,
    variant: str,
    task_id: str,
    read: Callable[[], Json] = dict,
) -> Callable[[], Callable[[], Outcome]]:
    """A step of a task for a button; ``read`` gives its fields."""

    def made() -> Callable[[], Outcome]:
        fields = read()

        def step() -> Outcome:
            actor = context.source.actor(me)
            return actor.submit(calls.step_task(actor.contracts, variant, task_id, **fields))

        return lambda: context.source.act(me, step)

    return made


# --- one task -------------------------------------------------------------------------------------


async def show_one(context: Context) -> None:
    """A task: what it is, where its money went, its line in time, and what can be done."""
    task_id = str(context.params["task_id"])

    def load() -> tuple[Json | None, Json]:
        source = context.source
        to = source.addresses()
        task = source.ask(to.tasks, "get_task", task_id=task_id)["task"]
        after = context.number("after")
        steps = source.ask(to.tasks, "task_history", task_id=task_id, start_after=after, limit=50)
        return task, steps

    await kit.live(context, load, lambda found: _show_one(context, task_id, *found))


def _show_one(context: Context, task_id: str, task: Json | None, steps: Json) -> None:
    t = context.t
    if task is None:
        kit.alert(t("There is no task {name}", name=task_id))
        return
    show_task(context, task)
    _show_money(context, task)
    with kit.section(t("Line in time")):
        with kit.Tag("ol", css="timeline"):
            for entry in steps["entries"]:
                _show_step(context, entry)
        kit.more(context, steps["next"], label="Newer")
    with kit.section(t("Content")):
        for title, name in (
            (t("Parameters"), "params"), (t("Question"), "question"), (t("Answer"), "input"),
            (t("Result"), "result"), (t("Error"), "error"),
        ):  # fmt: skip
            if task[name] is not None:
                kit.Tag("h3", title)
                kit.block_of_text(pretty(task[name]), title, 100_000)
    if context.me is not None:
        _show_steps(context, context.me, task)


def _show_step(context: Context, entry: Json) -> None:
    with kit.Tag("li"):
        kit.badge(context.t(entry["state"]), entry["state"])
        kit.Tag("strong", context.t(entry["action"]))
        kit.person(context, entry["actor"])
        kit.at(int(entry["at"]))
        kit.link(context, f"#{entry['height']}", f"/block/{entry['height']}")
        if entry["detail"] is not None:
            kit.Tag("p", pretty(entry["detail"]), "quiet words")


def _show_money(context: Context, task: Json) -> None:
    t = context.t
    price, paid, refunded = (int(task[name]) for name in ("price", "paid", "refunded"))
    held = price - paid - refunded
    denom = task["denom"]
    with kit.section(t("Money")):
        kit.facts(
            [
                (t("Price"), money(price, denom)),
                (t("Held"), money(held, denom)),
                (t("Paid to the provider"), money(paid, denom)),
                (t("Back to the requester"), money(refunded, denom)),
                (t("Deadline"), lambda: kit.at(int(task["deadline"])) and None),
                (
                    t("Asked to approve"),
                    (lambda: kit.person(context, task["approver"]) and None)
                    if task["approver"]
                    else "",
                ),
            ]
        )


def _show_steps(context: Context, me: Account, task: Json) -> None:
    """What the acting account can do with the task now."""
    t, state = context.t, task["state"]
    provider = task["provider_address"] == me.address
    requester = task["requester"] == me.address
    final = state in ("completed", "failed", "canceled", "rejected")
    if final or not (provider or requester or task["approver"] == me.address):
        return
    task_id = task["task_id"]
    with kit.section(t("Next step")):
        if state == "auth_required" and task["approver"] == me.address:
            _decide(context, me, task_id)
        if provider and state == "submitted":
            _plain(context, me, task_id, "accept_task", t("Accept"))
            _plain(context, me, task_id, "reject_task", t("Reject"))
        if provider and state == "working":
            ask = _Asked(t("Deliver"), t("Result"), "content")
            _with_text(context, me, task_id, "complete_task", ask)
            ask = _Asked(t("Ask"), t("Question"), "question")
            _with_text(context, me, task_id, "request_input", ask)
            ask = _Asked(t("Give up"), t("Reason"), "error")
            _with_text(context, me, task_id, "fail_task", ask)
        if requester and state == "input_required":
            ask = _Asked(t("Answer"), t("Answer"), "input")
            _with_text(context, me, task_id, "provide_input", ask)
        if requester:
            _plain(context, me, task_id, "cancel_task", t("Cancel the task"))


class _Asked(NamedTuple):
    """A step with a text: its name, the label of the field, the field of the message."""

    title: str
    label: str
    field: str


def _plain(context: Context, me: Account, task_id: str, variant: str, text: str) -> None:
    """A step without a text."""
    result = kit.Result()
    kit.button(context, text, _stepper(context, me, variant, task_id), result)


def _with_text(context: Context, me: Account, task_id: str, variant: str, ask: _Asked) -> None:
    """A step with a text or JSON value."""
    with kit.folded(ask.title, "step"):
        typed = kit.Field(ask.label, lines=2)
        result = kit.Result()

        def read() -> Json:
            value = typed.value.strip()
            if not value:
                raise ValueError(context.t("There is nothing to send yet"))
            plain = ask.field == "error" or value[:1] not in ("{", "[")
            return {ask.field: value if plain else kit.json_value(value)}

        send = kit.button(
            context, context.t("Send"), _stepper(context, me, variant, task_id, read), result,
            css="primary",
        )  # fmt: skip
        send.props["aria-label"] = f"{context.t('Send')}: {ask.title}"
