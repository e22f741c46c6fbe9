"""What the specification demands of a request and the SDK does not look at.

A request is read once, strictly: JSON that is JSON, a version that this door speaks, enumerations
that exist, base64 that is base64. What is wrong is refused in the words of its binding.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qs

import msgspec
from a2a.server.jsonrpc_models import JSONParseError
from a2a.server.request_handlers.response_helpers import build_error_response
from a2a.server.routes.jsonrpc_dispatcher import JsonRpcDispatcher
from a2a.types import TaskState
from a2a.utils.error_handlers import build_rest_error_payload
from a2a.utils.errors import (
    A2AError,
    InvalidParamsError,
    InvalidRequestError,
    VersionNotSupportedError,
)
from starlette.requests import Request
from starlette.responses import JSONResponse

SENDS: Final = frozenset(("SendMessage", "SendStreamingMessage", "message/send", "message/stream"))
STREAMS: Final = frozenset(
    ("SendStreamingMessage", "SubscribeToTask", "message/stream", "tasks/resubscribe")
)
_VERSION: Final = re.compile(r"1\.0(\.[0-9]+)?")
_ENDINGS: Final = (
    (":send", "SendMessage"),
    (":stream", "SendStreamingMessage"),
    (":subscribe", "SubscribeToTask"),
)
_LIST: Final = re.compile(r"(/[^/]+)?/tasks")
_PATH: Final = re.compile(r"(/[^/]+)?/(tasks(/.+)?|extendedAgentCard)")
_OLD: Final = "/v1/"
_UNKNOWN: Final = object()
#: an operation of a path that no rule here looks into
_OTHER: Final = "other"
_KNOWN: Final = frozenset((*JsonRpcDispatcher.METHOD_TO_MODEL, _OTHER))


class Asked(msgspec.Struct, frozen=True):
    """A request as it was read. ``operation`` is JSON-RPC's name, empty where no rule needs it."""

    rpc: bool
    old: bool
    operation: str
    params: Any
    number: Any = None

    @property
    def streams(self) -> bool:
        """Whether the answer will be a stream of events."""
        return self.operation in STREAMS

    def refused(self, error: A2AError) -> JSONResponse:
        """An error in this binding's form."""
        if self.rpc:
            return JSONResponse(build_error_response(self.number, error))
        payload = build_rest_error_payload(error)
        return JSONResponse(payload, payload["error"]["code"])


def read(request: Request, path: str, body: bytes) -> Asked | JSONResponse:
    """The request, or what is wrong with its form."""
    rpc = path in ("/", "") and request.method == "POST"
    value: Any = {}
    if request.method == "POST" and (body or rpc):
        value = _json(body)
        if value is _UNKNOWN:
            return _not_json(rpc=rpc)
    if rpc:
        return _rpc(value)
    if not isinstance(value, dict):
        return Asked(False, False, "", None).refused(InvalidRequestError("an object is needed"))
    operation = next((name for end, name in _ENDINGS if path.endswith(end)), "")
    if request.method == "GET" and _LIST.fullmatch(path):
        operation = "ListTasks"
        value = {name: found[0] for name, found in parse_qs(request.url.query).items()}
    elif not operation and _PATH.fullmatch(path):
        operation = _OTHER
    return Asked(False, path.startswith(_OLD), operation, value)


def _rpc(value: Any) -> Asked:
    if not isinstance(value, dict):
        return Asked(True, False, "", None)
    method, number = value.get("method"), value.get("id")
    name = method if isinstance(method, str) else ""
    known = number if isinstance(number, (str, int)) and not isinstance(number, bool) else None
    return Asked(True, "/" in name, name, value.get("params", {}), known)


def _json(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return _UNKNOWN


def _not_json(*, rpc: bool) -> JSONResponse:
    text = "the body is not JSON"
    if rpc:
        return JSONResponse(build_error_response(None, JSONParseError(message=text)))
    return Asked(False, False, "", None).refused(InvalidRequestError(text))


def fault_in(asked: Asked, version: str) -> A2AError | None:
    """The error that a request gets before its agent sees it. ``version`` is what it says."""
    if asked.old:
        return None
    if asked.operation in _KNOWN and not _VERSION.fullmatch(version):
        return VersionNotSupportedError(
            f"A2A version {version or '0.3'!r} is not supported here; say A2A-Version: 1.0"
        )
    params = asked.params
    if params is None and asked.operation in _KNOWN:
        return InvalidParamsError("params is an object")
    if not isinstance(params, Mapping):
        return None
    if asked.operation in SENDS and isinstance(params.get("message"), Mapping):
        return _message(params["message"])
    status = params.get("status") if asked.operation == "ListTasks" else None
    if isinstance(status, str) and status not in TaskState.keys():  # noqa: SIM118
        return InvalidParamsError(f"status is one of {', '.join(TaskState.keys())}")
    return None


def _message(message: Mapping[str, Any]) -> A2AError | None:
    if message.get("role") not in ("ROLE_USER", "ROLE_AGENT", 1, 2, None):
        return InvalidParamsError("role is ROLE_USER or ROLE_AGENT")
    parts = message.get("parts")
    for part in parts if isinstance(parts, list) else ():
        raw = part.get("raw") if isinstance(part, Mapping) else None
        if isinstance(raw, str) and not _is_base64(raw):
            return InvalidParamsError("raw is base64")
    return None


def _is_base64(text: str) -> bool:
    standard = text.replace("-", "+").replace("_", "/")
    try:
        base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return True
