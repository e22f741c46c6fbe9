"""An agent that sells charts: it quotes on request, draws when paid, and is paid on delivery.

``python -m chain.client.examples.painter`` runs until it is stopped. Others reach it on the chain,
and A2A clients through a gateway at ``/agents/painter``.
"""

from __future__ import annotations

from typing import Any, Final

from chain.client.agent import MSG, Agent
from chain.client.card import Skill
from chain.client.examples.setting import CAPABILITY, arguments, open_agent, say
from chain.client.provider import Job, Provider
from chain.client.provider_card import signed_card

NAME: Final = "painter"
PRICE: Final = 2 * MSG
WIDTH: Final = 20
SKILL: Final = Skill(
    id="bar_chart",
    name="Bar chart",
    description="Draws bars for names and numbers.",
    tags=(CAPABILITY,),
    price=PRICE,
)


def bar_chart(job: Job) -> Any:
    """The skill: ``{"title": …, "values": {name: number}}`` becomes lines of bars."""
    order = job.params if isinstance(job.params, dict) else {}
    values = order.get("values")
    while not isinstance(values, dict) or not values:
        answer = job.ask('Which values? Send {"values": {"name": number}}.')
        values = answer.get("values") if isinstance(answer, dict) else None
    job.progress(f"drawing {len(values)} bars")
    top = max(*[int(one) for one in values.values()], 1)
    bars = {name: "#" * max(1, int(one) * WIDTH // top) for name, one in values.items()}
    lines = [f"{name:<12} {bar} {int(values[name])}" for name, bar in bars.items()]
    say(f"painter: {job.id} drawn for {job.task.requester}")
    return "\n".join([str(order.get("title", "Chart")), *lines])


def quote(agent: Agent) -> None:
    """Answer everybody who asks for a price."""
    for message in agent.requests():
        if message.field("action") == "quote":
            price = agent.price(NAME, SKILL.id).amount
            agent.reply(message.msg_id, {"skill": SKILL.id, "price": str(price)})
            say(f"painter: quoted {price} amsg to {message.sender}")


def main() -> None:
    """Join, then work."""
    options = arguments("An agent that sells charts.")
    options.add_argument(
        "--gateway", action="append", help="A2A gateway to be reached through; repeatable"
    )
    given = options.parse_args()
    agent = open_agent(NAME, given.rpc, given.folder)
    card = signed_card(
        agent.root,
        NAME,
        name="Painter",
        description="Draws charts for a price.",
        skills=[SKILL],
        gateways=given.gateway or ["http://127.0.0.1:8081"],
    )
    agent.join(name="Painter", capabilities=[CAPABILITY], price=PRICE, card=card)
    say(f"painter: {agent.address} is open for business")
    provider = Provider(agent, {SKILL.id: bar_chart})
    thread = provider.start()
    try:
        while thread.is_alive():
            quote(agent)
            provider.pause()
    except KeyboardInterrupt:
        provider.stop()


if __name__ == "__main__":
    main()
