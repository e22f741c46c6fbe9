"""How many authenticated keys a send writes: each costs a path of hashes in the tree."""

from __future__ import annotations

import pytest

from chain.store.types import Derived
from chain.testing import Chain

#: of its own; the account's sequence and the fee's balances come on top of a signed transaction
OWN_MAX = 4


def authenticated(chain: Chain, before: dict) -> list[bytes]:
    writes = chain._engine.app.open_scope.overlay.writes
    return [
        key
        for key, value in writes.items()
        if not isinstance(value, Derived) and before.get(key) != value
    ]


@pytest.fixture
def world():
    chain = Chain()
    admin = chain.account("admin")
    address = chain.instantiate(
        chain.store_code("agent_a2a_v1"),
        {"admin": admin, "registry_address": admin, "did_registry_address": admin},
        sender=admin,
        label="a2a",
    )
    return chain, address, chain.account("alice"), chain.account("bob")


def send(chain, address, sender, to, **more):
    body = {"to": to, "message_type": "request", "payload": "aGk=", "priority": 5, "ttl": 60}
    return chain.execute(address, {"send_message": {**body, **more}}, sender=sender)


def test_a_send_writes_at_most_four_authenticated_keys(world) -> None:
    chain, address, alice, bob = world
    for _ in range(2):
        chain.next_block()
        before = dict(chain._engine.app.open_scope.overlay.writes)
        send(chain, address, alice, bob)
        found = authenticated(chain, before)
        assert 1 <= len(found) <= OWN_MAX
        assert len(found) == 2  # the message, and the counter of messages


def test_the_first_send_over_a_channel_stays_within_four(world) -> None:
    chain, address, alice, bob = world
    made = chain.execute(
        address,
        {"create_channel": {"channel_type": "direct", "participant": bob}},
        sender=alice,
    )
    assert made.code == 0
    chain.next_block()
    before = dict(chain._engine.app.open_scope.overlay.writes)
    send(chain, address, alice, bob)
    assert len(authenticated(chain, before)) <= OWN_MAX


def test_a_reply_writes_at_most_four_authenticated_keys(world) -> None:
    chain, address, alice, bob = world
    sent = send(chain, address, alice, bob)
    msg_id = sent.data.decode().split('"')[3]
    chain.next_block()
    before = dict(chain._engine.app.open_scope.overlay.writes)
    chain.execute(
        address, {"reply_message": {"original_msg_id": msg_id, "payload": "aGk="}}, sender=bob
    )
    assert len(authenticated(chain, before)) <= OWN_MAX
