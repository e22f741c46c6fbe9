"""Payloads as the guide's section 3.3 writes them, and the lifetimes of its section 3.5.

The contract takes any bytes. Programs that follow this envelope understand each other: ``json``
carries a value, ``base64`` carries bytes with their type; sealed bytes travel as ``base64`` too.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any, Final

import msgspec

from chain.crypto.seal import is_sealed

JSON: Final = "json"
BASE64: Final = "base64"
PLAIN: Final = "plain"  # bytes without an envelope
#: one byte to 256 KiB, the contract's default limit
PAYLOAD_MAX_BYTES: Final = 262_144
NEGOTIATION_SCHEMA: Final = "urn:msg:a2a:negotiation:v1"
BINARY_SCHEMA: Final = "urn:msg:a2a:binary:v1"
SEALED_SCHEMA: Final = "urn:msg:a2a:sealed:v1"
OCTETS: Final = "application/octet-stream"
SEALED_TYPE: Final = "application/vnd.msgchain.sealed"

#: Guide 3.4: the words of priorities begin here.
NORMAL: Final = 50
HIGH: Final = 100
CRITICAL: Final = 200
#: Guide 3.5: advised lifetimes in seconds.
TTL_SECONDS: Final = {
    "request": 3_600,
    "response": 3_600,
    "broadcast": 3_600,
    "notification": 86_400,
    "discovery": 300,
}
TTL_URGENT_SECONDS: Final = 600


class EnvelopeError(Exception):
    """The value cannot be put into an envelope, or the bytes are not one."""


class Envelope(msgspec.Struct, frozen=True):
    """A payload as read: ``data`` is a JSON value for ``json`` and bytes for the other two."""

    encoding: str
    data: Any
    schema: str = ""
    content_type: str = ""

    @property
    def sealed(self) -> bool:
        """Whether the content is encrypted for its receiver."""
        return isinstance(self.data, bytes) and is_sealed(self.data)


def default_ttl(message_type: str, priority: int = NORMAL) -> int:
    """The lifetime that the guide advises: by type, and ten minutes from high priority on.

    Discovery is shorter than that anyhow, and notifications stay.
    """
    seconds = TTL_SECONDS.get(message_type.lower(), TTL_SECONDS["request"])
    if priority >= HIGH and message_type.lower() != "notification":
        return min(seconds, TTL_URGENT_SECONDS)
    return seconds


def json_payload(data: Any, schema: str = NEGOTIATION_SCHEMA) -> bytes:
    """A JSON value in its envelope. Raises: EnvelopeError."""
    return _dump({"encoding": JSON, "schema": schema, "data": data})


def binary_payload(
    content: bytes, content_type: str = OCTETS, schema: str = BINARY_SCHEMA
) -> bytes:
    """Bytes in their envelope. Raises: EnvelopeError."""
    return _dump(
        {
            "encoding": BASE64,
            "schema": schema,
            "data": base64.b64encode(content).decode(),
            "content_type": content_type,
            "size": len(content),
        }
    )


def _dump(value: dict[str, Any]) -> bytes:
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        raw = text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise EnvelopeError(f"not JSON: {error}") from None
    if len(raw) > PAYLOAD_MAX_BYTES:
        raise EnvelopeError(f"{len(raw)} bytes with its envelope, at most {PAYLOAD_MAX_BYTES}")
    return raw


def read_payload(payload: bytes) -> Envelope:
    """The content of a payload; bytes that are no envelope are plain content.

    JSON without an envelope, as the guide's own programs send it, is ``json`` without a schema.
    Raises: EnvelopeError for an envelope that contradicts itself.
    """
    try:
        value = json.loads(payload)
    except (ValueError, RecursionError):
        return Envelope(PLAIN, payload)
    if not isinstance(value, dict) or "data" not in value:
        return Envelope(JSON, value)
    encoding = value.get("encoding")
    schema = str(value.get("schema", ""))
    if encoding == BASE64:
        content = _content(value)
        return Envelope(BASE64, content, schema, str(value.get("content_type", OCTETS)))
    if encoding == JSON:
        return Envelope(JSON, value["data"], schema)
    return Envelope(JSON, value)


def _content(value: dict[str, Any]) -> bytes:
    try:
        content = base64.b64decode(value["data"], validate=True)
    except (TypeError, ValueError, binascii.Error):
        raise EnvelopeError("data is not base64") from None
    size = value.get("size", len(content))
    if size != len(content):
        raise EnvelopeError(f"size says {size}, data has {len(content)} bytes")
    return content
