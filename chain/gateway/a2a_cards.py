"""Cards: the stored one where it names this gateway, else one made of it for this gateway.

An agent that signs a card with this gateway's address first among its interfaces is shown with
that card, byte for byte what it signed. For all others the gateway makes a card of what the ledger
says and signs it with its own key; the agent's own prices and payee are in it, and the hash of what
the agent stored.

The schema of A2A 1.0 allows no other fields than its own. So the fields that programs of 0.3 read
(which no signature covers) are added only where one asks for them: at the older path, or by
``A2A-Version: 0.3``.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from a2a.server.request_handlers.response_helpers import agent_card_to_dict
from a2a.types import AgentCard
from google.protobuf.json_format import ParseDict, ParseError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from chain.client.canonical import CanonicalError, canonical
from chain.client.card import (
    EDDSA,
    PAYMENT_EXTENSION,
    CardError,
    keys_of,
    offer_of,
    verify_card,
)
from chain.client.provider_card import agent_card, interfaces
from chain.crypto.keys import Ed25519Key, PubKey

CACHE_SECONDS: Final = 60
_PRICE_FIELDS: Final = ("x-lez-price", "x-lez-identity", "signatures")


class ServedCard:
    """A card in the forms that are needed of it."""

    def __init__(self, document: dict[str, Any], keys: list[dict[str, Any]]) -> None:
        self.proto = ParseDict(document, AgentCard(), ignore_unknown_fields=True)
        signatures = sorted(document["signatures"], key=_readable)
        self._card = {**document, "signatures": signatures}
        self._old = {**agent_card_to_dict(self.proto), **self._card}
        self.jwks = {"keys": keys}
        self.required = {
            one.uri for one in self.proto.capabilities.extensions if one.required and one.uri
        }

    def answer(self, request: Request, *, old: bool) -> Response:
        """The card over HTTP, or that it has not changed. ``old``: with the fields of 0.3."""
        card = self._old if old else self._card
        tag = f'"{hashlib.sha256(json.dumps(card, sort_keys=True).encode()).hexdigest()}"'
        headers = {
            "ETag": f"W/{tag}",
            "Cache-Control": f"public, max-age={CACHE_SECONDS}",
            "Vary": "A2A-Version",
        }
        known = request.headers.get("if-none-match", "")
        tags = [one.strip().removeprefix("W/") for one in known.split(",")]
        if tag in tags or "*" in tags:
            return Response(status_code=304, headers=headers)
        return JSONResponse(card, headers=headers)

    @property
    def skills(self) -> list[str]:
        """The ids of the skills, in the card's order."""
        return [one.id for one in self.proto.skills]


class CardMaker:
    """Makes the cards of one gateway. ``key`` signs, ``key_id`` names it; ``grpc``
    is the address of that binding, empty where there is none."""

    def __init__(self, base: str, key: Ed25519Key, key_id: str, *, grpc: str = "") -> None:
        self._grpc = grpc
        self._base = base
        self._key = key
        self.key_id = key_id
        self.pubkey = key.pubkey

    def address_of(self, agent_id: str) -> str:
        """Where an agent is reached here."""
        return f"{self._base}/agents/{agent_id}"

    def served(
        self,
        agent: Mapping[str, Any],
        stored: bytes | None,
        document: Mapping[str, Any] | None,
        *,
        address: str = "",
    ) -> ServedCard:
        """The card of an agent, given its record, stored card and DID document."""
        url = address or self.address_of(agent["agent_id"])
        card, keys = _verified(stored, document)
        ours = any(one.key == self.pubkey.key for one in keys.values())  # made as it is served
        if card is not None and _first_url(card) == url and not ours:
            try:
                return ServedCard(card, [jwk(name, key) for name, key in keys.items()])
            except ParseError:
                card = None
        made = _made(agent, card, stored, [*interfaces(url), *self._rpc(agent["agent_id"])])
        return ServedCard(self.signed(made), [jwk(self.key_id, self.pubkey)])

    def _rpc(self, agent_id: str) -> list[dict[str, Any]]:
        """The interface of an agent over gRPC: one address for all, told apart by tenant."""
        if not self._grpc:
            return []
        face = {"url": self._grpc, "protocolBinding": "GRPC", "protocolVersion": "1.0"}
        return [{**face, "tenant": agent_id}]

    def signed(self, card: dict[str, Any]) -> dict[str, Any]:
        """A card with the gateway's signature."""
        header = {
            "alg": EDDSA,
            "kid": self.key_id,
            "typ": "JOSE",
            "jku": f"{self._base}/.well-known/jwks.json",
        }
        protected = base64url(canonical(header))
        signature = self._key.sign(f"{protected}.{base64url(canonical(card))}".encode())
        return {**card, "signatures": [{"protected": protected, "signature": base64url(signature)}]}


def _verified(
    stored: bytes | None, document: Mapping[str, Any] | None
) -> tuple[dict[str, Any] | None, dict[str, PubKey]]:
    """The stored card if its agent signed it, with the keys that programs of today can use."""
    if stored is None or document is None:
        return None, {}
    try:
        keys = keys_of(document)
        card = verify_card(stored, keys)
    except (CardError, KeyError, ValueError):
        return None, {}
    return card, {name: key for name, key in keys.items() if len(key.key) == 32}


def _readable(signature: Mapping[str, Any]) -> bool:
    """Sorts the signature that A2A programs can check first: some ask for the key of each."""
    return EDDSA not in base64.urlsafe_b64decode(signature["protected"] + "==").decode()


def _first_url(card: Mapping[str, Any]) -> str:
    try:
        return str(card["supportedInterfaces"][0]["url"]).rstrip("/")
    except (KeyError, IndexError, TypeError):
        return ""


def _made(
    agent: Mapping[str, Any],
    card: Mapping[str, Any] | None,
    stored: bytes | None,
    reached: list[dict[str, Any]],
) -> dict[str, Any]:
    """A card for this gateway, of the agent's own where it has one that is good."""
    own = {} if card is None else {k: v for k, v in card.items() if k not in _PRICE_FIELDS}
    params: dict[str, Any] = {"agent_id": agent["agent_id"], "account_id": agent["address"]}
    if card is not None:
        params |= card["capabilities"]["extensions"][_place(card)]["params"]
        params["card_sha256"] = hashlib.sha256(stored or b"").hexdigest()
        offer_of(card)
    elif agent["price_model"] is not None:
        params |= {"price": str(agent["price_model"]["price"])}
        params |= {"denom": agent["price_model"]["denom"]}
    others = [
        one
        for one in own.get("capabilities", {}).get("extensions", [])
        if one.get("uri") != PAYMENT_EXTENSION
    ]
    name = agent["name"] or agent["agent_id"]
    made = agent_card(
        name=str(own.get("name") or name),
        description=str(own.get("description") or f"The agent {agent['agent_id']}."),
        version=str(own.get("version") or "1.0.0"),
        params=params,
        skills=_skills(own, name),
        interfaces=reached,
        extensions=others,
    )
    for field in ("provider", "documentationUrl", "iconUrl"):
        if own.get(field):
            made[field] = own[field]
    try:
        canonical(made)
    except CanonicalError:
        return _made({**agent, "name": None}, None, None, reached)
    return made


def _place(card: Mapping[str, Any]) -> int:
    found = card["capabilities"]["extensions"]
    return next(i for i, one in enumerate(found) if one.get("uri") == PAYMENT_EXTENSION)


def _skills(own: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    skills = own.get("skills")
    if isinstance(skills, list) and skills:
        return [
            {field: value for field, value in one.items() if not field.startswith("x-")}
            for one in skills
        ]
    return [{"id": "task", "name": "Task", "description": f"A task for {name}.", "tags": ["task"]}]


def jwk(name: str, key: PubKey) -> dict[str, Any]:
    """An Ed25519 key as a JSON Web Key."""
    return {
        "kty": "OKP",
        "crv": "Ed25519",
        "x": base64url(key.key),
        "kid": name,
        "alg": EDDSA,
        "use": "sig",
    }


def base64url(raw: bytes) -> str:
    """Base64 for URLs, without padding."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
