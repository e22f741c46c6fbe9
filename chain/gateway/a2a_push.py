"""Push notifications: who wants them, kept in a folder, and the calls to them.

A configuration holds secrets, so it stays with the gateway that took it, in a file that nobody
else can read; it remembers which entries of the task were delivered, and a gateway that starts
again goes on from there. Delivery is at least once, in order, with retries.

A callback must not reach what only this machine can reach: its host is resolved, every address must
be public, and the call goes to the very address that was looked at. Redirects are not followed.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import ipaddress
import logging
import os
import socket
import uuid
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit, urlunsplit

import httpx
import msgspec
from a2a.types import StreamResponse, TaskPushNotificationConfig
from a2a.utils.proto_utils import to_stream_response
from google.protobuf.json_format import MessageToDict, ParseDict

from chain.gateway.a2a_journal import Entry, Record, events_of

LOG: Final = logging.getLogger("msgchain.a2a")
#: callbacks of one task
CONFIGS_MAX: Final = 16
URL_MAX: Final = 2_048
#: seconds before each further try of one call
RETRIES: Final = (1.0, 2.0, 4.0, 8.0, 16.0)
_CALL_SECONDS: Final = 15.0
_TOKEN_HEADER: Final = "X-A2A-Notification-Token"

Changes = Callable[[str, set[str]], AsyncIterator[tuple[Record, Entry]]]


class CallbackRefused(Exception):
    """The URL is none that may be called."""


class NoAddress(CallbackRefused):
    """The host has no address now; it may have one when it is called."""


class Target(msgspec.Struct, frozen=True):
    """Where a call goes: the URL with an address for a host, and the host's name."""

    url: str
    host: str
    name: str


async def resolve(url: str, *, private: bool = False) -> Target:
    """The address that a URL may be called at. Raises: CallbackRefused."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise CallbackRefused("not a URL") from None
    host = parts.hostname
    if len(url) > URL_MAX or parts.scheme not in ("http", "https") or not host:
        raise CallbackRefused("an http or https URL is needed")
    if parts.username or parts.password:
        raise CallbackRefused("no user in the URL; use authentication")
    number = port or (443 if parts.scheme == "https" else 80)
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, number, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise NoAddress("the host has no address") from None
    addresses = [str(one[4][0]) for one in found]
    if not addresses or not (private or all(is_public(one) for one in addresses)):
        raise CallbackRefused("the host is not on the public internet")
    first = addresses[0]
    shown = f"[{first}]" if ":" in first else first
    where = f"{shown}:{port}" if port else shown
    name = f"{host}:{port}" if port else host
    target = urlunsplit((parts.scheme, where, parts.path or "/", parts.query, ""))
    return Target(target, name, host)


def is_public(text: str) -> bool:
    """Whether an address is one of the public internet, also inside of other forms."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    inner: list[ipaddress.IPv4Address | ipaddress.IPv6Address] = [address]
    if isinstance(address, ipaddress.IPv6Address):
        teredo = address.teredo
        embedded = [address.ipv4_mapped, address.sixtofour, *(teredo or ())]
        inner += [one for one in embedded if one is not None]
        if address in ipaddress.ip_network("64:ff9b::/96"):
            inner.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return all(one.is_global and not one.is_multicast for one in inner)


class Kept(msgspec.Struct):
    """A configuration in its file; ``done`` are the entries that were delivered."""

    owner: str
    agent_id: str
    config: dict[str, object]
    done: list[str]


class PushStore:
    """The configurations of a gateway, in a folder or only in memory."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._kept: dict[tuple[str, str], Kept] = {}
        if folder is not None and folder.is_dir():
            for path in folder.glob("*.json"):
                with contextlib.suppress(OSError, msgspec.MsgspecError):
                    found = msgspec.json.decode(path.read_bytes(), type=Kept)
                    self._kept[_key(found.config)] = found

    def all(self) -> list[Kept]:
        """Every configuration."""
        return list(self._kept.values())

    def of(self, owner: str, task_id: str) -> list[Kept]:
        """A caller's configurations of a task."""
        return [one for key, one in self._kept.items() if key[0] == task_id and one.owner == owner]

    def put(self, kept: Kept) -> None:
        """Keep a configuration, or what was delivered to it."""
        key = _key(kept.config)
        self._kept[key] = kept
        if self._folder is None:
            return
        path = self._path(key)
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial = path.with_suffix(".part")
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(msgspec.json.encode(kept))
        partial.replace(path)

    def remove(self, kept: Kept) -> None:
        """Forget a configuration."""
        key = _key(kept.config)
        self._kept.pop(key, None)
        if self._folder is not None:
            self._path(key).unlink(missing_ok=True)

    def has(self, kept: Kept) -> bool:
        """Whether it was not removed or replaced meanwhile."""
        return self._kept.get(_key(kept.config)) is kept

    def _path(self, key: tuple[str, str]) -> Path:
        name = hashlib.sha256("\n".join(key).encode()).hexdigest()[:32]
        return (self._folder or Path()) / f"{name}.json"


def _key(config: dict[str, object]) -> tuple[str, str]:
    return str(config.get("taskId", "")), str(config.get("id", ""))


class Pusher:
    """Follows the tasks of the configurations and calls."""

    def __init__(self, store: PushStore, changes: Changes, *, private: bool) -> None:
        self.store = store
        self.private = private
        self._changes = changes
        self._running: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._client: httpx.AsyncClient | None = None

    def start(self) -> None:
        """Go on with what was kept."""
        for kept in self.store.all():
            self.follow(kept)

    async def stop(self) -> None:
        """End all calls."""
        running = list(self._running.values())
        for one in running:
            one.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    def add(
        self, owner: str, agent_id: str, config: TaskPushNotificationConfig, done: list[str]
    ) -> Kept:
        """Keep a configuration and follow its task; ``done`` are entries not to tell."""
        if not config.id:
            config.id = config.task_id if not self.store.of(owner, config.task_id) else _fresh()
        kept = Kept(owner, agent_id, MessageToDict(config), done)
        self.store.put(kept)
        self.follow(kept)
        return kept

    def remove(self, kept: Kept) -> None:
        """Forget a configuration and call for it no more."""
        self.store.remove(kept)
        running = self._running.pop(_key(kept.config), None)
        if running is not None:
            running.cancel()

    def follow(self, kept: Kept) -> None:
        """Call for what happens from now on, or since the last call."""
        key = _key(kept.config)
        running = self._running.pop(key, None)
        if running is not None:
            running.cancel()
        task = self._running[key] = asyncio.create_task(self._follow(kept))
        task.add_done_callback(lambda done: self._ended(key, done))

    def _ended(self, key: tuple[str, str], done: asyncio.Task[None]) -> None:
        if self._running.get(key) is done:
            del self._running[key]
        if not done.cancelled() and done.exception() is not None:
            LOG.warning(
                "push notifications ended", extra={"reason": type(done.exception()).__name__}
            )

    async def _follow(self, kept: Kept) -> None:
        task_id = _key(kept.config)[0]
        async for record, entry in self._changes(task_id, set(kept.done)):
            for event in events_of(record, entry):
                await self._deliver(kept, to_stream_response(event))
            kept.done.append(entry.id)
            if not self.store.has(kept):
                return
            self.store.put(kept)

    async def _deliver(self, kept: Kept, event: StreamResponse) -> bool:
        config = ParseDict(kept.config, TaskPushNotificationConfig())
        body = MessageToDict(event)
        for pause in (*RETRIES, None):
            if await self._call(config, body):
                return True
            if pause is None or not self.store.has(kept):
                break
            await asyncio.sleep(pause)
        LOG.warning("a callback was given up", extra={"task": config.task_id})
        return False

    async def _call(self, config: TaskPushNotificationConfig, body: dict[str, object]) -> bool:
        if self._client is None:
            self._client = httpx.AsyncClient(
                timeout=_CALL_SECONDS, follow_redirects=False, trust_env=False
            )
        try:
            target = await resolve(config.url, private=self.private)
            headers = {"Host": target.host, "Content-Type": "application/a2a+json"}
            headers |= {"A2A-Version": "1.0"}
            if config.token:
                headers[_TOKEN_HEADER] = config.token
            auth = config.authentication
            if auth.scheme and auth.credentials:
                headers["Authorization"] = f"{auth.scheme} {auth.credentials}"
            answer = await self._client.post(
                target.url, json=body, headers=headers, extensions={"sni_hostname": target.name}
            )
        except (CallbackRefused, httpx.HTTPError, httpx.InvalidURL, ValueError):
            return False
        return answer.is_success


def _fresh() -> str:
    return uuid.uuid4().hex
