"""The gateway's connections to a node."""

from __future__ import annotations

import asyncio
import json

import pytest
from websockets.asyncio.server import ServerConnection, serve

from chain.client.transport import ChainError
from chain.gateway.link import REQUEST_MAX, Link


def test_what_is_too_large_for_a_node_is_refused_and_harms_nobody_else() -> None:
    async def answer(socket: ServerConnection) -> None:
        async for raw in socket:
            await asyncio.sleep(0.1)
            await socket.send(json.dumps({"id": json.loads(raw)["id"], "result": "here"}))

    async def run() -> str:
        async with serve(answer, "127.0.0.1", 0, max_size=REQUEST_MAX) as node:
            port = node.sockets[0].getsockname()[1]
            link = Link(f"http://127.0.0.1:{port}", sockets=1)
            other = asyncio.create_task(link.call("status"))
            await asyncio.sleep(0.05)
            with pytest.raises(ChainError, match="at most 1000000 bytes"):
                await link.call("abci_query", data="0" * REQUEST_MAX)
            found = str(await other)
            await link.close()
            return found

    assert asyncio.run(run()) == "here"
