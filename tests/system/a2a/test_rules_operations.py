"""The specification's rules on sending and on tasks, over both bindings, with plain HTTP."""

from __future__ import annotations

import base64
import re
import uuid
from typing import Any

import pytest
from a2a.types import Message
from a2a_raw import (
    ASKING,
    BINDINGS,
    CANCELED,
    COMPLETED,
    JSONRPC,
    NOBODY,
    PATHS,
    SUBMITTED,
    WORKING,
    RawWorld,
    message,
    params_of,
    refused,
)
from google.protobuf.json_format import MessageToDict, ParseDict

BADLY = "TASK_STATE_REJECTED", "TASK_STATE_FAILED"
TASK = [name for name in PATHS if "{" in PATHS[name][1]]
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z")

pytestmark = pytest.mark.parametrize("binding", BINDINGS)


def same(history: list[Any]) -> list[Any]:
    """Messages without the fields that hold nothing."""
    return [MessageToDict(ParseDict(one, Message())) for one in history]


# --- answers ----------------------------------------------------------------------------------------


def test_send_answers_a_task_with_all_its_fields(door: RawWorld, binding: str) -> None:
    sent = message("质量 ü")
    found = door.own.ask(binding, "SendMessage", {"message": sent})
    assert found.error is None
    assert list(found.result) == ["task"]
    task = found.result["task"]
    assert task["status"]["state"] == COMPLETED
    assert TIME.fullmatch(task["status"]["timestamp"])
    assert task["id"]
    assert task["contextId"]
    (artifact,) = task["artifacts"]
    assert artifact["artifactId"]
    assert artifact["parts"] == [{"text": "质量 ü"}]
    first = task["history"][0]
    assert first["messageId"] == sent["messageId"]
    assert (first["role"], first["parts"]) == ("ROLE_USER", sent["parts"])
    assert (first["taskId"], first["contextId"]) == (task["id"], task["contextId"])
    kind = "application/json" if binding == JSONRPC else "application/a2a+json"
    assert found.headers["content-type"].partition(";")[0] == kind


@pytest.mark.parametrize(
    "part",
    [
        {"text": "words"},
        {"raw": base64.b64encode(b"\0\1\2").decode(), "mediaType": "application/octet-stream"},
        {"url": "https://example.com/a.png", "mediaType": "image/png", "filename": "a.png"},
        {"data": {"a": [1, 0.5, None, True, {"b": "c"}]}},
        {"data": [1, 2]},
        {"text": "with", "metadata": {"k": "v"}},
    ],
    ids=lambda part: next(iter(part)),
)
def test_parts_of_every_kind_come_back(door: RawWorld, binding: str, part: Any) -> None:
    sent = message(parts=[part])
    task = door.own.ask(binding, "SendMessage", {"message": sent}).result["task"]
    assert task["status"]["state"] == COMPLETED
    assert task["history"][0]["parts"] == [part]
    got = door.own.ask(binding, "GetTask", {"id": task["id"]}).result
    assert got["history"][0]["parts"] == [part]


def test_a_context_is_made_or_kept(door: RawWorld, binding: str) -> None:
    one, two = (
        door.own.ask(binding, "SendMessage", {"message": message()}).result["task"]
        for _ in range(2)
    )
    assert one["contextId"] != two["contextId"]
    given = f"my-context-{uuid.uuid4()}"
    for _ in range(2):
        sent = {"message": message(contextId=given)}
        assert door.own.ask(binding, "SendMessage", sent).result["task"]["contextId"] == given
    found = door.own.ask(binding, "ListTasks", {"contextId": given}).result
    assert found["totalSize"] == 2


def test_unknown_fields_are_ignored(door: RawWorld, binding: str) -> None:
    sent = {"message": message(novel={"x": 1}), "another": [1]}
    assert door.own.ask(binding, "SendMessage", sent).error is None
    task_id = door.own.ask(binding, "SendMessage", sent).result["task"]["id"]
    assert door.own.ask(binding, "GetTask", {"id": task_id, "novel": "x"}).error is None


def test_a_send_blocks_unless_it_says_return_immediately(door: RawWorld, binding: str) -> None:
    sent = {"message": message("wait 5"), "configuration": {"returnImmediately": True}}
    task = door.own.ask(binding, "SendMessage", sent).result["task"]
    assert task["status"]["state"] in (SUBMITTED, WORKING)
    door.own.until(task["id"], COMPLETED)
    sent = {"message": message("wait 1"), "configuration": {"returnImmediately": False}}
    task = door.own.ask(binding, "SendMessage", sent).result["task"]
    assert task["status"]["state"] == COMPLETED
    assert task["artifacts"]


@pytest.mark.parametrize(("word", "state"), [("fail", BADLY[1]), ("reject", BADLY[0])])
def test_a_task_that_ends_badly_says_so(
    door: RawWorld, binding: str, word: str, state: str
) -> None:
    task = door.own.ask(binding, "SendMessage", {"message": message(word)}).result["task"]
    assert task["status"]["state"] == state
    said = task["status"]["message"]
    assert said["role"] == "ROLE_AGENT"
    assert said["messageId"]
    assert said["parts"]


def test_a_follow_up_needs_only_the_task(door: RawWorld, binding: str) -> None:
    task = door.own.ask(binding, "SendMessage", {"message": message("ask")}).result["task"]
    assert task["status"]["state"] == ASKING
    assert task["status"]["message"]["parts"]
    more = message("tea", taskId=task["id"])
    found = door.own.ask(binding, "SendMessage", {"message": more}).result["task"]
    assert (found["id"], found["contextId"]) == (task["id"], task["contextId"])
    assert found["status"]["state"] == COMPLETED
    assert [one["role"] for one in found["history"]] == ["ROLE_USER", "ROLE_AGENT", "ROLE_USER"]


def test_a_follow_up_that_is_sent_again_is_taken_once(door: RawWorld, binding: str) -> None:
    task = door.own.send("ask")
    more = message("tea", taskId=task["id"])
    first = door.own.ask(binding, "SendMessage", {"message": more}).result["task"]
    again = door.own.ask(binding, "SendMessage", {"message": more}).result["task"]
    assert again == first
    other = door.own.ask(binding, "SendMessage", {"message": {**more, "parts": [{"text": "x"}]}})
    refused(other, binding, "UNSUPPORTED_OPERATION")


def test_an_idempotency_key_makes_a_retry_the_same_task(door: RawWorld, binding: str) -> None:
    headers = {"Idempotency-Key": uuid.uuid4().hex}
    sent = {"message": message("once")}
    one, two = (
        door.own.ask(binding, "SendMessage", sent, headers=headers).result["task"] for _ in range(2)
    )
    assert one["id"] == two["id"]
    other = {"message": message("twice")}
    found = door.own.ask(binding, "SendMessage", other, headers=headers)
    assert found.error is not None
    assert found.reason == "INVALID_PARAMS"


def test_one_message_id_in_two_sends_is_two_tasks(door: RawWorld, binding: str) -> None:
    sent = {"message": message("same")}
    ids = {door.own.ask(binding, "SendMessage", sent).result["task"]["id"] for _ in range(2)}
    assert len(ids) == 2


@pytest.mark.parametrize("length", [0, 2, 99])
def test_history_length_cuts_to_the_newest(
    door: RawWorld, binding: str, asking: Any, length: int
) -> None:
    task = door.own.send("ask")
    sent = {"message": message("tea", taskId=task["id"])}
    sent["configuration"] = {"historyLength": length}
    answered = door.own.ask(binding, "SendMessage", sent).result["task"]
    whole = door.own.ask(binding, "GetTask", {"id": task["id"]}).result["history"]
    cut = door.own.ask(binding, "GetTask", {"id": task["id"], "historyLength": length}).result
    listed = door.own.ask(
        binding, "ListTasks", {"contextId": task["contextId"], "historyLength": length}
    ).result["tasks"][0]
    for found in (answered, cut, listed):
        if length == 0:
            assert not found.get("history")
        else:
            assert same(found["history"]) == same(whole[-length:])


# --- errors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("task_id", [NOBODY, "nonsense", "ü?#%", "x" * 3_000, "task-", "task-01"])
@pytest.mark.parametrize("operation", TASK)
def test_unknown_tasks_are_not_found(
    door: RawWorld, binding: str, operation: str, task_id: str
) -> None:
    found = door.own.ask(binding, operation, params_of(operation, task_id))
    refused(found, binding, "TASK_NOT_FOUND")


@pytest.mark.parametrize("operation", ["SendMessage", "SendStreamingMessage"])
def test_a_message_to_an_unknown_task_is_not_found(
    door: RawWorld, binding: str, operation: str
) -> None:
    found = door.own.ask(binding, operation, {"message": message(taskId=NOBODY)})
    refused(found, binding, "TASK_NOT_FOUND")


@pytest.mark.parametrize("operation", ["SendMessage", "SendStreamingMessage"])
def test_a_message_to_a_task_that_is_over_is_unsupported(
    door: RawWorld, binding: str, operation: str, done: Any
) -> None:
    found = door.own.ask(binding, operation, {"message": message(taskId=done["id"])})
    refused(found, binding, "UNSUPPORTED_OPERATION")


def test_subscribing_to_a_task_that_is_over_is_unsupported(
    door: RawWorld, binding: str, done: Any
) -> None:
    found = door.own.ask(binding, "SubscribeToTask", {"id": done["id"]})
    refused(found, binding, "UNSUPPORTED_OPERATION")


def test_a_task_that_is_over_cannot_be_canceled(door: RawWorld, binding: str, done: Any) -> None:
    refused(door.own.ask(binding, "CancelTask", {"id": done["id"]}), binding, "TASK_NOT_CANCELABLE")


def test_a_task_is_canceled_once_and_stays_so(door: RawWorld, binding: str) -> None:
    task = door.own.send("wait 60", configuration={"returnImmediately": True})
    found = door.own.ask(binding, "CancelTask", {"id": task["id"]}).result
    assert (found["id"], found["status"]["state"]) == (task["id"], CANCELED)
    again = door.own.ask(binding, "CancelTask", {"id": task["id"]})
    refused(again, binding, "TASK_NOT_CANCELABLE")
    assert door.own.until(task["id"], CANCELED)["status"] == found["status"]


@pytest.mark.parametrize("operation", ["SendMessage", "SendStreamingMessage"])
def test_another_context_than_the_tasks_is_refused(
    door: RawWorld, binding: str, operation: str, asking: Any
) -> None:
    sent = {"message": message(taskId=asking["id"], contextId="another")}
    refused(door.own.ask(binding, operation, sent), binding, "INVALID_PARAMS")


WRONG_MESSAGES: list[tuple[str, dict[str, Any]]] = [
    ("no messageId", {"messageId": None}),
    ("empty messageId", {"messageId": ""}),
    ("no role", {"role": None}),
    ("unspecified role", {"role": "ROLE_UNSPECIFIED"}),
    ("unknown role", {"role": "ROLE_KING"}),
    ("no parts", {"parts": None}),
    ("empty parts", {"parts": []}),
    ("part without content", {"parts": [{}]}),
    ("part with metadata alone", {"parts": [{"metadata": {"a": 1}}]}),
    ("part with two contents", {"parts": [{"text": "a", "url": "https://example.com"}]}),
    ("text of a wrong type", {"parts": [{"text": 5}]}),
    ("raw that is no base64", {"parts": [{"raw": "*"}]}),
    ("parts of a wrong type", {"parts": "text"}),
    ("metadata of a wrong type", {"metadata": "x"}),
    ("context too long", {"contextId": "x" * 1_000}),
]


@pytest.mark.parametrize("operation", ["SendMessage", "SendStreamingMessage"])
@pytest.mark.parametrize(
    ("name", "changed"), WRONG_MESSAGES, ids=[one for one, _ in WRONG_MESSAGES]
)
def test_messages_are_validated(
    door: RawWorld, binding: str, operation: str, name: str, changed: dict[str, Any]
) -> None:
    sent = {key: one for key, one in (message() | changed).items() if one is not None}
    found = door.own.ask(binding, operation, {"message": sent})
    assert found.error is not None, name
    if binding == JSONRPC:
        assert (found.status, found.error["code"]) == (200, -32602)
    else:
        assert (found.status, found.error["code"]) == (400, 400)
        assert found.error["status"] == "INVALID_ARGUMENT"
    assert found.reason in ("INVALID_PARAMS", "INVALID_REQUEST")


@pytest.mark.parametrize("operation", ["SendMessage", "SendStreamingMessage"])
@pytest.mark.parametrize("params", [{}, {"message": {}}, {"message": None}], ids=str)
def test_a_send_needs_a_message(
    door: RawWorld, binding: str, operation: str, params: dict[str, Any]
) -> None:
    refused(door.own.ask(binding, operation, params), binding, "INVALID_PARAMS")


def test_a_media_type_that_is_not_taken_is_refused(door: RawWorld, binding: str) -> None:
    sent = message(parts=[{"raw": "AAAA", "mediaType": "video/unheard-of"}])
    for operation in ("SendMessage", "SendStreamingMessage"):
        found = door.own.ask(binding, operation, {"message": sent})
        refused(found, binding, "CONTENT_TYPE_NOT_SUPPORTED")


def test_a_negative_history_length_is_refused(door: RawWorld, binding: str, done: Any) -> None:
    for operation, params in (
        ("GetTask", {"id": done["id"], "historyLength": -1}),
        ("ListTasks", {"historyLength": -1}),
        ("SendMessage", {"message": message(), "configuration": {"historyLength": -1}}),
    ):
        refused(door.own.ask(binding, operation, params), binding, "INVALID_PARAMS")
