"""The specification's rules on JSON-RPC, HTTP, cards and keys, and what bounds the A2A door."""

from __future__ import annotations

import json
import re
import socket
import uuid
from typing import Any

import pytest
from a2a.types import AgentCard
from a2a.utils.signing import create_signature_verifier
from a2a_raw import ASKING, BINDINGS, JSONRPC, REST, VERSION, RawWorld, message, refused
from google.protobuf.json_format import ParseDict
from jwt import PyJWK

CARD = "/.well-known/agent-card.json"


def rpc(method: Any = "ListTasks", number: Any = 1, **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": {}, **more}


# --- JSON-RPC ---------------------------------------------------------------------------------------

WRONG: list[tuple[str, Any, int, Any]] = [
    ("no JSON", b"{nonsense", -32700, None),
    ("nothing", b"", -32700, None),
    ("no UTF-8", b'{"jsonrpc": "2.0", "id": 1, "method": "\xff"}', -32700, None),
    ("not a number", b'{"jsonrpc": "2.0", "id": NaN, "method": "ListTasks"}', -32700, None),
    ("half a surrogate", rb'{"jsonrpc": "2.0", "id": 1, "method": "\ud800"}', -32700, None),
    ("too deep", b"[" * 100_000, -32700, None),
    ("a batch", [rpc()], -32600, None),
    ("an empty batch", [], -32600, None),
    ("a text", "x", -32600, None),
    ("no version", {"id": 1, "method": "ListTasks"}, -32600, 1),
    ("another version", rpc(jsonrpc="1.0"), -32600, 1),
    ("no method", {"jsonrpc": "2.0", "id": 1}, -32600, 1),
    ("a method that is no text", rpc(5), -32600, 1),
    ("an id that is an object", rpc(number={}), -32600, None),
    ("an id that is a boolean", rpc(number=True), -32600, None),
    ("an unknown method", rpc("FlyToTheMoon", "x"), -32601, "x"),
    ("the case of a method", rpc("listtasks"), -32601, 1),
    ("params that are a list", rpc("GetTask", params=[1]), -32602, 1),
    ("params that are a text", rpc("GetTask", params="x"), -32600, 1),
    ("params that are nothing", rpc("GetTask", params=None), -32602, 1),
    ("no params that are needed", rpc("GetTask"), -32602, 1),
    ("params of wrong types", rpc("GetTask", params={"id": 5}), -32602, 1),
    ("a number of a wrong type", rpc(params={"pageSize": "x"}), -32602, 1),
]


@pytest.mark.parametrize(("name", "body", "code", "number"), WRONG, ids=[one[0] for one in WRONG])
def test_json_rpc_refuses_with_the_code_of_its_standard(
    door: RawWorld, name: str, body: Any, code: int, number: Any
) -> None:
    found = door.own.post(body)
    assert found.status_code == 200, name
    assert found.headers["content-type"].partition(";")[0] == "application/json"
    answer = found.json()
    assert (answer["jsonrpc"], answer["id"]) == ("2.0", number)
    assert "result" not in answer
    assert answer["error"]["code"] == code
    assert answer["error"]["message"]


@pytest.mark.parametrize("number", [1, 0, -5, 2**40, "a", "", None, "质"])
def test_json_rpc_answers_carry_the_requests_id(door: RawWorld, number: Any) -> None:
    for method in ("ListTasks", "GetTask"):
        answer = door.own.post(rpc(method, number)).json()
        assert answer["jsonrpc"] == "2.0"
        assert (answer["id"], type(answer["id"])) == (number, type(number))
        assert ("result" in answer) is not ("error" in answer)


# --- HTTP -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"5", b"\xff", b'{"a": NaN}', b"[" * 100_000, b'{"message": 5}']
)
@pytest.mark.parametrize("path", ["/message:send", "/message:stream"])
def test_bodies_that_are_no_requests_are_refused(door: RawWorld, path: str, body: bytes) -> None:
    found = door.own.http.post(door.url + path, content=body, headers=VERSION)
    assert found.status_code == 400
    error = found.json()["error"]
    assert (error["code"], error["status"]) == (400, "INVALID_ARGUMENT")
    assert error["message"]
    assert error["details"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nothing", 404),
        ("POST", "/nothing", 404),
        ("GET", "/message:send", 405),
        ("DELETE", "/tasks", 405),
        ("PUT", "/", 405),
        ("GET", "/", 405),
        ("GET", "/agents/nobody-here", 404),
        ("POST", "/agents/nobody-here/message:send", 404),
        ("GET", f"/agents/nobody-here{CARD}", 404),
        ("GET", "/agents/BAD NAME/x", 404),
    ],
)
def test_paths_and_methods_that_are_none(
    door: RawWorld, method: str, path: str, status: int
) -> None:
    found = door.own.http.request(method, door.url + path, headers=VERSION)
    assert found.status_code == status
    assert found.headers["content-type"].startswith("application/json")
    error = found.json()["error"]
    assert error["code"] == status
    assert error["status"]
    if status == 405:
        assert found.headers["allow"]


@pytest.mark.parametrize("kind", ["application/json", "application/a2a+json"])
def test_both_media_types_of_json_are_taken(door: RawWorld, kind: str) -> None:
    heads = {**VERSION, "Content-Type": kind}
    body = json.dumps({"message": message()}).encode()
    found = door.own.http.post(f"{door.url}/message:send", content=body, headers=heads)
    assert found.status_code == 200
    assert found.headers["content-type"] == "application/a2a+json"


def test_a_tenant_in_the_path_is_taken(door: RawWorld) -> None:
    found = door.own.http.get(f"{door.url}/somebody/tasks", headers=VERSION)
    assert found.status_code == 200


@pytest.mark.parametrize("binding", BINDINGS)
def test_streams_are_events_that_nobody_keeps(door: RawWorld, binding: str) -> None:
    found = door.own.ask(binding, "SendStreamingMessage", {"message": message()})
    assert found.headers["content-type"].startswith("text/event-stream")
    assert "no-store" in found.headers["cache-control"]


@pytest.mark.parametrize("binding", BINDINGS)
def test_extensions_that_are_declared_are_echoed_and_others_ignored(
    door: RawWorld, binding: str
) -> None:
    card = door.own.http.get(door.url + CARD).json()
    known = card["capabilities"]["extensions"][0]["uri"]
    headers = {"A2A-Extensions": f"https://example.com/unknown, {known}"}
    found = door.own.ask(binding, "ListTasks", headers=headers)
    assert found.error is None
    assert found.headers["a2a-extensions"] == known
    assert "a2a-extensions" not in door.own.ask(binding, "ListTasks").headers


# --- cards ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", ["", "/agents/plain", "/agents/strict"])
def test_cards_have_what_is_required_and_good_signatures(door: RawWorld, agent: str) -> None:
    found = door.own.http.get(door.url + agent + CARD)
    assert found.status_code == 200
    assert found.headers["content-type"].startswith("application/json")
    card = found.json()
    for name in ("name", "description", "version"):
        assert isinstance(card[name], str)
        assert card[name]
    for name in ("supportedInterfaces", "defaultInputModes", "defaultOutputModes", "skills"):
        assert isinstance(card[name], list)
        assert card[name]
    assert isinstance(card["capabilities"], dict)
    for one in card["supportedInterfaces"]:
        grpc = one["protocolBinding"] == "GRPC"  # its clients take a host and a port
        assert re.fullmatch(r"[\w.]+:\d+" if grpc else r"http://.+", one["url"])
        assert one["protocolBinding"] in (JSONRPC, REST, "GRPC")
        assert one["protocolVersion"] in ("1.0", "0.3")
    assert card["supportedInterfaces"][0]["protocolVersion"] == "1.0"
    for skill in card["skills"]:
        assert all(skill[name] for name in ("id", "name", "description", "tags"))
    parsed = ParseDict(card, AgentCard(), ignore_unknown_fields=True)
    published = door.own.http.get(f"{door.url}{agent}/.well-known/jwks.json").json()["keys"]
    keys = {one["kid"]: PyJWK(one) for one in published}
    create_signature_verifier(lambda kid, jku: keys[str(kid)], ["EdDSA"])(parsed)


@pytest.mark.parametrize("agent", ["", "/agents/plain"])
def test_a_card_has_the_fields_of_version_1_alone_unless_0_3_is_asked_for(
    door: RawWorld, agent: str
) -> None:
    ask, place = door.own.http.get, door.url + agent
    card = ask(place + CARD).json()
    others = set(card) - {field.json_name for field in AgentCard.DESCRIPTOR.fields}
    assert others == ({"x-lez-price", "x-lez-identity"} if agent else set())  # its own, signed
    assert ask(place + CARD, headers={"A2A-Version": "1.0"}).json() == card
    old = ask(f"{place}/.well-known/agent.json")
    assert old.json()["protocolVersion"] == "0.3"
    assert {**old.json(), **card} == old.json()
    for named in (
        ask(place + CARD, headers={"A2A-Version": "0.3"}),
        ask(place + CARD, params={"A2A-Version": "0.3.0"}),
    ):
        assert named.json() == old.json()
        assert named.headers["etag"] == old.headers["etag"]
        assert named.headers["vary"] == "A2A-Version"


@pytest.mark.parametrize("path", [CARD, "/.well-known/agent.json", f"/agents/plain{CARD}"])
def test_cards_may_be_kept_and_asked_for_anew(door: RawWorld, path: str) -> None:
    place = door.url + path
    found = door.own.http.get(place)
    assert "max-age=" in found.headers["cache-control"]
    tag = found.headers["etag"]
    for known in (tag, f'"other", {tag}', "*"):
        again = door.own.http.get(place, headers={"If-None-Match": known})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == tag
    other = door.own.http.get(place, headers={"If-None-Match": '"other"'})
    assert (other.status_code, other.json()) == (200, found.json())
    head = door.own.http.head(place)
    assert (head.status_code, head.content, head.headers["etag"]) == (200, b"", tag)


@pytest.mark.parametrize("binding", BINDINGS)
def test_the_extended_card_is_a_card(door: RawWorld, binding: str) -> None:
    found = door.own.ask(binding, "GetExtendedAgentCard")
    assert found.error is None
    assert found.result["name"]
    assert found.result["capabilities"]["extendedAgentCard"] is True


# --- keys -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "header",
    [
        {"X-API-Key": "nonsense"},
        {"X-API-Key": ""},
        {"Authorization": "Bearer nonsense"},
        {"Authorization": "Bearer msgk_0123456789abcdef_" + "x" * 43},
        {"Authorization": "Basic YTpi"},
    ],
    ids=str,
)
@pytest.mark.parametrize("path", ["/", "/message:send", "/tasks", "/extendedAgentCard"])
def test_wrong_keys_are_refused_and_never_taken_for_nobody(
    door: RawWorld, path: str, header: dict[str, str]
) -> None:
    method = "POST" if path in ("/", "/message:send") else "GET"
    place = door.url + path
    found = door.own.http.request(method, place, headers={**VERSION, **header}, json=rpc())
    assert found.status_code == 401
    assert found.headers["www-authenticate"]
    assert found.json()["error"]["status"] == "UNAUTHENTICATED"
    assert all(value not in found.text for value in header.values() if value)


# --- bounds -----------------------------------------------------------------------------------------


def test_bodies_that_are_too_large_are_refused(door: RawWorld) -> None:
    raw = json.dumps(rpc("SendMessage", params={"message": message("x" * 1_100_000)})).encode()
    found = door.own.post(raw)
    assert (found.status_code, found.json()["error"]["code"]) == (200, -32600)
    found = door.own.http.post(f"{door.url}/message:send", content=raw, headers=VERSION)
    assert (found.status_code, found.json()["error"]["code"]) == (413, 413)

    def endless() -> Any:
        for _ in range(64):
            yield b"x" * 65_536

    found = door.own.http.post(f"{door.url}/message:send", content=endless(), headers=VERSION)
    assert found.status_code == 413


def test_a_thousand_idle_sockets_leave_room(door: RawWorld) -> None:
    host, port = door.url.removeprefix("http://").split(":")
    idle = [socket.create_connection((host, int(port))) for _ in range(1_000)]
    try:
        for one in idle[:200]:
            one.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
        assert door.own.ask(JSONRPC, "ListTasks").error is None
    finally:
        for one in idle:
            one.close()


@pytest.mark.long
def test_readers_that_do_not_read_hold_up_nobody(door: RawWorld) -> None:
    host, port = door.url.removeprefix("http://").split(":")
    body = json.dumps(rpc("SendStreamingMessage", params={"message": message("stream 20")}))
    head = f"POST / HTTP/1.1\r\nHost: x\r\nA2A-Version: 1.0\r\nContent-Length: {len(body)}\r\n\r\n"
    slow = [socket.create_connection((host, int(port))) for _ in range(3)]
    try:
        for one in slow:
            one.sendall(head.encode() + body.encode())
        for _ in range(5):
            assert door.own.send("quick")["artifacts"]
    finally:
        for one in slow:
            one.close()


@pytest.mark.long
def test_many_waiting_tasks_leave_the_agent_at_work(door: RawWorld) -> None:
    context = f"waiting-{uuid.uuid4()}"
    waiting = [door.own.send("ask", contextId=context) for _ in range(20)]
    assert {one["status"]["state"] for one in waiting} == {ASKING}
    assert door.own.send("hello")["artifacts"]
    for task in (waiting[0], waiting[-1]):
        done = door.own.send("answer", taskId=task["id"])
        assert done["artifacts"][0]["parts"] == [{"text": "answer"}]


@pytest.mark.parametrize("binding", BINDINGS)
def test_what_no_node_takes_is_wrong_and_long_names_are_not_repeated(
    door: RawWorld, binding: str
) -> None:
    found = door.own.ask(binding, "SendMessage", {"message": message("x" * 600_000)})
    refused(found, binding, "INVALID_PARAMS")
    long = "x" * 30_000
    wanted = {**message(), "metadata": {"skill": long}}
    found = door.own.ask(binding, "SendMessage", {"message": wanted})
    refused(found, binding, "INVALID_PARAMS")
    assert found.error is not None
    assert len(found.error["message"]) < 300
    found = door.own.ask(binding, "GetTask", {"id": long})
    refused(found, binding, "TASK_NOT_FOUND")
    assert found.error is not None
    assert len(found.error["message"]) < 300


def test_an_address_where_nothing_is_says_where_to_look(door: RawWorld) -> None:
    for method, path, status in (("GET", "/", 405), ("GET", "/nowhere", 404)):
        found = door.own.http.request(method, f"{door.url}{path}")
        assert found.status_code == status
        assert CARD in found.json()["error"]["message"]
    assert found.json()["error"]["message"].startswith("nothing is here")
