"""MS-8 for every operation of `agent_a2a_v1`: checks speak in the order that the README gives."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest
from agent_keys import b64
from check_ladder import Ladder, Rung, by_variant, climb_as_documented, variants
from order_scene import CONTENT, FUNDS, scene

NONE = "msg:nobody-nobody-1-0000000001"
BAD_CONTENT = (
    Rung("EmptyPayload", {"payload": ""}),
    Rung("MessageTooLarge", {"payload": b64(bytes(262_145))}),
    Rung("InvalidPriority", {"priority": 256}),
    Rung("InvalidTTL", {"ttl": 0}),
    Rung("TTLTooLong", {"ttl": 31_536_001}),
)


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


def many_receivers() -> Iterator[Ladder]:
    s = scene()
    a2a = ("agent_a2a_v1", s.net.a2a)
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
        "update_config",
        s.net.admin,
        {"limits": {"sweep_max": 7}},
        (
            FUNDS,
            Rung("Unauthorized", sender=s.bob),
            Rung("InvalidLimit", {"limits": {"sweep_max": 10_001}}),
        ),
    )


def intents() -> Iterator[Ladder]:
    s = scene()
    a2a = ("agent_a2a_v1", s.net.a2a)
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


@functools.cache
def ladders() -> dict[str, Ladder]:
    """Every ladder; made when the first test asks, not when tests are collected."""
    return by_variant(messages, channels, many_receivers, agents, intents)


@pytest.mark.parametrize("variant", variants("agent_a2a_v1"))
def test_MS_8_checks_speak_in_the_readmes_order(variant: str) -> None:
    climb_as_documented(scene().net.chain, ladders()[variant])
