"""The A2A door: with another's key, a wrong one or none, a task is one that never was."""

from __future__ import annotations

import json
import re
import time
from typing import Any

from a2a_grpc import GRPC, GrpcRaw, grpc_in
from a2a_raw import BINDINGS, JSONRPC, PATHS, Raw, answer_of, message, params_of
from gateway_process import Agent, Gateway, Net
from grpc import StatusCode
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

A2A = True  # the fixture opens that door too
SECRET = "only alice and her agent know this"
#: operations on a task, and messages that go on with one
WITH_TASK = [name for name in PATHS if "{" in PATHS[name][1]]
SENDS = ["SendMessage", "SendStreamingMessage"]


class Both(Raw):
    """A gateway's door over all its bindings."""

    def __init__(self, gateway: Gateway, net: Net) -> None:
        name = "one" if gateway is net.gateway else "two"
        output = (net.folder / name / "gateway.out").read_text()
        super().__init__(door_in(output))
        self.grpc = GrpcRaw(grpc_in(output))

    def close(self) -> None:
        super().close()
        self.grpc.close()


def door_in(output: str) -> str:
    """Where a gateway's A2A door is, when its own agent works."""
    found = re.search(r"A2A +(http://\S+)", output)
    assert found, output
    raw = Raw(found[1])
    end = time.monotonic() + 60
    while "playground" not in raw.http.get(f"{raw.url}/.well-known/agent-card.json").text:
        assert time.monotonic() < end
        time.sleep(0.1)
    raw.close()
    return found[1]


def asked(raw: Both, binding: str, operation: str, params: Any, key: str | None) -> tuple[int, Any]:
    """Status and the answer's error or result."""
    headers = {} if key is None else {"X-API-Key": key}
    if binding == GRPC:
        shown = {name.lower(): value for name, value in headers.items()}
        told = raw.grpc.ask(operation, params, metadata=shown)
        if told.code == StatusCode.OK:
            empty = {"tasks": []} if operation == "ListTasks" else {}  # Protobuf leaves it out
            return 200, told.results if told.results[1:] else {**empty, **told.results[0]}
        return (401 if told.code == StatusCode.UNAUTHENTICATED else 400), told[1:4]
    got = raw.http.send(raw.request(binding, operation, params, headers))
    if got.status_code == 401:
        return 401, got.json()
    found = answer_of(binding, got)
    return found.status, found.error or found.result or found.events


def test_nobody_else_reads_writes_or_learns_of_a_task(net: Net, alice: Agent, bob: Agent) -> None:
    revoked = net.create("alice")
    (net.api_keys / f"{revoked.key_id}.json").unlink()
    doors = [Both(one, net) for one in (net.gateway, net.other)]
    sent = {"message": message(f"ask {SECRET}"), "configuration": {"returnImmediately": True}}
    mine = [asked(doors[0], JSONRPC, "SendMessage", sent, alice.key)[1]["task"] for _ in range(2)]
    for one in mine:
        _wait(doors[0], alice.key, one["id"])
    hook = {"taskId": mine[0]["id"], "url": "https://example.com/hook", "id": "mine"}
    made = asked(doors[0], JSONRPC, "CreateTaskPushNotificationConfig", hook, alice.key)
    assert made[1]["id"] == "mine"
    before = [_seen(doors[0], alice.key, one["id"]) for one in mine]
    wrong = ["", alice.key[:-1] + ("a" if alice.key[-1] != "a" else "b"), revoked.key]
    wrong.append(f"msgk_{alice.key_id}_{bob.key.rpartition('_')[2]}")

    @settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        operation=st.sampled_from([*WITH_TASK, *SENDS, "ListTasks"]),
        binding=st.sampled_from([*BINDINGS, GRPC]),
        raw=st.sampled_from(doors),
        key=st.sampled_from([bob.key, None, *wrong]),
        task=st.sampled_from(mine),
        named=st.booleans(),
    )
    def check(
        operation: str, binding: str, raw: Both, *, key: str | None, task: Any, named: bool
    ) -> None:
        answers = []
        for task_id in (task["id"], "task-99999"):
            if operation == "ListTasks":
                params: dict[str, Any] = {"contextId": task["contextId"]}
            elif operation in SENDS:
                more = {"contextId": task["contextId"]} if named else {}
                params = {"message": message("tea", taskId=task_id, messageId="m", **more)}
            else:
                params = params_of(operation, task_id)
                if "id" in params and "taskId" in params:
                    params["id"] = "mine"
            status, found = asked(raw, binding, operation, params, key)
            text = json.dumps(found)
            assert SECRET not in text
            answers.append((status, text.replace(task_id, "…")))
        assert answers[0] == answers[1]
        if key in wrong:
            assert answers[0][0] == 401
            assert all(one not in answers[0][1] for one in wrong if one)
        elif operation == "ListTasks":
            assert '"tasks": []' in answers[0][1]
        else:
            assert "TASK_NOT_FOUND" in answers[0][1]

    check()
    assert [_seen(doors[0], alice.key, one["id"]) for one in mine] == before
    for one in mine:
        assert asked(doors[1], JSONRPC, "CancelTask", {"id": one["id"]}, alice.key)[0] == 200
    for raw in doors:
        raw.close()


def _wait(raw: Both, key: str, task_id: str) -> None:
    end = time.monotonic() + 60
    while True:
        task = asked(raw, JSONRPC, "GetTask", {"id": task_id}, key)[1]
        if task["status"]["state"] == "TASK_STATE_INPUT_REQUIRED":
            return
        assert time.monotonic() < end, task
        time.sleep(0.1)


def _seen(raw: Both, key: str, task_id: str) -> Any:
    """All that a write would change."""
    hooks = asked(raw, JSONRPC, "ListTaskPushNotificationConfigs", {"taskId": task_id}, key)
    return asked(raw, JSONRPC, "GetTask", {"id": task_id}, key), hooks
