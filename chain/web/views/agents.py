"""Agents: finding them, and everything about one."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any, Final

from chain.client import agent_calls as calls
from chain.client.agent import Agent
from chain.client.card import CardError, Skill, offer_of
from chain.client.transport import Outcome
from chain.web import kit
from chain.web.context import Context
from chain.web.source import Account
from chain.web.text import money, pretty, short, units
from chain.web.views.task_parts import show_task, task_form

PAGE: Final = 20
_SMALL: Final = 10
Json = dict[str, Any]


# --- discovery ------------------------------------------------------------------------------------


async def show_agents(context: Context) -> None:
    """Discovery by capability, price and topic; joining as an agent."""
    t = context.t
    kit.search_form(
        context,
        [
            ("capability", t("Capability")),
            ("max", t("At most, in MSG")),
            ("topic", t("Topic")),
        ],
        t("Find agents"),
    )
    load = _finder(context)
    await kit.live(context, load, lambda found: _show_found(context, *found))
    me = context.me
    if me is not None and me.native:
        with kit.section(t("Join as an agent")):
            _join_form(context, me)


def _finder(context: Context) -> Callable[[], tuple[list[Json], str | None, str]]:
    """The agents of the address's parameters: a page, the cursor of the next one, and what was
    searched, in words."""
    source, t = context.source, context.t
    capability, topic, most = context.get("capability"), context.get("topic"), context.get("max")
    max_price = str(units(most)) if most else None
    after = context.get("after") or None

    def load() -> tuple[list[Json], str | None, str]:
        to = source.addresses()
        if capability:
            page = source.ask(
                to.a2a, "find_agents_by_capability", capability=capability, order="price",
                max_price=max_price, start_after=after, limit=PAGE,
            )  # fmt: skip
            said = t("Agents that can do {name}: {count}", count=page["count"], name=capability)
            return list(page["entries"]), page["next"], said
        if topic:
            page = source.ask(to.registry, "discover", topic=topic, start_after=after, limit=PAGE)
            return list(page["announcements"]), page["next"], t("Announced on {name}", name=topic)
        page = source.ask(to.registry, "list_agents", start_after=after, limit=PAGE)
        return list(page["agents"]), page["next"], ""

    return load


def _show_found(context: Context, found: list[Json], cursor: str | None, said: str) -> None:
    t = context.t
    if said:
        kit.note(said)
    if not found:
        kit.note(t("No agent was found"))
        return
    with kit.listing(t("Agents")):
        for one in found:
            with kit.row():
                kit.link(context, one["agent_id"], f"/agent/{one['agent_id']}", "strong")
                if one.get("name"):
                    kit.Tag("span", one["name"])
                price = _asked(one)
                if price:
                    kit.badge(price, "price")
                if one.get("status"):
                    kit.badge(t(one["status"]), one["status"])
                kit.person(context, one["address"])
                if one["owner"] != one["address"]:
                    kit.Tag("span", t("owned by {name}", name=context.name(one["owner"])))
    kit.more(context, cursor, label="More")


def _asked(one: Json) -> str:
    """The price that an entry names."""
    if one.get("price") is not None:
        return money(int(one["price"]))
    model = one.get("price_model")
    return money(int(model["price"]), model["denom"]) if model else ""


def _join_form(context: Context, me: Account) -> None:
    """DID document, registration, signed card and announcement of the account, at once."""
    t = context.t
    kit.note(t("Publishes a DID document and a signed card, and announces it, in one step."))
    with kit.Tag("div", css="form"):
        agent_id = kit.Field(t("Agent id"), f"{me.name}-agent")
        name = kit.Field(t("Name"), f"{me.name.capitalize()} bot")
        capability = kit.Field(t("Capabilities, with commas between"))
        prices = kit.Field(t("Skills with prices in MSG"), hint="create_dashboard 8, report 50")
        owner = kit.Field(t("Owner (account name or address)"))
    result = kit.Result()

    def read() -> Callable[[], Outcome | None]:
        skills = _skills(prices.value)
        owned_by = address_of(context, owner.value) if owner.value.strip() else ""
        wanted = [one.strip() for one in capability.value.split(",") if one.strip()]
        chosen, shown = agent_id.value.strip(), name.value.strip()

        def step() -> Outcome | None:
            agent = context.source.agent(me, chosen)
            card = None
            if skills:
                card = agent.make_card(
                    *skills, name=shown or chosen, description=", ".join(wanted) or chosen,
                    url=f"https://agents.example/{chosen}",
                )  # fmt: skip
            lowest = min((one.price or 0 for one in skills), default=None)
            return agent.join(
                name=shown, owner=owned_by, capabilities=wanted, price=lowest, card=card
            )

        return lambda: context.source.act(me, step)

    kit.button(context, t("Join"), read, result, css="primary")


def _skills(text: str) -> list[Skill]:
    """Skills of a text such as ``report 50, chart 2.5``. Raises: ValueError."""
    found = []
    for part in filter(None, (one.strip() for one in text.split(","))):
        name, _, price = part.partition(" ")
        amount = units(price) if price.strip() else None
        found.append(Skill(name, name.replace("_", " "), name, ("agent",), amount))
    return found


def address_of(context: Context, text: str) -> str:
    """An address, or that of a known name. Raises: ValueError."""
    wanted = text.strip()
    if wanted.startswith("msg1"):
        return wanted
    for address, name in context.names.items():
        if name == wanted:
            return address
    raise ValueError(context.t("{name} is neither an address nor a known name", name=wanted))


# --- one agent ------------------------------------------------------------------------------------


async def show_agent(context: Context) -> None:
    """An agent's card, DID, keys, capabilities, prices, channels, tasks and balance."""
    agent_id = str(context.params["agent_id"])
    t = context.t

    def load() -> Json:
        return _everything(context, agent_id)

    found = await kit.live(context, load, lambda new: _show_agent(context, agent_id, new))
    record = found["record"]
    if record is None or context.me is None:
        return
    if record["owner"] == context.me.address:
        with kit.section(t("Spending policy")):
            _policy_form(context, context.me, agent_id)
    if record["address"] != context.me.address:
        with kit.section(t("New task")):
            task_form(context, context.me, agent_id)


def _everything(context: Context, agent_id: str) -> Json:
    source = context.source
    to = source.addresses()
    record = source.ask(to.registry, "get_agent", agent_id=agent_id)["agent"]
    if record is None:
        return {"record": None}
    address = record["address"]
    did = f"did:msg:agent:{agent_id}"
    card, error = _card(context, agent_id)
    return {
        "record": record,
        "card": card,
        "card_error": error,
        "did": source.ask(to.did_registry, "resolve_did", did=did),
        "capabilities": source.ask(to.a2a, "list_capabilities", agent_id=agent_id)["capabilities"],
        "channels": channels_of(context, address),
        "provided": source.ask(to.tasks, "list_tasks", provider=agent_id, limit=_SMALL),
        "requested": source.ask(to.tasks, "list_tasks", requester=address, limit=_SMALL),
        "spending": source.ask(to.tasks, "spending_status", agent=address),
        "balance": source.client.balance(address),
    }


def _card(context: Context, agent_id: str) -> tuple[Json | None, str]:
    """The stored card, and why it is not what its agent signed."""
    source = context.source
    to = source.addresses()
    stored = source.ask(to.registry, "get_card", agent_id=agent_id)["card"]
    if stored is None:
        return None, ""
    raw = base64.b64decode(stored["card"])
    try:
        found = json.loads(raw)
        record = source.ask(to.registry, "get_agent", agent_id=agent_id)["agent"]
        reader = Agent(bytes(32), source.client, to, "reader")
        return reader.check_card(agent_id, record["address"], raw), ""
    except CardError as error:
        return found, str(error)
    except (ValueError, RecursionError):
        return {"card": raw.decode("utf-8", "replace")}, "not JSON"


def _show_agent(context: Context, agent_id: str, found: Json) -> None:
    t, record = context.t, found["record"]
    if record is None:
        kit.alert(t("There is no agent {name}", name=agent_id))
        return
    kit.heading(agent_id, 2)
    with kit.section(t("Registration")):
        kit.facts(
            [
                (t("Name"), record["name"]),
                (t("Status"), lambda: kit.badge(t(record["status"]), record["status"]) and None),
                (t("Account"), lambda: kit.person(context, record["address"]) and None),
                (t("Owner"), lambda: kit.person(context, record["owner"]) and None),
                (t("Balance"), money(found["balance"])),
                (t("Asks"), _asked(record)),
                (t("Capabilities"), ", ".join(found["capabilities"])),
                (t("Registered"), lambda: kit.at(int(record["registered_at"])) and None),
            ]
        )
        if context.me is not None and record["address"] != context.me.address:
            kit.link(context, t("Write to it"), "/chat", "action", with_=record["address"])
    _show_spending(context, found["spending"])
    _show_identity(context, found["did"])
    _show_card(context, found["card"], found["card_error"])
    with kit.section(t("Channels")):
        show_channels(context, found["channels"])
    with kit.section(t("Tasks")):
        tasks = {one["task_id"]: one for one in found["requested"]["tasks"]}
        tasks.update({one["task_id"]: one for one in found["provided"]["tasks"]})
        if not tasks:
            kit.note(t("No tasks yet"))
        for one in tasks.values():
            show_task(context, one)
        with kit.Tag("div", css="line"):
            if found["provided"]["next"]:
                kit.link(context, t("All that it was asked"), "/tasks", "action", provider=agent_id)
            if found["requested"]["next"]:
                kit.link(context, t("All that it asked for"), "/tasks", "action",
                         requester=record["address"])  # fmt: skip


def _show_identity(context: Context, resolved: Json) -> None:
    t = context.t
    with kit.section(t("Identity")):
        document = resolved["document"]
        if document is None:
            kit.note(t("No DID document"))
            return
        kit.facts(
            [
                ("DID", document["id"]),
                (t("Active"), t("yes") if resolved["active"] else t("no")),
                (t("Version"), resolved["version"]),
            ]
        )
        with kit.listing(t("Keys")):
            for method in document["verificationMethod"]:
                with kit.row():
                    kit.Tag("strong", f"#{method['id'].partition('#')[2]}")
                    kit.badge(method["type"])
                    kit.code(short(method["publicKeyMultibase"]))
                    uses = [
                        use for use in ("authentication", "assertionMethod", "keyAgreement")
                        if method["id"] in document[use]
                    ]  # fmt: skip
                    kit.Tag("span", ", ".join(uses), "quiet")


def _show_card(context: Context, card: Json | None, error: str) -> None:
    t = context.t
    with kit.section(t("Card")):
        if card is None:
            kit.note(t("No card"))
            return
        if error:
            kit.alert(t("This card is not to be trusted: {why}", why=error))
        else:
            kit.badge(t("both signatures verified"), "good")
            offer = offer_of(card)
            with kit.listing(t("Prices")):
                for skill, price in offer.pricing.items():
                    with kit.row():
                        kit.Tag("strong", skill)
                        kit.badge(money(price, offer.denom), "price")
            if card.get("description"):
                kit.note(card["description"], "words")
        with kit.folded(t("The whole card")):
            kit.block_of_text(pretty(card), t("The whole card"), 100_000)


def _show_spending(context: Context, spending: Json) -> None:
    if spending["denom"] is None:
        return
    t = context.t

    def amount(name: str) -> str:
        value = spending[name]
        return t("no limit") if value is None else money(int(value), spending["denom"])

    with kit.section(t("Spending")):
        kit.facts(
            [
                (t("For one task"), amount("per_tx_limit")),
                (t("In a period"), amount("per_period_limit")),
                (t("Spent"), amount("spent")),
                (t("Remaining"), amount("remaining")),
            ]
        )


def channels_of(context: Context, address: str) -> Json:
    """The page of an address's channels that the address of the page names."""
    source = context.source
    found: Json = source.ask(
        source.addresses().a2a,
        "list_channels_of",
        address=address,
        start_after=context.get("channels_after") or None,
        limit=_SMALL,
    )
    return found


def show_channels(context: Context, page: Json) -> None:
    """Channels as rows, and the link to the next of them."""
    t, channels = context.t, page["channels"]
    if not channels:
        kit.note(t("No channels yet"))
        return
    with kit.listing(t("Channels")):
        for one in channels:
            with kit.row():
                kit.link(context, short(one["channel_id"]), "/channel", "id", id=one["channel_id"])
                kit.badge(t(one["channel_type"]))
                kit.badge(t(one["status"]), one["status"])
                for address in one["participants"][:4]:
                    kit.person(context, address)
                kit.Tag("span", t("Messages: {count}", count=one["message_count"]), "quiet")
    kit.more(context, page["next"], "channels_after")


def _policy_form(context: Context, me: Account, agent_id: str) -> None:
    """Limits of what the agent may spend by itself."""
    t = context.t
    with kit.Tag("div", css="form"):
        per_task = kit.Field(t("At most for one task, in MSG"))
        per_day = kit.Field(t("At most in a day, in MSG"))
    result = kit.Result()

    def read() -> Callable[[], Outcome]:
        limits = [
            str(units(one.value)) if one.value.strip() else None for one in (per_task, per_day)
        ]
        policy = {
            "per_tx_limit": limits[0],
            "per_period_limit": limits[1],
            "period_seconds": 86_400,
            "denom": "amsg",
        }

        def step() -> Outcome:
            actor = context.source.actor(me)
            return actor.submit(calls.set_spending_policy(actor.contracts, agent_id, policy))

        return lambda: context.source.act(me, step)

    kit.button(context, t("Set policy"), read, result, css="primary")
