"""The contract calls that an agent's program makes, as values: several go into one transaction.

Fields are the contracts' own; what is None is left out, so that the contract's default holds.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

#: of the DID documents that agents make
SIGNING_KEY = "key-1"
ENCRYPTION_KEY = "encryption-1"
CARD_KEY = "card-1"


class Contracts(msgspec.Struct, frozen=True):
    """Where the contracts of a chain are."""

    registry: str
    did_registry: str
    a2a: str
    tasks: str
    constitution: str = ""
    escrow: str = ""
    token: str = ""

    @classmethod
    def from_names(cls, addresses: Mapping[str, str]) -> Contracts:
        """From a table of contract name to address, as a devnet prints it. Raises: KeyError."""
        return cls(
            registry=addresses["agent_registry_v1"],
            did_registry=addresses["did_registry_v1"],
            a2a=addresses["agent_a2a_v1"],
            tasks=addresses["agent_tasks_v1"],
            constitution=addresses.get("ai_agent_constitution_v1", ""),
            escrow=addresses.get("escrow_v1", ""),
            token=addresses.get("token_v1", ""),
        )


class Call(msgspec.Struct, frozen=True):
    """One contract call: plain JSON, and coins such as ``5msg`` with it."""

    contract: str
    msg: dict[str, Any]
    funds: str = ""


def call(contract: str, variant: str, funds: str = "", /, **fields: Any) -> Call:
    """A call with the fields that are not None."""
    body = {name: value for name, value in fields.items() if value is not None}
    return Call(contract, {variant: body}, funds)


def binary(content: bytes) -> str:
    """Bytes as contracts take them in JSON."""
    return base64.b64encode(content).decode()


def unbinary(text: str) -> bytes:
    """Bytes from a contract's answer."""
    return base64.b64decode(text)


def multibase(text: str) -> bytes:
    """The bytes of a document's key (``u`` and base64url). Raises: ValueError."""
    if not text.startswith("u"):
        raise ValueError("a key in a DID document starts with u (base64url)")
    return base64.urlsafe_b64decode(text[1:] + "=" * (-len(text[1:]) % 4))


# --- identity -------------------------------------------------------------------------------------


def create_did(to: Contracts, did: str, *, signing: bytes, encryption: bytes, card: bytes) -> Call:
    """A document with an agent's three public keys: ML-DSA-87, ML-KEM-1024, Ed25519."""
    keys = [
        {
            "id": SIGNING_KEY,
            "type": "ML-DSA-87",
            "public_key": binary(signing),
            "relations": ["authentication", "assertionMethod"],
        },
        {
            "id": ENCRYPTION_KEY,
            "type": "ML-KEM-1024",
            "public_key": binary(encryption),
            "relations": ["keyAgreement"],
        },
        {
            "id": CARD_KEY,
            "type": "Ed25519",
            "public_key": binary(card),
            "relations": ["assertionMethod"],
        },
    ]
    return call(to.did_registry, "create_did", did=did, keys=keys)


def register_agent(
    to: Contracts,
    agent_id: str,
    *,
    name: str = "",
    owner: str = "",
    price: int | None = None,
    capabilities: Sequence[str] = (),
) -> Call:
    """Register the sender's own account as an agent; ``price`` in amsg for a task."""
    return call(
        to.registry,
        "register_agent",
        agent_id=agent_id,
        name=name or None,
        owner=owner or None,
        price_model=None if price is None else {"price": str(price), "denom": "amsg"},
        capabilities=list(capabilities) or None,
    )


def set_card(to: Contracts, agent_id: str, card: bytes) -> Call:
    """Store an agent card."""
    return call(to.registry, "set_card", agent_id=agent_id, card=binary(card))


def announce_card(
    to: Contracts, agent_id: str, topic: str | None = None, ttl_seconds: int | None = None
) -> Call:
    """Announce the stored card on a topic, or refresh it there."""
    return call(
        to.registry, "announce_card", agent_id=agent_id, topic=topic, ttl_seconds=ttl_seconds
    )


def set_spending_policy(to: Contracts, agent_id: str, policy: dict[str, Any] | None) -> Call:
    """The owner's limits for an agent; None removes them."""
    return Call(to.registry, {"set_spending_policy": {"agent_id": agent_id, "policy": policy}})


def capability(to: Contracts, agent_id: str, name: str, *, add: bool = True) -> Call:
    """Declare or withdraw a capability; the agent's owner."""
    variant = "add_capability" if add else "remove_capability"
    return call(to.a2a, variant, agent_id=agent_id, capability=name)


# --- messages -------------------------------------------------------------------------------------


def send_message(
    to: Contracts,
    receiver: str,
    payload: bytes,
    *,
    message_type: str,
    priority: int,
    ttl: int,
    reply_to: str | None = None,
    channel_id: str | None = None,
    signature: dict[str, str] | None = None,
) -> Call:
    """A message to one receiver; with ``reply_to`` it is also a reply."""
    return call(
        to.a2a,
        "send_message",
        to=receiver,
        message_type=message_type,
        payload=binary(payload),
        priority=priority,
        ttl=ttl,
        reply_to=reply_to,
        channel_id=channel_id,
        signature=signature,
    )


def reply_message(
    to: Contracts, original: str, payload: bytes, *, signature: dict[str, str] | None = None
) -> Call:
    """The answer to a message that the sender received."""
    return call(
        to.a2a,
        "reply_message",
        original_msg_id=original,
        payload=binary(payload),
        signature=signature,
    )


def move_message(to: Contracts, variant: str, msg_id: str) -> Call:
    """``mark_delivered``, ``mark_read`` or ``cancel_message``."""
    return call(to.a2a, variant, msg_id=msg_id)


def create_channel(to: Contracts, participant: str, metadata: bytes | None = None) -> Call:
    """A direct channel with one other."""
    return call(
        to.a2a,
        "create_channel",
        channel_type="direct",
        participant=participant,
        metadata=None if metadata is None else binary(metadata),
    )


def close_channel(to: Contracts, channel_id: str) -> Call:
    """Close a channel for good."""
    return call(to.a2a, "close_channel", channel_id=channel_id)


def signed_content(
    *,
    chain_id: str,
    contract: str,
    sender: str,
    receiver: str,
    message_type: str,
    payload_sha256: str,
    priority: int,
    ttl: int,
    nonce: str,
    reply_to: str | None = None,
    channel_id: str | None = None,
) -> bytes:
    """The bytes that a message's signature covers: JSON with sorted keys and no blanks."""
    content = {
        "chain_id": chain_id,
        "channel_id": channel_id,
        "contract": contract,
        "message_type": message_type,
        "nonce": nonce,
        "payload_sha256": payload_sha256,
        "priority": priority,
        "receiver": receiver,
        "reply_to": reply_to,
        "sender": sender,
        "ttl": ttl,
    }
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()


# --- tasks ----------------------------------------------------------------------------------------


def create_task(
    to: Contracts,
    provider: str,
    skill: str,
    params: Any = None,
    *,
    price: int,
    denom: str = "amsg",
    deadline: int | None = None,
    client_ref: str | None = None,
    context_id: str | None = None,
) -> Call:
    """A task with its price attached: native coins, or tokens by the token's ``send``."""
    made = call(
        to.tasks,
        "create_task",
        provider=provider,
        skill=skill,
        params=params,
        price=str(price),
        deadline=None if deadline is None else str(deadline),
        client_ref=client_ref,
        context_id=context_id,
    )
    if not denom.startswith("cw20:"):
        return Call(made.contract, made.msg, f"{price}{denom}" if price else "")
    hook = json.dumps(made.msg, ensure_ascii=False, separators=(",", ":")).encode()
    token = denom.removeprefix("cw20:")
    return call(token, "send", contract=to.tasks, amount=str(price), msg=binary(hook))


def step_task(to: Contracts, variant: str, task_id: str, **fields: Any) -> Call:
    """Any step of a task: ``accept_task``, ``complete_task``, ``approve_task`` and the others."""
    return call(to.tasks, variant, task_id=task_id, **fields)
