"""The specification's rules on operations, each over both bindings, with plain HTTP."""

from __future__ import annotations

import base64
import re
import time
import uuid
from typing import Any

import pytest
from a2a.types import Message
from a2a_raw import (
    BINDINGS,
    ERROR_INFO,
    ERRORS,
    JSONRPC,
    NOBODY,
    PATHS,
    REST,
    STREAMS,
    Answer,
    Raw,
    RawWorld,
    message,
)
from google.protobuf.json_format import MessageToDict, ParseDict

COMPLETED, CANCELED = "TASK_STATE_COMPLETED", "TASK_STATE_CANCELED"
ASKING, WORKING = "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_WORKING"
SUBMITTED = "TASK_STATE_SUBMITTED"
BADLY = "TASK_STATE_REJECTED", "TASK_STATE_FAILED"
PUSH = [name for name in PATHS if "Push" in name]
TASK = [name for name in PATHS if "{" in PATHS[name][1]]
HOOK = "http://127.0.0.1:9/hook"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z")

pytestmark = pytest.mark.parametrize("binding", BINDINGS)


@pytest.fixture(scope="module")
def done(door: RawWorld) -> Any:
    """A task that is over."""
    return door.own.send("hello")


@pytest.fixture(scope="module")
def asking(door: RawWorld) -> Any:
    """A task that waits for input; nobody gives any."""
    return door.own.send("ask")


def refused(found: Answer, binding: str, reason: str) -> None:
    """The error, as this binding says it."""
    code, status = ERRORS[reason]
    assert found.error is not None, found
    assert found.reason == reason, found
    detail = next(one for one in found.details if one["@type"] == ERROR_INFO)
    assert detail["domain"] == "a2a-protocol.org"
    assert isinstance(found.error["message"], str)
    assert found.error["message"]
    assert found.headers["content-type"].startswith("application/")
    if binding == JSONRPC:
        assert (found.status, found.error["code"]) == (200, code)
    else:
        assert (found.status, found.error["code"]) == (status, status)
        assert found.error["status"].isupper()


def same(history: list[Any]) -> list[Any]:
    """Messages without the fields that hold nothing."""
    return [MessageToDict(ParseDict(one, Message())) for one in history]


def params_of(operation: str, task_id: str) -> dict[str, Any]:
    """Good parameters of an operation on a task."""
    if "Push" not in operation:
        return {"id": task_id}
    found = {"taskId": task_id}
    if operation.startswith("Create"):
        found |= {"url": HOOK}
    elif "Configs" not in operation:
        found |= {"id": "one"}
    return found


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
    sent = {"message": message("wait 1"), "configuration": {"returnImmediately": True}}
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


@pytest.mark.parametrize("length", [0, 1, 2, 99])
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


# --- what is not declared ---------------------------------------------------------------------------


@pytest.mark.parametrize("operation", PUSH)
def test_push_is_not_supported_where_it_is_not_declared(
    door: RawWorld, binding: str, operation: str
) -> None:
    found = door.plain.ask(binding, operation, params_of(operation, NOBODY))
    refused(found, binding, "PUSH_NOTIFICATION_NOT_SUPPORTED")


def test_a_callback_in_a_send_is_not_supported_where_push_is_not(
    door: RawWorld, binding: str
) -> None:
    sent = {"message": message(), "configuration": {"taskPushNotificationConfig": {"url": HOOK}}}
    found = door.plain.ask(binding, "SendMessage", sent)
    refused(found, binding, "PUSH_NOTIFICATION_NOT_SUPPORTED")


@pytest.mark.parametrize("operation", STREAMS)
def test_streams_are_unsupported_where_they_are_not_declared(
    door: RawWorld, binding: str, operation: str
) -> None:
    params = {"id": NOBODY} if operation == "SubscribeToTask" else {"message": message()}
    refused(door.plain.ask(binding, operation, params), binding, "UNSUPPORTED_OPERATION")


def test_the_extended_card_is_unsupported_where_it_is_not_declared(
    door: RawWorld, binding: str
) -> None:
    refused(door.plain.ask(binding, "GetExtendedAgentCard"), binding, "UNSUPPORTED_OPERATION")


@pytest.mark.parametrize("operation", ["SendMessage", "SendStreamingMessage"])
def test_a_required_extension_must_be_asked_for(
    door: RawWorld, binding: str, operation: str
) -> None:
    params = {"message": message(), "configuration": {"returnImmediately": True}}
    refused(door.strict.ask(binding, operation, params), binding, "EXTENSION_SUPPORT_REQUIRED")
    if operation == "SendMessage":
        headers = {"A2A-Extensions": "https://example.com/other, https://example.com/needed/v1"}
        found = door.strict.ask(binding, operation, params, headers=headers)
        assert found.error is None
        assert found.headers["a2a-extensions"] == "https://example.com/needed/v1"


@pytest.mark.parametrize(
    "version", ["", "0.3", "0.5", "1.1", "1.7", "2.0", "99.0", "abc", "1", "1.0.x"]
)
def test_other_versions_are_not_supported(door: RawWorld, binding: str, version: str) -> None:
    headers = {"A2A-Version": version}
    for operation, params in (
        ("SendMessage", {"message": message()}),
        ("SendStreamingMessage", {"message": message()}),
        ("GetTask", {"id": NOBODY}),
        ("ListTasks", {}),
    ):
        found = door.own.ask(binding, operation, params, headers=headers)
        refused(found, binding, "VERSION_NOT_SUPPORTED")


@pytest.mark.parametrize("version", ["1.0", "1.0.1"])
def test_the_version_counts_without_its_patch_and_from_the_query_too(
    door: RawWorld, binding: str, version: str
) -> None:
    found = door.own.ask(binding, "ListTasks", headers={"A2A-Version": version})
    assert found.error is None
    asked = door.own.request(binding, "ListTasks", {}, {})
    del asked.headers["A2A-Version"]
    asked.url = asked.url.copy_merge_params({"A2A-Version": version})
    got = door.own.http.send(asked)
    assert got.status_code == 200
    assert "error" not in got.json()


# --- lists ------------------------------------------------------------------------------------------


def tasks_in(raw: Raw, binding: str, **params: Any) -> Any:
    found = raw.ask(binding, "ListTasks", params)
    assert found.error is None, found
    assert {"tasks", "nextPageToken", "pageSize", "totalSize"} <= set(found.result)
    return found.result


def test_lists_come_newest_first_in_pages_that_miss_nothing(door: RawWorld, binding: str) -> None:
    context = f"list-{uuid.uuid4()}"
    ids = [door.own.send(str(number), contextId=context)["id"] for number in range(4)]
    ids.append(door.own.send("ask", contextId=context)["id"])
    whole = tasks_in(door.own, binding, contextId=context)
    assert [one["id"] for one in whole["tasks"]] == ids[::-1]
    assert (whole["nextPageToken"], whole["pageSize"], whole["totalSize"]) == ("", 50, 5)
    times = [one["status"]["timestamp"] for one in whole["tasks"]]
    assert times == sorted(times, reverse=True)
    seen: list[str] = []
    token = ""
    while True:
        page = tasks_in(door.own, binding, contextId=context, pageSize=2, pageToken=token)
        assert (page["pageSize"], page["totalSize"]) == (2, 5)
        seen += [one["id"] for one in page["tasks"]]
        token = page["nextPageToken"]
        if not token:
            break
    assert seen == ids[::-1]
    waiting = tasks_in(door.own, binding, contextId=context, status=ASKING)
    assert [one["id"] for one in waiting["tasks"]] == ids[-1:]
    after = tasks_in(door.own, binding, contextId=context, statusTimestampAfter=times[1])
    assert [one["id"] for one in after["tasks"]] == ids[:2:-1]
    empty = tasks_in(door.own, binding, contextId="nothing-here")
    assert (empty["tasks"], empty["totalSize"], empty["nextPageToken"]) == ([], 0, "")


def test_lists_have_artifacts_only_when_asked(door: RawWorld, binding: str, done: Any) -> None:
    for params, wanted in (({}, False), ({"includeArtifacts": True}, True)):
        found = tasks_in(door.own, binding, contextId=done["contextId"], **params)
        assert ("artifacts" in found["tasks"][0]) is wanted


@pytest.mark.parametrize(
    "params",
    [
        {"pageSize": 0},
        {"pageSize": 101},
        {"pageSize": -1},
        {"pageToken": "nonsense"},
        {"status": "running"},
        {"status": "TASK_STATE_KING"},
        {"statusTimestampAfter": "yesterday"},
        {"pageSize": "many"},
        {"historyLength": "x"},
    ],
    ids=str,
)
def test_list_parameters_are_validated(door: RawWorld, binding: str, params: Any) -> None:
    found = door.own.ask(binding, "ListTasks", params)
    assert found.error is not None
    if binding == JSONRPC:
        assert (found.status, found.error["code"]) == (200, -32602)
    else:
        assert (found.status, found.error["code"]) == (400, 400)


# --- push notifications -----------------------------------------------------------------------------


def test_push_configurations_are_made_read_listed_and_deleted(
    door: RawWorld, binding: str, asking: Any
) -> None:
    task_id = door.own.send("ask")["id"]
    wanted = {
        "taskId": task_id,
        "url": HOOK,
        "token": "abc",
        "authentication": {"scheme": "Bearer", "credentials": "xyz"},
    }
    made = door.own.ask(binding, "CreateTaskPushNotificationConfig", wanted).result
    assert made["id"]
    assert {name: made[name] for name in wanted} == wanted
    named = {**wanted, "id": "mine", "url": f"{HOOK}2"}
    assert door.own.ask(binding, "CreateTaskPushNotificationConfig", named).result == named
    one = {"taskId": task_id, "id": "mine"}
    assert door.own.ask(binding, "GetTaskPushNotificationConfig", one).result == named
    listed = door.own.ask(binding, "ListTaskPushNotificationConfigs", {"taskId": task_id}).result
    assert sorted(one["id"] for one in listed["configs"]) == sorted([made["id"], "mine"])
    replaced = {**named, "url": f"{HOOK}3"}
    assert door.own.ask(binding, "CreateTaskPushNotificationConfig", replaced).error is None
    assert door.own.ask(binding, "GetTaskPushNotificationConfig", one).result == replaced
    for _ in range(2):
        gone = door.own.ask(binding, "DeleteTaskPushNotificationConfig", one)
        assert (gone.status, gone.error) == (200, None)
    refused(door.own.ask(binding, "GetTaskPushNotificationConfig", one), binding, "TASK_NOT_FOUND")
    listed = door.own.ask(binding, "ListTaskPushNotificationConfigs", {"taskId": task_id}).result
    assert [one["id"] for one in listed["configs"]] == [made["id"]]


@pytest.mark.parametrize("url", [None, "", "nonsense", "ftp://example.com/x", "https://"])
def test_a_callback_needs_a_url(door: RawWorld, binding: str, asking: Any, url: str | None) -> None:
    wanted = {"taskId": asking["id"]} | ({} if url is None else {"url": url})
    found = door.own.ask(binding, "CreateTaskPushNotificationConfig", wanted)
    refused(found, binding, "INVALID_PARAMS")


# --- streams ----------------------------------------------------------------------------------------


def kinds(events: list[Any]) -> list[str]:
    for event in events:
        assert len(event) == 1, event
    return [next(iter(event)) for event in events]


def test_a_stream_begins_with_the_task_and_ends_with_its_end(door: RawWorld, binding: str) -> None:
    sent = {"message": message("stream 3")}
    found = door.own.ask(binding, "SendStreamingMessage", sent)
    assert found.status == 200
    names = kinds(found.events)
    assert names[0] == "task"
    assert "task" not in names[1:]
    assert "message" not in names
    task = found.events[0]["task"]
    last = found.events[-1]["statusUpdate"]
    assert last["status"]["state"] == COMPLETED
    updates = [next(iter(event.values())) for event in found.events[1:]]
    assert all(one["taskId"] == task["id"] for one in updates)
    assert all(one["contextId"] == task["contextId"] for one in updates)
    times = [one["status"]["timestamp"] for one in updates if "status" in one]
    assert times == sorted(times)
    pieces = [one for one in updates if "artifact" in one]
    assert pieces
    assert len({one["artifact"]["artifactId"] for one in pieces}) == 1


def test_a_stream_closes_where_input_is_needed(door: RawWorld, binding: str) -> None:
    events = door.own.ask(binding, "SendStreamingMessage", {"message": message("ask")}).events
    last = events[-1].get("statusUpdate") or events[-1]["task"]
    assert last["status"]["state"] == ASKING
    task_id = events[0]["task"]["id"]
    more = {"message": message("tea", taskId=task_id)}
    events = door.own.ask(binding, "SendStreamingMessage", more).events
    assert events[0]["task"]["id"] == task_id
    assert events[-1]["statusUpdate"]["status"]["state"] == COMPLETED


def test_subscribers_see_the_same_in_the_same_order(door: RawWorld, binding: str) -> None:
    task = door.own.send("ask")
    params = {"id": task["id"]}
    with (
        door.own.stream(binding, "SubscribeToTask", params) as one,
        door.own.stream(binding, "SubscribeToTask", params) as two,
        door.own.stream(binding, "SubscribeToTask", params) as three,
    ):
        firsts = [next(one), next(two), next(three)]
        assert [event["task"]["status"] for event in firsts] == [task["status"]] * 3
        three.close()
        answered = door.own.ask(
            binding, "SendMessage", {"message": message("x", taskId=task["id"])}
        )
        assert answered.result["task"]["status"]["state"] == COMPLETED
        first, second = list(one), list(two)
    assert first == second
    assert first[-1]["statusUpdate"]["status"]["state"] == COMPLETED


def test_a_task_outlives_its_streams(door: RawWorld, binding: str) -> None:
    with door.own.stream(binding, "SendStreamingMessage", {"message": message("wait 1")}) as events:
        task_id = next(events)["task"]["id"]
    assert door.own.until(task_id, COMPLETED)["artifacts"]


def test_a_subscription_hears_of_a_cancellation(door: RawWorld, binding: str) -> None:
    task = door.own.send("wait 60", configuration={"returnImmediately": True})
    door.own.until(task["id"], WORKING)
    with door.own.stream(binding, "SubscribeToTask", {"id": task["id"]}) as events:
        assert next(events)["task"]["id"] == task["id"]
        begun = time.monotonic()
        assert door.own.ask(binding, "CancelTask", {"id": task["id"]}).error is None
        assert list(events)[-1]["statusUpdate"]["status"]["state"] == CANCELED
        assert time.monotonic() - begun < 20


def test_subscribing_works_with_get_as_well(door: RawWorld, binding: str, asking: Any) -> None:
    if binding == REST:
        place = f"{door.own.url}/tasks/{asking['id']}:subscribe"
        with door.own.http.stream("GET", place, headers={"A2A-Version": "1.0"}) as found:
            assert found.status_code == 200
            assert next(line for line in found.iter_lines() if line.startswith("data:"))
