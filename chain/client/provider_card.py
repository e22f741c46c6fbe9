"""The card of an agent that is reached through A2A gateways.

An agent that lists the gateways it uses, its favourite first, signs one card for all of them: each
gateway speaks JSON-RPC and HTTP+JSON, in A2A 1.0 and 0.3, under one address.

No ``securitySchemes`` are declared, although gateways take API keys: nobody needs one, and the
JavaScript SDK leaves that field out of what it verifies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from chain.client.card import PAYMENT_EXTENSION, Skill, fingerprint, sign_card, skill_entry
from chain.crypto.root import RootSecret

BINDINGS: Final = (
    ("JSONRPC", "1.0"),
    ("HTTP+JSON", "1.0"),
    ("JSONRPC", "0.3"),
    ("HTTP+JSON", "0.3"),
)
MODES: Final = ("text/plain", "application/json")
#: how a caller with an API key shows it; nobody needs one
API_KEY_HEADER: Final = "X-API-Key"


def interfaces(*addresses: str) -> list[dict[str, Any]]:
    """The interfaces of gateway addresses, such as ``http://127.0.0.1:8081/agents/bob``."""
    return [
        {"url": address, "protocolBinding": binding, "protocolVersion": version}
        for address in addresses
        for binding, version in BINDINGS
    ]


def agent_card(
    *,
    name: str,
    description: str,
    version: str,
    params: Mapping[str, Any],
    skills: Sequence[Mapping[str, Any]],
    interfaces: Sequence[Mapping[str, Any]],
    extensions: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """The A2A fields of a card, unsigned; ``params`` are the payment extension's."""
    payment = {
        "uri": PAYMENT_EXTENSION,
        "description": f"Prices, and who is paid. {API_KEY_HEADER}: a key pays as its agent.",
        "params": dict(params),
    }
    return {
        "name": name,
        "description": description,
        "version": version,
        "supportedInterfaces": [dict(one) for one in interfaces],
        "capabilities": {
            "streaming": True,
            "pushNotifications": True,
            "extendedAgentCard": True,
            "extensions": [payment, *(dict(one) for one in extensions)],
        },
        "defaultInputModes": list(MODES),
        "defaultOutputModes": list(MODES),
        "skills": [dict(one) for one in skills],
    }


def signed_card(
    root: RootSecret,
    agent_id: str,
    *,
    name: str,
    description: str,
    skills: Sequence[Skill],
    gateways: Sequence[str],
    price: int = 0,
    denom: str = "amsg",
    cancellation_share_bps: int = 0,
    version: str = "1.0.0",
) -> bytes:
    """A card signed by the agent. ``gateways`` are addresses such as ``http://127.0.0.1:8081``.

    Raises: CardError.
    """
    payee = root.signing_key().pubkey
    params: dict[str, Any] = {
        "agent_id": agent_id,
        "account_id": payee.address(),
        "npk": fingerprint(payee),
        "denom": denom,
        "price": str(price),
        "cancellation_share_bps": cancellation_share_bps,
    }
    pricing = {skill.id: str(skill.price) for skill in skills if skill.price is not None}
    if pricing:
        params["pricing"] = pricing
    card = agent_card(
        name=name,
        description=description,
        version=version,
        params=params,
        skills=[skill_entry(one) for one in skills],
        interfaces=interfaces(*(f"{one.rstrip('/')}/agents/{agent_id}" for one in gateways)),
    )
    return sign_card(root, agent_id, card)
