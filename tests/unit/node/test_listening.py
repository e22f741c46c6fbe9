"""The socket that nodes and gateways listen on."""

import asyncio
import socket

from chain.node.server import listen


def test_small_answers_leave_at_once() -> None:
    """Without TCP_NODELAY, an answer of two parts waits 40 ms for the client's acknowledgement."""

    async def no_delay() -> int:
        found: asyncio.Queue[int] = asyncio.Queue()

        def meet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            accepted = writer.get_extra_info("socket")
            found.put_nowait(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        listening = listen("127.0.0.1", 0)
        async with await asyncio.start_server(meet, sock=listening):
            _, writer = await asyncio.open_connection(*listening.getsockname())
            answer = await found.get()
            writer.close()
            await writer.wait_closed()
        return answer

    assert asyncio.run(no_delay()) == 1
