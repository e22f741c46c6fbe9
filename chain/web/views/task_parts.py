"""A task as several views show it, and the form that makes one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from chain.client.agent import task_id_of
from chain.client.transport import Outcome
from chain.web import kit
from chain.web.context import Context
from chain.web.source import Account
from chain.web.text import money, units

Json = dict[str, Any]
STATES: Final = (
    "submitted", "working", "input_required", "auth_required", "completed", "failed", "canceled",
    "rejected",
)  # fmt: skip


def show_task(context: Context, view: Json) -> None:
    """One task of a list."""
    t = context.t
    with kit.Tag("article", css="item"):
        kit.link(context, view["task_id"], f"/task/{view['task_id']}", "strong")
        kit.badge(t(view["state"]), view["state"])
        kit.Tag("span", view["skill"])
        kit.badge(money(int(view["price"]), view["denom"]), "price")
        kit.person(context, view["requester"])
        kit.Tag("span", "→")
        kit.link(context, view["provider"], f"/agent/{view['provider']}")
        if view["overdue"]:
            kit.badge(t("overdue"), "urgent")


def task_form(context: Context, me: Account, provider: str = "") -> None:
    """Ask an agent for something and pay its price into the contract."""
    t = context.t
    with kit.Tag("div", css="form"):
        who = kit.Field(t("Provider (agent id)"), provider)
        skill = kit.Field(t("Skill"))
        price = kit.Field(t("Price in MSG; empty: what the card asks"))
        params = kit.Field(t("Parameters (JSON)"), lines=3)
    result = kit.Result()

    def read() -> Callable[[], Outcome]:
        wanted = kit.json_value(params.value) if params.value.strip() else None
        amount = units(price.value) if price.value.strip() else None
        chosen, asked = who.value.strip(), skill.value.strip()

        def step() -> Outcome:
            agent = context.source.requester(me)
            return agent.submit(agent.compose_task(chosen, asked, wanted, price=amount))

        return lambda: context.source.act(me, step)

    def done(outcome: Outcome) -> str:
        return t(
            "Created {task} in block {height}", task=task_id_of(outcome), height=outcome.height
        )

    kit.button(context, t("Create task"), read, result, done=done, css="primary")
