"""Signatures: with a key that the question brings, and with a document's key."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from agent_keys import b64, create_did, ed25519_key, key_input, ml_dsa_key
from agent_net import AgentNet

from chain.crypto.keys import Secp256k1Key

MESSAGE = b"a message"
DID = "did:msg:agent:alice"


def pq_verify(net: AgentNet, variant: str = "pq_verify", **fields: Any) -> bool:
    body = {
        "algorithm": "ML-DSA-87",
        "public_key": b64(ml_dsa_key(1).pubkey.key),
        "signature": b64(ml_dsa_key(1).sign(MESSAGE)),
        "message": b64(MESSAGE),
    }
    valid: bool = net.chain.query(net.did, {variant: {**body, **fields}})["valid"]
    return valid


@pytest.mark.parametrize("variant", ["pq_verify", "msg_pq_verify_v1"])
@pytest.mark.parametrize("algorithm", ["ML-DSA-87", "Dilithium5", "dilithium5"])
def test_pq_verify_by_all_names(net: AgentNet, variant: str, algorithm: str) -> None:
    assert pq_verify(net, variant, algorithm=algorithm)


def test_pq_verify_takes_multibase(net: AgentNet) -> None:
    raw = ml_dsa_key(1).pubkey.key
    text = "u" + base64.urlsafe_b64encode(raw).decode().rstrip("=")
    assert pq_verify(net, public_key=text)


def test_pq_verify_takes_randomised_signatures(net: AgentNet) -> None:
    assert pq_verify(net, signature=b64(ml_dsa_key(1).sign_randomised(MESSAGE)))


def test_pq_verify_says_no(net: AgentNet) -> None:
    assert not pq_verify(net, message=b64(b"another"))
    assert not pq_verify(net, public_key=b64(ml_dsa_key(2).pubkey.key))
    assert not pq_verify(net, public_key="nonsense")
    assert not pq_verify(net, signature=b64(b"short"))
    assert not pq_verify(net, algorithm="Ed25519")


def test_pq_verify_other_algorithms(net: AgentNet) -> None:
    for algorithm, key in (("Ed25519", ed25519_key(1)), ("secp256k1", Secp256k1Key(b"\1" * 32))):
        fields = {
            "algorithm": algorithm,
            "public_key": b64(key.pubkey.key),
            "signature": b64(key.sign(MESSAGE)),
        }
        assert pq_verify(net, **fields)
        assert not pq_verify(net, **{**fields, "message": b64(b"another")})


@pytest.mark.parametrize("algorithm", ["", "rsa", "ML-KEM-1024", "x" * 100])
def test_pq_verify_names_unknown_algorithms(net: AgentNet, algorithm: str) -> None:
    with pytest.raises(Exception, match="Unknown algorithm"):
        pq_verify(net, algorithm=algorithm)


def ask(net: AgentNet, **fields: Any) -> tuple[bool, str | None]:
    body = {
        "verification_method": f"{DID}#key-1",
        "relation": "assertionMethod",
        "message": b64(MESSAGE),
        "signature": b64(ml_dsa_key(1).sign(MESSAGE)),
    }
    answer = net.chain.query(net.did, {"verify_signature": {**body, **fields}})
    return (answer["valid"], answer["reason"])


def test_verify_signature_with_a_documents_key(net: AgentNet, alice: str, bob: str) -> None:
    create_did(
        net, alice, "alice", key_input("key-1", ml_dsa_key(1), relations=["assertionMethod"])
    )
    assert ask(net) == (True, None)
    assert ask(net, address=alice, relation="assertion") == (True, None)
    assert ask(net, address=bob) == (False, "wrong_account")
    assert ask(net, relation="authentication") == (False, "wrong_relation")
    assert ask(net, verification_method=f"{DID}#key-2") == (False, "unknown_key")
    assert ask(net, verification_method="did:msg:agent:x#key-1") == (False, "unknown_did")
    assert ask(net, verification_method="key-1") == (False, "unknown_did")
    assert ask(net, message=b64(b"another")) == (False, "bad_signature")
    net.on(net.did, alice, "deactivate_did", did=DID)
    assert ask(net) == (False, "deactivated")


@pytest.mark.parametrize("relation", ["", "keyAgreement", "delegation"])
def test_verify_signature_names_other_relations(net: AgentNet, relation: str) -> None:
    with pytest.raises(Exception, match="Invalid verification relation"):
        ask(net, relation=relation)
