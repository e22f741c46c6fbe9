"""What the Agent API answers when it does not do what it was asked: one shape, plain words.

``{"error": {"code": "not_found", "message": "…"}}``; nothing of keys, passwords or other agents
stands in it.
"""

from __future__ import annotations

import json
import math
import re
from typing import Final

from starlette.responses import Response

from chain.client.jsonrpc import RpcFailed, Unreachable
from chain.client.keystore import KeystoreError
from chain.client.transport import ChainError, QueryRefused, TimedOut, TxFailed

_SHOWN_MAX: Final = 500


class Fault(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, code: str, text: str, *, retry_after: float = 0.0) -> None:
        super().__init__(text)
        self.status = status
        self.code = code
        self.text = text
        self.retry_after = retry_after

    def response(self) -> Response:
        """The answer."""
        headers = {}
        if self.retry_after:
            headers["Retry-After"] = str(math.ceil(self.retry_after))
        if self.status == 401:
            headers["WWW-Authenticate"] = 'ApiKey header="X-API-Key"'
        body = json.dumps({"error": {"code": self.code, "message": self.text}}, ensure_ascii=False)
        raw = body.encode("utf-8", "replace")
        return Response(raw, self.status, headers, "application/json")


UNAUTHORIZED: Final = (401, "unauthorized", "a valid API key is needed in X-API-Key")
NO_MESSAGE: Final = (404, "not_found", "there is no such message in your inbox or outbox")
NO_CHANNEL: Final = (404, "not_found", "there is no such channel of yours")

#: contract texts -> status and code; the first that is found counts
_CONTRACT: Final = (
    ("Unauthorized", 403, "forbidden"),
    ("Message not found", 404, "not_found"),
    ("Original message not found", 404, "not_found"),
    ("Channel not found", 404, "not_found"),
    ("Agent not registered", 404, "agent_not_registered"),
    ("Capability not found", 404, "not_found"),
    ("Channel already exists", 409, "channel_exists"),
    ("Capability already registered", 409, "capability_exists"),
    ("Nonce already used", 409, "nonce_used"),
    ("Channel is not open", 409, "channel_not_open"),
    ("Message has expired", 409, "message_expired"),
    ("Invalid message transition", 409, "wrong_status"),
    ("Invalid channel transition", 409, "wrong_status"),
    ("Rate limit exceeded", 429, "rate_limited"),
    ("Constitution", 403, "constitution"),
    ("Message too large", 413, "too_large"),
    ("Metadata too large", 413, "too_large"),
    ("DID verification failed", 409, "no_did"),
)
_CHAIN: Final = {
    ("sdk", 5): (402, "insufficient_funds"),
    ("sdk", 9): (402, "no_account"),
    ("sdk", 20): (503, "busy"),
    ("sdk", 21): (413, "too_large"),
    ("sdk", 32): (503, "busy"),
}
_INNER: Final = re.compile(r"message index: \d+: (.*?)(?:: execute wasm contract failed|$)", re.S)
_NO_ADDRESS: Final = "Generic error: addr_validate errored: "
_QUERY: Final = re.compile(r"^(.*?)(?:: query wasm contract failed.*|$)", re.S)


def fault_of(error: Exception) -> Fault:
    """The answer to a failure."""
    if isinstance(error, Fault):
        return error
    if isinstance(error, ChainError):
        return _refused(error)
    if isinstance(error, TimedOut):
        return Fault(504, "timeout", f"{error}; it may still get into one")
    if isinstance(error, Unreachable | RpcFailed):
        return Fault(503, "node_unreachable", "the node does not answer now", retry_after=1)
    if isinstance(error, KeystoreError):
        return Fault(409, "no_signing_key", "the gateway holds no key to sign for this agent with")
    raise error


def _refused(error: ChainError) -> Fault:
    known = _CHAIN.get((error.codespace, error.code))
    inner = (_QUERY if isinstance(error, QueryRefused) else _INNER).search(error.log)
    text = (inner[1] if inner else error.log)[:_SHOWN_MAX]
    if text.startswith(_NO_ADDRESS):
        why = text.removeprefix(_NO_ADDRESS)
        return Fault(422, "bad_address", f"not an address such as discover gives: {why}")
    if known is not None:
        return Fault(*known, text, retry_after=1 if known[0] == 503 else 0)
    for words, status, code in _CONTRACT:
        if words in error.log:
            return Fault(status, code, text, retry_after=1 if status == 429 else 0)
    if isinstance(error, TxFailed):
        text = f"{text} (transaction {error.outcome.hash})"
    return Fault(422, "refused", text)
