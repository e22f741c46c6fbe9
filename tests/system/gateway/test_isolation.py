"""Two agents, two keys: nothing of one is read, written or hinted at with the other's key."""

from __future__ import annotations

import base64
import json
from contextlib import suppress
from typing import Any

from gateway_process import Agent, Gateway, Net, body_to
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

A2A = "/agent/v1/a2a"
ROUTES = [
    ("POST", f"{A2A}/send"),
    ("POST", f"{A2A}/reply"),
    ("POST", f"{A2A}/mark"),
    ("GET", f"{A2A}/inbox"),
    ("GET", f"{A2A}/sent"),
    ("GET", f"{A2A}/message"),
    ("GET", f"{A2A}/channel"),
    ("POST", f"{A2A}/channel"),
    ("DELETE", f"{A2A}/channel"),
    ("GET", f"{A2A}/discover"),
    ("POST", f"{A2A}/capability"),
    ("DELETE", f"{A2A}/capability"),
    ("GET", "/agent/v1/me"),
    ("POST", "/agent/v1/tx"),
    ("GET", "/agent/v1/events"),
]
SECRET = "only alice and bob know this"
NOBODY = {"error": {"code": "unauthorized", "message": "a valid API key is needed in X-API-Key"}}


def with_one_changed(key: str) -> st.SearchStrategy[str]:
    """The key with one character changed."""
    return st.tuples(st.integers(0, len(key) - 1), st.sampled_from("abcdef0123456789_-XYZ")).map(
        lambda pair: key[: pair[0]] + pair[1] + key[pair[0] + 1 :]
    )


def test_no_route_answers_a_wrong_missing_or_revoked_key(
    net: Net, alice: Agent, bob: Agent
) -> None:
    revoked = net.create("alice")
    (net.api_keys / f"{revoked.key_id}.json").unlink()
    secret = bob.key.rpartition("_")[2]
    wrong = st.one_of(
        st.none(),
        st.just(revoked.key),
        with_one_changed(alice.key).filter(lambda key: key != alice.key),
        st.just(f"msgk_{alice.key_id}_{secret}"),
        st.text("abc_-/.\\%", max_size=80).map(str.strip),
    )

    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(route=st.sampled_from(ROUTES), key=wrong)
    def check(route: tuple[str, str], key: str | None) -> None:
        method, path = route
        for gateway in (net.gateway, net.other):
            query = f"?address={alice.address}&msg_id=x"
            status, answer, _ = gateway.ask(method, path + query, key, body_to(alice))
            assert (status, answer) == (401, NOBODY)

    check()


def test_one_agents_key_reads_and_writes_nothing_of_another(
    net: Net, alice: Agent, bob: Agent
) -> None:
    carol = net.create("carol", "--key", "dev:carol", "--join")
    ids = []
    for sender, to in ((alice, bob), (bob, alice)):
        answer = net.gateway.post(f"{A2A}/send", sender.key, body_to(to, SECRET))[1]
        ids.append(answer["msg_id"])
    body = {"participant": bob.address}
    channel = net.gateway.post(f"{A2A}/channel", alice.key, body)[1]["channel_id"]
    unknown = f"{ids[0][:-10]}9999999999"
    before = counts(net, alice, bob)
    payload = base64.b64encode(b"mine").decode()
    others = st.sampled_from([alice.address, bob.address])
    messages = st.sampled_from(ids)
    tries = st.one_of(
        others.map(lambda one: ("GET", f"{A2A}/inbox?address={one}", None)),
        others.map(lambda one: ("GET", f"{A2A}/sent?address={one}", None)),
        messages.map(lambda one: ("GET", f"{A2A}/message?msg_id={one}", None)),
        messages.map(
            lambda one: ("POST", f"{A2A}/reply", {"original_msg_id": one, "payload": payload})
        ),
        messages.map(
            lambda one: (
                "POST",
                f"{A2A}/send",
                {"to": bob.address, "payload": payload, "reply_to": one},
            )
        ),
        st.tuples(messages, st.sampled_from(["read", "delivered", "cancelled"])).map(
            lambda pair: ("POST", f"{A2A}/mark", {"msg_id": pair[0], "status": pair[1]})
        ),
        st.just(("GET", f"{A2A}/channel?channel_id={channel}", None)),
        st.just(("DELETE", f"{A2A}/channel?channel_id={channel}", None)),
        st.just(
            ("POST", f"{A2A}/capability", {"agent_id": bob.agent_id, "capability": "stealing"})
        ),
        st.just(("DELETE", f"{A2A}/capability?agent_id={bob.agent_id}&capability=charts", None)),
        st.just(("GET", "/agent/v1/events?after=0-0&limit=1000", None)),
    )

    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(asked=tries, other=st.booleans())
    def check(asked: tuple[str, str, Any], other: bool) -> None:
        method, path, sent = asked
        gateway = net.other if other else net.gateway
        status, answer, _ = gateway.ask(method, path, carol.key, sent)
        text = str(answer)
        assert base64.b64encode(SECRET.encode()).decode() not in text
        if path.startswith("/agent/v1/events"):
            assert not any(one in text for one in ids)
            return
        assert status in (403, 404), (asked, answer)
        for one in ids:  # the same words as for a message that never was
            if one in path or (isinstance(sent, dict) and one in sent.values()):
                blank = sent and {
                    name: unknown if value == one else value for name, value in sent.items()
                }
                never = gateway.ask(method, path.replace(one, unknown), carol.key, blank)
                assert never[:2] == (status, answer)

    check()
    assert counts(net, alice, bob) == before


def test_no_stream_opens_with_a_key_that_is_not_its_agents(
    net: Net, alice: Agent, bob: Agent
) -> None:
    answer = net.gateway.post(f"{A2A}/send", alice.key, body_to(bob, SECRET))[1]
    secrets = (answer["msg_id"], base64.b64encode(SECRET.encode()).decode())
    revoked = net.create("alice")
    (net.api_keys / f"{revoked.key_id}.json").unlink()
    keys = st.one_of(
        with_one_changed(alice.key),
        st.sampled_from([None, "", bob.key, revoked.key]),
    ).filter(lambda key: key != alice.key)

    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    @given(key=keys, place=st.sampled_from(["header", "query", "frame"]), other=st.booleans())
    def check(key: str | None, place: str, other: bool) -> None:
        text = told(net.other if other else net.gateway, alice.address, key, place)
        assert "subscribed" not in text
        assert not any(one in text for one in secrets)

    check()
    for place in ("header", "query", "frame"):
        assert "subscribed" in told(net.gateway, alice.address, alice.key, place)


def told(gateway: Gateway, address: str, key: str | None, place: str) -> str:
    """What a stream says until it is open or over."""
    query = f"a2a_address={address}&last_event_id=0-0"
    if place == "query" and key is not None:
        query += f"&api_key={key}"
    headers = {"X-API-Key": key} if place == "header" and key is not None else {}
    asked: dict[str, Any] = {"type": "subscribe", "topics": ["a2a_message", "a2a_channel"]}
    if place == "frame" and key is not None:
        asked["api_key"] = key
    path = f"{gateway.url.replace('http', 'ws')}/agent/v1/events/subscribe?{query}"
    text = ""
    with suppress(ConnectionClosed, InvalidStatus), connect(path, additional_headers=headers) as it:
        it.send(json.dumps(asked))
        while "subscribed" not in text:
            text += str(it.recv(timeout=10))
    return text


def counts(net: Net, *agents: Agent) -> list[Any]:
    """What a write would move."""
    found: list[Any] = []
    for agent in agents:
        for path in ("inbox?limit=1", "sent?limit=1", "channel"):
            found.append(net.gateway.get(f"{A2A}/{path}", agent.key)[1])
    found.append(net.gateway.get(f"{A2A}/discover?capability=charts", agents[0].key)[1])
    return found
