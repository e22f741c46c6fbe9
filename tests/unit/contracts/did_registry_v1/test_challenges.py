"""Guide 4.4: challenge and response."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from agent_keys import b64, create_did, key_input, ml_dsa_key
from agent_net import AgentNet, events_of

FAILED = "DID verification failed"
BOB = "did:msg:agent:bob"


@pytest.fixture
def pair(net: AgentNet, alice: str, bob: str) -> None:
    create_did(net, alice, "alice", key_input("key-1", ml_dsa_key(1)))
    create_did(net, bob, "bob", key_input("key-1", ml_dsa_key(2), relations=["authentication"]))


def challenge(net: AgentNet, sender: str, **fields: Any) -> str:
    body = {"target_did": BOB, "nonce": "n-1"}
    result = net.on(net.did, sender, "create_challenge", **{**body, **fields})
    challenge_id: str = json.loads(result.data)["challenge_id"]
    return challenge_id


def show(net: AgentNet, challenge_id: str) -> Any:
    return net.chain.query(net.did, {"get_challenge": {"challenge_id": challenge_id}})["challenge"]


def answer(net: AgentNet, challenge_id: str, seed: int = 2, **fields: Any) -> dict[str, Any]:
    content = base64.b64decode(show(net, challenge_id)["signed_content"])
    return {
        "challenge_id": challenge_id,
        "signature": b64(ml_dsa_key(seed).sign(content)),
        "verification_method_id": f"{BOB}#key-1",
        **fields,
    }


@pytest.mark.usefixtures("pair")
def test_end_to_end(net: AgentNet, alice: str, bob: str) -> None:
    made = challenge(net, alice)
    shown = show(net, made)
    assert (shown["status"], shown["challenger_did"]) == ("open", "did:msg:agent:alice")
    content = {
        "chain_id": "msg-chain-1",
        "challenge_id": made,
        "challenger_did": "did:msg:agent:alice",
        "contract": net.did,
        "nonce": "n-1",
        "purpose": "authentication",
        "target_did": BOB,
        "timestamp": shown["timestamp"],
    }
    expected = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    assert base64.b64decode(shown["signed_content"]) == expected
    result = net.on(net.did, bob, "respond_challenge", **answer(net, made))
    event = events_of(result, "did_challenge_verified")[0]
    assert event["verification_method"] == f"{BOB}#key-1"
    assert show(net, made)["status"] == "verified"
    assert show(net, made)["verification_method_id"] == f"{BOB}#key-1"


@pytest.mark.usefixtures("pair")
def test_an_answer_serves_once(net: AgentNet, alice: str, bob: str) -> None:
    body = answer(net, challenge(net, alice))
    net.on(net.did, bob, "respond_challenge", **body)
    text = net.on_refused(net.did, bob, "respond_challenge", **body)
    assert "Challenge already answered" in text


@pytest.mark.usefixtures("pair")
def test_a_nonce_serves_once(net: AgentNet, alice: str, bob: str) -> None:
    challenge(net, alice)
    text = net.on_refused(net.did, alice, "create_challenge", target_did=BOB, nonce="n-1")
    assert "Nonce already used" in text
    challenge(net, alice, nonce="n-2")
    challenge(net, bob, target_did="did:msg:agent:alice")


@pytest.mark.usefixtures("pair")
@pytest.mark.parametrize(("seconds", "late"), [(10, False), (11, True)])
def test_an_expired_challenge(
    net: AgentNet, alice: str, bob: str, seconds: int, late: bool
) -> None:
    made = challenge(net, alice, ttl_seconds=10)
    body = answer(net, made)
    net.later(seconds)
    if late:
        assert show(net, made)["status"] == "expired"
        text = net.on_refused(net.did, bob, "respond_challenge", **body)
        assert "Challenge has expired" in text
    else:
        net.on(net.did, bob, "respond_challenge", **body)


@pytest.mark.usefixtures("pair")
def test_the_key_never_comes_from_the_answer(net: AgentNet, alice: str, bob: str) -> None:
    made = challenge(net, alice)
    own = b64(ml_dsa_key(9).pubkey.key)
    body = answer(net, made, seed=9, public_key=own)
    assert FAILED in net.on_refused(net.did, bob, "respond_challenge", **body)
    body = answer(net, made, public_key=own)
    assert FAILED in net.on_refused(net.did, bob, "respond_challenge", **body)
    body = answer(net, made, public_key=b64(ml_dsa_key(2).pubkey.key))
    net.on(net.did, bob, "respond_challenge", **body)


@pytest.mark.usefixtures("pair")
@pytest.mark.parametrize(
    "odd",
    [
        {"verification_method_id": "did:msg:agent:alice#key-1"},
        {"verification_method_id": f"{BOB}#key-2"},
        {"verification_method_id": "key-1"},
        {"target_did": "did:msg:agent:alice"},
        {"signature": b64(b"short")},
    ],
    ids=str,
)
def test_odd_answers_fail(net: AgentNet, alice: str, bob: str, odd: dict[str, Any]) -> None:
    body = answer(net, challenge(net, alice), **odd)
    assert FAILED in net.on_refused(net.did, bob, "respond_challenge", **body)


@pytest.mark.usefixtures("pair")
def test_the_relation_is_the_challenges(net: AgentNet, alice: str, bob: str) -> None:
    made = challenge(net, alice, required_verification="assertion")
    assert show(net, made)["required_verification"] == "assertionMethod"
    body = answer(net, made)
    assert FAILED in net.on_refused(net.did, bob, "respond_challenge", **body)


@pytest.mark.usefixtures("pair")
def test_a_rotated_key_no_longer_answers(net: AgentNet, alice: str, bob: str) -> None:
    body = answer(net, challenge(net, alice))
    new = key_input("key-1", ml_dsa_key(3))
    net.on(net.did, bob, "rotate_key", did=BOB, old_key="key-1", new_key=new)
    assert FAILED in net.on_refused(net.did, bob, "respond_challenge", **body)


@pytest.mark.usefixtures("pair")
def test_odd_challenges_are_refused(net: AgentNet, alice: str, bob: str, carol: str) -> None:
    def refused(sender: str, **fields: Any) -> str:
        body = {"target_did": BOB, "nonce": "n-1"}
        return net.on_refused(net.did, sender, "create_challenge", **{**body, **fields})

    assert "Unauthorized" in refused(carol)
    assert "DID not found" in refused(alice, target_did="did:msg:agent:x")
    assert "Invalid nonce" in refused(alice, nonce="")
    assert "Invalid verification relation" in refused(alice, required_verification="keyAgreement")
    for ttl in (0, 3_601, -1):
        assert "Invalid TTL: 1 to 3600 seconds" in refused(alice, ttl_seconds=ttl)
    net.on(net.did, bob, "deactivate_did", did=BOB)
    assert "DID is deactivated" in refused(alice)


def test_an_unknown_challenge(net: AgentNet, bob: str) -> None:
    body = {"challenge_id": "x", "signature": "", "verification_method_id": "y"}
    text = net.on_refused(net.did, bob, "respond_challenge", **body)
    assert "Challenge not found: x" in text
    assert show(net, "challenge:1-0000000009") is None


@pytest.mark.usefixtures("pair")
def test_challenges_page_newest_first(net: AgentNet, alice: str) -> None:
    made = [challenge(net, alice, nonce=f"n-{n}") for n in range(3)]

    def page(**fields: Any) -> Any:
        return net.chain.query(net.did, {"list_challenges": {"target_did": BOB, **fields}})

    first = page(limit=2)
    assert [c["challenge_id"] for c in first["challenges"]] == made[:0:-1]
    assert (first["total"], first["next"]) == (3, made[1])
    rest = page(start_after=made[1])
    assert [c["challenge_id"] for c in rest["challenges"]] == made[:1]
    with pytest.raises(Exception, match="Invalid start_after"):
        page(start_after="x")
