"""The verbs of agents and owners, each against real contracts."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable

import pytest

from chain.cli.demo_chain import LocalChain
from chain.client import agent_calls as calls
from chain.client.agent import MSG, Agent, Owner, PriceTooHigh
from chain.client.card import CardError, Skill
from chain.client.transport import QueryRefused, TimedOut, TxRefused
from chain.crypto.seal import SealError

Actors = Callable[..., Agent]
SKILL = Skill("draw", "Draw", "Draws", ("charts",), 2 * MSG)


def carded(agent: Agent, *skills: Skill) -> Agent:
    """The agent with a signed card, announced."""
    card = agent.make_card(
        *(skills or (SKILL,)), name="Bot", description="Draws", url="https://agents.example/bot"
    )
    agent.set_card(card)
    agent.announce()
    return agent


# --- identity -------------------------------------------------------------------------------------


def test_joining_again_does_nothing(agent: Actors) -> None:
    alice = agent("alice", capabilities=["x-ray"])
    assert alice.join(capabilities=["x-ray"]) is None
    record = alice.record(alice.agent_id)
    assert record is not None
    assert (record["status"], record["address"]) == ("active", alice.address)


def test_the_document_has_all_three_keys(agent: Actors) -> None:
    alice = agent("alice")
    document = alice.document_of(alice.address)
    assert document is not None
    keys = {
        one["id"].split("#")[1]: one["publicKeyMultibase"] for one in document["verificationMethod"]
    }
    assert calls.multibase(keys["key-1"]) == alice.wallet.key.pubkey.key
    assert calls.multibase(keys["encryption-1"]) == alice.encryption_key.public_key
    assert calls.multibase(keys["card-1"]) == alice.card_key.pubkey.key


def test_discovery_shows_cards_that_their_agents_signed(agent: Actors) -> None:
    reader, honest, forger = agent("reader"), carded(agent("honest")), agent("forger")
    stolen = next(one for one in reader.discover() if one.agent_id == honest.agent_id)
    forger.set_card(stolen.card)
    forger.announce()
    found = [one.agent_id for one in reader.discover()]
    assert honest.agent_id in found
    assert forger.agent_id not in found
    with pytest.raises(CardError):
        reader.card_of(forger.agent_id)
    assert reader.card_of(honest.agent_id)["name"] == "Bot"
    assert reader.card_of(reader.agent_id) is None


def test_find_is_cheapest_first_and_compares_numbers(agent: Actors) -> None:
    reader = agent("reader")
    dear = agent("dear", capabilities=["number-test"], price=10_000_000)
    cheap = agent("cheap", capabilities=["number-test"], price=8_000_000)
    unpriced = agent("unpriced", capabilities=["number-test"])
    assert [one.agent_id for one in reader.find("number-test")][:2] == [
        cheap.agent_id,
        dear.agent_id,
    ]
    assert [one.agent_id for one in reader.find("number-test", 9_000_000)] == [cheap.agent_id]
    assert unpriced.agent_id not in [one.agent_id for one in reader.find("number-test", 10**30)]


# --- messages -------------------------------------------------------------------------------------


def test_D16_02_a_reply_is_found_by_the_id_from_the_events(agent: Actors) -> None:
    alice, bob = agent("alice"), agent("bob")
    asked = alice.send(bob.address, {"action": "query_price"}, signed=True)
    inbox = bob.inbox("pending")
    assert [one.msg_id for one in inbox] == [asked]
    answered = bob.reply(asked, {"price": "8000000"}, signed=True)
    reply = alice.wait_for_reply(asked)
    assert (reply.msg_id, reply.reply_to, reply.field("price")) == (answered, asked, "8000000")
    assert alice.message_status(asked) == "replied"
    for msg_id in (asked, answered):
        assert alice.ask(alice.contracts.a2a, "verify_message", msg_id=msg_id)["valid"]


def test_waiting_ends(agent: Actors) -> None:
    alice, bob = agent("alice"), agent("bob")
    asked = alice.send(bob.address, {"action": "wait"})
    before = alice.transport.block_time()
    with pytest.raises(TimedOut, match=f"an answer to {asked} did not come within 3 s"):
        alice.wait_for_reply(asked, 3)
    assert alice.transport.block_time() - before == 3 * 10**9


def test_delivered_then_read(agent: Actors) -> None:
    alice, bob = agent("alice"), agent("bob")
    sent = [alice.send(bob.address, {"n": n}) for n in range(2)]
    bob.mark_delivered(*sent)
    assert [alice.message_status(one) for one in sent] == ["delivered", "delivered"]
    bob.mark_read(*sent)
    assert {one.status for one in bob.inbox()} == {"read"}


def test_a_message_is_taken_back(agent: Actors) -> None:
    alice, bob = agent("alice"), agent("bob")
    sent = alice.send(bob.address, {"n": 1})
    alice.cancel_message(sent)
    assert alice.message_status(sent) == "cancelled"


def test_D15_03_an_explicit_zero_is_not_replaced(agent: Actors) -> None:
    alice, bob = agent("alice"), agent("bob")
    sent = alice.message(alice.send(bob.address, {"n": 1}, priority=0))
    assert sent is not None
    assert (sent.priority, sent.ttl) == (0, 3_600)
    with pytest.raises(TxRefused, match="TTL"):
        alice.send(bob.address, {"n": 1}, ttl=0)


def test_a_second_answer_over_send_links_and_signs_like_a_reply(agent: Actors) -> None:
    alice, bob = agent("alice"), agent("bob")
    channel = alice.open_channel(bob.address, {"purpose": "test"})
    asked = alice.send(bob.address, {"n": 1}, priority=75, ttl=600, channel_id=channel, signed=True)
    answer = bob.message(
        bob.send(alice.address, {"n": 2}, message_type="response", reply_to=asked, signed=True)
    )
    assert answer is not None
    assert (answer.priority, answer.ttl, answer.channel_id) == (75, 600, channel)
    assert bob.conversation(alice.address)[0].msg_id == answer.msg_id


def test_D15_13_answers_and_task_messages_are_no_requests(agent: Actors) -> None:
    alice, bob = agent("alice"), carded(agent("bob"))
    first = alice.send(bob.address, {"n": 1})
    alice.send(bob.address, {"n": 2}, message_type="notification")
    second = alice.send(bob.address, {"n": 3})
    alice.create_task(bob.agent_id, "draw")
    assert [one.msg_id for one in bob.requests()] == [first, second]
    bob.reply(first, {"n": 4})
    assert [one.msg_id for one in bob.requests()] == [second]
    assert alice.requests() == []


def test_D16_09_a_reply_that_failed_is_tried_again_and_nothing_is_handled_twice(
    agent: Actors,
) -> None:
    alice, bob = agent("alice"), agent("bob")
    first, second = (alice.send(bob.address, {"n": n}) for n in range(2))
    quote = bob.reply(first, {"price": "8000000"})
    with pytest.raises(TxRefused, match="Message too large"):
        bob.submit(calls.reply_message(bob.contracts, second, bytes(262_145)))
    assert [one.msg_id for one in bob.requests()] == [second]  # waiting holds up nothing else
    with pytest.raises(TimedOut):
        bob.wait_for_reply(quote, 1)
    bob.reply(second, {"price": "1"})
    assert bob.requests() == []


def test_a_channel_is_opened_once_and_again_after_it_was_closed(agent: Actors) -> None:
    alice, bob = agent("alice"), agent("bob")
    first = alice.open_channel(bob.address)
    assert bob.open_channel(alice.address) == first
    alice.close_channel(first)
    assert alice.live_channel(bob.address) is None
    second = alice.open_channel(bob.address)
    assert second != first
    assert alice.channel(first)["status"] == "closed"


def test_only_the_receiver_opens_what_was_sealed(agent: Actors) -> None:
    alice, bob, carol = agent("alice"), agent("bob"), agent("carol")
    alice.send(bob.address, {"secret": "四"}, sealed=True)
    received = bob.inbox("pending")[0]
    assert received.content.sealed
    assert b"secret" not in received.payload
    assert bob.open_sealed(received).data == {"secret": "四"}
    with pytest.raises(SealError):
        carol.open_sealed(received)


def test_sealing_needs_a_published_key(agent: Actors) -> None:
    alice, bare = agent("alice"), agent("bare", joined=False)
    with pytest.raises(LookupError, match="has no DID document"):
        alice.send(bare.address, {"n": 1}, sealed=True)


def test_D15_19_a_key_of_an_ended_document_is_no_key(agent: Actors) -> None:
    alice, bob = agent("alice"), agent("bob")
    assert alice.encryption_key_of(bob.address) == bob.encryption_key.public_key
    document = alice.document_of(bob.address)
    assert document is not None
    ended = {"deactivate_did": {"did": document["id"]}}
    bob.submit(calls.Call(bob.contracts.did_registry, ended))
    with pytest.raises(LookupError, match="has no DID document"):
        alice.encryption_key_of(bob.address)


# --- tasks ----------------------------------------------------------------------------------------


def test_a_task_from_request_to_payment(agent: Actors) -> None:
    alice, bob = agent("alice"), carded(agent("bob"))
    task_id = alice.create_task(bob.agent_id, "draw", {"kind": "pie"}, max_price=3 * MSG)
    assert [(one.task_id, one.params) for one in bob.assigned()] == [(task_id, {"kind": "pie"})]
    bob.accept_task(task_id)
    bob.request_input(task_id, "which colours?")
    assert alice.task(task_id).question == "which colours?"
    alice.provide_input(task_id, ["red", "blue"])
    before = bob.balance()
    done = bob.complete_task(task_id, {"svg": "<svg/>"}, reference="https://charts.example/1")
    assert bob.balance() - before == 2 * MSG - done.gas_used * 10**9
    task = alice.task(task_id)
    assert (task.state, task.paid, task.refunded) == ("completed", 2 * MSG, 0)
    assert task.result["content"] == {"svg": "<svg/>"}
    steps = [step.state for step in alice.follow(task_id)]
    assert steps == ["submitted", "working", "input_required", "working", "completed"]
    kinds = [one.field("type") for one in alice.task_messages(task_id)]
    assert kinds[0] == "task_request"
    assert kinds[-1] == "task_result"
    assert [one.msg_id for one in bob.task_messages(task_id)] == [
        one.msg_id for one in alice.task_messages(task_id)
    ]


@pytest.mark.parametrize(
    ("end", "state"),
    [
        (lambda alice, bob, task: bob.reject_task(task, "busy"), "rejected"),
        (lambda alice, bob, task: alice.cancel_task(task), "canceled"),
        (
            lambda alice, bob, task: (bob.accept_task(task), bob.fail_task(task, "no paper")),
            "failed",
        ),
    ],
)
def test_an_end_without_delivery_refunds(agent: Actors, end: object, state: str) -> None:
    alice, bob = agent("alice"), carded(agent("bob"))
    task_id = alice.create_task(bob.agent_id, "draw")
    end(alice, bob, task_id)
    task = alice.task(task_id)
    assert (task.state, task.paid, task.refunded) == (state, 0, 2 * MSG)
    assert [step.state for step in alice.follow(task_id)][-1] == state


def test_a_price_above_what_is_wanted_is_not_paid(agent: Actors) -> None:
    alice, bob = agent("alice"), carded(agent("bob"))
    with pytest.raises(PriceTooHigh, match="at most 1000000000000000000"):
        alice.create_task(bob.agent_id, "draw", max_price=MSG)
    assert alice.tasks(requester=alice.address) == []


def test_a_price_that_rose_since_is_refused_by_the_contract(agent: Actors) -> None:
    alice, bob = agent("alice"), carded(agent("bob"))
    with pytest.raises(TxRefused, match="Price changed"):
        alice.create_task(bob.agent_id, "draw", price=MSG)


def test_the_same_reference_is_the_same_task(agent: Actors) -> None:
    alice, bob = agent("alice"), carded(agent("bob"))
    first = alice.create_task(bob.agent_id, "draw", {"n": 1}, client_ref="order-1")
    assert alice.create_task(bob.agent_id, "draw", {"n": 1}, client_ref="order-1") == first
    with pytest.raises(TxRefused, match="client_ref order-1 belongs to"):
        alice.create_task(bob.agent_id, "draw", {"n": 2}, client_ref="order-1")
    assert len(alice.tasks(requester=alice.address)) == 1


def test_a_task_is_paid_in_a_token(agent: Actors, chain: LocalChain, faucet: object) -> None:
    alice, bob = agent("alice"), agent("bob")
    token = chain.contracts.token
    faucet.execute(token, {"transfer": {"recipient": alice.address, "amount": "100"}})
    card = bob.make_card(
        Skill("draw", "Draw", "Draws", ("charts",), 40),
        name="Bot",
        description="Draws",
        url="https://agents.example/bot",
        denom=f"cw20:{token}",
    )
    bob.set_card(card)
    task_id = alice.create_task(bob.agent_id, "draw")
    bob.accept_task(task_id)
    bob.complete_task(task_id, "done")
    assert alice.ask(token, "balance", address=bob.address) == {"balance": "40"}
    assert alice.ask(token, "balance", address=alice.address) == {"balance": "60"}


def test_following_gives_up_when_nothing_happens(agent: Actors) -> None:
    alice, bob = agent("alice"), carded(agent("bob"))
    task_id = alice.create_task(bob.agent_id, "draw")
    with pytest.raises(TimedOut, match=f"nothing happened to {task_id}"):
        list(alice.follow(task_id, 2))
    with pytest.raises(QueryRefused, match="task-999999 not found"):
        list(alice.follow("task-999999", 2))


def test_a_task_past_its_deadline_is_ended_by_anybody(agent: Actors) -> None:
    alice, bob, carol = agent("alice"), carded(agent("bob")), agent("carol")
    deadline = alice.transport.block_time() + 60 * 10**9
    task_id = alice.create_task(bob.agent_id, "draw", deadline=deadline)
    with pytest.raises(TxRefused, match="not past its deadline"):
        carol.expire_task(task_id)
    alice.transport.wait(120)  # the sweep at the start of the block ends it
    assert alice.task(task_id).state == "failed"
    with pytest.raises(TxRefused, match="Nothing to withdraw"):
        alice.withdraw()


# --- owners ---------------------------------------------------------------------------------------


@pytest.fixture
def asked(agent: Actors, owner: Owner) -> tuple[Agent, Agent, str]:
    """Requester, provider, and a task above the requester's limit."""
    alice, bob = agent("alice", owner=owner.address), carded(agent("bob"))
    owner.set_policy(alice.agent_id, per_task=MSG, per_period=5 * MSG)
    return alice, bob, alice.create_task(bob.agent_id, "draw")


def test_the_owner_is_asked_and_approves(asked: tuple[Agent, Agent, str], owner: Owner) -> None:
    alice, bob, task_id = asked
    assert alice.task(task_id).state == "auth_required"
    assert bob.assigned() == []
    message, task = owner.approvals()[0]
    assert (task.task_id, task.price, message.sender) == (task_id, 2 * MSG, alice.address)
    owner.approve(task_id)
    assert [one.task_id for one in bob.assigned()] == [task_id]
    assert owner.approvals() == []


def test_the_owner_refuses_and_the_agent_is_refunded(
    asked: tuple[Agent, Agent, str], owner: Owner
) -> None:
    alice, _, task_id = asked
    before = alice.balance()
    owner.deny(task_id, "too dear")
    task = alice.task(task_id)
    assert (task.state, task.refunded, task.error) == ("failed", 2 * MSG, "too dear")
    assert alice.balance() - before == 2 * MSG


def test_a_request_for_approval_counts_only_from_the_tasks_contract(
    asked: tuple[Agent, Agent, str], owner: Owner
) -> None:
    _, bob, task_id = asked
    bob.send(owner.address, {"type": "approval_request", "task_id": task_id})
    assert len(owner.approvals()) == 1


def test_without_a_policy_the_agent_spends_by_itself(
    asked: tuple[Agent, Agent, str], owner: Owner
) -> None:
    alice, bob, _ = asked
    owner.clear_policy(alice.agent_id)
    assert alice.task(alice.create_task(bob.agent_id, "draw")).state == "submitted"
    assert alice.spending()["per_tx_limit"] is None


def test_a_provider_asks_its_own_owner(agent: Actors, owner: Owner) -> None:
    alice, bob = agent("alice"), carded(agent("bob", owner=owner.address))
    task_id = alice.create_task(bob.agent_id, "draw")
    bob.accept_task(task_id)
    bob.request_approval(task_id, "the printer costs extra")
    assert [task.task_id for _, task in owner.approvals()] == [task_id]
    owner.approve(task_id)
    assert bob.task(task_id).state == "working"


# --- the transport --------------------------------------------------------------------------------


def test_queries_are_refused_with_the_contracts_text(chain: LocalChain) -> None:
    with pytest.raises(QueryRefused, match="unknown variant"):
        chain.smart(chain.contracts.a2a, {"no_such_question": {}})


def test_events_come_in_their_order_after_a_height(agent: Actors, chain: LocalChain) -> None:
    alice, bob = agent("alice"), agent("bob")
    height = chain.height()
    sent = alice.send(bob.address, {"n": 1})
    found = list(chain.events(height))
    assert {one.height for one in found} == {height + 1}
    ids = [dict(one.event.attributes).get("msg_id") for one in found]
    assert sent in ids
    assert found[-1].tx is None  # the fee's shares are the block's own


def test_raw_storage_is_readable(chain: LocalChain) -> None:
    info = chain.raw(chain.contracts.a2a, b"contract_info")
    assert json.loads(info)["contract"].endswith("agent_a2a_v1")
    assert chain.raw(chain.contracts.a2a, b"no such key") is None


def test_calls_leave_out_what_is_none() -> None:
    to = calls.Contracts(registry="r", did_registry="d", a2a="a", tasks="t")
    made = calls.send_message(to, "msg1x", b"hi", message_type="request", priority=0, ttl=0)
    assert made.msg == {
        "send_message": {
            "to": "msg1x",
            "message_type": "request",
            "payload": base64.b64encode(b"hi").decode(),
            "priority": 0,
            "ttl": 0,
        }
    }
