"""Keys and documents for tests of signatures; one key a seed, made once."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
from typing import Any

from agent_net import AgentNet

from chain.crypto.keys import Ed25519Key, MlDsa87Key


@functools.cache
def ml_dsa_key(seed: int) -> MlDsa87Key:
    """An ML-DSA-87 key."""
    return MlDsa87Key(bytes([seed]) * 32)


@functools.cache
def ed25519_key(seed: int) -> Ed25519Key:
    """An Ed25519 key."""
    return Ed25519Key(bytes([seed]) * 32)


def b64(raw: bytes) -> str:
    """Base64 text."""
    return base64.b64encode(raw).decode()


def key_input(name: str, key: Any, **fields: Any) -> dict[str, Any]:
    """A key as ``create_did`` takes it."""
    kind = "Ed25519" if isinstance(key, Ed25519Key) else "ML-DSA-87"
    return {"id": name, "type": kind, "public_key": b64(key.pubkey.key), **fields}


def create_did(net: AgentNet, sender: str, name: str, *keys: dict[str, Any]) -> str:
    """Create ``did:msg:agent:<name>``."""
    did = f"did:msg:agent:{name}"
    net.on(net.did, sender, "create_did", did=did, keys=list(keys))
    return did


def signed_content(net: AgentNet, sender: str, receiver: str, /, **fields: Any) -> bytes:
    """The bytes a sender signs, made here from the README's words alone."""
    body = {
        "chain_id": "msg-chain-1",
        "channel_id": None,
        "contract": net.a2a,
        "message_type": "request",
        "nonce": "n-1",
        "payload_sha256": hashlib.sha256(b"hi").hexdigest(),
        "priority": 50,
        "receiver": receiver,
        "reply_to": None,
        "sender": sender,
        "ttl": 3600,
        **fields,
    }
    return json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
