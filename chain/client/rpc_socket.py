"""Subscriptions over WebSocket."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import msgspec
from websockets.exceptions import InvalidHandshake, WebSocketException
from websockets.sync.client import connect

from chain.client.jsonrpc import RpcFailed, Unreachable, parse_url

_MESSAGE_MAX: Final = 128 * 1024 * 1024


class Pushed(msgspec.Struct, frozen=True):
    """Something that happened: its kind (``NewBlock``, ``Tx``, …), the value as the node shows
    it, and its tags (``tx.height`` and ``type.attribute``) with their values."""

    kind: str
    value: dict[str, Any]
    tags: dict[str, list[str]]


def socket_url(url: str) -> str:
    """Where a node's WebSocket is. Raises: ValueError."""
    secure, host, port, path = parse_url(url)
    shown = f"[{host}]" if ":" in host else host
    return f"{'wss' if secure else 'ws'}://{shown}:{port}{path.rstrip('/')}/websocket"


def subscribe(url: str, query: str) -> Iterator[Pushed]:
    """What a query finds from now on. Raises: RpcFailed, Unreachable."""
    request = {"jsonrpc": "2.0", "id": 1, "method": "subscribe", "params": {"query": query}}
    try:
        with connect(socket_url(url), max_size=_MESSAGE_MAX, compression=None) as socket:
            socket.send(json.dumps(request))
            for raw in socket:
                answer = json.loads(raw)
                failed = answer.get("error")
                if failed is not None:
                    raise RpcFailed(
                        int(failed["code"]), str(failed["message"]), str(failed.get("data", ""))
                    )
                data = answer["result"].get("data")
                if data is not None:
                    kind = str(data["type"]).rpartition("/")[2]
                    yield Pushed(kind, data["value"], answer["result"].get("events") or {})
    except (OSError, InvalidHandshake, WebSocketException) as error:
        raise Unreachable(f"{url}: {error}") from None
    raise Unreachable(f"{url}: the node ended the subscription")
