"""What a client of the RPC says of what is no node."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from chain.client.jsonrpc import JsonRpc, RpcFailed, Unreachable


@pytest.fixture
def answering() -> Iterator[tuple[list[bytes], str]]:
    """A server that says one thing to everybody."""
    said: list[bytes] = []
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection:
                connection.recv(65_536)
                connection.sendall(said[0])

    threading.Thread(target=serve, daemon=True).start()
    yield said, f"http://127.0.0.1:{listening.getsockname()[1]}"
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()


def ask(url: str) -> None:
    with closing(JsonRpc(url)) as node:
        node.call("status")


def http(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body)


@pytest.mark.parametrize(
    "said",
    [
        b"\x00\x00\x18\x04\x00\x00\x00\r\n",
        http(b"<html>"),
        http(b"[]"),
        http(b"{}"),
        http(b'{"error": {"code": "not_found", "message": "no"}}'),
        http(b'{"error": "no"}'),
        http(b'{"error": null}'),
    ],
)
def test_what_is_no_node_is_called_so_in_printable_words(
    answering: tuple[list[bytes], str], said: bytes
) -> None:
    answering[0].append(said)
    with pytest.raises(Unreachable, match="what answers there is no node") as refused:
        ask(answering[1])
    assert str(refused.value).isprintable()


def test_a_node_that_refuses_is_one(answering: tuple[list[bytes], str]) -> None:
    answering[0].append(http(b'{"error": {"code": -32603, "message": "no", "data": "why"}}'))
    with pytest.raises(RpcFailed, match=r"^why$"):
        ask(answering[1])
