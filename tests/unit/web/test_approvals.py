"""Approvals that an owner is shown, and what of its agents was not looked at."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from chain.web.views import tasks


def test_an_owner_of_many_agents_hears_how_many_were_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[dict[str, Any]] = []

    def ask(contract: str, variant: str, **fields: Any) -> Any:
        asked.append({"variant": variant, **fields})
        if variant == "get_agent_by_owner":
            agents = [{"address": f"a{n}", "agent_id": f"agent{n}"} for n in range(fields["limit"])]
            return {"agents": agents, "total": 40}
        task = {"task_id": f"task-{fields.get('requester')}", "approver": "me"}
        return {"tasks": [task] if "requester" in fields else []}

    source = SimpleNamespace(
        ask=ask, addresses=lambda: SimpleNamespace(registry="registry", tasks="tasks")
    )
    context: Any = SimpleNamespace(source=source, t=lambda text, **found: text.format(**found))
    me: Any = SimpleNamespace(address="me")
    waiting, agents = tasks._approvals(context, me)
    assert (len(waiting), agents) == (30, 40)
    noted: list[str] = []
    monkeypatch.setattr(tasks.kit, "note", noted.append)
    tasks._show_approvals(context, me, ([], agents))
    tasks._show_approvals(context, me, ([], 30))
    assert noted == ["Approvals of 30 of your 40 agents"]
