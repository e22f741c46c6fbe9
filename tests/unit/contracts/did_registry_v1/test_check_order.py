"""MS-8 for every operation of `did_registry_v1`: checks speak in the order that the README gives."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest
from agent_keys import ed25519_key, key_input
from check_ladder import Ladder, Rung, by_variant, climb_as_documented, variants
from order_scene import FUNDS, scene

LONG = "x" * 65


def documents() -> Iterator[Ladder]:
    s = scene()
    here = ("did_registry_v1", s.net.did)
    key = key_input("n", ed25519_key(9))
    crowd = [key_input(f"k{number}", ed25519_key(number)) for number in range(65)]
    service = {"id": "s", "type": "T", "serviceEndpoint": "e"}
    many = [{**service, "id": f"s{number}"} for number in range(65)]
    yield Ladder(
        *here,
        "create_did",
        s.dave,
        {"did": "did:msg:agent:dave", "keys": [key]},
        (
            FUNDS,
            Rung("InvalidDid", {"did": "did:web:x"}),
            Rung("DidAlreadyExists", {"did": s.ended_did}),
            Rung("AddressAlreadyBound", sender=s.bob),
            Rung("TooMany", {"keys": crowd}),
            Rung("InvalidKey", {"keys": []}),
            Rung("TooMany", {"services": many}),
            Rung("InvalidService", {"services": [{**service, "type": ""}]}),
        ),
    )
    own = (
        FUNDS,
        Rung("DidNotFound", {"did": "did:msg:agent:nobody"}),
        Rung("Unauthorized", sender=s.bob),
        Rung("DidDeactivated", {"did": s.ended_did}, sender=s.carol),
    )
    yield Ladder(
        *here,
        "update_did",
        s.alice,
        {"did": s.did, "add_keys": [key]},
        (
            *own,
            Rung("KeyNotFound", {"remove_keys": ["other"]}),
            Rung("TooMany", {"services": many}),
            Rung("InvalidService", {"services": [{**service, "type": ""}]}),
            Rung("TooMany", {"add_keys": crowd}),
            Rung("InvalidKey", {"add_keys": [key, key]}),
        ),
    )
    yield Ladder(
        *here,
        "rotate_key",
        s.alice,
        {"did": s.did, "old_key": "k", "new_key": key},
        (
            *own,
            Rung("KeyNotFound", {"old_key": "other"}),
            Rung("InvalidKey", {"new_key": {"public_key": "aGk="}}),
        ),
    )
    yield Ladder(*here, "transfer_did", s.alice, {"did": s.did, "new_controller": s.bob}, own)
    yield Ladder(*here, "deactivate_did", s.alice, {"did": s.did}, own)


def challenges() -> Iterator[Ladder]:
    s = scene()
    here = ("did_registry_v1", s.net.did)
    yield Ladder(
        *here,
        "create_challenge",
        s.bob,
        {"target_did": s.did, "nonce": "new"},
        (
            FUNDS,
            Rung("Unauthorized", sender=s.carol),
            Rung("DidNotFound", {"target_did": "did:msg:agent:nobody"}),
            Rung("DidDeactivated", {"target_did": s.ended_did}),
            Rung("InvalidNonce", {"nonce": LONG}),
            Rung("NonceUsed", {"nonce": "one"}),
            Rung("InvalidRelation", {"required_verification": "love"}),
            Rung("InvalidTtl", {"ttl_seconds": 0}),
        ),
    )
    yield Ladder(
        *here,
        "respond_challenge",
        s.alice,
        s.response(s.challenge),
        (
            FUNDS,
            Rung("ChallengeNotFound", {"challenge_id": "challenge:1-0000000099"}),
            Rung("ChallengeAnswered", s.response(s.answered_challenge)),
            Rung("ChallengeExpired", s.response(s.late_challenge)),
            Rung("DidVerificationFailed", {"signature": "aGk="}),
        ),
    )
    kept = s.net._make("did_registry_v1", {"admin": s.net.admin})
    yield Ladder(
        "did_registry_v1",
        kept,
        "update_config",
        s.net.admin,
        {"keys_max": 5},
        (FUNDS, Rung("Unauthorized", sender=s.carol), Rung("InvalidLimit", {"keys_max": 0})),
    )


@functools.cache
def ladders() -> dict[str, Ladder]:
    """Every ladder; made when the first test asks, not when tests are collected."""
    return by_variant(documents, challenges)


@pytest.mark.parametrize("variant", variants("did_registry_v1"))
def test_MS_8_checks_speak_in_the_readmes_order(variant: str) -> None:
    climb_as_documented(scene().net.chain, ladders()[variant])
