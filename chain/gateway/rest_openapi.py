"""The Agent API's description: OpenAPI 3.1, made of the same constants as the code."""

from __future__ import annotations

from typing import Any, Final

from chain import __version__
from chain.gateway.rest_bodies import (
    BODY_MAX,
    CHANNEL_TYPES,
    LIMIT_MAX,
    MARKS,
    MESSAGE_TYPES,
    STATUSES,
    TX_MAX,
)
from chain.gateway.rest_updates import TOPICS

Schema = dict[str, Any]
_A2A: Final = "/agent/v1/a2a"
_NAME: Final[Schema] = {"type": "string", "minLength": 1, "maxLength": 256}
_TEXT: Final[Schema] = {"type": "string"}
_NUMBER: Final[Schema] = {"type": "integer", "minimum": 0}
_FLAG: Final[Schema] = {"type": "boolean"}
_BASE64: Final[Schema] = {"type": "string", "minLength": 1, "contentEncoding": "base64"}
_EVENT_ID: Final[Schema] = {
    "type": "string",
    "pattern": "^(0|[1-9][0-9]{0,17})-(0|[1-9][0-9]{0,8})$",
}
_DECIMAL: Final[Schema] = {"type": "string", "pattern": "^[0-9]{1,39}$"}
#: (status, what it means) of every operation that needs a key
_ALWAYS: Final = (
    (400, "The request is no HTTP that can be read."),
    (401, "No valid API key."),
    (429, "Too many requests; Retry-After says how long to wait."),
    (503, "The node does not answer or has no room; Retry-After says when to try again."),
)
_WRITES: Final = (
    (402, "The agent's account has too little."),
    (403, "Not allowed to this agent."),
    (404, "Not there, or not this agent's."),
    (408, "The body did not come in time."),
    (409, "Not possible in the present state, or nothing here can sign for the agent."),
    (413, "Too large."),
    (422, "The request or what it asks for is not acceptable."),
    (504, "The transaction was in no block in time; it may still get into one."),
)
_READS: Final = (
    (403, "Another agent's."),
    (404, "Not there, or not this agent's."),
    (422, "The request is not acceptable."),
    (504, "The node did not answer in time."),
)


def _or_null(schema: Schema) -> Schema:
    if "type" in schema:
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _list(items: Schema, **more: Any) -> Schema:
    return {"type": "array", "items": items, **more}


def _object(fields: dict[str, Schema], needed: tuple[str, ...] | None = None) -> Schema:
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields if needed is None else needed),
        "additionalProperties": False,
    }


_WHERE: Final = {"tx_hash": _or_null(_TEXT), "height": _or_null(_NUMBER)}
_NULL_TEXT: Final = _or_null(_TEXT)


_PAGE: Final = {"total": _NUMBER, "next": _NULL_TEXT}


def _views() -> dict[str, Schema]:
    """What the contract shows."""
    message = _object(
        {
            "msg_id": _TEXT,
            "sender": _TEXT,
            "receiver": _TEXT,
            "message_type": {"enum": list(MESSAGE_TYPES)},
            "payload": {"type": "string", "contentEncoding": "base64"},
            "priority": {**_NUMBER, "maximum": 255},
            "status": {"enum": list(STATUSES)},
            "channel_id": _NULL_TEXT,
            "reply_to": _NULL_TEXT,
            "ttl": _NUMBER,
            "created_at": {**_DECIMAL, "description": "Nanoseconds since 1970, as text."},
            "expires_at": _DECIMAL,
            "constitution_hash": _NULL_TEXT,
            "signature": _NULL_TEXT,
            "verification_method": _NULL_TEXT,
            "nonce": _NULL_TEXT,
            "priority_label": {"enum": ["low", "normal", "high", "critical"]},
            "height": _NUMBER,
            "depth": _NUMBER,
            "thread": _TEXT,
            "topic": _NULL_TEXT,
            "via": _NULL_TEXT,
        }
    )
    channel = _object(
        {
            "channel_id": _TEXT,
            "participants": _list(_TEXT),
            "status": {"enum": ["open", "active", "suspended", "closed"]},
            "channel_type": {"enum": list(CHANNEL_TYPES)},
            "metadata": _NULL_TEXT,
            "created_at": _DECIMAL,
            "updated_at": _DECIMAL,
            "message_count": _NUMBER,
            "owner": _TEXT,
        }
    )
    agent = _object(
        {"agent_id": _TEXT, "owner": _TEXT, "address": _TEXT, "price": _or_null(_DECIMAL)}
    )
    agents = {"agents": _list(_TEXT), "count": _NUMBER, "entries": _list(agent)}
    one = _object({"channel": _ref("Channel")})
    many = _object({"channels": _list(_ref("Channel")), **_PAGE})
    return {
        "Message": message,
        "Messages": _object({"messages": _list(_ref("Message")), **_PAGE}),
        "OneMessage": _object({"message": _ref("Message")}),
        "Channel": channel,
        "ChannelAnswer": {"oneOf": [one, many]},
        "Agents": _object({**agents, "next": _NULL_TEXT}),
    }


def _answers() -> dict[str, Schema]:
    """What the gateway says itself."""
    error = _object({"code": _TEXT, "message": _TEXT})
    event = _object(
        {
            "type": {"enum": list(TOPICS)},
            "id": _EVENT_ID,
            "payload": {
                "type": "object",
                "required": ["event", "event_type", "id", "tx_hash", "time"],
                "properties": {
                    "event": {"type": "string", "description": "Such as a2a_message_sent."},
                    "event_type": {"type": "string", "description": "As transactions show it."},
                    "id": _EVENT_ID,
                    "tx_hash": _NULL_TEXT,
                    "time": _DECIMAL,
                },
            },
        }
    )
    sent = {"msg_id": _TEXT, **_WHERE, "repeated": _FLAG}
    return {
        "Error": _object({"error": error}),
        "Event": event,
        "Events": _object({"events": _list(_ref("Event")), "last_event_id": _EVENT_ID}),
        "Sent": _object(sent),
        "Replied": _object({**sent, "reply_msg_id": _TEXT}),
        "Marked": _object({"msg_id": _TEXT, "status": {"enum": list(MARKS)}, **_WHERE}),
        "Opened": _object(
            {
                "channel_id": _TEXT,
                "channel_type": {"enum": list(CHANNEL_TYPES)},
                "created": _FLAG,
                **_WHERE,
            }
        ),
        "Closed": _object({"channel_id": _TEXT, "status": {"enum": ["closed"]}, **_WHERE}),
        "CapabilityChanged": _object(
            {"agent_id": _TEXT, "capability": _TEXT, "changed": _FLAG, **_WHERE}
        ),
        "Tx": _object({**_WHERE, "gas_used": _NUMBER, "msg_ids": _list(_TEXT)}),
        "Me": _object(
            {
                "agent_id": _TEXT,
                "address": _TEXT,
                "key_id": _TEXT,
                "signs": _FLAG,
                "chain_id": _TEXT,
                "contract": _TEXT,
                "last_event_id": _EVENT_ID,
            }
        ),
    }


def _bodies() -> dict[str, Schema]:
    payload = {**_BASE64, "maxLength": BODY_MAX, "description": "At most 262,144 bytes."}
    signed = {**_FLAG, "default": False, "description": "Sign with the key of the DID document."}
    priority = _or_null({"type": "integer", "minimum": 0, "maximum": 255})
    ttl = _or_null({"type": "integer", "minimum": 1, "maximum": 2**53 - 1})
    return {
        "SendBody": _object(
            {
                "to": {**_NAME, "description": "The receiver's address."},
                "payload": payload,
                "message_type": {"enum": list(MESSAGE_TYPES), "default": "request"},
                "priority": {**priority, "description": "Default 50."},
                "ttl": {**ttl, "description": "Seconds; default by type and priority."},
                "reply_to": _or_null(_NAME),
                "channel_id": _or_null(_NAME),
                "signed": signed,
            },
            ("to", "payload"),
        ),
        "ReplyBody": _object(
            {"original_msg_id": _NAME, "payload": payload, "signed": signed},
            ("original_msg_id", "payload"),
        ),
        "MarkBody": _object({"msg_id": _NAME, "status": {"enum": list(MARKS)}}),
        "ChannelBody": _object(
            {
                "participant": _or_null(_NAME),
                "channel_type": {"enum": list(CHANNEL_TYPES), "default": "direct"},
                "metadata": _or_null({"type": "string", "contentEncoding": "base64"}),
                "members": _list(_NAME, maxItems=1_000),
            },
            (),
        ),
        "CapabilityBody": _object({"agent_id": _NAME, "capability": _NAME}),
        "TxBody": _object({"tx": {**_BASE64, "maxLength": TX_MAX}}),
    }


def _operation(
    name: str,
    summary: str,
    answer: str,
    *,
    body: str = "",
    query: dict[str, tuple[Schema, bool]] | None = None,
    once: bool = False,
) -> Schema:
    writes = bool(body) or name.startswith(("close", "remove"))
    failures = (*_ALWAYS, *(_WRITES if writes else _READS))
    parameters = [
        {"name": one, "in": "query", "required": needed, "schema": schema}
        for one, (schema, needed) in (query or {}).items()
    ]
    if once:
        key = {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"}
        parameters.append(
            {
                "name": "Idempotency-Key",
                "in": "header",
                "required": False,
                "schema": key,
                "description": "The same key and message again: still one message.",
            }
        )
    shown: Schema = {
        "operationId": name,
        "summary": summary,
        "responses": {"200": _response("Done.", answer)},
    }
    for status, text in failures:
        shown["responses"][str(status)] = _response(text, "Error")
    shown["responses"]["429"]["headers"] = {
        "Retry-After": {"required": True, "schema": {"type": "integer", "minimum": 1}}
    }
    if parameters:
        shown["parameters"] = parameters
    if body:
        content = {"application/json": {"schema": _ref(body)}}
        shown["requestBody"] = {"required": True, "content": content}
    return shown


def _response(text: str, name: str) -> Schema:
    return {"description": text, "content": {"application/json": {"schema": _ref(name)}}}


_LIMIT: Final[tuple[Schema, bool]] = (
    {"type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "default": 30},
    False,
)
_AFTER: Final[tuple[Schema, bool]] = (_NAME, False)
_PAGING: Final = {"limit": _LIMIT, "start_after": _AFTER}


def _message_paths() -> dict[str, Schema]:
    address = ({**_NAME, "description": "The agent's own; the key says it anyhow."}, False)
    status: tuple[Schema, bool] = ({"enum": list(STATUSES)}, False)
    listing = {"address": address, **_PAGING}
    return {
        f"{_A2A}/send": {
            "post": _operation("send", "Send a message.", "Sent", body="SendBody", once=True)
        },
        f"{_A2A}/reply": {
            "post": _operation("reply", "Answer one.", "Replied", body="ReplyBody", once=True)
        },
        f"{_A2A}/mark": {
            "post": _operation(
                "mark", "Say it arrived, was read, or take it back.", "Marked", body="MarkBody"
            )
        },
        f"{_A2A}/inbox": {
            "get": _operation(
                "inbox", "What came, newest first.", "Messages", query={**listing, "status": status}
            )
        },
        f"{_A2A}/sent": {
            "get": _operation("sent", "What was sent, newest first.", "Messages", query=listing)
        },
        f"{_A2A}/message": {
            "get": _operation("message", "One.", "OneMessage", query={"msg_id": (_NAME, True)})
        },
    }


def _other_paths() -> dict[str, Schema]:
    return {
        f"{_A2A}/channel": {
            "get": _operation(
                "channel",
                "A channel by id or other side; all without either.",
                "ChannelAnswer",
                query={"channel_id": _AFTER, "participant": _AFTER, **_PAGING},
            ),
            "post": _operation(
                "open_channel", "Open one, or answer the live one.", "Opened", body="ChannelBody"
            ),
            "delete": _operation(
                "close_channel", "Close one.", "Closed", query={"channel_id": (_NAME, True)}
            ),
        },
        f"{_A2A}/discover": {
            "get": _operation(
                "discover",
                "Active agents with a capability; cheapest first with max_price (amsg).",
                "Agents",
                query={"capability": (_NAME, True), "max_price": (_DECIMAL, False), **_PAGING},
            )
        },
        f"{_A2A}/capability": {
            "post": _operation(
                "add_capability", "Declare one.", "CapabilityChanged", body="CapabilityBody"
            ),
            "delete": _operation(
                "remove_capability",
                "Withdraw one.",
                "CapabilityChanged",
                query={"agent_id": (_NAME, True), "capability": (_NAME, True)},
            ),
        },
        "/agent/v1/me": {"get": _operation("me", "Who this key speaks for.", "Me")},
        "/agent/v1/tx": {
            "post": _operation("tx", "Take a transaction signed elsewhere.", "Tx", body="TxBody")
        },
        "/agent/v1/events": {
            "get": _operation(
                "events",
                "What concerns the agent since an event id.",
                "Events",
                query={
                    "after": (_EVENT_ID, False),
                    "limit": ({"type": "integer", "minimum": 1, "maximum": 1_000}, False),
                    "wait": ({"type": "integer", "minimum": 0, "maximum": 30}, False),
                },
            )
        },
    }


def document() -> Schema:
    """The OpenAPI document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "msgchain Agent API",
            "version": __version__,
            "description": "Messages between agents over a chain. Events over WebSocket: "
            "/agent/v1/events/subscribe?a2a_address=… with topics " + ", ".join(TOPICS) + ".",
        },
        "security": [{"ApiKey": []}],
        "paths": {**_message_paths(), **_other_paths()},
        "components": {
            "schemas": {**_views(), **_answers(), **_bodies()},
            "securitySchemes": {"ApiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"}},
        },
    }
