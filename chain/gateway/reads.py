"""Contract questions, asked once a block: an answer holds until the next block.

While the gateway does not hear of blocks, nothing is remembered.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any, Final

from chain.gateway.events import BlockEvents, Follower
from chain.gateway.link import Link

_BYTES_MAX: Final = 64 * 1024 * 1024
_ANSWER_MAX: Final = 256 * 1024


class Reads:
    """The answers of the last block."""

    def __init__(self, link: Link, follower: Follower) -> None:
        self._link = link
        self._follower = follower
        self._answers: dict[tuple[str, bytes], bytes] = {}
        self._asked: dict[tuple[str, bytes], asyncio.Task[bytes]] = {}
        self._bytes = 0
        self._block = 0
        follower.listen(self._new_block)

    def _new_block(self, block: BlockEvents) -> None:
        self._block += 1
        self._bytes = 0
        self._answers.clear()
        self._asked.clear()

    async def smart(self, contract: str, query: bytes) -> bytes:
        """A contract's answer, as its JSON. Raises: QueryRefused, Unreachable."""
        if not self._follower.connected:
            return await self._link.smart(contract, query)
        key = (contract, query)
        known = self._answers.get(key)
        if known is not None:
            return known
        asked = self._asked.get(key)
        if asked is None:
            asked = self._asked[key] = asyncio.create_task(self._ask(key))
            asked.add_done_callback(seen)  # everybody who asked may be gone by then
        return await asyncio.shield(asked)

    async def ask(self, contract: str, variant: str, /, **fields: Any) -> Any:
        """A contract's answer as a value; fields of None are left out."""
        return json.loads(await self.smart(contract, question(variant, **fields)))

    async def _ask(self, key: tuple[str, bytes]) -> bytes:
        block = self._block
        try:
            answer = await self._link.smart(*key)
        finally:
            if block == self._block:
                self._asked.pop(key, None)
        if block == self._block and len(answer) <= _ANSWER_MAX and self._follower.connected:
            self._bytes += len(answer)
            if self._bytes <= _BYTES_MAX:
                self._answers[key] = answer
        return answer


def seen(done: asyncio.Future[Any]) -> None:
    """Look at how something ended, so that nobody is told that nobody did."""
    if not done.cancelled():
        done.exception()


def question(variant: str, /, **fields: Any) -> bytes:
    """A query's JSON; fields of None are left out."""
    body = {name: value for name, value in fields.items() if value is not None}
    return json.dumps({variant: body}, ensure_ascii=False, separators=(",", ":")).encode()
