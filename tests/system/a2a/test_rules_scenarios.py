"""What the A2A conformance suite expects of a server under test, by the ids of its messages."""

from __future__ import annotations

import base64
import uuid
from typing import Any

import pytest
from a2a_raw import ASKING, BINDINGS, CANCELED, COMPLETED, WORKING, RawWorld, message, refused

AUTH = "TASK_STATE_AUTH_REQUIRED"
FILE = {"filename": "output.txt", "mediaType": "text/plain"}
RAW = {"raw": base64.b64encode(b"tck").decode(), **FILE}

pytestmark = pytest.mark.parametrize("binding", BINDINGS)


def asked(name: str, **fields: Any) -> dict[str, Any]:
    """The suite's message: its id is the scenario and something of the run."""
    return message("from the suite", messageId=f"tck-{name}-{uuid.uuid4().hex[:8]}", **fields)


def sent(door: RawWorld, binding: str, name: str, **fields: Any) -> Any:
    found = door.own.ask(binding, "SendMessage", {"message": asked(name, **fields)})
    assert found.error is None, found
    return found.result["task"]


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("complete-task", {"text": "Hello from TCK"}),
        ("artifact-text", {"text": "Generated text content"}),
        ("artifact-file", RAW),
        ("artifact-file-url", {"url": "https://example.com/output.txt", **FILE}),
        ("artifact-data", {"data": {"key": "value", "count": 42}}),
    ],
)
def test_a_scenario_delivers_its_part(door: RawWorld, binding: str, name: str, part: Any) -> None:
    task = sent(door, binding, name)
    assert task["status"]["state"] == COMPLETED
    (artifact,) = task["artifacts"]
    assert artifact["parts"] == [part]


def test_a_message_is_answered_in_place_of_a_task(door: RawWorld, binding: str) -> None:
    found = door.own.ask(binding, "SendMessage", {"message": asked("message-response")}).result
    assert list(found) == ["message"]
    said = found["message"]
    assert (said["role"], said["parts"]) == ("ROLE_AGENT", [{"text": "Direct message response"}])
    assert said["messageId"]
    assert said["contextId"]
    task = door.own.ask(binding, "GetTask", {"id": said["taskId"]}).result
    assert (task["status"]["state"], task["status"]["message"]) == (COMPLETED, said)
    assert "artifacts" not in task


def test_a_message_that_does_not_wait_for_it_gets_the_task(door: RawWorld, binding: str) -> None:
    params = {"message": asked("message-response"), "configuration": {"returnImmediately": True}}
    assert list(door.own.ask(binding, "SendMessage", params).result) == ["task"]


def test_asking_waits_for_an_answer_and_completes(door: RawWorld, binding: str) -> None:
    task = sent(door, binding, "input-required")
    assert task["status"]["state"] == ASKING
    after = sent(door, binding, "complete-task", taskId=task["id"])
    assert (after["id"], after["status"]["state"]) == (task["id"], COMPLETED)


def test_what_asks_can_be_canceled(door: RawWorld, binding: str) -> None:
    task = sent(door, binding, "input-required")
    gone = door.own.ask(binding, "CancelTask", {"id": task["id"]}).result
    assert gone["status"]["state"] == CANCELED


def test_an_owner_is_awaited(door: RawWorld, binding: str) -> None:
    assert sent(door, binding, "auth-required")["status"]["state"] == AUTH


def test_a_rejected_task_is_rejected(door: RawWorld, binding: str) -> None:
    assert sent(door, binding, "reject-task")["status"]["state"] == "TASK_STATE_REJECTED"


def test_who_does_not_wait_sees_the_task_before_it_is_done(door: RawWorld, binding: str) -> None:
    params = {"message": asked("delayed-complete"), "configuration": {"returnImmediately": True}}
    task = door.own.ask(binding, "SendMessage", params).result["task"]
    assert task["status"]["state"] not in (COMPLETED, ASKING)
    assert sent(door, binding, "delayed-complete")["status"]["state"] == COMPLETED


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("stream-001", [{"text": "Stream hello from TCK"}]),
        ("stream-003", [{"text": "Stream task lifecycle"}]),
        ("stream-ordering-001", [{"text": "Ordered output"}]),
        ("stream-artifact-text", [{"text": "Streamed text content"}]),
        ("stream-artifact-file", [RAW]),
        ("stream-artifact-chunked", [{"text": "chunk-1 "}, {"text": "chunk-2"}]),
    ],
)
def test_a_stream_has_the_task_then_its_pieces_and_ends_completed(
    door: RawWorld, binding: str, name: str, parts: list[Any]
) -> None:
    params = {"message": asked(name)}
    events = door.own.ask(binding, "SendStreamingMessage", params).events
    assert list(events[0]) == ["task"]
    states = [one["statusUpdate"]["status"]["state"] for one in events if "statusUpdate" in one]
    assert states[-1] == COMPLETED
    assert WORKING in states
    assert list(events[-1]) == ["statusUpdate"]
    pieces = [one["artifactUpdate"] for one in events if "artifactUpdate" in one]
    assert [one["artifact"]["parts"] for one in pieces[: len(parts)]] == [[part] for part in parts]
    task = door.own.ask(binding, "GetTask", {"id": events[0]["task"]["id"]}).result
    assert [part for one in task["artifacts"] for part in one["parts"]] == parts


def test_ids_that_only_resemble_the_suites_mean_nothing(door: RawWorld, binding: str) -> None:
    task = sent(door, binding, "unknown-scenario")
    (artifact,) = task["artifacts"]
    assert artifact["parts"] == [{"text": "from the suite"}]


def test_one_message_id_sent_again_is_another_task(door: RawWorld, binding: str) -> None:
    params = {"message": asked("input-required")}
    ids = {door.own.ask(binding, "SendMessage", params).result["task"]["id"] for _ in range(2)}
    assert len(ids) == 2


def test_a_media_type_that_the_agent_does_not_take_is_refused(door: RawWorld, binding: str) -> None:
    part = {"raw": "dGNr", "mediaType": "application/x-unsupported-tck-type"}
    params = {"message": asked("send-003", parts=[part])}
    refused(door.own.ask(binding, "SendMessage", params), binding, "CONTENT_TYPE_NOT_SUPPORTED")
