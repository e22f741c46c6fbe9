"""MS-7: signed messages."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pytest
from agent_keys import b64, create_did, ed25519_key, key_input, ml_dsa_key, signed_content
from agent_net import AgentNet

METHOD = "did:msg:agent:alice#key-1"
FAILED = "DID verification failed"


@pytest.fixture
def did(net: AgentNet, alice: str) -> str:
    return create_did(net, alice, "alice", key_input("key-1", ml_dsa_key(1)))


def signature(content: bytes, nonce: str = "n-1", seed: int = 1, method: str = METHOD) -> Any:
    return {
        "verification_method": method,
        "value": b64(ml_dsa_key(seed).sign(content)),
        "nonce": nonce,
    }


def verify(net: AgentNet, msg_id: str) -> tuple[bool, str | None]:
    answer = net.ask("verify_message", msg_id=msg_id)
    return (answer["valid"], answer["reason"])


def test_MS_7_verifies_on_chain_and_after_the_fact(
    net: AgentNet, alice: str, bob: str, did: str
) -> None:
    content = signed_content(net, alice, bob)
    msg_id = net.send(alice, bob, signature=signature(content))
    assert verify(net, msg_id) == (True, None)
    answer = net.ask("verify_message", msg_id=msg_id)
    assert base64.b64decode(answer["signed_content"]) == content
    message = net.ask("get_message", msg_id=msg_id)["message"]
    assert (message["verification_method"], message["nonce"]) == (METHOD, "n-1")
    assert len(base64.b64decode(message["signature"])) == 4627


def test_MS_7_other_algorithms(net: AgentNet, alice: str, bob: str) -> None:
    create_did(net, alice, "alice", key_input("key-1", ed25519_key(3)))
    content = signed_content(net, alice, bob)
    value = b64(ed25519_key(3).sign(content))
    proof = {"verification_method": METHOD, "value": value, "nonce": "n-1"}
    assert verify(net, net.send(alice, bob, signature=proof)) == (True, None)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("chain_id", "msg-chain-2"),
        ("contract", "msg1other"),
        ("nonce", "n-2"),
        ("payload_sha256", hashlib.sha256(b"ho").hexdigest()),
        ("priority", 51),
        ("ttl", 3601),
        ("message_type", "notification"),
        ("receiver", "msg1other"),
        ("sender", "msg1other"),
        ("reply_to", "msg:x"),
        ("channel_id", "ch:x"),
    ],
)
def test_MS_7_any_other_field_fails(
    net: AgentNet, alice: str, bob: str, did: str, *, name: str, value: object
) -> None:
    content = signed_content(net, alice, bob, **{name: value})
    assert FAILED in net.send_refused(alice, bob, signature=signature(content))


@pytest.mark.parametrize("position", [0, 2000, 4626])
def test_MS_7_a_flipped_byte_fails(
    net: AgentNet, alice: str, bob: str, did: str, position: int
) -> None:
    raw = bytearray(ml_dsa_key(1).sign(signed_content(net, alice, bob)))
    raw[position] ^= 1
    proof = {"verification_method": METHOD, "value": b64(bytes(raw)), "nonce": "n-1"}
    assert FAILED in net.send_refused(alice, bob, signature=proof)


@pytest.mark.parametrize(
    "method", ["did:msg:agent:alice#key-9", "did:msg:agent:nobody#key-1", "key-1", ""]
)
def test_MS_7_an_unknown_key_fails(
    net: AgentNet, alice: str, bob: str, did: str, method: str
) -> None:
    proof = signature(signed_content(net, alice, bob), method=method)
    assert FAILED in net.send_refused(alice, bob, signature=proof)


def test_MS_7_a_nonce_serves_once_per_sender(net: AgentNet, alice: str, bob: str, did: str) -> None:
    proof = signature(signed_content(net, alice, bob))
    net.send(alice, bob, signature=proof)
    assert "Nonce already used" in net.send_refused(alice, bob, signature=proof)
    again = signature(signed_content(net, alice, bob, nonce="n-2"), nonce="n-2")
    net.send(alice, bob, signature=again)


@pytest.mark.parametrize("nonce", ["", "x" * 65, "a b", 'a"b', "ü"])
def test_MS_7_refuses_odd_nonces(net: AgentNet, alice: str, bob: str, did: str, nonce: str) -> None:
    text = net.send_refused(alice, bob, signature=signature(b"", nonce=nonce))
    assert "Invalid nonce" in text


def test_MS_7_a_rotated_key_fails(net: AgentNet, alice: str, bob: str, did: str) -> None:
    msg_id = net.send(alice, bob, signature=signature(signed_content(net, alice, bob)))
    net.on(
        net.did,
        alice,
        "rotate_key",
        did=did,
        old_key="key-1",
        new_key=key_input("key-2", ml_dsa_key(2)),
    )
    assert verify(net, msg_id) == (False, "unknown_key")
    proof = signature(signed_content(net, alice, bob, nonce="n-2"), nonce="n-2")
    assert FAILED in net.send_refused(alice, bob, signature=proof)
    method = f"{did}#key-2"
    content = signed_content(net, alice, bob, nonce="n-2")
    net.send(alice, bob, signature=signature(content, "n-2", 2, method))


def test_MS_7_a_key_rotated_under_its_name_fails(
    net: AgentNet, alice: str, bob: str, did: str
) -> None:
    msg_id = net.send(alice, bob, signature=signature(signed_content(net, alice, bob)))
    net.on(
        net.did,
        alice,
        "rotate_key",
        did=did,
        old_key="key-1",
        new_key=key_input("key-1", ml_dsa_key(2)),
    )
    assert verify(net, msg_id) == (False, "bad_signature")


def test_MS_7_a_deactivated_document_fails(net: AgentNet, alice: str, bob: str, did: str) -> None:
    msg_id = net.send(alice, bob, signature=signature(signed_content(net, alice, bob)))
    net.on(net.did, alice, "deactivate_did", did=did)
    assert verify(net, msg_id) == (False, "deactivated")
    proof = signature(signed_content(net, alice, bob, nonce="n-2"), nonce="n-2")
    assert FAILED in net.send_refused(alice, bob, signature=proof)


def test_MS_7_a_key_under_another_relation_fails(net: AgentNet, alice: str, bob: str) -> None:
    key = key_input("key-1", ml_dsa_key(1), relations=["authentication"])
    create_did(net, alice, "alice", key)
    proof = signature(signed_content(net, alice, bob))
    assert FAILED in net.send_refused(alice, bob, signature=proof)


def test_MS_7_somebody_elses_document_fails(
    net: AgentNet, alice: str, bob: str, carol: str
) -> None:
    create_did(net, carol, "carol", key_input("key-1", ml_dsa_key(1)))
    proof = signature(signed_content(net, alice, bob), method="did:msg:agent:carol#key-1")
    assert FAILED in net.send_refused(alice, bob, signature=proof)


def test_MS_7_a_reply_is_signed_with_what_it_inherits(
    net: AgentNet, alice: str, bob: str, did: str
) -> None:
    original = net.send(bob, alice, priority=9, ttl=77)
    content = signed_content(
        net,
        alice,
        bob,
        message_type="response",
        priority=9,
        ttl=77,
        reply_to=original,
        payload_sha256=hashlib.sha256(b"ok").hexdigest(),
    )
    reply = net.reply(alice, original, signature=signature(content))
    assert verify(net, reply) == (True, None)


@pytest.mark.parametrize("named", [False, True])
def test_MS_7_the_channel_is_signed_as_the_sender_named_it(
    net: AgentNet, alice: str, bob: str, did: str, named: bool
) -> None:
    result = net.do(alice, "create_channel", participant=bob, channel_type="direct")
    channel_id = json.loads(result.data)["channel_id"] if named else None
    content = signed_content(net, alice, bob, channel_id=channel_id)
    msg_id = net.send(alice, bob, channel_id=channel_id, signature=signature(content))
    assert net.ask("get_message", msg_id=msg_id)["message"]["channel_id"] is not None
    assert verify(net, msg_id) == (True, None)


def test_MS_7_an_unsigned_message_is_not_valid(net: AgentNet, alice: str, bob: str) -> None:
    assert verify(net, net.send(alice, bob)) == (False, "unsigned")
    with pytest.raises(Exception, match="Message not found: nothing"):
        verify(net, "nothing")


def test_MS_8_rate_limit_comes_before_the_signature(
    net: AgentNet, alice: str, bob: str, did: str
) -> None:
    for _ in range(20):
        net.send(alice, bob)
    text = net.send_refused(alice, bob, signature=signature(b"nonsense"))
    assert "Rate limit exceeded" in text
