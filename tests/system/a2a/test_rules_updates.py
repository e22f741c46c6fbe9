"""The specification's rules on capabilities, versions, lists, callbacks and streams, over both
bindings, with plain HTTP."""

from __future__ import annotations

import time
import uuid
from typing import Any

import pytest
from a2a_raw import (
    ASKING,
    BINDINGS,
    CANCELED,
    COMPLETED,
    HOOK,
    JSONRPC,
    NOBODY,
    PATHS,
    REST,
    STREAMS,
    WORKING,
    Raw,
    RawWorld,
    message,
    params_of,
    refused,
)

PUSH = [name for name in PATHS if "Push" in name]

pytestmark = pytest.mark.parametrize("binding", BINDINGS)


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
        assert time.monotonic() - begun < 50, "it does not wait for the task's own end"


def test_subscribing_works_with_get_as_well(door: RawWorld, binding: str, asking: Any) -> None:
    if binding == REST:
        place = f"{door.own.url}/tasks/{asking['id']}:subscribe"
        with door.own.http.stream("GET", place, headers={"A2A-Version": "1.0"}) as found:
            assert found.status_code == 200
            assert next(line for line in found.iter_lines() if line.startswith("data:"))
