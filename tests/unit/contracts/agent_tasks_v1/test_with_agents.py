"""Tasks with the real registry and the real message contract."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from task_world import card

from chain.testing import Chain


class Agents:
    """Alice (owned by Olga) and Bob, registered, with tasks as a relay of the message contract."""

    def __init__(self) -> None:
        self.chain = chain = Chain()
        self.admin, self.olga = chain.account("admin"), chain.account("olga")
        self.alice, self.bob = chain.account("alice"), chain.account("bob")
        did = self._make("did_registry_v1", {})
        self.registry = self._make("agent_registry_v1", {"admin": self.admin})
        self.a2a = self._make(
            "agent_a2a_v1",
            {
                "admin": self.admin,
                "registry_address": self.registry,
                "did_registry_address": did,
            },
        )
        self.tasks = self._make(
            "agent_tasks_v1",
            {
                "admin": self.admin,
                "registry_address": self.registry,
                "a2a_address": self.a2a,
            },
        )
        self._do(self.registry, {"update_config": {"a2a_address": self.a2a}}, self.admin)
        self._do(self.a2a, {"update_config": {"relays": [self.tasks]}}, self.admin)
        price = {"price": "3", "denom": "msg"}
        register = {"agent_id": "bob-agent", "price_model": price}
        self._do(self.registry, {"register_agent": register}, self.bob)
        register = {"agent_id": "alice-agent", "owner": self.olga}
        self._do(self.registry, {"register_agent": register}, self.alice)

    def _make(self, name: str, msg: Any) -> str:
        code = self.chain.store_code(name)
        return self.chain.instantiate(code, msg, sender=self.admin, label=name)

    def _do(self, contract: str, msg: Any, sender: str, funds: str = "") -> Any:
        return self.chain.execute(contract, msg, sender=sender, funds=funds)

    def create(self, funds: str = "3msg", **fields: Any) -> str:
        """A task of Alice's for Bob."""
        body = {"provider": "bob-agent", "skill": "charts", **fields}
        result = self._do(self.tasks, {"create_task": body}, self.alice, funds)
        return str(json.loads(result.data)["task_id"])

    def run(self, name: str, task_id: str, sender: str, **fields: Any) -> Any:
        """One message about a task."""
        return self._do(self.tasks, {name: {"task_id": task_id, **fields}}, sender)

    def state(self, task_id: str) -> str:
        """A task's state."""
        asked = {"get_task": {"task_id": task_id}}
        return str(self.chain.query(self.tasks, asked)["task"]["state"])

    def inbox(self, address: str) -> list[dict[str, Any]]:
        """Envelopes of an inbox, newest first, with who sent and who relayed."""
        answer = self.chain.query(self.a2a, {"list_messages": {"address": address}})
        return [
            {
                **json.loads(base64.b64decode(message["payload"])),
                "sender": message["sender"],
                "via": message["via"],
            }
            for message in answer["messages"]
        ]

    def policy(self, **limits: Any) -> None:
        """Olga's policy for Alice."""
        change = {"agent_id": "alice-agent", "policy": limits}
        self._do(self.registry, {"set_spending_policy": change}, self.olga)


@pytest.fixture
def agents() -> Agents:
    """The people and their contracts."""
    return Agents()


def test_TK_7_a_task_shows_in_both_inboxes(agents: Agents) -> None:
    before = agents.chain.balance(agents.bob)
    task_id = agents.create()
    request = agents.inbox(agents.bob)[0]
    assert (request["type"], request["task_id"]) == ("task_request", task_id)
    assert (request["sender"], request["via"]) == (agents.alice, agents.tasks)
    assert request["lez_price"] == "3"
    agents.run("accept_task", task_id, agents.bob)
    agents.run("complete_task", task_id, agents.bob, content={"charts": 4})
    newest = agents.inbox(agents.alice)
    assert [m["type"] for m in newest] == ["task_result", "task_status"]
    assert newest[0]["sender"] == agents.bob
    assert agents.chain.balance(agents.bob) == before + 3 * 10**18


def test_TK_6_the_owner_hears_of_a_payment_above_the_policy(agents: Agents) -> None:
    agents.policy(per_tx_limit=str(10**18))
    task_id = agents.create()
    assert agents.state(task_id) == "auth_required"
    assert agents.inbox(agents.olga)[0]["type"] == "approval_request"
    assert agents.inbox(agents.bob) == []
    agents.run("approve_task", task_id, agents.olga)
    assert agents.inbox(agents.bob)[0]["type"] == "task_request"


def test_the_card_in_the_registry_sets_the_price_of_a_skill(agents: Agents) -> None:
    text = json.dumps(card(price="5", pricing={"charts": "7"}))
    change = {"agent_id": "bob-agent", "card": base64.b64encode(text.encode()).decode()}
    agents._do(agents.registry, {"set_card": change}, agents.bob)
    task_id = agents.create("8amsg")
    asked = {"get_task": {"task_id": task_id}}
    assert agents.chain.query(agents.tasks, asked)["task"]["price"] == "7"


def test_a_relay_that_is_struck_off_sends_nothing_and_tasks_go_on(agents: Agents) -> None:
    agents._do(agents.a2a, {"update_config": {"relays": []}}, agents.admin)
    task_id = agents.create()
    agents.run("accept_task", task_id, agents.bob)
    agents.run("fail_task", task_id, agents.bob, error="no data")
    assert agents.state(task_id) == "failed"
    assert agents.inbox(agents.bob) == agents.inbox(agents.alice) == []
