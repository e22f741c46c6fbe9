"""What the ledger's steps become: entries, tasks, events; and the money in them."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("a2a")

from a2a.types import TaskArtifactUpdateEvent, TaskState
from google.protobuf.json_format import MessageToDict

from chain.client.card import PAYMENT_EXTENSION
from chain.client.task_content import (
    artifact,
    from_ledger,
    plain_of,
    to_ledger,
    with_artifacts,
    with_message,
)
from chain.gateway.a2a_journal import OFFER_SKILL, Record, entries_of, events_of, task_from
from chain.gateway.a2a_payment import offer_params, paid_call, pays

SECOND = 10**9


def view(**fields: Any) -> dict[str, Any]:
    made = {
        "task_id": "task-7",
        "context_id": None,
        "requester": "msg1requester",
        "provider": "bob",
        "provider_address": "msg1bob",
        "skill": "chart",
        "params": with_message({"messageId": "m1", "role": "ROLE_USER", "parts": [{"text": "hi"}]}),
        "price": "5",
        "denom": "amsg",
        "state": "completed",
        "approval": None,
        "result": {"content": {"n": 1}, "hash": None, "reference": "https://e.org/r"},
        "paid": "5",
        "refunded": "0",
        "client_ref": None,
    }
    return {**made, **fields}


def step(number: int, action: str, state: str, detail: Any = None) -> dict[str, Any]:
    return {
        "number": number,
        "action": action,
        "state": state,
        "actor": "msg1bob",
        "at": str(number * SECOND),
        "height": number,
        "detail": detail,
    }


DONE = [
    step(1, "create_task", "submitted"),
    step(2, "accept_task", "working"),
    step(3, "request_input", "input_required", "Which?"),
    step(
        4, "provide_input", "working", with_message({"messageId": "m2", "parts": [{"text": "a"}]})
    ),
    step(5, "complete_task", "completed"),
]


def test_a_task_is_the_sum_of_its_entries() -> None:
    record = Record(view(), DONE)
    task = task_from(record, entries_of(record))
    assert task.status.state == TaskState.TASK_STATE_COMPLETED
    assert [one.message_id for one in task.history] == ["m1", "task-7-s3", "m2"]
    assert task.context_id == "context-task-7"
    (made,) = task.artifacts
    assert MessageToDict(made)["parts"] == [{"data": {"n": 1}}, {"url": "https://e.org/r"}]
    facts = MessageToDict(task.metadata)[PAYMENT_EXTENSION]
    assert (facts["status"], facts["paid"]) == ("payment-released", "5")


def test_a_stream_of_any_prefix_and_the_rest_says_everything_once() -> None:
    record = Record(view(), DONE)
    entries = entries_of(record)
    whole = task_from(record, entries)
    for cut in range(1, len(entries)):
        task = task_from(record, entries[:cut])
        last = task.status
        for entry in entries[cut:]:
            for event in events_of(record, entry):
                if not isinstance(event, TaskArtifactUpdateEvent):
                    last = event.status
        assert last == whole.status
    assert len({one.id for one in entries}) == len(entries)


@pytest.mark.parametrize(
    ("state", "action", "paid", "refunded", "status"),
    [
        ("failed", "fail_task", "0", "5", "payment-refunded"),
        ("rejected", "reject_task", "0", "5", "payment-refunded"),
        ("failed", "expire_task", "0", "5", "payment-refunded"),
        ("canceled", "cancel_task", "2", "3", "payment-split"),
    ],
)
def test_each_way_that_money_goes(
    state: str, action: str, paid: str, refunded: str, status: str
) -> None:
    shown = view(state=state, paid=paid, refunded=refunded, result=None)
    record = Record(shown, [DONE[0], step(2, action, state, "why")])
    task = task_from(record, entries_of(record))
    assert MessageToDict(task.metadata)[PAYMENT_EXTENSION]["status"] == status
    assert task.status.message.parts[0].text == "why"


def test_progress_stands_between_acceptance_and_end_of_one_block() -> None:
    said = {"msg_id": "x", "created_at": str(2 * SECOND), "progress": "half"}
    shown = view(state="working", result=None, paid="0")
    entries = entries_of(Record(shown, DONE[:2], [said]))
    assert [one.id for one in entries] == ["s1", "s2", "mx"]
    last = step(3, "fail_task", "failed", "no") | {"at": str(2 * SECOND)}
    entries = entries_of(Record(shown, [*DONE[:2], last], [said]))
    assert [one.id for one in entries] == ["s1", "s2", "mx", "s3"]


def test_pieces_of_an_artifact_add_up() -> None:
    def piece(number: int) -> dict[str, Any]:
        made = artifact("a", {"text": str(number)})
        return {
            "msg_id": str(number),
            "created_at": str((2 + number) * SECOND),
            "artifact": made,
            "append": number > 1,
        }

    shown = view(state="working", result=None, paid="0")
    record = Record(shown, DONE[:2], [piece(1), piece(2)])
    task = task_from(record, entries_of(record))
    assert [part.text for part in task.artifacts[0].parts] == ["1", "2"]


OFFER = {
    "agent": "bob",
    "skill": "chart",
    "price": "5",
    "denom": "amsg",
    "tasks": "msg1tasks",
    "chain_id": "c",
}


def offer_view(**fields: Any) -> dict[str, Any]:
    params = offer_params(view()["params"], OFFER)
    made = view(provider="gate", skill=OFFER_SKILL, params=params, price="0", paid="0", result=None)
    return {**made, "state": "submitted", "context_id": "ctx", **fields}


def test_an_offer_asks_for_payment_and_goes_on_as_the_paid_task() -> None:
    record = Record(offer_view(), DONE[:1])
    task = task_from(record, entries_of(record))
    assert task.status.state == TaskState.TASK_STATE_INPUT_REQUIRED
    keys = MessageToDict(task.status.message.metadata)
    assert keys["x402.payment.required"]["accepts"][0]["maxAmountRequired"] == "5"
    paid = Record(view(task_id="task-9", client_ref="task-7"), DONE)
    record = Record(offer_view(state="completed"), DONE[:1], (), paid)
    task = task_from(record, entries_of(record))
    assert (task.id, task.context_id) == ("task-7", "ctx")
    assert task.status.state == TaskState.TASK_STATE_COMPLETED
    assert {one.task_id for one in task.history} == {"task-7"}


def test_the_call_that_pays_makes_the_task_that_pays() -> None:
    call = paid_call(offer_view())
    body = call["msg"]["create_task"]
    assert (call["contract"], call["funds"]) == ("msg1tasks", "5amsg")
    paid = view(task_id="task-9", params=body["params"], client_ref=body["client_ref"])
    assert pays(offer_view(), paid)


@pytest.mark.parametrize(
    "other",
    [
        {"client_ref": "task-8"},
        {"provider": "carol"},
        {"skill": "cheap"},
        {"price": "4"},
        {"denom": "umsg"},
        {"params": {"a2a_message": {"parts": [{"text": "another"}]}}},
    ],
)
def test_what_does_not_pay_an_offer(other: dict[str, Any]) -> None:
    paid = view(task_id="task-9", client_ref="task-7")
    assert pays(offer_view(), paid)
    assert not pays(offer_view(), {**paid, **other})


@pytest.mark.parametrize(
    "value", [None, True, 0.5, -1.25, 1e300, 3, "x", {"a": [1, 2.5, {"b": None}]}, []]
)
def test_contract_json_keeps_numbers_with_fractions(value: Any) -> None:
    assert from_ledger(to_ledger(value)) == value
    assert "0.5" not in repr(to_ledger(2.0))


def test_what_others_wrote_badly_is_shown_and_breaks_nothing() -> None:
    bad = {"a2a_message": {"messageId": 5, "parts": [{"text": 7}], "role": "nobody"}}
    record = Record(
        view(
            params=bad,
            result={"content": with_artifacts({"artifactId": "q", "parts": [{"bad": 1}]})},
        ),
        DONE[:1],
    )
    assert task_from(record, entries_of(record)).history
    assert plain_of({"a2a_message": {"parts": []}}) == {"a2a_message": {"parts": []}}
