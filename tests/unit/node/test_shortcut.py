"""Which requests take the short way: plain ones that came whole."""

from __future__ import annotations

import pytest

from chain.node.shortcut import body_of

PLAIN = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n%s\r\n{}"


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"Connection: keep-alive\r\n",
        b"Accept-Encoding: gzip, deflate\r\nX-Odd_name!: \t any: thing \r\n",
    ],
)
def test_a_plain_request_that_is_whole_has_its_body(header: bytes) -> None:
    assert body_of(PLAIN % header) == b"{}"


@pytest.mark.parametrize(
    "header",
    [
        b"Connection: close\r\n",
        b"connection: keep-alive, Upgrade\r\n",
        b"Upgrade: websocket\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"Expect: 100-continue\r\n",
        b"ORIGIN: http://page\r\n",
        b"content-length: 2\r\n",
        b"Content-Encoding: gzip\r\n",
        b"no colon\r\n",
        b" folded: line\r\n",
        b"zero: \x00\r\n",
    ],
)
def test_a_header_that_asks_for_more_goes_the_usual_way(header: bytes) -> None:
    assert body_of(PLAIN % header) is None


@pytest.mark.parametrize(
    "data",
    [
        PLAIN[:-1] % b"",
        (PLAIN % b"") + b"P",
        (PLAIN % b"") * 2,
        (PLAIN % b"").replace(b"POST / ", b"GET / "),
        (PLAIN % b"").replace(b"POST / ", b"POST /health "),
        (PLAIN % b"").replace(b"1.1", b"1.0"),
        (PLAIN % b"").replace(b"Content-Length: 2", b"Content-Length: +2"),
        (PLAIN % b"").replace(b"Content-Length: 2\r\n", b""),
        b"POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
        b"",
    ],
)
def test_anything_else_goes_the_usual_way(data: bytes) -> None:
    assert body_of(data) is None
