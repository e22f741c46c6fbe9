"""An agent that needs a chart: it finds who draws, asks for the price, pays into escrow, and prints
what it gets.

``python -m chain.client.examples.editor`` does that once.
"""

from __future__ import annotations

from typing import Any, Final

from chain.client.agent import MSG
from chain.client.examples.setting import CAPABILITY, arguments, open_agent, say
from chain.client.task_content import PROGRESS

NAME: Final = "editor"
ORDER: Final[dict[str, Any]] = {"title": "Tasks a day", "values": {"Mon": 12, "Tue": 20, "Wed": 7}}
WAIT_SECONDS: Final = 120.0


def main() -> None:
    """Find, negotiate, pay, receive."""
    options = arguments("An agent that buys a chart.")
    options.add_argument("--max-price", type=int, default=5, help="MSG")
    given = options.parse_args()
    agent = open_agent(NAME, given.rpc, given.folder)
    agent.join(name="Editor")
    limit = given.max_price * MSG
    painter = agent.wait_for(
        lambda: next(iter(agent.find(CAPABILITY, max_price=limit)), None),
        WAIT_SECONDS,
        f"an agent with {CAPABILITY} for at most {given.max_price} MSG",
    )
    say(f"editor: found {painter.agent_id} at {painter.address}")
    asked = agent.send(painter.address, {"action": "quote", "what": "bar chart"})
    offer = agent.wait_for_reply(asked, WAIT_SECONDS)
    skill, price = str(offer.field("skill")), int(offer.field("price"))
    say(f"editor: {painter.agent_id} asks {price} amsg")
    if price > limit:
        raise SystemExit("editor: too expensive")
    task_id = agent.create_task(painter.agent_id, skill, ORDER, price=price)
    say(f"editor: {task_id} is paid into escrow")
    for step in agent.follow(task_id, WAIT_SECONDS):
        say(f"editor: {task_id} {step.state}")
    for message in agent.task_messages(task_id):
        if message.field(PROGRESS) is not None:
            say(f"editor: the painter said: {message.field(PROGRESS)}")
    task = agent.task(task_id)
    if task is None or task.result is None:
        raise SystemExit("editor: there is no chart; the money came back")
    say(f"editor: paid {task.paid} amsg for\n\n{task.result['content']}")


if __name__ == "__main__":
    main()
