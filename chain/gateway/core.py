"""What the doors of one gateway share."""

from __future__ import annotations

import asyncio
import contextlib

from chain.client.agent_calls import Contracts
from chain.gateway.accounts import Accounts, KeyRing
from chain.gateway.events import Follower
from chain.gateway.keys import ApiKeys
from chain.gateway.limits import Bucket, Buckets, Limits
from chain.gateway.link import Link
from chain.gateway.reads import Reads


class Core:
    """One node, followed; the agents' keys; who may ask how often."""

    def __init__(
        self,
        rpc: str,
        contracts: Contracts,
        api_keys: ApiKeys,
        keyring: KeyRing,
        limits: Limits | None = None,
    ) -> None:
        self.rpc = rpc
        self.contracts = contracts
        self.api_keys = api_keys
        self.keyring = keyring
        self.limits = limits = limits or Limits()
        self.link = Link(rpc)
        self.follower = Follower(self.link)
        self.reads = Reads(self.link, self.follower)
        self.accounts = Accounts(self.link, self.follower)
        self.requests = Bucket(limits.requests, limits.requests_burst)
        #: strangers have a bucket of their own, so that they cannot use up the agents'
        self.strangers = Bucket(limits.requests, limits.requests_burst)
        self.messages = Buckets(limits.messages, limits.messages_burst)
        self._following: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to follow the node."""
        self._following = asyncio.create_task(self.follower.run())

    async def stop(self) -> None:
        """End following and all connections."""
        if self._following is not None:
            self._following.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._following
        await self.link.close()
