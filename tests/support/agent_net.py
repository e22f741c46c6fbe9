"""The four agent contracts on a chain of their own, with the calls that tests make."""

from __future__ import annotations

import importlib
import json
import os
from typing import Any

from chain.testing import Chain, Contract

NAMES = ("agent_registry_v1", "did_registry_v1", "ai_agent_constitution_v1", "agent_a2a_v1")


def as_value(name: str) -> Contract:
    """The contract as plain functions: not metered for compute, quicker to load and to step through."""
    entry = importlib.import_module(f"contracts.{name}.contract")
    msg = importlib.import_module(f"contracts.{name}.msg")
    package = importlib.import_module(f"contracts.{name}")
    return Contract(
        name=name,
        version=package.VERSION,
        instantiate=entry.instantiate,
        execute=entry.execute,
        query=entry.query,
        migrate=getattr(entry, "migrate", None),
        sudo=getattr(entry, "sudo", None),
        instantiate_msg=msg.InstantiateMsg,
        execute_msg=msg.EXECUTE,
        query_msg=msg.QUERY,
        migrate_msg=getattr(msg, "MIGRATE", None),
        sudo_msg=getattr(msg, "SUDO", None),
        answers=msg.ANSWERS,
    )


def code_of(name: str) -> Any:
    """What ``store_code`` takes: the folder, or plain functions where MSGCHAIN_TEST_VALUES is set."""
    return as_value(name) if os.environ.get("MSGCHAIN_TEST_VALUES") else name


class AgentNet:
    """A chain with the registry, the DID registry, a constitution that allows all, and ``agent_a2a_v1``."""

    def __init__(
        self, *, constitution: bool = True, limits: dict[str, int] | None = None, chain: Any = None
    ) -> None:
        self.chain = Chain() if chain is None else chain
        self.admin = self.chain.account("admin")
        make = self._make
        self.registry = make("agent_registry_v1", {"admin": self.admin})
        self.did = make("did_registry_v1", {})
        self.constitution = make(
            "ai_agent_constitution_v1",
            {"authority": self.admin, "registry_address": self.registry},
        )
        self.a2a = make(
            "agent_a2a_v1",
            {
                "admin": self.admin,
                "registry_address": self.registry,
                "did_registry_address": self.did,
                "constitution_address": self.constitution if constitution else None,
                "limits": limits,
            },
        )
        self.chain.execute(
            self.registry, {"update_config": {"a2a_address": self.a2a}}, sender=self.admin
        )

    def _make(self, name: str, msg: dict[str, Any]) -> str:
        code = self.chain.store_code(code_of(name))
        address: str = self.chain.instantiate(
            code, msg, sender=self.admin, label=name, admin=self.admin
        )
        return address

    def account(self, name: str) -> str:
        """An account with money."""
        address: str = self.chain.account(name)
        return address

    def do(self, sender: str, variant: str, **fields: Any) -> Any:
        """Execute on ``agent_a2a_v1``."""
        return self.chain.execute(self.a2a, {variant: fields}, sender=sender)

    def refused(self, sender: str, variant: str, **fields: Any) -> str:
        """Execute what must fail; the text."""
        result = self.chain.try_execute(self.a2a, {variant: fields}, sender=sender)
        assert result.code != 0, f"{variant} went through"
        text: str = result.log
        return text

    def ask(self, variant: str, **fields: Any) -> Any:
        """Query ``agent_a2a_v1``."""
        return self.chain.query(self.a2a, {variant: fields})

    def send(self, sender: str, to: str, **fields: Any) -> str:
        """Send a message; its id."""
        body = {"to": to, "message_type": "request", "payload": "aGk=", "priority": 50, "ttl": 3600}
        result = self.do(sender, "send_message", **{**body, **fields})
        msg_id: str = json.loads(result.data)["msg_id"]
        return msg_id

    def send_refused(self, sender: str, to: str, **fields: Any) -> str:
        """Send a message that must be refused; the text."""
        body = {"to": to, "message_type": "request", "payload": "aGk=", "priority": 50, "ttl": 3600}
        return self.refused(sender, "send_message", **{**body, **fields})

    def reply(self, sender: str, original: str, **fields: Any) -> str:
        """Reply to a message; the reply's id."""
        result = self.do(
            sender, "reply_message", **{"original_msg_id": original, "payload": "b2s=", **fields}
        )
        msg_id: str = json.loads(result.data)["msg_id"]
        return msg_id

    def status(self, msg_id: str) -> str:
        """Status of a message."""
        status: str = self.ask("get_message_status", msg_id=msg_id)["status"]
        return status

    def inbox(self, address: str, **fields: Any) -> list[str]:
        """Ids of a page of an inbox."""
        page = self.ask("list_messages", address=address, **fields)
        return [message["msg_id"] for message in page["messages"]]

    def register(self, sender: str, agent_id: str, **fields: Any) -> None:
        """Register an agent by its own account."""
        self.chain.execute(
            self.registry, {"register_agent": {"agent_id": agent_id, **fields}}, sender=sender
        )

    def on(self, contract: str, sender: str, variant: str, **fields: Any) -> Any:
        """Execute on another of the contracts."""
        return self.chain.execute(contract, {variant: fields}, sender=sender)

    def on_refused(self, contract: str, sender: str, variant: str, **fields: Any) -> str:
        """Execute on another of the contracts what must fail; the text."""
        result = self.chain.try_execute(contract, {variant: fields}, sender=sender)
        assert result.code != 0, f"{variant} went through"
        text: str = result.log
        return text

    def begin_block(self) -> None:
        """What the chain does at the start of a block."""
        self.chain.sudo(self.a2a, {"begin_block": {}})

    def later(self, seconds: int = 5) -> None:
        """The next block, so many seconds on."""
        self.chain.next_block(seconds=seconds)


def events_of(result: Any, event_type: str) -> list[dict[str, str]]:
    """Attributes of the custom events of one type, as a dict each."""
    return [
        {attribute.key: attribute.value for attribute in event.attributes}
        for event in result.events
        if event.type == f"wasm-{event_type}"
    ]
