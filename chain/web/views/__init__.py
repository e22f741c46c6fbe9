"""The views of the page, one module a topic, and where each stands."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from chain.web.context import Context
from chain.web.views import agents, charts, contracts, explorer, log, messages, tasks


class View(NamedTuple):
    """A view: its English title, and what draws it."""

    title: str
    show: Callable[[Context], Awaitable[None]]


PAGES: Final[dict[str, View]] = {
    "/": View("Agents", agents.show_agents),
    "/agent/{agent_id}": View("Agent", agents.show_agent),
    "/messages": View("Messages", messages.show_messages),
    "/chat": View("Conversation", messages.show_chat),
    "/channel": View("Channel", messages.show_channel),
    "/message/{msg_id}": View("Message", messages.show_one),
    "/tasks": View("Tasks", tasks.show_tasks),
    "/task/{task_id}": View("Task", tasks.show_one),
    "/blocks": View("Explorer", explorer.show_blocks),
    "/block/{height}": View("Block", explorer.show_block),
    "/tx/{hash}": View("Transaction", explorer.show_tx),
    "/address/{address}": View("Account", explorer.show_address),
    "/search": View("Search", explorer.show_search),
    "/contracts": View("Contracts", contracts.show_contracts),
    "/contract/{address}": View("Contract", contracts.show_contract),
    "/log": View("Log", log.show_log),
    "/time": View("Time", log.show_time),
    "/charts": View("Charts", charts.show_charts),
}
