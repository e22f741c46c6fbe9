"""What contracts answer, as the values that an agent's program works with."""

from __future__ import annotations

import base64
from typing import Any, Final

import msgspec

from chain.client.envelope import Envelope, read_payload

#: states in which a task stays
FINAL_STATES: Final = ("completed", "failed", "canceled", "rejected")


class Received(msgspec.Struct, frozen=True):
    """A message of an inbox, a conversation or a thread; ``content`` is its opened envelope."""

    msg_id: str
    sender: str
    receiver: str
    message_type: str
    payload: bytes
    content: Envelope
    priority: int
    ttl: int
    status: str
    channel_id: str | None
    reply_to: str | None
    created_at: int
    expires_at: int
    via: str | None

    @property
    def data(self) -> Any:
        """The JSON value of the envelope, or its bytes."""
        return self.content.data

    def field(self, name: str, default: Any = None) -> Any:
        """One field of the JSON value; the default where there is none."""
        data = self.content.data
        return data.get(name, default) if isinstance(data, dict) else default


def message_of(view: dict[str, Any]) -> Received:
    """A message as ``agent_a2a_v1`` shows it."""
    payload = base64.b64decode(view["payload"])
    return Received(
        msg_id=view["msg_id"],
        sender=view["sender"],
        receiver=view["receiver"],
        message_type=view["message_type"],
        payload=payload,
        content=read_payload(payload),
        priority=view["priority"],
        ttl=view["ttl"],
        status=view["status"],
        channel_id=view["channel_id"],
        reply_to=view["reply_to"],
        created_at=int(view["created_at"]),
        expires_at=int(view["expires_at"]),
        via=view["via"],
    )


class Found(msgspec.Struct, frozen=True):
    """An agent that has a capability; ``price`` in amsg, None where it names none."""

    agent_id: str
    owner: str
    address: str
    price: int | None


def found_of(view: dict[str, Any]) -> Found:
    """An agent as a search shows it."""
    price = view["price"]
    return Found(
        view["agent_id"], view["owner"], view["address"], None if price is None else int(price)
    )


class Announced(msgspec.Struct, frozen=True):
    """A live announcement on a discovery topic; ``card`` is the JSON text as bytes."""

    agent_id: str
    owner: str
    address: str
    topic: str
    card: bytes
    card_hash: str
    expires_at: int


def announced_of(view: dict[str, Any]) -> Announced:
    """An announcement as the registry shows it."""
    return Announced(
        agent_id=view["agent_id"],
        owner=view["owner"],
        address=view["address"],
        topic=view["topic"],
        card=base64.b64decode(view["card"]),
        card_hash=view["card_hash"],
        expires_at=int(view["expires_at"]),
    )


class Price(msgspec.Struct, frozen=True):
    """What a task costs now, and where the price stands: skill, card, price_model or none."""

    amount: int
    denom: str
    source: str
    cancellation_share_bps: int


def price_of(view: dict[str, Any]) -> Price:
    """A price as the tasks contract shows it."""
    return Price(int(view["price"]), view["denom"], view["source"], view["cancellation_share_bps"])


class Task(msgspec.Struct, frozen=True):
    """A task; money in units of ``denom``, times in nanoseconds."""

    task_id: str
    requester: str
    requester_agent: str | None
    provider: str
    provider_address: str
    skill: str
    params: Any
    price: int
    denom: str
    state: str
    approval: str | None
    approver: str | None
    deadline: int
    question: Any
    input: Any
    result: dict[str, Any] | None
    error: str | None
    paid: int
    refunded: int
    client_ref: str | None
    context_id: str | None

    @property
    def final(self) -> bool:
        """Whether nothing can happen to it any more."""
        return self.state in FINAL_STATES


_NUMBERS: Final = ("price", "deadline", "paid", "refunded")


def task_of(view: dict[str, Any]) -> Task:
    """A task as the tasks contract shows it."""
    values = {name: view[name] for name in Task.__struct_fields__}
    for name in _NUMBERS:
        values[name] = int(values[name])
    return Task(**values)


class Step(msgspec.Struct, frozen=True):
    """One step of a task's history."""

    number: int
    action: str
    state: str
    actor: str
    at: int
    height: int
    detail: Any


def step_of(view: dict[str, Any]) -> Step:
    """A step as the tasks contract shows it."""
    return Step(
        number=int(view["number"]),
        action=view["action"],
        state=view["state"],
        actor=view["actor"],
        at=int(view["at"]),
        height=int(view["height"]),
        detail=view["detail"],
    )
