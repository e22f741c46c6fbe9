"""Where push notifications may go, and what is kept of them."""

from __future__ import annotations

import asyncio
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

pytest.importorskip("a2a")

from a2a.types import TaskPushNotificationConfig

from chain.gateway.a2a_journal import Entry, Record
from chain.gateway.a2a_push import CallbackRefused, Kept, Pusher, PushStore, is_public, resolve


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.0.0.1",
        "172.16.5.4",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1",
        "fe80::1%eth0",
        "fc00::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "not an address",
    ],
)
def test_addresses_that_only_this_machine_or_network_reaches_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["1.1.1.1", "2606:4700:4700::1111", "::ffff:8.8.8.8"])
def test_addresses_of_the_internet_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/hook",
        "http://localhost/hook",
        "http://[::1]:9/hook",
        "http://2130706433/hook",
        "http://0x7f.1/hook",
        "ftp://example.org/",
        "file:///etc/passwd",
        "http://",
        "http://user:word@1.1.1.1/",
        "http://1.1.1.1:99999/",
        "http://" + "a" * 3_000,
    ],
)
def test_callbacks_that_are_refused(url: str) -> None:
    with pytest.raises(CallbackRefused):
        asyncio.run(resolve(url))


def test_a_call_goes_to_the_address_that_was_looked_at() -> None:
    target = asyncio.run(resolve("https://1.1.1.1:8443/a?b=c#d"))
    assert (target.url, target.host) == ("https://1.1.1.1:8443/a?b=c", "1.1.1.1:8443")
    allowed = asyncio.run(resolve("http://localhost:8000", private=True))
    assert allowed.url in ("http://127.0.0.1:8000/", "http://[::1]:8000/")
    assert (allowed.host, allowed.name) == ("localhost:8000", "localhost")


def test_kept_callbacks_are_there_after_a_restart_and_for_nobody_else_to_read(
    tmp_path: Path,
) -> None:
    store = PushStore(tmp_path / "push")
    kept = Kept("msg1a", "bob", {"taskId": "task-1", "id": "x", "url": "https://e.org"}, ["s1"])
    store.put(kept)
    (file,) = (tmp_path / "push").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    again = PushStore(tmp_path / "push")
    assert [one.done for one in again.all()] == [["s1"]]
    assert again.of("msg1a", "task-1")
    assert not again.of("msg1b", "task-1")
    again.remove(again.all()[0])
    assert not PushStore(tmp_path / "push").all()


def test_a_callback_that_was_deleted_is_not_called_again() -> None:
    called: list[str] = []

    async def run() -> None:
        happened = asyncio.Event()

        async def changes(task_id: str, after: set[str]) -> AsyncIterator[tuple[Record, Entry]]:
            await happened.wait()
            called.append(task_id)
            return
            yield  # a generator

        pusher = Pusher(PushStore(None), changes, private=True)
        config = TaskPushNotificationConfig(task_id="task-1", id="x", url="http://127.0.0.1:9/")
        kept = pusher.add("msg1a", "bob", config, [])
        await asyncio.sleep(0)
        pusher.remove(kept)
        happened.set()
        await asyncio.sleep(0)
        assert not pusher.store.has(kept)
        await pusher.stop()

    asyncio.run(run())
    assert called == []
