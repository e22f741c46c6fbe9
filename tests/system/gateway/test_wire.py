"""Bytes that are no WebSocket frames: the connection ends, the gateway goes on."""

from __future__ import annotations

import base64
import socket
from contextlib import suppress

import pytest
from gateway_process import Agent, Net, body_to

MASK = bytes(4)
CASES = {
    "reserved bits": b"\xf1\x80" + MASK,
    "unknown opcode": b"\x83\x80" + MASK,
    "no mask": b"\x81\x02{}",
    "text that is no UTF-8": b"\x81\x82" + MASK + b"\xff\xfe",
    "continuation of nothing": b"\x80\x80" + MASK,
    "long control frame": b"\x89\xfe\x01\x00" + MASK + bytes(256),
    "a length of 2^63": b"\x81\xff\x80" + bytes(7) + MASK,
    "a length of 1 GiB": b"\x81\xff" + (1 << 30).to_bytes(8, "big") + MASK,
    "close with half a code": b"\x88\x81" + MASK + b"\x03",
}


@pytest.mark.parametrize("frame", CASES.values(), ids=CASES)
def test_bytes_that_are_no_frames_end_the_connection_alone(
    net: Net, alice: Agent, bob: Agent, frame: bytes
) -> None:
    listener = net.gateway.listen(bob.address, bob.key)
    host, _, port = net.gateway.host.rpartition(":")
    key = base64.b64encode(bytes(16)).decode()
    path = f"/agent/v1/events/subscribe?a2a_address={alice.address}&api_key={alice.key}"
    lines = [f"GET {path} HTTP/1.1", f"Host: {net.gateway.host}", "Upgrade: websocket"]
    lines += ["Connection: Upgrade", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}"]
    with socket.create_connection((host, int(port)), timeout=20) as wire:
        wire.sendall("\r\n".join([*lines, "", ""]).encode())
        assert wire.recv(4_096).startswith(b"HTTP/1.1 101 ")
        with suppress(ConnectionError):
            wire.sendall(frame)
            while wire.recv(4_096):
                pass
    sent = net.gateway.post("/agent/v1/a2a/send", alice.key, body_to(bob))[1]["msg_id"]
    assert listener.until(sent)[-1] == sent
    listener.close()
