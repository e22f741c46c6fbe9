"""Payload envelopes of guide 3.3 and lifetimes of guide 3.5."""

from __future__ import annotations

import json

import pytest

from chain.client import envelope
from chain.client.envelope import (
    EnvelopeError,
    binary_payload,
    default_ttl,
    json_payload,
    read_payload,
)


def test_json_has_the_fields_of_the_guide() -> None:
    payload = json_payload({"action": "query_price"})
    assert json.loads(payload) == {
        "encoding": "json",
        "schema": "urn:msg:a2a:negotiation:v1",
        "data": {"action": "query_price"},
    }


def test_D15_05_text_beyond_latin_1_survives() -> None:
    value = {"说明": "图表 🎨", "n": 10**30}
    assert read_payload(json_payload(value)).data == value


def test_bytes_come_back_with_their_type() -> None:
    content = bytes(range(256))
    opened = read_payload(binary_payload(content, "image/png"))
    assert (opened.encoding, opened.data, opened.content_type) == ("base64", content, "image/png")
    assert not opened.sealed


def test_a_size_that_is_not_the_contents_is_refused() -> None:
    value = json.loads(binary_payload(b"four"))
    value["size"] = 5
    with pytest.raises(EnvelopeError, match="size says 5, data has 4 bytes"):
        read_payload(json.dumps(value).encode())


def test_data_that_is_not_base64_is_refused() -> None:
    with pytest.raises(EnvelopeError, match="not base64"):
        read_payload(b'{"encoding":"base64","data":"***"}')


def test_D15_04_bare_json_and_bare_bytes_are_content() -> None:
    assert read_payload(b'{"action":"x"}').data == {"action": "x"}
    assert read_payload(b"[1,2]").data == [1, 2]
    opened = read_payload(b"\xff\x00not json")
    assert (opened.encoding, opened.data) == ("plain", b"\xff\x00not json")


def test_json_with_a_field_named_data_is_still_content() -> None:
    value = {"data": [1], "encoding": "utf-8"}
    assert read_payload(json.dumps(value).encode()).data == value


def test_what_does_not_fit_is_refused_before_it_is_sent() -> None:
    with pytest.raises(EnvelopeError, match="at most 262144"):
        binary_payload(bytes(262_144))
    binary_payload(bytes(190_000))


@pytest.mark.parametrize("value", [float("nan"), object(), {1: {2, 3}}])
def test_what_is_not_json_is_refused(value: object) -> None:
    with pytest.raises(EnvelopeError):
        json_payload(value)


@pytest.mark.parametrize(
    ("message_type", "priority", "seconds"),
    [
        ("request", 50, 3_600),
        ("response", 99, 3_600),
        ("request", 100, 600),
        ("response", 255, 600),
        ("notification", 50, 86_400),
        ("notification", 200, 86_400),
        ("discovery", 50, 300),
        ("discovery", 200, 300),
        ("Request", 0, 3_600),
        ("unknown", 0, 3_600),
    ],
)
def test_lifetimes_are_the_guides(message_type: str, priority: int, seconds: int) -> None:
    assert default_ttl(message_type, priority) == seconds


def test_words_of_priorities_begin_where_the_guide_says() -> None:
    assert (envelope.NORMAL, envelope.HIGH, envelope.CRITICAL) == (50, 100, 200)
