"""Bodies and queries are read strictly."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chain.gateway.rest_bodies import (
    ChannelBody,
    ReplyBody,
    SendBody,
    decimal,
    needed,
    payload_of,
    read_json,
    read_query,
    unbase64,
    whole,
)
from chain.gateway.rest_faults import Fault


def test_the_guides_body_is_read() -> None:
    body = {"to": "msg1b", "message_type": "request", "payload": "aGk=", "priority": 75}
    found = read_json(json.dumps({**body, "reply_to": None, "ttl": 600}).encode(), SendBody)
    assert (found.priority, found.ttl, found.reply_to, found.signed) == (75, 600, None, False)


@pytest.mark.parametrize(
    "change",
    [
        {"to": ""},
        {"to": 1},
        {"payload": ""},
        {"priority": 256},
        {"priority": -1},
        {"priority": 1.5},
        {"priority": True},
        {"priority": "1"},
        {"ttl": 0},
        {"ttl": 2**53},
        {"sender": "msg1eve"},
        {"signed": 1},
    ],
)
def test_what_a_body_must_not_have(change: dict[str, Any]) -> None:
    body = {"to": "msg1b", "payload": "aGk=", **change}
    with pytest.raises(Fault) as refused:
        read_json(json.dumps(body).encode(), SendBody)
    assert (refused.value.status, refused.value.code) == (422, "bad_body")


@pytest.mark.parametrize("raw", [b"", b"null", b"[]", b"{", b"\xff", b"[" * 5_000])
def test_what_is_no_body(raw: bytes) -> None:
    for kind in (SendBody, ReplyBody):
        with pytest.raises(Fault):
            read_json(raw, kind)
    assert read_json(b"{}", ChannelBody).channel_type == "direct"


def test_base64_is_strict_and_bounded() -> None:
    assert unbase64("aGk=", "payload") == b"hi"
    for text in ("aGk", "a Gk=", "aGk=\n", "-_==", "é"):
        with pytest.raises(Fault, match="payload is not base64"):
            unbase64(text, "payload")
    assert len(payload_of("A" * 349_524 + "AA==")) == 262_144
    with pytest.raises(Fault) as refused:
        payload_of("A" * 349_528)
    assert refused.value.status == 413


def test_queries_are_known_once_and_utf8() -> None:
    assert read_query("a=1&b=", ("a", "b")) == {"a": "1", "b": ""}
    for query in ("a=1&a=2", "c=1", "a=%ff", "&".join("a=1" for _ in range(40))):
        with pytest.raises(Fault):
            read_query(query, ("a", "b"))


def test_numbers_of_a_query() -> None:
    assert whole({}, "limit", 1, 100, 30) == 30
    assert whole({"limit": "100"}, "limit", 1, 100, 30) == 100
    for text in ("0", "101", "-1", "1.0", "", "٣", "9" * 5_000):
        with pytest.raises(Fault):
            whole({"limit": text}, "limit", 1, 100, 30)
    assert decimal({"max_price": "5"}, "max_price") == "5"
    assert decimal({}, "max_price") is None
    for text in ("x", str(2**128), "1" * 5_000):
        with pytest.raises(Fault):
            decimal({"max_price": text}, "max_price")
    with pytest.raises(Fault, match="missing"):
        needed({"a": ""}, "a")


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff"])
def test_what_is_no_json_is_called_so(raw: bytes) -> None:
    with pytest.raises(Fault, match=r"^the body is not JSON: "):
        read_json(raw, SendBody)
