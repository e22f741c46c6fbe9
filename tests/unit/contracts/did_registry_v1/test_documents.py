"""DID documents: who may make and change them, and how they read."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from agent_keys import b64, create_did, ed25519_key, key_input, ml_dsa_key
from agent_net import AgentNet, events_of

DID = "did:msg:agent:alice"


def resolve(net: AgentNet, did: str = DID) -> Any:
    return net.chain.query(net.did, {"resolve_did": {"did": did}})


def key(name: str = "key-1", seed: int = 1, **fields: Any) -> dict[str, Any]:
    return key_input(name, ml_dsa_key(seed), **fields)


def test_create_and_resolve(net: AgentNet, alice: str) -> None:
    create_did(net, alice, "alice", key())
    answer = resolve(net)
    assert (answer["active"], answer["address"], answer["controller"]) == (True, alice, alice)
    document = answer["document"]
    assert document["id"] == DID
    assert document["authentication"] == document["assertionMethod"] == [f"{DID}#key-1"]
    assert document["keyAgreement"] == []
    method = document["verificationMethod"][0]
    assert (method["id"], method["controller"]) == (f"{DID}#key-1", DID)
    assert method["type_"] == "Dilithium5VerificationKey2026"
    text = method["publicKeyMultibase"]
    assert text[0] == "u"
    raw = base64.urlsafe_b64decode(text[1:] + "=" * (-len(text[1:]) % 4))
    assert raw == ml_dsa_key(1).pubkey.key


def test_the_agent_endpoint_is_the_account(net: AgentNet, alice: str) -> None:
    create_did(net, alice, "alice", key())
    service = resolve(net)["document"]["service"][0]
    assert service["type"] == service["type_"] == "AgentEndpoint"
    assert service["serviceEndpoint"] == alice


def test_services_keep_their_order(net: AgentNet, alice: str) -> None:
    services = [
        {"id": "web", "type": "A2AService", "serviceEndpoint": "https://example.org"},
        {"id": "#here", "type_": "AgentEndpoint", "serviceEndpoint": alice},
    ]
    net.on(net.did, alice, "create_did", did=DID, keys=[key()], services=services)
    shown = resolve(net)["document"]["service"]
    assert [s["id"] for s in shown] == [f"{DID}#web", f"{DID}#here"]
    net.on(net.did, alice, "update_did", did=DID, services=[])
    assert [s["id"] for s in resolve(net)["document"]["service"]] == [f"{DID}#agent"]


@pytest.mark.parametrize("case", ["elsewhere", "twice", "same id", "taken", "no type", "long"])
def test_odd_services_are_refused(net: AgentNet, alice: str, bob: str, case: str) -> None:
    here = {"id": "a", "type": "AgentEndpoint", "serviceEndpoint": alice}
    web = {"id": "w", "type": "Web", "serviceEndpoint": "https://example.org"}
    services = {
        "elsewhere": [{**here, "serviceEndpoint": bob}],
        "twice": [here, {**here, "id": "b"}],
        "same id": [web, web],
        "taken": [{**web, "id": "agent"}],
        "no type": [{**web, "type": ""}],
        "long": [{**web, "serviceEndpoint": "x" * 513}],
    }[case]
    text = net.on_refused(net.did, alice, "create_did", did=DID, keys=[key()], services=services)
    assert "Invalid service" in text


@pytest.mark.parametrize(
    "did",
    [
        "",
        "did:msg:agent:",
        "did:msg:alice",
        "did:web:agent:a",
        "did:msg:agent:A",
        "did:msg:agent:a b",
    ],
)
def test_odd_dids_are_refused(net: AgentNet, alice: str, did: str) -> None:
    text = net.on_refused(net.did, alice, "create_did", did=did, keys=[key()])
    assert f"Invalid DID: {did}" in text


def test_a_did_is_made_once_and_an_account_has_one(net: AgentNet, alice: str, bob: str) -> None:
    create_did(net, alice, "alice", key())
    text = net.on_refused(net.did, bob, "create_did", did=DID, keys=[key()])
    assert f"DID already exists: {DID}" in text
    text = net.on_refused(net.did, alice, "create_did", did=f"{DID}-2", keys=[key()])
    assert f"Address already has a DID: {DID}" in text
    net.on(net.did, alice, "deactivate_did", did=DID)
    text = net.on_refused(net.did, alice, "create_did", did=DID, keys=[key()])
    assert "DID already exists" in text
    create_did(net, alice, "alice-2", key())


def test_did_by_address(net: AgentNet, alice: str, bob: str) -> None:
    create_did(net, alice, "alice", key())
    assert net.chain.query(net.did, {"did_by_address": {"address": alice}}) == {"did": DID}
    assert net.chain.query(net.did, {"did_by_address": {"address": bob}}) == {"did": None}
    net.on(net.did, alice, "deactivate_did", did=DID)
    assert net.chain.query(net.did, {"did_by_address": {"address": alice}}) == {"did": None}
    answer = resolve(net)
    assert (answer["active"], answer["document"]["id"]) == (False, DID)


def test_an_unknown_did_resolves_to_nothing(net: AgentNet) -> None:
    answer = resolve(net)
    assert (answer["active"], answer["document"], answer["version"]) == (False, None, 0)


@pytest.mark.parametrize(
    ("variant", "fields"),
    [
        ("update_did", {}),
        ("rotate_key", {"old_key": "key-1", "new_key": {"id": "x", "public_key": ""}}),
        ("transfer_did", {"new_controller": "x"}),
        ("deactivate_did", {}),
    ],
)
def test_only_the_controller_changes_it(
    net: AgentNet, alice: str, bob: str, variant: str, fields: dict[str, Any]
) -> None:
    text = net.on_refused(net.did, bob, variant, did=DID, **fields)
    assert f"DID not found: {DID}" in text
    create_did(net, alice, "alice", key())
    assert "Unauthorized" in net.on_refused(net.did, bob, variant, did=DID, **fields)
    net.on(net.did, alice, "deactivate_did", did=DID)
    assert "DID is deactivated" in net.on_refused(net.did, alice, variant, did=DID, **fields)


def test_transfer_keeps_the_account(net: AgentNet, alice: str, bob: str) -> None:
    create_did(net, alice, "alice", key())
    net.on(net.did, alice, "transfer_did", did=DID, new_controller=bob)
    answer = resolve(net)
    assert (answer["controller"], answer["address"], answer["version"]) == (bob, alice, 2)
    assert "Unauthorized" in net.on_refused(net.did, alice, "deactivate_did", did=DID)
    net.on(net.did, bob, "deactivate_did", did=DID)


def test_keys_come_and_go(net: AgentNet, alice: str) -> None:
    create_did(net, alice, "alice", key())
    net.on(
        net.did, alice, "update_did", did=DID, add_keys=[key("key-2", 2)], remove_keys=["#key-1"]
    )
    methods = resolve(net)["document"]["verificationMethod"]
    assert [m["id"] for m in methods] == [f"{DID}#key-2"]
    text = net.on_refused(net.did, alice, "update_did", did=DID, remove_keys=["key-1"])
    assert "Key not found: key-1" in text
    text = net.on_refused(net.did, alice, "update_did", did=DID, remove_keys=["key-2"])
    assert "a document needs one" in text


@pytest.mark.parametrize(
    "odd",
    [
        {"id": ""},
        {"id": "a b"},
        {"type": "rsa"},
        {"public_key": b64(bytes(31))},
        {"public_key": None},
        {"publicKeyMultibase": "uAAAA"},
        {"relations": []},
        {"relations": ["keyAgreement"]},
        {"relations": ["authentication", "authentication"]},
        {"relations": ["delegation"]},
    ],
    ids=str,
)
def test_odd_keys_are_refused(net: AgentNet, alice: str, odd: dict[str, Any]) -> None:
    text = net.on_refused(net.did, alice, "create_did", did=DID, keys=[{**key(), **odd}])
    assert "Invalid key" in text


def test_a_key_twice_is_refused(net: AgentNet, alice: str) -> None:
    text = net.on_refused(net.did, alice, "create_did", did=DID, keys=[key(), key()])
    assert "key-1 is there already" in text


def test_keys_and_services_have_a_limit(net: AgentNet, alice: str) -> None:
    many = [key_input(f"k{n}", ed25519_key(1)) for n in range(17)]
    text = net.on_refused(net.did, alice, "create_did", did=DID, keys=many)
    assert "Too many keys: max 16" in text
    web = [{"id": f"s{n}", "type": "Web", "serviceEndpoint": "x"} for n in range(17)]
    text = net.on_refused(net.did, alice, "create_did", did=DID, keys=[key()], services=web)
    assert "Too many services: max 16" in text


def test_multibase_and_the_guides_spelling(net: AgentNet, alice: str) -> None:
    raw = ml_dsa_key(1).pubkey.key
    text = "u" + base64.urlsafe_b64encode(raw).decode().rstrip("=")
    given = {"id": "k", "type_": "Dilithium5VerificationKey2026", "publicKeyMultibase": text}
    net.on(net.did, alice, "create_did", did=DID, keys=[given])
    assert resolve(net)["document"]["verificationMethod"][0]["publicKeyMultibase"] == text


def test_an_encryption_key_agrees_and_never_signs(net: AgentNet, alice: str) -> None:
    kem = {
        "id": "kem",
        "type": "ML-KEM-1024",
        "public_key": b64(bytes(1568)),
        "relations": ["keyAgreement"],
    }
    create_did(net, alice, "alice", key(), kem)
    assert resolve(net)["document"]["keyAgreement"] == [f"{DID}#kem"]
    text = net.on_refused(
        net.did,
        alice,
        "update_did",
        did=DID,
        add_keys=[{**kem, "id": "k2", "relations": ["authentication"]}],
    )
    assert "this type cannot serve authentication" in text


def test_rotation_takes_the_relations_along(net: AgentNet, alice: str) -> None:
    create_did(net, alice, "alice", key(relations=["authentication"]))
    result = net.on(
        net.did, alice, "rotate_key", did=DID, old_key=f"{DID}#key-1", new_key=key("key-2", 2)
    )
    event = events_of(result, "did_key_rotated")[0]
    assert (event["old_key"], event["new_key"], event["version"]) == ("key-1", "key-2", "2")
    document = resolve(net)["document"]
    assert (document["authentication"], document["assertionMethod"]) == ([f"{DID}#key-2"], [])
    same = key("key-3", 2)
    text = net.on_refused(net.did, alice, "rotate_key", did=DID, old_key="key-2", new_key=same)
    assert "the new key is the old one" in text


def test_config(net: AgentNet, alice: str) -> None:
    assert "Unauthorized" in net.on_refused(net.did, alice, "update_config", keys_max=1)
    assert net.chain.query(net.did, {"get_config": {}}) == {
        "admin": None,
        "keys_max": 16,
        "services_max": 16,
        "challenge_ttl_max_seconds": 3_600,
    }


def test_funds_are_refused(net: AgentNet, alice: str) -> None:
    result = net.chain.try_execute(
        net.did, {"create_did": {"did": DID, "keys": [key()]}}, sender=alice, funds="1amsg"
    )
    assert "This message does no accept funds" in result.log
