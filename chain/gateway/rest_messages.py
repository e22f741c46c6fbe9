"""The Agent API's messages: sending, replying, and the ledger as the memory of a retry.

An ``Idempotency-Key`` becomes the nonce of the message's signature. The contract takes a nonce
once for each sender, so whichever gateway sends it again, and whatever it has forgotten, there is
one message; the one that stands is found by its nonce and answered.
"""

from __future__ import annotations

import hashlib
import os
from typing import Any, Final

import msgspec

from chain.client import agent_calls as calls
from chain.client.agent_calls import Call
from chain.client.envelope import NORMAL, default_ttl
from chain.client.transport import ChainError, Outcome
from chain.crypto.keys import PrivateKey
from chain.gateway.core import Core
from chain.gateway.keys import ApiKey
from chain.gateway.reads import question
from chain.gateway.rest_bodies import ReplyBody, SendBody, payload_of
from chain.gateway.rest_faults import NO_MESSAGE, Fault

_DIGITS: Final = 10  # of the number at the end of a cursor


class Draft(msgspec.Struct, frozen=True):
    """A message that is to be sent, with all that its signature covers."""

    variant: str
    receiver: str
    payload: bytes
    message_type: str
    priority: int
    ttl: int
    reply_to: str | None
    channel_id: str | None


async def message_of(core: Core, agent: ApiKey, msg_id: str) -> dict[str, Any]:
    """A message of this agent's. Raises: Fault for others' as for none."""
    found = (await core.reads.ask(core.contracts.a2a, "get_message", msg_id=msg_id))["message"]
    if found is None or agent.address not in (found["sender"], found["receiver"]):
        raise Fault(*NO_MESSAGE)
    return dict(found)


async def draft_send(core: Core, agent: ApiKey, body: SendBody) -> Draft:
    """What ``send`` asks for. Raises: Fault."""
    payload = payload_of(body.payload)
    priority = NORMAL if body.priority is None else body.priority
    ttl = default_ttl(body.message_type, priority) if body.ttl is None else body.ttl
    channel_id = body.channel_id
    if body.reply_to is not None:  # an answer has priority, lifetime and channel of the question
        asked = await message_of(core, agent, body.reply_to)
        priority, ttl = asked["priority"], asked["ttl"]
        channel_id = asked["channel_id"] or channel_id
    return Draft(
        "send_message",
        body.to,
        payload,
        body.message_type,
        priority,
        ttl,
        body.reply_to,
        channel_id,
    )


async def draft_reply(core: Core, agent: ApiKey, body: ReplyBody) -> Draft:
    """What ``reply`` asks for. Raises: Fault."""
    payload = payload_of(body.payload)
    asked = await message_of(core, agent, body.original_msg_id)
    if asked["receiver"] != agent.address:
        raise Fault(*NO_MESSAGE)
    return Draft(
        "reply_message",
        asked["sender"],
        payload,
        "response",
        asked["priority"],
        asked["ttl"],
        body.original_msg_id,
        asked["channel_id"],
    )


async def send(
    core: Core,
    agent: ApiKey,
    key: PrivateKey,
    draft: Draft,
    *,
    signed: bool,
    idempotency_key: str | None,
) -> dict[str, Any]:
    """Send a message, once for an idempotency key; the answer. Raises: Fault, ChainError."""
    if idempotency_key is None:
        nonce = os.urandom(16).hex() if signed else None
    else:
        nonce = "idem-" + hashlib.sha256(idempotency_key.encode()).hexdigest()[:48]
    signature = None if nonce is None else await _signature(core, agent, key, draft, nonce)
    try:
        outcome = await core.accounts.submit(key, [_call(core, draft, signature)])
    except ChainError as error:
        sent = None if idempotency_key is None else await _sent_with(core, agent, nonce or "")
        if sent is None:
            raise error
        return _shown_again(draft, sent)
    return _shown(draft, outcome)


def _call(core: Core, draft: Draft, signature: dict[str, str] | None) -> Call:
    if draft.variant == "reply_message":
        original = draft.reply_to or ""
        return calls.reply_message(core.contracts, original, draft.payload, signature=signature)
    return calls.send_message(
        core.contracts,
        draft.receiver,
        draft.payload,
        message_type=draft.message_type,
        priority=draft.priority,
        ttl=draft.ttl,
        reply_to=draft.reply_to,
        channel_id=draft.channel_id,
        signature=signature,
    )


async def _signature(
    core: Core, agent: ApiKey, key: PrivateKey, draft: Draft, nonce: str
) -> dict[str, str]:
    """The agent's signature over the message, under a key of its DID document."""
    content = calls.signed_content(
        chain_id=await core.link.chain_id(),
        contract=core.contracts.a2a,
        sender=agent.address,
        receiver=draft.receiver,
        message_type=draft.message_type,
        payload_sha256=hashlib.sha256(draft.payload).hexdigest(),
        priority=draft.priority,
        ttl=draft.ttl,
        nonce=nonce,
        reply_to=draft.reply_to,
        channel_id=draft.channel_id,
    )
    return {
        "verification_method": await _method(core, agent, key),
        "value": calls.binary(key.sign(content)),
        "nonce": nonce,
    }


async def _method(core: Core, agent: ApiKey, key: PrivateKey) -> str:
    """The id that the agent's DID document gives its key. Raises: Fault."""
    registry = core.contracts.did_registry
    did = (await core.reads.ask(registry, "did_by_address", address=agent.address))["did"]
    if did is not None:
        answer = await core.reads.ask(registry, "resolve_did", did=did)
        document = answer["document"] if answer["active"] else {}
        for method in document.get("verificationMethod", ()):
            same = calls.multibase(method["publicKeyMultibase"]) == key.pubkey.key
            if same and method["id"] in document["assertionMethod"]:
                return str(method["id"])
    raise Fault(
        409,
        "no_did",
        "an Idempotency-Key or a signature needs a DID document with this agent's key; "
        "`msgchain api-keys create --join` publishes one",
    )


async def _sent_with(core: Core, agent: ApiKey, nonce: str) -> dict[str, Any] | None:
    """The message that this agent signed with a nonce, by the contract's own index."""
    sender = agent.address.encode()
    parts = (b"nonces", sender)
    key = b"".join(len(part).to_bytes(2) + part for part in parts) + nonce.encode()
    raw = await core.link.raw(core.contracts.a2a, key)
    if not raw:
        return None
    asked = question(
        "list_sent_messages",
        address=agent.address,
        start_after=f"n-{msgspec.msgpack.decode(raw, type=int) + 1:0{_DIGITS}d}",
        limit=1,
    )
    page = msgspec.json.decode(await core.link.smart(core.contracts.a2a, asked))
    return next((dict(one) for one in page["messages"] if one["nonce"] == nonce), None)


def _shown(draft: Draft, outcome: Outcome) -> dict[str, Any]:
    replied = draft.variant == "reply_message"
    event, name = (
        ("a2a_message_replied", "reply_msg_id") if replied else ("a2a_message_sent", "msg_id")
    )
    msg_id = outcome.attribute(event, name)
    shown: dict[str, Any] = {
        "msg_id": msg_id,
        "tx_hash": outcome.hash,
        "height": outcome.height,
        "repeated": False,
    }
    return {**shown, "reply_msg_id": msg_id} if replied else shown


def _shown_again(draft: Draft, found: dict[str, Any]) -> dict[str, Any]:
    """The answer to a retry. Raises: Fault when it asks for another message."""
    same = (
        found["receiver"] == draft.receiver
        and found["message_type"] == draft.message_type
        and found["reply_to"] == draft.reply_to
        and calls.unbinary(found["payload"]) == draft.payload
    )
    if not same:
        raise Fault(422, "key_reused", "this Idempotency-Key was used for another message")
    shown: dict[str, Any] = {
        "msg_id": found["msg_id"],
        "tx_hash": None,
        "height": int(found["height"]),
        "repeated": True,
    }
    if draft.variant == "reply_message":
        return {**shown, "reply_msg_id": found["msg_id"]}
    return shown
