"""Plain HTTP to an A2A door, one way for both bindings, without any SDK."""

from __future__ import annotations

import json
import re
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx
from devnet_process import START_SECONDS, Devnet
from many_messages import allow_many_messages

from chain.client.agent import Agent
from chain.client.agent_calls import Contracts
from chain.client.card import fingerprint, sign_card
from chain.client.provider_card import agent_card, interfaces
from chain.client.rpc import RpcClient
from chain.crypto.root import RootSecret
from chain.wiring import contract_addresses, dev_secret

JSONRPC, REST = "JSONRPC", "HTTP+JSON"
BINDINGS = [JSONRPC, REST]
VERSION = {"A2A-Version": "1.0"}
STREAMS = ("SendStreamingMessage", "SubscribeToTask")
#: method and path of each operation; what the path does not take goes into query or body
PATHS = {
    "SendMessage": ("POST", "/message:send"),
    "SendStreamingMessage": ("POST", "/message:stream"),
    "GetTask": ("GET", "/tasks/{id}"),
    "ListTasks": ("GET", "/tasks"),
    "CancelTask": ("POST", "/tasks/{id}:cancel"),
    "SubscribeToTask": ("POST", "/tasks/{id}:subscribe"),
    "CreateTaskPushNotificationConfig": ("POST", "/tasks/{taskId}/pushNotificationConfigs"),
    "GetTaskPushNotificationConfig": ("GET", "/tasks/{taskId}/pushNotificationConfigs/{id}"),
    "ListTaskPushNotificationConfigs": ("GET", "/tasks/{taskId}/pushNotificationConfigs"),
    "DeleteTaskPushNotificationConfig": ("DELETE", "/tasks/{taskId}/pushNotificationConfigs/{id}"),
    "GetExtendedAgentCard": ("GET", "/extendedAgentCard"),
}
#: the errors of the specification: JSON-RPC code and HTTP status
ERRORS = {
    "TASK_NOT_FOUND": (-32001, 404),
    "TASK_NOT_CANCELABLE": (-32002, 400),
    "PUSH_NOTIFICATION_NOT_SUPPORTED": (-32003, 400),
    "UNSUPPORTED_OPERATION": (-32004, 400),
    "CONTENT_TYPE_NOT_SUPPORTED": (-32005, 400),
    "EXTENSION_SUPPORT_REQUIRED": (-32008, 400),
    "VERSION_NOT_SUPPORTED": (-32009, 400),
    "INVALID_PARAMS": (-32602, 400),
}
ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo"
NOBODY = "task-999999999"
HOOK = "http://127.0.0.1:9/hook"
SUBMITTED, WORKING = "TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"
COMPLETED, CANCELED = "TASK_STATE_COMPLETED", "TASK_STATE_CANCELED"
ASKING = "TASK_STATE_INPUT_REQUIRED"


class Answer(NamedTuple):
    """What came back, whichever binding it came over."""

    status: int
    headers: httpx.Headers
    result: Any
    error: dict[str, Any] | None
    events: list[Any]

    @property
    def reason(self) -> str:
        """The A2A error's name, empty for none."""
        for detail in self.details:
            if detail.get("@type") == ERROR_INFO:
                return str(detail["reason"])
        return ""

    @property
    def details(self) -> list[dict[str, Any]]:
        """The typed details of an error."""
        error = self.error or {}
        found = error.get("data") or error.get("details") or []
        assert isinstance(found, list), error
        return found


def message(text: str = "hello", **fields: Any) -> dict[str, Any]:
    """A client's message."""
    parts = [{"text": text}]
    return {"messageId": uuid.uuid4().hex, "role": "ROLE_USER", "parts": parts, **fields}


class Raw:
    """One agent's address."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.http = httpx.Client(timeout=180)

    def close(self) -> None:
        self.http.close()

    def post(self, body: Any, **headers: str) -> httpx.Response:
        """A JSON-RPC body, or any bytes."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        heads = {"Content-Type": "application/json", **VERSION, **_named(headers)}
        return self.http.post(self.url + "/", content=raw, headers=heads)

    def request(self, binding: str, operation: str, params: Any, headers: dict[str, str]) -> Any:
        """The request of an operation."""
        heads = {**VERSION, **headers}
        if binding == JSONRPC:
            body = {"jsonrpc": "2.0", "id": 7, "method": operation, "params": params}
            return self.http.build_request("POST", self.url + "/", json=body, headers=heads)
        method, path = PATHS[operation]
        rest = dict(params)
        for name in re.findall(r"\{(\w+)\}", path):
            path = path.replace("{" + name + "}", quote(str(rest.pop(name)), safe=""))
        place = self.url + path
        if method == "POST":
            heads["Content-Type"] = "application/a2a+json"
            raw = json.dumps(rest).encode()
            return self.http.build_request(method, place, content=raw, headers=heads)
        query = {name: _text(value) for name, value in rest.items()}
        return self.http.build_request(method, place, params=query, headers=heads)

    def ask(
        self,
        binding: str,
        operation: str,
        params: Any = None,
        *,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """One operation to its end, streams too."""
        found = self.request(binding, operation, params or {}, headers or {})
        return answer_of(binding, self.http.send(found))

    @contextmanager
    def stream(self, binding: str, operation: str, params: Any) -> Iterator[Iterator[Any]]:
        """The events of a stream as they come."""
        found = self.http.send(self.request(binding, operation, params, {}), stream=True)
        try:
            assert found.headers["content-type"].startswith("text/event-stream"), found.read()
            yield (
                event_of(binding, line[5:])
                for line in found.iter_lines()
                if line.startswith("data:")
            )
        finally:
            found.close()

    def send(self, text: str = "hello", *, configuration: Any = None, **fields: Any) -> Any:
        """The task of a send."""
        params: dict[str, Any] = {"message": message(text, **fields)}
        if configuration is not None:
            params["configuration"] = configuration
        found = self.ask(JSONRPC, "SendMessage", params)
        assert found.error is None, found
        return found.result["task"]

    def until(self, task_id: str, *states: str, seconds: float = 180) -> Any:
        """A task as soon as it is in one of these states."""
        end = time.monotonic() + seconds
        while True:
            task = self.ask(JSONRPC, "GetTask", {"id": task_id}).result
            if task["status"]["state"] in states:
                return task
            assert time.monotonic() < end, task
            time.sleep(0.05)


def _named(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


def _text(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)


def event_of(binding: str, line: str) -> Any:
    """A stream's datum without its envelope."""
    found = json.loads(line)
    if binding == JSONRPC:
        assert found["jsonrpc"] == "2.0"
        assert found["id"] == 7
        return found.get("result", {"error": found.get("error")})
    return found


def answer_of(binding: str, got: httpx.Response) -> Answer:
    """What a response says."""
    kind = got.headers.get("content-type", "")
    if kind.startswith("text/event-stream"):
        lines = [line[5:] for line in got.text.splitlines() if line.startswith("data:")]
        events = [event_of(binding, line) for line in lines]
        return Answer(got.status_code, got.headers, None, None, events)
    body = got.json()
    if "error" in body:
        return Answer(got.status_code, got.headers, None, body["error"], [])
    return Answer(
        got.status_code, got.headers, body["result"] if binding == JSONRPC else body, None, []
    )


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


class RawWorld:
    """A devnet with its door, the door's own agent, and two agents with cards of their own."""

    def __init__(self, folder: Path) -> None:
        self.net = Devnet(
            folder / "home",
            *("--block-time", "instant", "--gateway-port", "0", "--a2a-port", "0", "--no-ui"),
            *("--allow-private-callbacks", "--grpc-port", "0"),
        )
        allow_many_messages(self.net.url)
        end = time.monotonic() + START_SECONDS
        while not (found := re.search(r"A2A +(http://\S+)", self.net.output)):
            assert time.monotonic() < end, self.net.output + self.net.errors
            time.sleep(0.05)
        self.url = found[1]
        self.client = RpcClient(self.net.url)
        self.contracts = Contracts.from_names(contract_addresses())
        self.own = Raw(self.url)
        self.others: list[Raw] = []
        self._wait()
        self.plain = self.joined("plain")
        self.strict = self.joined("strict", required=True)

    def _wait(self) -> None:
        end = time.monotonic() + START_SECONDS
        while True:
            found = self.own.http.get(f"{self.url}/.well-known/agent-card.json")
            if found.status_code == 200 and "playground" in found.text:
                return
            assert time.monotonic() < end, found.text
            time.sleep(0.05)

    def joined(self, name: str, *, required: bool = False) -> Raw:
        """An agent that does nothing: it requires an extension, or else is capable of nothing."""
        root = RootSecret(dev_secret(f"raw/{name}"))
        agent = Agent(root, self.client, self.contracts, name)
        self.net.call("devnet_faucet", address=agent.address, amount="100msg")
        url = f"{self.url}/agents/{name}"
        payee = root.signing_key().pubkey
        params: dict[str, Any] = {"agent_id": name, "account_id": payee.address()}
        params |= {"npk": fingerprint(payee), "price": "0", "denom": "amsg"}
        params["cancellation_share_bps"] = 0
        skill = {"id": "task", "name": "Task", "description": "Nothing.", "tags": ["none"]}
        card = agent_card(
            name=name,
            description="Answers nobody.",
            version="1.0.0",
            params=params,
            skills=[skill],
            interfaces=interfaces(url),
        )
        if required:
            card["capabilities"]["extensions"].append(
                {"uri": "https://example.com/needed/v1", "required": True}
            )
        else:
            card["capabilities"] = {"extensions": card["capabilities"]["extensions"]}
        agent.join(name=name, card=sign_card(root, name, card))
        return Raw(url)

    def at(self, agent_id: str) -> Raw:
        """Another agent's address, closed with the rest."""
        self.others.append(Raw(f"{self.url}/agents/{agent_id}"))
        return self.others[-1]

    def close(self) -> None:
        for raw in (self.own, self.plain, self.strict, *self.others):
            raw.close()
        self.client.close()
        assert self.net.stop() == 0
        assert "Traceback" not in self.net.errors, self.net.errors
