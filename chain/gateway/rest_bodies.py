"""What the Agent API takes: bodies and query parameters, read strictly."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Annotated, Any, Final, TypeVar
from urllib.parse import parse_qsl

import msgspec
from msgspec import Meta

from chain.client.envelope import PAYLOAD_MAX_BYTES
from chain.gateway.rest_faults import Fault

#: base64 of the largest payload, and what stands around it
BODY_MAX: Final = 512 * 1024
TX_MAX: Final = 700 * 1024
MESSAGE_TYPES: Final = ("request", "response", "broadcast", "notification", "discovery")
STATUSES: Final = ("pending", "delivered", "read", "replied", "expired", "cancelled")
CHANNEL_TYPES: Final = ("direct", "broadcast", "pubsub")
MARKS: Final = ("delivered", "read", "cancelled")
LIMIT_MAX: Final = 100
_MAX_TTL: Final = 2**53 - 1
_DECIMAL: Final = re.compile(r"[0-9]{1,39}")
T = TypeVar("T")

Name = Annotated[str, Meta(min_length=1, max_length=256)]
Payload = Annotated[str, Meta(min_length=1, max_length=BODY_MAX)]


class Strict(msgspec.Struct, forbid_unknown_fields=True):
    """A body without unknown fields."""


class SendBody(Strict):
    """``POST /agent/v1/a2a/send``."""

    to: Name
    payload: Payload
    message_type: str = "request"
    priority: Annotated[int, Meta(ge=0, le=255)] | None = None
    ttl: Annotated[int, Meta(ge=1, le=_MAX_TTL)] | None = None
    reply_to: Name | None = None
    channel_id: Name | None = None
    signed: bool = False


class ReplyBody(Strict):
    """``POST /agent/v1/a2a/reply``."""

    original_msg_id: Name
    payload: Payload
    signed: bool = False


class MarkBody(Strict):
    """``POST /agent/v1/a2a/mark``."""

    msg_id: Name
    status: str


class ChannelBody(Strict):
    """``POST /agent/v1/a2a/channel``."""

    participant: Name | None = None
    channel_type: str = "direct"
    metadata: Annotated[str, Meta(max_length=BODY_MAX)] | None = None
    members: Annotated[tuple[Name, ...], Meta(max_length=1_000)] = ()


class CapabilityBody(Strict):
    """``POST /agent/v1/a2a/capability``."""

    agent_id: Name
    capability: Name


class TxBody(Strict):
    """``POST /agent/v1/tx``."""

    tx: Annotated[str, Meta(min_length=1, max_length=TX_MAX)]


def read_json(raw: bytes, kind: type[T]) -> T:
    """A body. Raises: Fault."""
    try:
        return msgspec.json.decode(raw, type=kind)
    except msgspec.ValidationError as error:
        raise Fault(422, "bad_body", str(error)) from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Fault(422, "bad_body", f"the body is not JSON: {error}") from None


def one_of(value: str, known: tuple[str, ...], name: str) -> str:
    """A word of a list. Raises: Fault."""
    if value not in known:
        raise Fault(422, "bad_body", f"{name} is one of {', '.join(known)}")
    return value


def unbase64(text: str, name: str) -> bytes:
    """Bytes of base64 text. Raises: Fault."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Fault(422, "bad_body", f"{name} is not base64 (RFC 4648, with padding)") from None


def payload_of(text: str) -> bytes:
    """A payload's bytes. Raises: Fault."""
    found = unbase64(text, "payload")
    if len(found) > PAYLOAD_MAX_BYTES:
        raise Fault(413, "too_large", f"a payload has at most {PAYLOAD_MAX_BYTES} bytes")
    return found


def read_query(query: str, known: tuple[str, ...]) -> dict[str, str]:
    """Query parameters, each once. Raises: Fault."""
    try:
        pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=32, errors="strict")
    except ValueError:
        raise Fault(422, "bad_query", "the query is not UTF-8, or has too many fields") from None
    found: dict[str, str] = {}
    for name, value in pairs:
        if name not in known:
            raise Fault(422, "bad_query", f"the parameters are {', '.join(known)}")
        if name in found:
            raise Fault(422, "bad_query", f"{name} is given twice")
        found[name] = value
    return found


def whole(found: dict[str, str], name: str, low: int, high: int, default: int) -> int:
    """A whole number among query parameters. Raises: Fault."""
    text = found.get(name)
    if text is None:
        return default
    if not _DECIMAL.fullmatch(text) or not low <= int(text) <= high:
        raise Fault(422, "bad_query", f"{name} is a whole number from {low} to {high}")
    return int(text)


def decimal(found: dict[str, str], name: str) -> str | None:
    """An amount among query parameters, as text. Raises: Fault."""
    text = found.get(name)
    if text is not None and (not _DECIMAL.fullmatch(text) or int(text) >= 2**128):
        raise Fault(422, "bad_query", f"{name} is a whole number of amsg")
    return text


def needed(found: dict[str, str], name: str) -> str:
    """A parameter that must be there. Raises: Fault."""
    value = found.get(name)
    if not value:
        raise Fault(422, "bad_query", f"the parameter {name} is missing")
    return value


def plain(value: Any) -> bytes:
    """JSON of an answer."""
    return msgspec.json.encode(value)
