"""Agent cards: A2A 1.0 fields, prices in a declared extension, two signatures, one verification.

A card is signed with both keys that follow from the agent's root secret: ML-DSA-87, whose account
is paid, and Ed25519, which today's A2A programs can verify. Each signature is a JWS over the
canonical JSON of the A2A fields. The binding's ``x-lez-…`` fields stand outside of what those
programs sign and verify, so they may only repeat what the signed extension says; anything else
unsigned is refused. The stored text is canonical too, so that not one byte of it can change.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from chain.client.canonical import CanonicalError, canonical
from chain.crypto import ed25519, mldsa
from chain.crypto.addresses import AddressError
from chain.crypto.keys import ED25519, ML_DSA_87, PubKey
from chain.crypto.root import RootSecret

PAYMENT_EXTENSION: Final = "urn:msgchain:a2a:payment:v1"
PROTOCOL_VERSION: Final = "1.0"
#: Algorithm names of the two signatures, and the fragments of their keys in the DID document.
ML_DSA: Final = "ML-DSA-87"
EDDSA: Final = "EdDSA"
FRAGMENTS: Final = {ML_DSA: "key-1", EDDSA: "card-1"}
DID_PREFIX: Final = "did:msg:agent:"
#: What JOSE's ML-DSA-87 says: no FIPS 204 context. Everything else we sign has one, so they differ.
CARD_CONTEXT: Final = b""
AMSG_DECIMALS: Final = 18
SHARE_WHOLE_BPS: Final = 10_000
CARD_MAX_BYTES: Final = 65_536
_PRICE: Final = "x-lez-price"
_IDENTITY: Final = "x-lez-identity"


class CardError(Exception):
    """The card cannot be made, or is not what its agent signed."""


class Skill(msgspec.Struct, frozen=True):
    """Something an agent does; ``price`` in whole units of the card's denomination."""

    id: str
    name: str
    description: str
    tags: tuple[str, ...]
    price: int | None = None
    examples: tuple[str, ...] = ()
    input_modes: tuple[str, ...] = ()
    output_modes: tuple[str, ...] = ()


class Offer(msgspec.Struct, frozen=True):
    """What a card says about money; amounts in whole units of ``denom``."""

    payee: str
    denom: str
    price: int
    pricing: dict[str, int]
    cancellation_share_bps: int

    def price_of(self, skill: str) -> int:
        """A skill's own price, else the card's."""
        return self.pricing.get(skill, self.price)


def build_card(
    root: RootSecret,
    agent_id: str,
    *,
    name: str,
    description: str,
    url: str,
    skills: Sequence[Skill],
    price: int = 0,
    denom: str = "amsg",
    cancellation_share_bps: int = 0,
    version: str = "1.0.0",
    binding: str = "JSONRPC",
    provider: tuple[str, str] | None = None,
    streaming: bool = True,
) -> bytes:
    """A signed card as canonical text. ``provider`` is organization and URL. Raises: CardError."""
    if not 0 <= cancellation_share_bps <= SHARE_WHOLE_BPS:
        raise CardError("a cancellation share is 0 to 10,000 hundredths of a per cent")
    payee = root.signing_key().pubkey
    params = {
        "agent_id": agent_id,
        "account_id": payee.address(),
        "npk": fingerprint(payee),
        "denom": denom,
        "price": _amount(price),
        "cancellation_share_bps": cancellation_share_bps,
    }
    own = {skill.id: _amount(skill.price) for skill in skills if skill.price is not None}
    if own:
        params["pricing"] = own
    signed: dict[str, Any] = {
        "name": name,
        "description": description,
        "version": version,
        "supportedInterfaces": [
            {"url": url, "protocolBinding": binding, "protocolVersion": PROTOCOL_VERSION}
        ],
        "capabilities": {
            "streaming": streaming,
            "extensions": [
                {
                    "uri": PAYMENT_EXTENSION,
                    "description": "Prices, and the account that is paid.",
                    "params": params,
                }
            ],
        },
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "skills": [skill_entry(skill) for skill in skills],
    }
    if provider is not None:
        signed["provider"] = {"organization": provider[0], "url": provider[1]}
    _refuse_empty(signed, "card")
    return sign_card(root, agent_id, signed)


def sign_card(root: RootSecret, agent_id: str, signed: Mapping[str, Any]) -> bytes:
    """Sign A2A fields with the payment extension, and add the binding's. Raises: CardError."""
    try:
        payload = canonical(signed)
        offer = offer_of(signed)
        signatures = []
        for algorithm in (ML_DSA, EDDSA):
            kid = f"{DID_PREFIX}{agent_id}#{FRAGMENTS[algorithm]}"
            header = {"alg": algorithm, "kid": kid, "typ": "JOSE"}
            protected = _base64url(canonical(header))
            content = f"{protected}.{_base64url(payload)}".encode()
            if algorithm == ML_DSA:
                signature = root.signing_key().sign(content, CARD_CONTEXT)
            else:
                signature = root.card_key().sign(content)
            signatures.append({"protected": protected, "signature": _base64url(signature)})
        raw = canonical({**_with_binding(signed, offer), "signatures": signatures})
    except CanonicalError as error:
        raise CardError(str(error)) from None
    if len(raw) > CARD_MAX_BYTES:
        raise CardError(f"{len(raw)} bytes, at most {CARD_MAX_BYTES}")
    return raw


def verify_card(raw: bytes, keys: Mapping[str, PubKey]) -> dict[str, Any]:
    """The card, if every byte of it is as its agent signed it.

    ``keys`` are the agent's published keys by id (``keys_of`` its DID document). Raises: CardError.
    """
    card = _read(raw)
    signatures = card.get("signatures")
    if not isinstance(signatures, list):
        raise CardError("no signatures")
    signed = _without_binding(card)
    offer = offer_of(signed)
    if {**_with_binding(signed, offer), "signatures": signatures} != card:
        raise CardError("the x-lez fields say something else than the signed prices")
    payload = _base64url(canonical(signed))
    found = [_verify_entry(entry, payload, keys) for entry in signatures]
    if [algorithm for algorithm, _ in found] != [ML_DSA, EDDSA]:
        raise CardError("a card has one ML-DSA-87 and one EdDSA signature, in this order")
    payee = found[0][1]
    if offer.payee != payee.address() or _params(signed).get("npk") != fingerprint(payee):
        raise CardError("the payee is not the account of the signing key")
    return card


def keys_of(document: Mapping[str, Any]) -> dict[str, PubKey]:
    """The keys of a DID document that may sign for it. Raises: CardError."""
    kinds = {"Ed25519VerificationKey2020": ED25519}
    keys = {}
    for method in document["verificationMethod"]:
        if method["id"] not in document["assertionMethod"]:
            continue
        text = method["publicKeyMultibase"]
        kind = kinds.get(method["type"], ML_DSA_87)
        keys[method["id"]] = PubKey(kind, _unbase64url(text.removeprefix("u")))
    return keys


def offer_of(card: Mapping[str, Any]) -> Offer:
    """Prices and payee of a card, unverified. Raises: CardError."""
    params = _params(card)
    pricing = params.get("pricing", {})
    share = params.get("cancellation_share_bps", 0)
    account, denom = params.get("account_id"), params.get("denom", "amsg")
    if (
        not isinstance(pricing, dict)
        or type(share) is not int
        or not isinstance(account, str)
        or not isinstance(denom, str)
    ):
        raise CardError("the payment extension is damaged")
    prices = {skill: _integer(amount) for skill, amount in pricing.items()}
    return Offer(account, denom, _integer(params.get("price")), prices, share)


def fingerprint(key: PubKey) -> str:
    """The binding's ``npk``: SHA3-512 of the public key; an address begins with its 40 digits."""
    return hashlib.sha3_512(key.key).hexdigest()


def decimal_msg(amount: int) -> str:
    """``amsg`` as decimal MSG, without needless zeros."""
    whole, rest = divmod(amount, 10**AMSG_DECIMALS)
    places = f"{rest:0{AMSG_DECIMALS}d}".rstrip("0")
    return f"{whole}.{places}" if places else str(whole)


# --- parts ----------------------------------------------------------------------------------------


def skill_entry(skill: Skill) -> dict[str, Any]:
    """A skill as cards have it; the price is not in it."""
    made: dict[str, Any] = {
        "id": skill.id,
        "name": skill.name,
        "description": skill.description,
        "tags": list(skill.tags),
    }
    for field, values in (
        ("examples", skill.examples),
        ("inputModes", skill.input_modes),
        ("outputModes", skill.output_modes),
    ):
        if values:
            made[field] = list(values)
    return made


def _amount(amount: int | None) -> str:
    if amount is None or amount < 0:
        raise CardError("a price is not negative")
    return str(amount)


def _integer(text: object) -> int:
    if not isinstance(text, str) or not (text.isascii() and text.isdigit()):
        raise CardError("a price is the decimal text of an integer")
    return int(text)


def _refuse_empty(value: object, where: str) -> None:
    """A2A programs drop empty texts and lists before they verify, so a card has none."""
    if isinstance(value, (str, list, dict)) and not value:
        raise CardError(f"{where} is empty")
    if isinstance(value, dict):
        for key, item in value.items():
            _refuse_empty(item, key)
    elif isinstance(value, list):
        for item in value:
            _refuse_empty(item, where)


def _params(card: Mapping[str, Any]) -> dict[str, Any]:
    capabilities = card.get("capabilities")
    extensions = capabilities.get("extensions") if isinstance(capabilities, dict) else None
    for extension in extensions if isinstance(extensions, list) else ():
        if isinstance(extension, dict) and extension.get("uri") == PAYMENT_EXTENSION:
            params = extension.get("params")
            if isinstance(params, dict):
                return params
    raise CardError("the card has no payment extension")


def _with_binding(signed: Mapping[str, Any], offer: Offer) -> dict[str, Any]:
    """The card with the binding's fields, which repeat the offer; a token's price is no MSG."""
    card = dict(signed)
    card[_IDENTITY] = {"account_id": offer.payee, "npk": _params(signed).get("npk")}
    if offer.denom != "amsg":
        return card
    card[_PRICE] = decimal_msg(offer.price)
    skills = card.get("skills")
    if isinstance(skills, list):
        card["skills"] = [
            {**skill, _PRICE: decimal_msg(offer.pricing[skill["id"]])}
            if isinstance(skill, dict) and skill.get("id") in offer.pricing
            else skill
            for skill in skills
        ]
    return card


def _without_binding(card: Mapping[str, Any]) -> dict[str, Any]:
    signed = {
        key: value for key, value in card.items() if key not in ("signatures", _PRICE, _IDENTITY)
    }
    skills = signed.get("skills")
    if isinstance(skills, list):
        signed["skills"] = [
            {key: value for key, value in skill.items() if key != _PRICE}
            if isinstance(skill, dict)
            else skill
            for skill in skills
        ]
    return signed


def _read(raw: bytes) -> dict[str, Any]:
    try:
        card = json.loads(raw)
        text = canonical(card)
    except (ValueError, RecursionError):
        raise CardError("not canonical JSON") from None
    if not isinstance(card, dict) or text != raw:
        raise CardError("not canonical JSON")
    return card


def _verify_entry(entry: object, payload: str, keys: Mapping[str, PubKey]) -> tuple[str, PubKey]:
    """Algorithm and key of a signature that is good."""
    if not isinstance(entry, dict) or set(entry) != {"protected", "signature"}:
        raise CardError("a signature has protected and signature, nothing else")
    protected, text = entry["protected"], entry["signature"]
    try:
        header = json.loads(_unbase64url(protected))
        signature = _unbase64url(text)
    except (ValueError, RecursionError):
        raise CardError("a signature is damaged") from None
    if not isinstance(header, dict):
        raise CardError("a signature is damaged")
    algorithm, kid = header.get("alg"), header.get("kid")
    key = keys.get(kid) if isinstance(kid, str) else None
    if key is None:
        raise CardError(f"{kid} is no published key")
    content = f"{protected}.{payload}".encode()
    try:
        good = (
            algorithm == ML_DSA
            and key.type == ML_DSA_87
            and mldsa.verify(key.key, content, signature, CARD_CONTEXT)
        ) or (
            algorithm == EDDSA
            and key.type == ED25519
            and ed25519.verify(key.key, content, signature)
        )
    except (ValueError, AddressError):
        good = False
    if not good:
        raise CardError(f"the {algorithm} signature does not verify")
    return str(algorithm), key


def _base64url(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _unbase64url(text: object) -> bytes:
    """Strict: the one spelling of the bytes. Raises: ValueError."""
    if not isinstance(text, str):
        raise ValueError("not text")
    raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    if _base64url(raw) != text:
        raise ValueError("not the canonical spelling")
    return raw
