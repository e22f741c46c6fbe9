"""Cards: made, signed, verified, refused when any byte changes, read by the A2A SDK."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from a2a.types import AgentCard
from a2a.utils import _jcs
from google.protobuf.json_format import MessageToDict, ParseDict

from chain.client.canonical import canonical
from chain.client.card import (
    PAYMENT_EXTENSION,
    CardError,
    Skill,
    build_card,
    decimal_msg,
    keys_of,
    offer_of,
    sign_card,
    verify_card,
)
from chain.crypto import ed25519
from chain.crypto.keys import PubKey
from chain.crypto.root import RootSecret
from contracts.agent_tasks_v1.price import PAYMENT_EXTENSION as CONTRACT_EXTENSION

ROOT = RootSecret(b"bob's root secret, 32 bytes long")
OTHER = RootSecret(b"another root secret, 32 bytes ..")
MSG = 10**18
SKILLS = (
    Skill("charts", "Charts", "Draws charts, auch mit Umlauten: ü.", ("data",), price=5 * MSG),
    Skill("maps", "Maps", "Draws maps.", ("data", "geo"), examples=("Map of Bern",)),
)
FIELDS: dict[str, Any] = {
    "name": "Bob",
    "description": "Draws things.",
    "url": "https://bob.example/a2a",
    "skills": SKILLS,
    "price": MSG // 2,
    "cancellation_share_bps": 2500,
}


def document(root: RootSecret) -> dict[str, Any]:
    """The agent's DID document as the registry shows it."""
    did = "did:msg:agent:bob-agent"
    methods = []
    for fragment, kind, key in (
        ("key-1", "MlDsa87VerificationKey2026", root.signing_key().pubkey.key),
        ("card-1", "Ed25519VerificationKey2020", root.card_key().pubkey.key),
        ("encryption-1", "MlKem1024KeyAgreementKey2026", root.encryption_key().public_key),
    ):
        text = "u" + base64.urlsafe_b64encode(key).rstrip(b"=").decode()
        methods.append({"id": f"{did}#{fragment}", "type": kind, "publicKeyMultibase": text})
    return {
        "verificationMethod": methods,
        "assertionMethod": [f"{did}#key-1", f"{did}#card-1"],
    }


CARD = build_card(ROOT, "bob-agent", **FIELDS)
KEYS = keys_of(document(ROOT))


def test_TK_1_a_card_verifies_with_the_published_keys() -> None:
    card = verify_card(CARD, KEYS)
    assert card["name"] == "Bob"
    assert (card["x-lez-price"], card["skills"][0]["x-lez-price"]) == ("0.5", "5")
    assert "x-lez-price" not in card["skills"][1]
    assert card["x-lez-identity"]["account_id"] == ROOT.signing_key().address


def test_TK_1_a_skills_price_overrides_the_default() -> None:
    offer = offer_of(json.loads(CARD))
    assert (offer.price_of("charts"), offer.price_of("maps")) == (5 * MSG, MSG // 2)
    assert offer.cancellation_share_bps == 2500
    assert (offer.payee, offer.denom) == (ROOT.signing_key().address, "amsg")


def test_TK_1_a_card_is_refused_when_any_byte_changes() -> None:
    step = 37  # every byte would take a minute; all kinds of places are among these
    places = {*range(0, len(CARD), step), *range(200), *range(len(CARD) - 200, len(CARD))}
    for place in sorted(places):
        changed = bytearray(CARD)
        changed[place] ^= 1
        with pytest.raises(CardError):
            verify_card(bytes(changed), KEYS)


@pytest.mark.parametrize("raw", [CARD[:-1], CARD + b" ", b" " + CARD, b"[]", b"", b"\xff", b"5"])
def test_other_texts_of_a_card_are_refused(raw: bytes) -> None:
    with pytest.raises(CardError):
        verify_card(raw, KEYS)


def changed(**fields: Any) -> bytes:
    """The card with other fields, canonical."""
    card = {**json.loads(CARD), **fields}
    return canonical({key: value for key, value in card.items() if value is not ...})


@pytest.mark.parametrize(
    "fields",
    [
        {"x-lez-price": "0.1"},
        {"x-lez-price": ...},
        {"x-lez-identity": {"account_id": "msg1", "npk": "00"}},
        {"x-other": "unsigned"},
        {"name": "Mallory"},
        {"signatures": ...},
        {"signatures": []},
        {"signatures": [5]},
        {"signatures": json.loads(CARD)["signatures"][:1]},
        {"signatures": json.loads(CARD)["signatures"][::-1]},
        {"signatures": [{**entry, "header": {}} for entry in json.loads(CARD)["signatures"]]},
        {"signatures": [{**entry, "protected": "e30"} for entry in json.loads(CARD)["signatures"]]},
        {"signatures": [{**entry, "protected": "NQ"} for entry in json.loads(CARD)["signatures"]]},
        {"signatures": [{**entry, "protected": 5} for entry in json.loads(CARD)["signatures"]]},
        {"capabilities": {}},
        {"capabilities": []},
        {"capabilities": {"extensions": [5, {"uri": "urn:other"}]}},
        {"skills": [5]},
        {"skills": 5},
        {"signatures": [{**entry, "signature": "A"} for entry in json.loads(CARD)["signatures"]]},
    ],
)
def test_a_card_that_says_something_else_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(CardError):
        verify_card(changed(**fields), KEYS)


def test_a_card_by_another_root_is_refused() -> None:
    with pytest.raises(CardError):
        verify_card(build_card(OTHER, "bob-agent", **FIELDS), KEYS)


def test_a_card_with_keys_of_two_roots_is_refused() -> None:
    mixed = dict(KEYS)
    mixed["did:msg:agent:bob-agent#key-1"] = OTHER.signing_key().pubkey
    with pytest.raises(CardError):
        verify_card(CARD, mixed)


def test_the_payee_is_the_account_of_the_signing_key() -> None:
    signed = {k: v for k, v in json.loads(CARD).items() if k != "signatures" and k[0] != "x"}
    for skill in signed["skills"]:
        skill.pop("x-lez-price", None)
    params = signed["capabilities"]["extensions"][0]["params"]
    params["account_id"] = OTHER.signing_key().address
    with pytest.raises(CardError, match="payee"):
        verify_card(sign_card(ROOT, "bob-agent", signed), KEYS)


def test_keys_that_may_not_sign_for_the_agent_are_no_keys() -> None:
    shown = document(ROOT)
    assert [kid.split("#")[1] for kid in keys_of(shown)] == ["key-1", "card-1"]
    shown["assertionMethod"] = []
    with pytest.raises(CardError, match="no published key"):
        verify_card(CARD, keys_of(shown))


def test_TK_1_the_card_parses_with_the_a2a_sdks_types() -> None:
    card = ParseDict(json.loads(CARD), AgentCard(), ignore_unknown_fields=True)
    assert card.name == "Bob"
    assert [skill.id for skill in card.skills] == ["charts", "maps"]
    extension = card.capabilities.extensions[0]
    assert extension.uri == PAYMENT_EXTENSION
    assert extension.params["pricing"]["charts"] == str(5 * MSG)


def test_TK_1_the_sdk_signs_the_same_bytes_so_the_eddsa_entry_verifies_there() -> None:
    card = ParseDict(json.loads(CARD), AgentCard(), ignore_unknown_fields=True)
    seen = MessageToDict(card)
    entry = seen.pop("signatures")[1]
    payload = base64.urlsafe_b64encode(_jcs.canonicalize(seen).encode()).rstrip(b"=").decode()
    content = f"{entry['protected']}.{payload}".encode()
    text = entry["signature"]
    signature = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    assert ed25519.verify(ROOT.card_key().pubkey.key, content, signature)


def test_a_token_price_has_no_decimal_msg() -> None:
    card = json.loads(build_card(ROOT, "bob-agent", **{**FIELDS, "denom": "cw20:msg1token"}))
    assert "x-lez-price" not in card
    assert "x-lez-price" not in card["skills"][0]
    verify_card(build_card(ROOT, "bob-agent", **{**FIELDS, "denom": "cw20:msg1token"}), KEYS)


def test_the_same_root_makes_the_same_card() -> None:
    assert build_card(ROOT, "bob-agent", **FIELDS) == CARD


@pytest.mark.parametrize(
    "fields",
    [
        {"name": ""},
        {"description": ""},
        {"skills": ()},
        {"skills": (Skill("a", "A", "a", ()),)},
        {"price": -1},
        {"cancellation_share_bps": 10_001},
        {"provider": ("", "https://x")},
        {"name": "\ud800"},
        {"description": "x" * 70_000},
    ],
)
def test_a_card_that_could_not_be_verified_elsewhere_is_not_made(fields: dict[str, Any]) -> None:
    with pytest.raises(CardError):
        build_card(ROOT, "bob-agent", **{**FIELDS, **fields})


@pytest.mark.parametrize(
    "params",
    [
        {"price": 5},
        {"price": "5.0"},
        {"price": "1", "account_id": 5},
        {"price": "1", "account_id": "a", "pricing": []},
        {"price": "1", "account_id": "a", "cancellation_share_bps": "5"},
        {"price": "1", "account_id": "a", "denom": 5},
        5,
    ],
)
def test_a_damaged_extension_is_refused(params: Any) -> None:
    extension = {"uri": PAYMENT_EXTENSION, "params": params}
    with pytest.raises(CardError):
        offer_of({"capabilities": {"extensions": [extension]}})


def test_contract_and_client_mean_the_same_extension() -> None:
    assert PAYMENT_EXTENSION == CONTRACT_EXTENSION


@pytest.mark.parametrize(
    ("amount", "text"),
    [(0, "0"), (1, "0.000000000000000001"), (5 * MSG, "5"), (MSG + MSG // 10, "1.1")],
)
def test_amounts_are_shown_in_msg(amount: int, text: str) -> None:
    assert decimal_msg(amount) == text


def test_a_key_of_the_wrong_kind_does_not_verify() -> None:
    swapped = {
        kid: PubKey(key.type, key.key[:-1] + bytes([key.key[-1] ^ 1])) for kid, key in KEYS.items()
    }
    with pytest.raises(CardError):
        verify_card(CARD, swapped)
