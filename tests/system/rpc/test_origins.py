"""What web pages may call: everything that CometBFT lets them, and no control of a devnet."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from devnet_process import ROOT, Devnet
from websockets.sync.client import connect

PAGE, KNOWN = "http://page.example", "http://known.example"
CONTROLS = sorted(set(re.findall(r"`(devnet_\w+)", (ROOT / "README.md").read_text("utf-8"))))


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Devnet]:
    home: Path = tmp_path_factory.mktemp("net") / "home"
    made = Devnet(home, "--block-time", "manual", "--cors", KNOWN)
    yield made
    assert made.stop() == 0
    assert "Traceback" not in made.errors, made.errors


def body(name: str, **params: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": name, "params": params}


MINE = body("devnet_mine", blocks=1)


def ask(
    net: Devnet, path: str = "/", sent: bytes | None = None, origin: str | None = None
) -> tuple[int, bytes]:
    headers = {} if origin is None else {"Origin": origin}
    request = urllib.request.Request(net.url + path, sent, headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def height(net: Devnet) -> int:
    return int(net.call("status")["sync_info"]["latest_block_height"])


@pytest.mark.parametrize("name", CONTROLS)
def test_no_control_answers_a_link_or_a_form(net: Devnet, name: str) -> None:
    before = height(net)
    for sent in (None, b"blocks=1"):
        status, raw = ask(net, f"/{name}", sent)
        assert status == 405
        assert "is called with POST and a JSON body" in json.loads(raw)["error"]["data"]
    assert height(net) == before


def test_the_listing_links_to_no_control(net: Devnet) -> None:
    listing = ask(net)[1]
    assert b"/status" in listing
    assert b"devnet_" not in listing


def test_a_page_that_is_not_known_calls_no_control(net: Devnet) -> None:
    before = height(net)
    refused = json.loads(ask(net, "/", json.dumps(MINE).encode(), PAGE)[1])
    assert refused["error"]["code"] == -32600
    assert "devnet_mine is not for this web page" in refused["error"]["data"]
    batch = json.dumps([MINE, body("health")]).encode()
    both = json.loads(ask(net, "/", batch, PAGE)[1])
    assert ["error" in answer for answer in both] == [True, False]
    assert height(net) == before
    for origin in (KNOWN, None):
        assert "result" in json.loads(ask(net, "/", json.dumps(MINE).encode(), origin)[1])


def test_a_page_calls_no_control_over_a_socket(net: Devnet) -> None:
    for origin, key in ((PAGE, "error"), (KNOWN, "result"), (None, "result")):
        with connect(net.socket_url + "/websocket", origin=origin) as socket:  # type: ignore[arg-type]
            socket.send(json.dumps(MINE))
            assert key in json.loads(socket.recv(10))
            socket.send(json.dumps(body("health")))
            assert json.loads(socket.recv(10))["result"] == {}
