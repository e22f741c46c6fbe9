"""What the A2A door's parts share: the ledger, the callers, the cards, the callbacks, and the
gateway's own two accounts.

The requester's account creates the tasks of callers without an API key. The agent's account is the
agent at the root address: it keeps offers, links them to what was paid, and runs a program to try
things with. Both follow from one secret; gateways with the same secret are the same to their
callers.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Final

import msgspec
from a2a.types import AgentCard
from a2a.utils.errors import A2AError
from google.protobuf.json_format import MessageToDict, ParseDict

from chain.client import agent_calls as calls
from chain.client.agent_calls import Call
from chain.client.agent_identity import DID_PREFIX
from chain.client.card import EDDSA, FRAGMENTS
from chain.client.jsonrpc import RpcFailed, Unreachable
from chain.client.task_content import to_ledger
from chain.client.transport import ChainError, QueryRefused, TimedOut
from chain.crypto.root import RootSecret
from chain.gateway.a2a_callers import Caller, Callers
from chain.gateway.a2a_cards import CardMaker, ServedCard
from chain.gateway.a2a_journal import FINAL, OFFER_SKILL, PAID_TASK, Entry, Record, entries_of
from chain.gateway.a2a_ledger import Ledger, pair_key
from chain.gateway.a2a_payment import pays
from chain.gateway.a2a_push import Pusher, PushStore
from chain.gateway.core import Core

LOG: Final = logging.getLogger("msgchain.a2a")
OWN_AGENT: Final = "msgchain-gateway"
CALLER_EXTENSION: Final = "urn:msgchain:a2a:caller:v1"
_CARDS_KEPT: Final = 1_000
_RETRY_SECONDS: Final = 2.0
_LOOK_SECONDS: Final = 20.0
_FAUCET: Final = "1000msg"
_REQUESTER: Final = b"msgchain/a2a-requester"
_AGENT: Final = b"msgchain/a2a-agent"


class A2aSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How the door runs. ``address`` is where clients reach it; ``secret`` (32 bytes) is its own
    accounts' root, None for a door that only serves callers with API keys; ``devnet`` lets it fetch
    coins from the devnet's faucet; ``private_callbacks`` lets push notifications reach loopback and
    private addresses; ``folder`` keeps push notifications; ``grpc`` is where that binding is
    reached, empty where it is not."""

    address: str
    secret: bytes | None = None
    devnet: bool = False
    private_callbacks: bool = False
    folder: Path | None = None
    own_agent: bool = True
    grpc: str = ""


class Gate:
    """One A2A door over a gateway's core."""

    def __init__(self, core: Core, settings: A2aSettings) -> None:
        self.core = core
        self.settings = settings
        secret = RootSecret(settings.secret or bytes(32))
        self.root = RootSecret(secret.derive(_AGENT, 32))
        self.requester = RootSecret(secret.derive(_REQUESTER, 32)).signing_key()
        self.own_agent_id = OWN_AGENT
        self.ledger = Ledger(core.link, core.follower, core.contracts)
        own = None if settings.secret is None else self.requester
        self.callers = Callers(core.accounts, core.api_keys, core.keyring, own)
        key_id = f"{DID_PREFIX}{OWN_AGENT}#{FRAGMENTS[EDDSA]}"
        base = settings.address.rstrip("/")
        self.cards = CardMaker(base, self.root.card_key(), key_id, grpc=settings.grpc)
        self.pusher = Pusher(PushStore(None), self._changes, private=settings.private_callbacks)
        self._cards: OrderedDict[str, tuple[str, ServedCard]] = OrderedDict()
        self._jobs: set[asyncio.Task[None]] = set()
        self._ready = asyncio.Event()

    # --- running --------------------------------------------------------------------------------

    def start(self) -> None:
        """Listen to blocks, go on with callbacks, and see to the own accounts."""
        self.ledger.start()
        self.ledger.on_task(self._paid)
        self._spawn(self._begin())

    async def stop(self) -> None:
        """End everything."""
        self.ledger.stop()
        for job in list(self._jobs):
            job.cancel()
        await asyncio.gather(*self._jobs, return_exceptions=True)
        await self.pusher.stop()

    async def settled(self, seconds: float) -> bool:
        """Whether the own accounts are there, waiting a while for them."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._ready.wait()
        return self._ready.is_set()

    def when_ready(self, begin: Callable[[], None]) -> None:
        """Call when the own accounts are there."""

        async def wait() -> None:
            await self._ready.wait()
            begin()

        self._spawn(wait())

    def _spawn(self, work: Any) -> None:
        job = asyncio.create_task(work)
        self._jobs.add(job)
        job.add_done_callback(self._ended)

    def _ended(self, job: asyncio.Task[None]) -> None:
        self._jobs.discard(job)
        error = None if job.cancelled() else job.exception()
        if error is not None:
            LOG.warning("what the gateway did beside is not done", extra={"reason": str(error)})

    async def _begin(self) -> None:
        """Wait for the node, go on with the chain's callbacks, see to the own accounts."""
        while True:
            try:
                await self.core.follower.ready()
                found = (await self.core.link.call("status"))["sync_info"]
                break
            except (Unreachable, RpcFailed, TimedOut):
                await asyncio.sleep(_RETRY_SECONDS)
        if self.settings.folder is not None:  # a devnet that began anew has other tasks
            mark = str(found["earliest_block_hash"])[:16].lower()
            self.pusher.store = PushStore(self.settings.folder / mark)
        self.pusher.start()
        if self.settings.secret is not None:
            await self._settle()

    async def _is_devnet(self) -> bool:
        try:
            await self.core.link.call("devnet_status")
        except RpcFailed:
            return False
        return True

    async def _settle(self) -> None:
        """Fund and register the own accounts; again until it works."""
        while True:
            try:
                if self.settings.devnet and not await self._is_devnet():
                    LOG.warning("the node is no devnet: give the gateway a key with --a2a-key")
                    return
                await self._fund(self.requester.pubkey.address())
                await self._fund(self.root.signing_key().pubkey.address())
                await self._register()
                self._ready.set()
                return
            except (ChainError, Unreachable, RpcFailed, TimedOut, A2AError) as error:
                LOG.warning("the A2A agent is not registered yet", extra={"reason": str(error)})
                await asyncio.sleep(_RETRY_SECONDS)

    async def _fund(self, address: str) -> None:
        if self.settings.devnet and await self.core.link.account(address) is None:
            await self.core.link.call("devnet_faucet", address=address, amount=_FAUCET)

    async def _register(self) -> None:
        """What is missing of the own agent: its DID document, its record."""
        to, did = self.core.contracts, f"{DID_PREFIX}{OWN_AGENT}"
        wanted: list[Call] = []
        key = self.root.signing_key()
        found = await self.ledger.ask(to.did_registry, "resolve_did", did=did)
        if not found["active"]:
            wanted.append(
                calls.create_did(
                    to,
                    did,
                    signing=key.pubkey.key,
                    encryption=self.root.encryption_key().public_key,
                    card=self.root.card_key().pubkey.key,
                )
            )
        record = await self.ledger.agent(OWN_AGENT)
        if record is None:
            wanted.append(calls.register_agent(to, OWN_AGENT, name="msgchain gateway"))
        if wanted:
            await self.callers.submit_with(key, *wanted)

    # --- cards ----------------------------------------------------------------------------------

    async def card(self, agent_id: str, address: str = "") -> ServedCard | None:
        """The card of an active agent; None where there is none."""
        agent = await self.ledger.agent(agent_id)
        if agent is None or agent["status"] != "active":
            return None
        mark = f"{agent['updated_at']}/{agent['card_hash']}/{address}"
        kept = self._cards.get(f"{agent_id}/{address}")
        if kept is not None and kept[0] == mark:
            return kept[1]
        stored = await self.ledger.card(agent_id)
        document = await self.ledger.document(agent["address"])
        made = self.cards.served(agent, stored, document, address=address)
        self._cards[f"{agent_id}/{address}"] = (mark, made)
        if len(self._cards) > _CARDS_KEPT:
            self._cards.popitem(last=False)
        return made

    def extended_card(
        self, card: ServedCard, caller: Caller, spending: dict[str, Any]
    ) -> AgentCard:
        """The card with what a caller may spend, signed anew."""
        document = MessageToDict(card.proto)
        document.pop("signatures", None)
        facts = {name: value for name, value in spending.items() if isinstance(value, (str, int))}
        document["capabilities"]["extensions"].append(
            {
                "uri": CALLER_EXTENSION,
                "description": "Who asks, and what it may still spend.",
                "params": {"agent_id": caller.agent_id, "address": caller.address, **facts},
            }
        )
        return ParseDict(self.cards.signed(to_ledger(document)), AgentCard())

    # --- offers ---------------------------------------------------------------------------------

    def _paid(self, step: dict[str, str]) -> None:
        """Look at every task that somebody paid for."""
        if step["action"] == "create_task" and step["price"] != "0" and self._ready.is_set():
            self._spawn(self._link_paid(step["task_id"]))

    async def _link_paid(self, task_id: str) -> None:
        view = await self.ledger.view(task_id)
        if view is None or not str(view["client_ref"] or "").startswith("task-"):
            return
        offer = await self.ledger.view(view["client_ref"])
        if offer is not None and offer["skill"] == OFFER_SKILL:
            with contextlib.suppress(A2AError, ChainError, TimedOut, Unreachable, RpcFailed):
                await self.link_offer(offer, task_id)

    async def link_offer(self, offer: dict[str, Any], task_id: str) -> bool:
        """Note on the ledger which task was paid for an offer; the first that fits holds."""
        if offer["state"] != "submitted" or offer["provider"] != OWN_AGENT:
            return False
        view = await self.ledger.view(task_id)
        if view is None or not pays(offer, view):
            return False
        to, number = self.core.contracts, offer["task_id"]
        with contextlib.suppress(A2AError):  # another gateway was faster
            await self.callers.submit_with(
                self.root.signing_key(),
                calls.step_task(to, "accept_task", number),
                calls.step_task(to, "complete_task", number, content={PAID_TASK: task_id}),
            )
        return True

    # --- following ------------------------------------------------------------------------------

    async def _changes(self, task_id: str, after: set[str]) -> AsyncIterator[tuple[Record, Entry]]:
        """The entries of a task that are not in ``after``, until it ends."""
        with self.ledger.watch(task_id) as watch:
            while True:
                try:
                    record = await self.ledger.record(task_id)
                except (Unreachable, RpcFailed, QueryRefused):
                    await asyncio.sleep(_RETRY_SECONDS)
                    continue
                if record is None:
                    return
                for one in (record, record.paid):
                    if one is not None:
                        pair = pair_key(one.view["provider_address"], one.view["requester"])
                        watch.add(one.task_id, pair)
                entries = entries_of(record)
                for entry in entries:
                    if entry.id not in after:
                        after.add(entry.id)
                        yield record, entry
                if entries[-1].state in FINAL:
                    return
                await watch.wait(_LOOK_SECONDS)
