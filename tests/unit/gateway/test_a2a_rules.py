"""What the A2A door refuses before an agent sees it: fast, without a node."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from chain.client.agent_calls import Contracts
from chain.gateway.a2a_callers import Caller, Callers
from chain.gateway.a2a_http import A2aApp, A2aSettings
from chain.gateway.a2a_rules import Asked, fault_in, read
from chain.gateway.accounts import KeyRing
from chain.gateway.core import Core
from chain.gateway.keys import ApiKeys
from chain.gateway.limits import Limits
from chain.wiring import contract_addresses


def asked(method: str, path: str, body: bytes = b"", query: str = "") -> Asked | Response:
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": [],
        "server": ("x", 80),
        "scheme": "http",
    }
    return read(Request(scope), path, body)


@pytest.mark.parametrize(
    ("method", "path", "operation", "streams"),
    [
        ("POST", "/message:send", "SendMessage", False),
        ("POST", "/tenant/message:stream", "SendStreamingMessage", True),
        ("GET", "/tasks/task-1:subscribe", "SubscribeToTask", True),
        ("GET", "/tasks", "ListTasks", False),
        ("GET", "/tenant/tasks", "ListTasks", False),
        ("GET", "/tasks/task-1", "other", False),
        ("GET", "/nothing", "", False),
    ],
)
def test_paths_are_operations(method: str, path: str, operation: str, streams: bool) -> None:
    found = asked(method, path, b"{}")
    assert isinstance(found, Asked)
    assert (found.operation, found.streams, found.rpc) == (operation, streams, False)


@pytest.mark.parametrize("version", ["1.0", "1.0.0", "1.0.17"])
def test_the_version_of_this_door_passes(version: str) -> None:
    assert fault_in(Asked(True, False, "GetTask", {}), version) is None


@pytest.mark.parametrize("version", ["", "0.3", "1", "1.1", "10.0", "1.0.", "1.0-x", "٠"])
def test_other_versions_do_not(version: str) -> None:
    for one in (Asked(True, False, "GetTask", {}), Asked(False, False, "other", {})):
        assert type(fault_in(one, version)).__name__ == "VersionNotSupportedError"
    assert fault_in(Asked(True, True, "tasks/get", {}), version) is None
    assert fault_in(Asked(True, False, "NoMethod", {}), version) is None


@pytest.mark.parametrize("raw", ["", "AA==", "AA", "_-8=", "+/8="])
def test_base64_of_both_alphabets_is_taken(raw: str) -> None:
    params = {"message": {"role": "ROLE_USER", "parts": [{"raw": raw}]}}
    assert fault_in(Asked(True, False, "SendMessage", params), "1.0") is None


# --- the buckets ------------------------------------------------------------------------------------


class Door:
    """The door without a node, so that everything that is not refused before answers 503."""

    def __init__(self, folder: Path, **limits: int) -> None:
        contracts = Contracts.from_names(contract_addresses())
        self.keys = ApiKeys(folder)
        ring = KeyRing(None, None)
        core = Core("http://127.0.0.1:1", contracts, self.keys, ring, Limits(**limits))
        self.app = A2aApp(core, A2aSettings(address="http://x"))
        self.app.start = lambda: None  # type: ignore[method-assign]

    def ask(
        self, host: str, path: str = "/agents", key: str = "", method: str = "GET"
    ) -> tuple[int, dict[str, str], Any]:
        """Status, headers and JSON of an answer."""
        headers = [(b"x-api-key", key.encode())] if key else []
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": b"",
            "headers": headers,
            "client": (host, 1),
            "server": ("x", 80),
            "scheme": "http",
        }
        sent: list[Any] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"{}", "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        asyncio.run(self.app(scope, receive, send))
        heads = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return sent[0]["status"], heads, json.loads(sent[1]["body"])


def test_RL_1_one_caller_uses_up_no_other_callers_requests(tmp_path: Path) -> None:
    door = Door(tmp_path, requests=1, requests_burst=1)
    key, _ = door.keys.create("bob", "msg1bob")
    first = [door.ask("1.1.1.1")[0] for _ in range(12)]
    assert 429 not in first[:5]
    assert first[-1] == 429
    for host, shown in (("2.2.2.2", ""), ("1.1.1.1", key)):
        assert door.ask(host, key=shown)[0] != 429
    assert door.ask("3.3.3.3", key=key)[0] != 429  # the agent's, wherever it comes from


@pytest.mark.parametrize("path", ["/", "/message:send"])
def test_RL_1_who_asks_too_often_hears_when_to_ask_again(tmp_path: Path, path: str) -> None:
    door = Door(tmp_path, requests=1, requests_burst=1)
    for _ in range(6):
        door.ask("1.1.1.1")
    status, headers, body = door.ask("1.1.1.1", path, method="POST")
    assert status == 429
    assert int(headers["retry-after"]) >= 1
    assert body["error"]["message"]
    if path == "/":
        assert (body["jsonrpc"], body["error"]["code"]) == ("2.0", -32000)
    else:
        assert body["error"]["status"] == "RESOURCE_EXHAUSTED"


def test_RL_1_messages_have_buckets_of_their_own(tmp_path: Path) -> None:
    door = Door(tmp_path, messages=1, messages_burst=2)
    agent = Caller("msg1bob", "bob")
    assert [door.app.take_message(agent, "1.1.1.1") > 0 for _ in range(3)] == [False, False, True]
    nobody = Caller("msg1gateway")
    found = [door.app.take_message(nobody, "1.1.1.1") > 0 for _ in range(11)]
    assert found == [False] * 10 + [True]
    assert door.app.gate.core.messages.take("msg1bob") > 0  # the Agent API's door takes the same


# --- keys -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "known"),
    [
        ({}, True),
        ({"authorization": ""}, True),
        ({"authorization": "Bearer x"}, False),
        ({"authorization": "Basic eDp5"}, False),
        ({"x-api-key": ""}, False),
        ({"x-api-key": "msgk_0"}, False),
    ],
)
def test_only_who_shows_nothing_is_nobody(
    tmp_path: Path, headers: dict[str, str], known: bool
) -> None:
    callers = Callers(None, ApiKeys(tmp_path), KeyRing(None, None), None)  # type: ignore[arg-type]
    found = callers.find(headers)
    assert (found is not None) is known
    if found is not None:
        assert not found.known
