"""The story of the guide's section 10 as its prose means it, and a second act about an owner.

Each step is something that an agent's program does with ``chain.client.agent``; what they learn,
they learn from the chain.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final, Protocol

from chain.cli.demo_cast import Cast, card
from chain.client.agent import MSG, UMSG, Agent, task_id_of
from chain.client.agent_calls import reply_message, step_task
from chain.client.agent_messages import payload_of
from chain.client.agent_views import Received, Task

CAPABILITY: Final = "chart-generation"
DASHBOARD: Final = "create_dashboard"
REPORT: Final = "annual_report"
PRIORITY: Final = 75
TTL_SECONDS: Final = 86_400
#: the guide's figures, in umsg
BUDGET_UMSG: Final = 10_000_000
QUOTE_UMSG: Final = 8_000_000
#: prices on the cards, in MSG
BOB_PRICES: Final = {DASHBOARD: 8 * MSG, REPORT: 50 * MSG}
CAROL_PRICES: Final = {DASHBOARD: 12 * MSG, REPORT: 90 * MSG}
TASK_LIMIT: Final = 20 * MSG
DAY_LIMIT: Final = 100 * MSG
REQUIREMENTS: Final = {
    "title": "Q3 Sales Dashboard",
    "data_points": ["revenue", "cost", "profit", "growth_rate"],
    "time_range": "2026-Q3",
    "chart_types": ["bar", "line", "pie"],
    "format": "interactive_html",
}
DELIVERABLE: Final = {
    "action": "deliverable",
    "dashboard_url": "https://storage.msgchain.org/dashboards/q3-sales.html",
    "charts_created": 4,
    "data_processed": "250K rows",
}


class Teller(Protocol):
    """Who is told what happens."""

    def act(self, title: str) -> None:
        """A new part begins."""

    def say(self, who: str, text: str) -> None:
        """Somebody does or learns something."""


class StoryFailed(Exception):
    """The story took a turn that it must not take."""


def expect(holds: bool, what: str) -> None:
    """Go on only if the chain did as the story says."""
    if not holds:
        raise StoryFailed(what)


def money(amount: int) -> str:
    """An amount of amsg in MSG, exact."""
    whole, rest = divmod(amount, MSG)
    places = f"{rest:018d}".rstrip("0")
    return f"{whole}.{places} MSG" if places else f"{whole} MSG"


def play(cast: Cast, tell: Teller) -> None:
    """Both acts. Raises: StoryFailed, ChainError."""
    tell.act("The agents join")
    join(cast, tell)
    tell.act("Act one: a dashboard is negotiated, paid into escrow and delivered")
    channel_id, bob_id = meet(cast, tell)
    quote = negotiate(cast, tell)
    task = accept_and_pay(cast, tell, quote, bob_id)
    deliver(cast, tell, task, channel_id)
    tell.act("Act two: a task above the agent's limit waits for its owner")
    report(cast, tell)


def join(cast: Cast, tell: Teller) -> None:
    """Everybody publishes a DID document, registers, stores a card and announces it."""
    offers = (
        (cast.bob, "Bob bot", BOB_PRICES),
        (cast.carol, "Carol bot", CAROL_PRICES),
    )
    for agent, name, prices in offers:
        listed = ", ".join(f"{skill} {money(price)}" for skill, price in prices.items())
        agent.join(
            name=name,
            capabilities=[CAPABILITY],
            price=prices[DASHBOARD],
            card=card(agent, name, prices),
        )
        tell.say(name.split()[0], f"registered as {agent.agent_id} and announced: {listed}")
    cast.alice.join(name="Alice bot", owner=cast.olivia.address)
    tell.say("Alice", f"registered as {cast.alice.agent_id}; Olivia owns her")
    cast.olivia.set_policy(cast.alice.agent_id, per_task=TASK_LIMIT, per_period=DAY_LIMIT)
    tell.say(
        "Olivia",
        f"lets Alice spend {money(TASK_LIMIT)} on a task and {money(DAY_LIMIT)} a day by herself",
    )


def meet(cast: Cast, tell: Teller) -> tuple[str, str]:
    """Alice finds who can do it within her budget, and opens a channel: its id and the agent."""
    alice = cast.alice
    live = [one.agent_id for one in alice.discover()]
    tell.say("Alice", f"found signed cards on the discovery topic: {', '.join(live)}")
    able = alice.find(CAPABILITY)
    shown = ", ".join(f"{one.agent_id} {money(one.price or 0)}" for one in able)
    tell.say("Alice", f"asks who has {CAPABILITY}, cheapest first: {shown}")
    budget = BUDGET_UMSG * UMSG
    fitting = alice.find(CAPABILITY, max_price=budget)
    expect([one.agent_id for one in fitting] == [cast.bob.agent_id], "only Bob fits the budget")
    chosen = fitting[0]
    record = alice.record(chosen.agent_id)
    expect(record is not None and record["status"] == "active", "the registry knows the agent")
    tell.say("Alice", f"has a budget of {money(budget)} and takes {chosen.agent_id}")
    channel_id = alice.open_channel(chosen.address, {"purpose": "data-visualization-negotiation"})
    tell.say("Alice", f"opened channel {channel_id}")
    return channel_id, chosen.agent_id


def negotiate(cast: Cast, tell: Teller) -> Received:
    """Request and quote: the quote as Alice received it."""
    alice, bob = cast.alice, cast.bob
    request_id = alice.send(
        bob.address,
        {
            "action": DASHBOARD,
            "requirements": REQUIREMENTS,
            "budget": str(BUDGET_UMSG),
            "currency": "umsg",
            "deadline": "2026-07-10T00:00:00Z",
        },
        priority=PRIORITY,
        ttl=TTL_SECONDS,
        signed=True,
    )
    tell.say("Alice", f"sent request {request_id}, signed with her DID's key")
    requests = bob.requests()
    expect([one.msg_id for one in requests] == [request_id], "Bob's inbox holds the request")
    request = requests[0]
    checked = bob.ask(bob.contracts.a2a, "verify_message", msg_id=request.msg_id)
    expect(checked["valid"], "Alice's signature verifies")
    bob.mark_read(request.msg_id)
    tell.say("Bob", "found the request in his inbox, checked Alice's signature, and read it")
    quote_id = bob.reply(
        request.msg_id,
        {
            "quote_id": f"quote:{request.msg_id}",
            "status": "accepted",
            "price": str(QUOTE_UMSG),
            "currency": "umsg",
            "estimated_charts": 4,
            "estimated_hours": 12,
            "delivery_date": "2026-07-09T00:00:00Z",
            "terms": "Payment upon delivery",
        },
    )
    tell.say("Bob", f"quoted {money(QUOTE_UMSG * UMSG)} in {quote_id}")
    quote = alice.wait_for_reply(request_id)
    expect(quote.msg_id == quote_id, "the quote answers the request")
    return quote


def accept_and_pay(cast: Cast, tell: Teller, quote: Received, provider: str) -> Task:
    """Alice compares numbers, then accepts and pays in one transaction; Bob starts."""
    alice, bob = cast.alice, cast.bob
    price = int(quote.field("price"))
    expect(quote.field("status") == "accepted" and price <= BUDGET_UMSG, "the quote fits")
    tell.say("Alice", f"compares {price} with {BUDGET_UMSG} as numbers: the quote fits")
    terms = {
        "action": "accept_quote",
        "quote_id": quote.field("quote_id"),
        "accepted_price": str(price),
        "currency": "umsg",
    }
    done = alice.submit(
        reply_message(alice.contracts, quote.msg_id, payload_of(terms)),
        alice.compose_task(
            provider,
            DASHBOARD,
            {"requirements": REQUIREMENTS, "quote": quote.msg_id},
            price=price * UMSG,
            client_ref=quote.msg_id,
        ),
    )
    task_id = task_id_of(done)
    accepted_id = done.attribute("a2a_message_replied", "reply_msg_id")
    tell.say("Alice", f"accepted in {accepted_id} and paid {money(price * UMSG)} into {task_id}")
    acceptance = bob.wait_for_reply(quote.msg_id)
    task = _task(bob, task_id)
    expect(
        acceptance.field("action") == "accept_quote" and task.price == QUOTE_UMSG * UMSG,
        "what is held is what was quoted",
    )
    bob.accept_task(task_id)
    tell.say("Bob", f"saw that {task_id} holds {money(task.price)} for him, and accepted it")
    return task


def deliver(cast: Cast, tell: Teller, task: Task, channel_id: str) -> None:
    """Bob delivers and is paid in one transaction; Alice checks it and closes the channel."""
    alice, bob = cast.alice, cast.bob
    content = {
        **DELIVERABLE,
        "task_id": task.task_id,
        "invoice": {"amount": str(QUOTE_UMSG), "currency": "umsg", "status": "paid"},
    }
    before = bob.balance()
    done = bob.submit(
        bob.compose(alice.address, content, message_type="response", ttl=TTL_SECONDS),
        step_task(
            bob.contracts,
            "complete_task",
            task.task_id,
            hash=digest(content),
            reference=DELIVERABLE["dashboard_url"],
        ),
    )
    msg_id = done.attribute("a2a_message_sent", "msg_id")
    finished = _task(alice, task.task_id)
    expect(finished.state == "completed" and finished.paid == task.price, "Bob was paid")
    tell.say("Bob", f"delivered in {msg_id}; {money(finished.paid)} left escrow for him")
    expect(bob.balance() > before, "Bob has more than before")
    received = alice.message(msg_id)
    result = finished.result or {}
    expect(
        received is not None and digest(received.data) == result.get("hash"),
        "the deliverable is the one that was paid for",
    )
    alice.mark_read(msg_id)
    tell.say("Alice", f"got {content['charts_created']} charts; their hash is the task's")
    alice.close_channel(channel_id)
    tell.say("Alice", "closed the channel")


def report(cast: Cast, tell: Teller) -> None:
    """A price above Alice's limit: Olivia is asked, approves from her wallet, and Bob works."""
    alice, bob, olivia = cast.alice, cast.bob, cast.olivia
    task_id = alice.create_task(bob.agent_id, REPORT, {"year": 2026}, client_ref="report-2026")
    task = _task(alice, task_id)
    expect(task.state == "auth_required" and not bob.assigned(), "the task waits")
    tell.say(
        "Alice",
        f"asked for {REPORT} in {task_id}: {money(task.price)} is above her limit of "
        f"{money(TASK_LIMIT)}, so it is held and waits for Olivia",
    )
    waiting = olivia.approvals()
    expect([one.task_id for _, one in waiting] == [task_id], "Olivia was asked")
    message, asked = waiting[0]
    olivia.approve(task_id)
    tell.say("Olivia", f"read {message.msg_id} and approved {money(asked.price)} with her wallet")
    expect([one.task_id for one in bob.assigned()] == [task_id], "Bob sees the task now")
    bob.accept_task(task_id)
    bob.request_input(task_id, {"question": "Which currency?", "options": ["EUR", "USD"]})
    tell.say("Bob", "accepted, and asked which currency to report in")
    asked = _task(alice, task_id)
    expect(asked.state == "input_required", "Bob's question arrived")
    alice.provide_input(task_id, {"currency": "EUR"})
    tell.say("Alice", "answered: EUR")
    expect(_task(bob, task_id).input == {"currency": "EUR"}, "the answer arrived")
    bob.complete_task(task_id, {"pages": 48, "currency": "EUR"})
    steps = " → ".join(step.state for step in alice.follow(task_id))
    tell.say("Bob", f"delivered {task_id} and was paid {money(task.price)}")
    tell.say("Alice", f"followed it: {steps}")
    expect(_task(alice, task_id).state == "completed", "the report is done")


def digest(content: Any) -> str:
    """SHA-256 of a JSON value with sorted keys."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _task(agent: Agent, task_id: str) -> Task:
    task = agent.task(task_id)
    if task is None:
        raise StoryFailed(f"there is no {task_id}")
    return task
