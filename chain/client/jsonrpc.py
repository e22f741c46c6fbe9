"""JSON-RPC over HTTP with the standard library alone, so that commands start fast."""

from __future__ import annotations

import http.client
import json
import threading
from typing import Any, Final
from urllib.parse import urlsplit

DEFAULT_URL: Final = "http://127.0.0.1:26657"
_TIMEOUT: Final = 30.0
#: what a kept connection that the node has closed meanwhile says
_STALE: Final = (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError)


class Unreachable(Exception):
    """No node answers there."""


class RpcFailed(Exception):
    """The node answered with an error; the text is its most telling part."""

    def __init__(self, code: int, message: str, data: str) -> None:
        super().__init__(data or message)
        self.code = code
        self.message = message
        self.data = data


def parse_url(url: str) -> tuple[bool, str, int, str]:
    """Whether it is TLS, host, port and path of ``http://…``, ``tcp://…`` or ``host:port``.

    Raises: ValueError.
    """
    text = url if "://" in url else f"http://{url}"
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https", "tcp", "ws", "wss") or not parts.hostname:
        raise ValueError(f"{url!r} is no address of a node; write for example {DEFAULT_URL}")
    secure = parts.scheme in ("https", "wss")
    try:
        port = parts.port or (443 if secure else 26_657)
    except ValueError:
        raise ValueError(f"{url!r}: the port is no number up to 65535") from None
    return secure, parts.hostname, port, parts.path.rstrip("/") or "/"


class JsonRpc:
    """Calls of one node over a kept connection. Threads take turns. Raises: ValueError for an
    address that is none."""

    def __init__(self, url: str = DEFAULT_URL, *, timeout: float = _TIMEOUT) -> None:
        self.url = url
        self._secure, self._host, self._port, self._path = parse_url(url)
        self._timeout = timeout
        self._connection: http.client.HTTPConnection | None = None
        self._lock = threading.Lock()
        self._id = 0

    def call(self, method: str, /, **params: Any) -> Any:
        """The result of a method; parameters that are None are left out.

        Raises: RpcFailed, Unreachable.
        """
        with self._lock:
            self._id += 1
            body = json.dumps(
                {
                    "jsonrpc": "2.0",
                    "id": self._id,
                    "method": method,
                    "params": {name: one for name, one in params.items() if one is not None},
                },
                ensure_ascii=False,
            ).encode()
            raw = self._post(body)
        return _result(raw, self.url)

    def _post(self, body: bytes) -> bytes:
        kept = self._connection is not None
        try:
            return self._exchange(body)
        except _STALE as error:
            self.close()
            if not kept:
                raise Unreachable(f"{self.url}: {_reason(error)}") from None
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise Unreachable(f"{self.url}: {_reason(error)}") from None
        try:
            return self._exchange(body)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise Unreachable(f"{self.url}: {_reason(error)}") from None

    def _exchange(self, body: bytes) -> bytes:
        connection = self._connection
        if connection is None:
            kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
            connection = self._connection = kind(self._host, self._port, timeout=self._timeout)
        connection.request("POST", self._path, body, {"Content-Type": "application/json"})
        return connection.getresponse().read()

    def close(self) -> None:
        """End the connection; the next call makes another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _reason(error: BaseException) -> str:
    found = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return found if found.isprintable() else f"what answers there is no node: {found[:80]!r}"


def _result(raw: bytes, url: str) -> Any:
    try:
        answer = json.loads(raw)
    except (ValueError, RecursionError):
        answer = None
    if isinstance(answer, dict):
        failed = answer.get("error")
        if failed is None and "result" in answer:
            return answer["result"]
        if isinstance(failed, dict) and isinstance(failed.get("code"), int):
            said = (str(failed.get(name, "")) for name in ("message", "data"))
            raise RpcFailed(failed["code"], *said)
    raise Unreachable(f"{url}: what answers there is no node: {raw[:80]!r}")
