"""The A2A door over gRPC: refusals in its words, limits, and tasks that other bindings see."""

from __future__ import annotations

import asyncio
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from a2a_grpc import SERVICE, GrpcAnswer, GrpcRaw, grpc_in
from a2a_raw import ASKING, COMPLETED, ERRORS, JSONRPC, NOBODY, PATHS, RawWorld, message, params_of
from devnet_process import ROOT

from chain.cli import beside
from chain.cli.beside import A2aOptions
from chain.gateway.a2a_grpc import GrpcDoor
from chain.gateway.serve import CannotListen
from chain.node.server import listen

Code = grpc.StatusCode
START = "from chain.cli.main import main; main()"


@pytest.fixture(scope="module")
def wire(door: RawWorld) -> Iterator[GrpcRaw]:
    made = GrpcRaw(grpc_in(door.net.output))
    yield made
    made.close()


def refused(found: GrpcAnswer, code: Code, reason: str) -> None:
    assert (found.code, found.reason, found.results) == (code, reason, [])
    assert found.text
    assert reason in ERRORS


def test_all_operations_of_the_service_are_those_of_the_other_bindings() -> None:
    assert {one.name for one in SERVICE.methods} == set(PATHS)


@pytest.mark.parametrize("operation", [name for name in PATHS if "{" in PATHS[name][1]])
def test_a_task_that_is_not_there_is_not_found(wire: GrpcRaw, operation: str) -> None:
    refused(wire.ask(operation, params_of(operation, NOBODY)), Code.NOT_FOUND, "TASK_NOT_FOUND")


def test_what_is_over_is_not_gone_on_with(wire: GrpcRaw, done: Any) -> None:
    found = wire.ask("CancelTask", {"id": done["id"]})
    refused(found, Code.FAILED_PRECONDITION, "TASK_NOT_CANCELABLE")
    for operation, params in (
        ("SubscribeToTask", {"id": done["id"]}),
        ("SendMessage", {"message": message(taskId=done["id"])}),
        ("SendStreamingMessage", {"message": message(taskId=done["id"])}),
    ):
        found = wire.ask(operation, params)
        refused(found, Code.FAILED_PRECONDITION, "UNSUPPORTED_OPERATION")


@pytest.mark.parametrize("version", ["", "0.3", "1.1", "9.9"])
def test_other_versions_are_refused(wire: GrpcRaw, version: str) -> None:
    found = wire.ask("ListTasks", metadata={"a2a-version": version})
    refused(found, Code.FAILED_PRECONDITION, "VERSION_NOT_SUPPORTED")


@pytest.mark.parametrize(
    ("operation", "params"),
    [
        ("SendMessage", {"message": {"role": "ROLE_USER", "parts": [{"text": "x"}]}}),
        ("SendMessage", {"message": message(parts=[])}),
        ("SendMessage", {"message": message(role=7)}),
        ("ListTasks", {"pageSize": 101}),
        ("ListTasks", {"pageToken": "no"}),
        ("ListTasks", {"status": 99}),
        ("GetTask", {}),
    ],
)
def test_wrong_parameters_are_refused(wire: GrpcRaw, operation: str, params: Any) -> None:
    refused(wire.ask(operation, params), Code.INVALID_ARGUMENT, "INVALID_PARAMS")


def test_what_is_no_message_or_too_large_is_refused(wire: GrpcRaw) -> None:
    assert wire.ask("SendMessage", raw=b"\xff\xff\xff").code == Code.INVALID_ARGUMENT
    assert wire.ask("SendMessage", raw=bytes(1_100_000)).code == Code.RESOURCE_EXHAUSTED
    assert wire.ask("ListTasks", {"pageSize": 1}).code == Code.OK


def test_what_no_node_takes_is_wrong_and_long_names_are_not_repeated(wire: GrpcRaw) -> None:
    large = {"message": message("x" * 600_000)}
    refused(wire.ask("SendMessage", large), Code.INVALID_ARGUMENT, "INVALID_PARAMS")
    long = "x" * 900_000
    found = wire.ask("GetTask", {"id": long})
    refused(found, Code.NOT_FOUND, "TASK_NOT_FOUND")
    assert len(found.text) < 300
    found = wire.ask("ListTasks", {"tenant": long})
    assert found.code == Code.NOT_FOUND
    assert len(found.text) < 300


def test_agents_are_told_apart_by_tenant(door: RawWorld, wire: GrpcRaw) -> None:
    found = wire.ask("ListTasks", {"tenant": "nobody-here"})
    assert (found.code, found.results) == (Code.NOT_FOUND, [])
    found = wire.ask("SendMessage", {"message": message(), "tenant": "strict"})
    refused(found, Code.FAILED_PRECONDITION, "EXTENSION_SUPPORT_REQUIRED")
    found = wire.ask("SendStreamingMessage", {"message": message(), "tenant": "plain"})
    refused(found, Code.FAILED_PRECONDITION, "UNSUPPORTED_OPERATION")
    hook = {**params_of("CreateTaskPushNotificationConfig", "task-1"), "tenant": "plain"}
    found = wire.ask("CreateTaskPushNotificationConfig", hook)
    refused(found, Code.FAILED_PRECONDITION, "PUSH_NOTIFICATION_NOT_SUPPORTED")
    card = door.own.http.get(f"{door.url}/.well-known/agent-card.json").json()
    (face,) = [one for one in card["supportedInterfaces"] if one["protocolBinding"] == "GRPC"]
    assert face["url"] == grpc_in(door.net.output)
    assert wire.ask("ListTasks", {"tenant": face["tenant"]}).code == Code.OK


def test_a_wrong_key_is_unauthenticated_and_extensions_are_echoed(wire: GrpcRaw) -> None:
    for shown in ({"x-api-key": "msgk_0"}, {"authorization": "Bearer x"}, {"x-api-key": ""}):
        assert wire.ask("ListTasks", metadata=shown).code == Code.UNAUTHENTICATED
    declared = wire.ask("GetExtendedAgentCard").result["capabilities"]["extensions"][0]["uri"]
    asked = {"a2a-extensions": f"https://example.com/novel, {declared}"}
    assert wire.ask("ListTasks", metadata=asked).initial["a2a-extensions"] == declared


def test_push_notifications_are_kept_told_and_deleted(wire: GrpcRaw, asking: Any) -> None:
    task = {"taskId": asking["id"]}
    hook = {**task, "id": "grpc", "url": "http://127.0.0.1:9/hook"}
    assert wire.ask("CreateTaskPushNotificationConfig", hook).result["id"] == "grpc"
    found = wire.ask("GetTaskPushNotificationConfig", {**task, "id": "grpc"}).result
    assert found["url"] == hook["url"]
    assert wire.ask("DeleteTaskPushNotificationConfig", {**task, "id": "grpc"}).result == {}
    listed = wire.ask("ListTaskPushNotificationConfigs", task).result.get("configs", [])
    assert all(one["id"] != "grpc" for one in listed)


def test_a_task_is_followed_over_the_other_binding(door: RawWorld, wire: GrpcRaw) -> None:
    begun = {"message": message("ask"), "configuration": {"returnImmediately": True}}
    for over_grpc in (True, False):
        if over_grpc:
            task = wire.ask("SendMessage", begun).result["task"]
        else:
            task = door.own.ask(JSONRPC, "SendMessage", begun).result["task"]
        door.own.until(task["id"], ASKING)
        more = {"message": message("tea", taskId=task["id"])}
        if over_grpc:
            with door.own.stream(JSONRPC, "SubscribeToTask", {"id": task["id"]}) as events:
                next(events)
                wire.ask("SendMessage", more)
                last = list(events)[-1]
        else:
            follow = wire.events("SubscribeToTask", {"id": task["id"]})
            assert next(follow)["task"]["id"] == task["id"]
            door.own.ask(JSONRPC, "SendMessage", more)
            last = list(follow)[-1]
        assert last["statusUpdate"]["status"]["state"] == COMPLETED


def gateway(door: RawWorld, *options: str) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", START, "gateway", "--rpc", door.net.url, "--port", "0"]
    words += ["--a2a-port", "0", "--grpc-port", "0", *options]
    return subprocess.Popen(
        words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.long
def test_RL_1_too_many_are_told_to_wait_and_a_stop_ends_open_streams(
    door: RawWorld, asking: Any, tmp_path: Path
) -> None:
    limits = ("--requests-per-second", "1", "--requests-burst", "1", "--a2a-folder", str(tmp_path))
    process = gateway(door, *limits)
    assert process.stdout is not None
    heard = ""
    while not re.search(r"A2A gRPC +\S+", heard):
        heard += process.stdout.readline()
    wire = GrpcRaw(grpc_in(heard))
    end = time.monotonic() + 60
    while wire.ask("GetTask", {"id": asking["id"]}).code != Code.OK:
        assert time.monotonic() < end
        time.sleep(1)
    follow = wire.events("SubscribeToTask", {"id": asking["id"]})
    assert next(follow)["task"]["id"] == asking["id"]
    ended = threading.Event()
    threading.Thread(target=_to_the_end, args=(follow, ended), daemon=True).start()
    asked = (wire.ask("GetTask", {"id": asking["id"]}) for _ in range(50))
    found = next(one for one in asked if one.code != Code.OK)
    assert found.code == Code.RESOURCE_EXHAUSTED
    assert 0 < found.retry <= 1
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=90)
    assert process.returncode == 0, errors
    assert "Traceback" not in errors
    assert ended.wait(60)
    wire.close()


def _to_the_end(events: Iterator[Any], ended: threading.Event) -> None:
    try:
        list(events)
    except grpc.RpcError:
        ended.set()


def test_a_taken_port_is_said_in_one_line(door: RawWorld) -> None:
    taken = grpc_in(door.net.output).rpartition(":")[2]
    process = gateway(door, "--grpc-port", taken)
    _, errors = process.communicate(timeout=90)
    assert process.returncode == 1
    assert "--grpc-port" in errors
    assert len(errors.splitlines()) == 1


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (A2aOptions(grpc=0), "install msgchain[grpc]"),
        (A2aOptions(grpc=0, off=True), "--no-a2a"),
        (A2aOptions(grpc=0, port=None), "install msgchain["),
    ],
)
def test_why_there_is_no_grpc_is_said_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    given: A2aOptions,
    told: str,
) -> None:
    monkeypatch.setattr(beside, "find_spec", lambda name: None)
    monkeypatch.setattr(beside, "a2a_installed", lambda: "grpc]" in told)
    with (
        pytest.raises(SystemExit),
        beside.a2a_listen("127.0.0.1", given),  # type: ignore[union-attr]
        beside.grpc_held("127.0.0.1", given),
    ):
        pass
    errors = capsys.readouterr().err
    assert told in errors
    assert len(errors.splitlines()) == 1


def test_a_port_is_kept_until_grpc_opens_it_and_one_that_was_lost_ends_the_start() -> None:
    async def opened(address: str) -> None:
        door = GrpcDoor(Any, address)  # type: ignore[arg-type]
        door.start()
        await door.stop()

    with beside.grpc_held("127.0.0.1", A2aOptions(grpc=0)) as address:
        number = int(address.rpartition(":")[2])
        with socket.socket() as other, pytest.raises(OSError, match="in use"):
            other.bind(("127.0.0.1", number))
        asyncio.run(opened(address))
    with listen("127.0.0.1", number), pytest.raises(CannotListen, match="it was taken"):
        asyncio.run(opened(address))


def test_commands_start_without_grpc() -> None:
    look = "import sys, chain.cli.main, chain.cli.gateway, chain.cli.devnet; print('grpc' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", look], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
