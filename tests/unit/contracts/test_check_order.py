"""MS-8 for every operation of the four agent contracts: checks speak in the order that the READMEs give."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterator

import pytest
from agent_keys import b64, ed25519_key, key_input
from check_ladder import Ladder, Rung, climb, documented
from order_scene import CONTENT, Scene

NONE = "msg:nobody-nobody-1-0000000001"
LONG = "x" * 65
NAMES = ("agent_a2a_v1", "agent_registry_v1", "did_registry_v1", "ai_agent_constitution_v1")
BAD_CONTENT = (
    Rung("EmptyPayload", {"payload": ""}),
    Rung("MessageTooLarge", {"payload": b64(bytes(262_145))}),
    Rung("InvalidPriority", {"priority": 256}),
    Rung("InvalidTTL", {"ttl": 0}),
    Rung("TTLTooLong", {"ttl": 31_536_001}),
)
FUNDS = Rung("NonPayable", funds="1amsg")


@functools.cache
def scene() -> Scene:
    """The scene that all ladders share; each leaves it as it was."""
    return Scene()


def guards(sender: str) -> tuple[Rung, ...]:
    """What every send asks."""
    return (
        Rung("ConstitutionCheckFailed", before=scene().deny),
        Rung("ConstitutionHashMismatch", {"constitution_hash": "other"}),
        Rung("RateLimitExceeded", before=scene().exhaust(sender)),
    )


def proofs() -> tuple[Rung, ...]:
    """What a signature must be."""
    signature = {"verification_method": scene().method, "value": "aGk="}
    return (
        Rung("InvalidNonce", {"signature": {**signature, "nonce": ""}}),
        Rung("NonceUsed", {"signature": {**signature, "nonce": "used"}}),
        Rung("DidVerificationFailed", {"signature": {**signature, "nonce": "new"}}),
    )


def messages() -> Iterator[Ladder]:
    s = scene()
    a2a = ("agent_a2a_v1", s.net.a2a)
    yield Ladder(
        *a2a,
        "send_message",
        s.alice,
        {"to": s.bob, "message_type": "request", **CONTENT},
        (
            FUNDS,
            Rung("Unauthorized", {"on_behalf_of": s.carol}),
            Rung("SelfMessage", {"to": s.alice}),
            *BAD_CONTENT,
            Rung("InvalidMessageType", {"message_type": "gossip"}),
            Rung("OriginalMessageNotFound", {"reply_to": NONE}),
            Rung("Unauthorized", {"reply_to": s.others}),
            Rung("MessageExpired", {"reply_to": s.ended[0]}),
            Rung("InvalidMessageStatus", {"reply_to": s.answered}),
            Rung("ReplyChainTooDeep", {"reply_to": s.deep}),
            Rung("ChannelNotFound", {"channel_id": "ch:none"}),
            Rung("InvalidChannelType", {"channel_id": s.hub}),
            Rung("Unauthorized", {"channel_id": s.foreign}),
            Rung("InvalidParticipants", {"channel_id": s.elsewhere}),
            Rung("ChannelNotOpen", {"channel_id": s.closed}),
            *guards(s.alice),
            *proofs(),
        ),
    )

    yield Ladder(
        *a2a,
        "reply_message",
        s.alice,
        {"original_msg_id": s.open, "payload": "aGk="},
        (
            FUNDS,
            Rung("Unauthorized", {"on_behalf_of": s.carol}),
            Rung("OriginalMessageNotFound", {"original_msg_id": NONE}),
            Rung("Unauthorized", sender=s.carol),
            Rung("MessageExpired", {"original_msg_id": s.ended[0]}),
            Rung("InvalidMessageStatus", {"original_msg_id": s.answered}),
            Rung("ReplyChainTooDeep", {"original_msg_id": s.deep}),
            *BAD_CONTENT[:2],
            Rung("TTLTooLong", before=s.limit(ttl_max_seconds=1)),
            Rung("Unauthorized", {"original_msg_id": s.to_former}),
            Rung("InvalidParticipants", {"original_msg_id": s.from_former}),
            Rung("ChannelNotOpen", {"original_msg_id": s.shut}),
            *guards(s.alice),
            *proofs(),
        ),
    )
    for variant, party, late, moved in (
        ("cancel_message", s.alice, s.ended[1], s.taken_back),
        ("mark_delivered", s.bob, s.ended[1], s.taken_back),
        ("mark_read", s.bob, s.ended[1], s.taken_back),
    ):
        own = [
            FUNDS,
            Rung("MessageNotFound", {"msg_id": NONE}),
            Rung("Unauthorized", {"msg_id": s.fresh}, sender=s.carol),
            Rung("MessageExpired", {"msg_id": late}),
            Rung("InvalidMessageStatus", {"msg_id": moved}),
        ]
        if variant == "mark_read":
            own.insert(3, Rung("NotSubscribed", {"msg_id": s.told}, sender=s.bob))
        yield Ladder(*a2a, variant, party, {"msg_id": s.fresh}, tuple(own))


def channels() -> Iterator[Ladder]:
    s = scene()
    a2a = ("agent_a2a_v1", s.net.a2a)
    long = b64(bytes(4_097))
    yield Ladder(
        *a2a,
        "create_channel",
        s.alice,
        {"channel_type": "direct", "participant": s.dave},
        (
            FUNDS,
            Rung("InvalidChannelType", {"channel_type": "loud"}),
            Rung("MetadataTooLarge", {"metadata": long}),
            Rung("InvalidParticipants", {"members": [s.alice]}),
            Rung("ChannelAlreadyExists", {"participant": s.carol}),
        ),
    )
    yield Ladder(
        *a2a,
        "update_channel",
        s.alice,
        {"channel_id": s.line, "metadata": "aGk="},
        (
            FUNDS,
            Rung("ChannelNotFound", {"channel_id": "ch:none"}),
            Rung("InvalidStatus", {"status": "gone"}),
            Rung("Unauthorized", {"status": None}, sender=s.dave),
            Rung("InvalidChannelTransition", {"status": "open"}),
            Rung("ChannelNotOpen", {"channel_id": s.shut_line}),
            Rung("MetadataTooLarge", {"metadata": long}),
            Rung("InvalidParticipants", {"add_members": [s.alice]}),
        ),
    )
    yield Ladder(
        *a2a,
        "close_channel",
        s.alice,
        {"channel_id": s.line},
        (
            FUNDS,
            Rung("ChannelNotFound", {"channel_id": "ch:none"}),
            Rung("Unauthorized", sender=s.bob),
            Rung("InvalidChannelTransition", {"channel_id": s.shut_line}),
        ),
    )

    yield Ladder(
        *a2a,
        "broadcast",
        s.alice,
        {"channel_id": s.line, **CONTENT},
        (
            FUNDS,
            Rung("InvalidParticipants", {"channel_id": s.line, "receivers": [s.bob]}),
            Rung("ChannelNotFound", {"channel_id": "ch:none", "receivers": None}),
            Rung("InvalidChannelType", {"channel_id": s.hub, "receivers": None}),
            Rung("Unauthorized", {"channel_id": s.line, "receivers": None}, sender=s.bob),
            Rung("ChannelNotOpen", {"channel_id": s.shut_line, "receivers": None}),
            *BAD_CONTENT,
            *guards(s.alice),
            Rung("ChannelNotOpen", {"channel_id": None, "receivers": [s.bob]}, before=s.suspend),
        ),
        prepare=s.talk,
    )
    yield Ladder(
        *a2a,
        "publish",
        s.bob,
        {"channel_id": s.hub, "topic": "news", **CONTENT},
        (
            FUNDS,
            Rung("ChannelNotFound", {"channel_id": "ch:none"}),
            Rung("InvalidChannelType", {"channel_id": s.line}),
            Rung("Unauthorized", sender=s.carol),
            Rung("ChannelNotOpen", {"channel_id": s.shut_hub}, sender=s.alice),
            Rung("InvalidTopic", {"topic": "No News"}),
            *BAD_CONTENT,
            Rung("InvalidMessageType", {"message_type": "gossip"}),
            *guards(s.bob),
        ),
    )
    yield Ladder(
        *a2a,
        "subscribe",
        s.dave,
        {"channel_id": s.hub, "topic": "news"},
        (
            FUNDS,
            Rung("ChannelNotFound", {"channel_id": "ch:none"}),
            Rung("InvalidChannelType", {"channel_id": s.line}),
            Rung("ChannelNotOpen", {"channel_id": s.shut_hub}),
            Rung("InvalidTopic", {"topic": "No News"}),
            Rung("InvalidFilter", {"filter": "height > 1"}),
        ),
    )
    yield Ladder(
        *a2a,
        "unsubscribe",
        s.dave,
        {"channel_id": s.hub, "topic": "news"},
        (FUNDS, Rung("NotSubscribed", {"topic": "other"})),
        prepare=lambda: s.net.do(s.dave, "subscribe", channel_id=s.hub, topic="news"),
    )


def agents() -> Iterator[Ladder]:
    s = scene()
    a2a = ("agent_a2a_v1", s.net.a2a)
    missing = Rung("AgentNotRegistered", {"agent_id": "nobody"})
    yield Ladder(
        *a2a,
        "add_capability",
        s.bob,
        {"agent_id": "bot", "capability": "new"},
        (
            FUNDS,
            missing,
            Rung("Unauthorized", sender=s.carol),
            Rung("InvalidCapability", {"capability": "No"}),
            Rung("CapabilityAlreadyRegistered", {"capability": "chart"}),
            Rung("TooManyCapabilities", before=s.limit(capabilities_max=2)),
        ),
    )
    yield Ladder(
        *a2a,
        "remove_capability",
        s.bob,
        {"agent_id": "bot", "capability": "chart"},
        (
            FUNDS,
            missing,
            Rung("Unauthorized", sender=s.carol),
            Rung("CapabilityNotFound", {"capability": "none"}),
        ),
    )
    yield Ladder(
        *a2a,
        "sync_agent",
        s.net.registry,
        {"agent_id": "x", "owner": s.bob, "address": s.bob, "price": None, "active": True}
        | {"capabilities": ["a", "b"]},
        (
            FUNDS,
            Rung("Unauthorized", sender=s.carol),
            Rung("InvalidCapability", {"capabilities": ["No", "b"]}),
            Rung("TooManyCapabilities", before=s.limit(capabilities_max=1)),
        ),
        prepare=lambda: s.net.chain.fund(s.net.registry, "1amsg"),
    )
    yield Ladder(
        *a2a,
        "submit_intent",
        s.alice,
        {"target_capabilities": ["chart"], **CONTENT},
        (
            FUNDS,
            *BAD_CONTENT,
            Rung("InvalidIntent", {"target_capabilities": []}),
            Rung("InvalidCapability", {"target_capabilities": ["No"]}),
            Rung("InvalidAmount", {"max_price": -1}),
            Rung("InvalidIntent", before=s.limit(intents_open_max=1)),
        ),
    )
    own = (
        FUNDS,
        Rung("IntentNotFound", {"intent_id": "intent:none"}),
        Rung("Unauthorized", sender=s.carol),
        Rung("IntentExpired", {"intent_id": s.late_wish}),
        Rung("InvalidIntentStatus", {"intent_id": s.done_wish}),
    )
    yield Ladder(*a2a, "cancel_intent", s.alice, {"intent_id": s.wish}, own)

    yield Ladder(
        *a2a,
        "route_intent",
        s.alice,
        {"intent_id": s.wish},
        (
            *own,
            Rung("NoAgentMatched", {"intent_id": s.vain_wish}),
            Rung("ChannelNotOpen", before=s.suspend),
            Rung("ConstitutionCheckFailed", before=s.deny),
            Rung("RateLimitExceeded", before=s.exhaust(s.alice)),
        ),
        prepare=s.talk,
    )
    yield Ladder(
        *a2a,
        "update_config",
        s.net.admin,
        {"limits": {"sweep_max": 7}},
        (
            FUNDS,
            Rung("Unauthorized", sender=s.bob),
            Rung("InvalidLimit", {"limits": {"sweep_max": 10_001}}),
        ),
    )


def registry() -> Iterator[Ladder]:
    s = scene()
    here = ("agent_registry_v1", s.net.registry)
    missing = Rung("AgentNotFound", {"agent_id": "nobody"})
    stranger = Rung("Unauthorized", sender=s.carol)
    waiting = Rung("AgentNotActive", {"agent_id": "waits"})
    price = Rung("InvalidPrice", {"price_model": {"price": -1}})
    yield Ladder(
        *here,
        "register_agent",
        s.carol,
        {"agent_id": "new"},
        (
            FUNDS,
            Rung("InvalidAgentId", {"agent_id": "No"}),
            Rung("Unauthorized", {"owner": s.dave, "address": s.erin}),
            Rung("AgentAlreadyRegistered", {"agent_id": "bot"}),
            Rung("AddressAlreadyRegistered", {"address": s.bob}),
            Rung("TooLarge", {"name": "x" * 129}),
            price,
        ),
    )
    yield Ladder(
        *here,
        "confirm_agent",
        s.dave,
        {"agent_id": "waits"},
        (
            FUNDS,
            missing,
            Rung("NotPending", {"agent_id": "bot"}),
            stranger,
            Rung("AddressAlreadyRegistered", before=lambda: s.net.register(s.dave, "quick")),
        ),
    )
    yield Ladder(
        *here,
        "update_agent",
        s.bob,
        {"agent_id": "bot", "status": "inactive"},
        (
            FUNDS,
            missing,
            stranger,
            Rung("TooLarge", {"name": "x" * 129}),
            Rung("InvalidStatus", {"status": "gone"}),
            waiting,
            price,
        ),
    )
    for variant, fields in (
        ("transfer_ownership", {"new_owner": s.dave}),
        ("deregister_agent", {}),
    ):
        good = {"agent_id": "bot", **fields}
        yield Ladder(*here, variant, s.bob, good, (FUNDS, missing, stranger))
    yield Ladder(
        *here,
        "set_card",
        s.bob,
        {"agent_id": "bot", "card": "aGk="},
        (
            FUNDS,
            missing,
            stranger,
            waiting,
            Rung("InvalidCard", {"card": ""}),
            Rung("TooLarge", {"card": b64(bytes(131_073))}),
            Rung("InvalidCard", {"card_hash": "other"}),
        ),
    )

    def topics() -> None:
        for number in range(16):
            body = {"agent_id": "bot", "topic": f"topic-{number}"}
            s.net.on(s.net.registry, s.bob, "announce_card", **body)

    yield Ladder(
        *here,
        "announce_card",
        s.bob,
        {"agent_id": "bot"},
        (
            FUNDS,
            missing,
            stranger,
            Rung("AgentNotActive", {"agent_id": "waits"}, sender=s.bob),
            Rung("CardNotFound", {"agent_id": "bare"}, sender=s.erin),
            Rung("InvalidTopic", {"topic": "No"}),
            Rung("InvalidTtl", {"ttl_seconds": 0}),
            Rung("TooLarge", before=topics),
        ),
        prepare=lambda: s.net.register(s.erin, "bare"),
    )
    yield Ladder(
        *here,
        "withdraw_card",
        s.bob,
        {"agent_id": "bot"},
        (FUNDS, missing, stranger, Rung("NotAnnounced", {"topic": "other"})),
        prepare=lambda: s.net.on(s.net.registry, s.bob, "announce_card", agent_id="bot"),
    )
    yield Ladder(
        *here,
        "set_spending_policy",
        s.bob,
        {"agent_id": "bot", "policy": {"per_tx_limit": "1", "period_seconds": 1}},
        (FUNDS, missing, stranger, Rung("InvalidPolicy", {"policy": {"period_seconds": 0}})),
    )
    yield Ladder(
        *here,
        "update_config",
        s.net.admin,
        {"card_max_bytes": 5},
        (
            FUNDS,
            stranger,
            Rung("InvalidTopic", {"discovery_topic": "No"}),
            Rung("InvalidLimit", {"card_max_bytes": 0}),
        ),
    )


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


def constitution() -> Iterator[Ladder]:
    s = scene()
    here = ("ai_agent_constitution_v1", s.net.constitution)
    stranger = Rung("Unauthorized", sender=s.carol)
    note = "x" * 257
    rule = {"effect": "deny"}
    bad = {"action": "No", "note": note, "effect": "no", "agent": "nobody", "risk_tier": "no"}

    def worse(*mended: str) -> dict[str, str]:
        return {**rule, **{name: value for name, value in bad.items() if name not in mended}}

    yield Ladder(
        *here,
        "set_rules",
        s.net.admin,
        {"rules": [rule]},
        (
            FUNDS,
            stranger,
            Rung("InvalidEffect", {"default": "no"}),
            Rung("TooManyRules", {"rules": [bad] * 65}),
            Rung("InvalidAction", {"rules": [bad]}),
            Rung("InvalidNote", {"rules": [worse("action")]}),
            Rung("InvalidEffect", {"rules": [worse("action", "note")]}),
            Rung("AgentNotFound", {"rules": [worse("action", "note", "effect")]}),
            Rung("InvalidRiskTier", {"rules": [{**rule, "risk_tier": "no"}]}),
        ),
    )

    def fill() -> None:
        s.net.on(s.net.constitution, s.net.admin, "set_rules", rules=[rule] * 64)

    yield Ladder(
        *here,
        "add_rule",
        s.net.admin,
        {"rule": rule},
        (
            FUNDS,
            stranger,
            Rung("RuleNotFound", {"position": 65}),
            Rung("InvalidAction", {"rule": {"action": "No"}}),
            Rung("InvalidNote", {"rule": {"note": note}}),
            Rung("InvalidEffect", {"rule": {"effect": "no"}}),
            Rung("AgentNotFound", {"rule": {"agent": "nobody"}}),
            Rung("InvalidRiskTier", {"rule": {"risk_tier": "no"}}),
            Rung("TooManyRules", before=fill),
        ),
    )
    yield Ladder(
        *here,
        "remove_rule",
        s.net.admin,
        {"position": 0},
        (FUNDS, stranger, Rung("RuleNotFound", {"position": 1})),
        prepare=lambda: s.net.on(s.net.constitution, s.net.admin, "add_rule", rule=rule),
    )
    missing = Rung("AgentNotFound", {"agent_id": "nobody"})
    yield Ladder(
        *here,
        "suspend_agent",
        s.net.admin,
        {"agent_id": "bot"},
        (
            FUNDS,
            stranger,
            Rung("InvalidNote", {"reason": note}),
            missing,
            Rung("AlreadySuspended", {"agent_id": s.carol}),
        ),
        prepare=lambda: s.net.on(
            s.net.constitution, s.net.admin, "suspend_agent", agent_id=s.carol
        ),
    )
    yield Ladder(
        *here,
        "reinstate_agent",
        s.net.admin,
        {"agent_id": s.carol},
        (FUNDS, stranger, missing, Rung("NotSuspended", {"agent_id": s.dave})),
        prepare=lambda: s.net.on(
            s.net.constitution, s.net.admin, "suspend_agent", agent_id=s.carol
        ),
    )
    for variant, fields in (
        ("update_authority", {"authority": s.bob}),
        ("update_config", {"registry_address": s.net.registry}),
    ):
        yield Ladder(*here, variant, s.net.admin, fields, (FUNDS, stranger))


@functools.cache
def ladders() -> dict[tuple[str, str], Ladder]:
    """Every ladder; made when the first test asks, not when tests are collected."""
    groups = (messages, channels, agents, registry, documents, constitution)
    return {(x.contract, x.variant): x for group in groups for x in group()}


@pytest.mark.parametrize(
    ("contract", "variant"),
    [
        (name, cls.variant)
        for name in NAMES
        for cls in importlib.import_module(f"contracts.{name}.msg").EXECUTE
    ],
)
def test_MS_8_checks_speak_in_the_readmes_order(contract: str, variant: str) -> None:
    ladder = ladders()[contract, variant]
    assert [rung.error for rung in ladder.rungs] == documented(contract, variant)
    climb(scene().net.chain, ladder)
