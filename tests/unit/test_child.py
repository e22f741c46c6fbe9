"""Processes beside this one: when they start, what restarts them, and that they end with it."""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from chain import child
from chain.child import Child
from chain.node.server import listen

ECHO = ["-c", "import sys; sys.stdin.read()"]


@contextmanager
def beside(after: float | None = 0.0) -> Iterator[tuple[Child, socket.socket]]:
    listening = listen("127.0.0.1", 0)
    made = Child("the echo", ["timeit"], [listening], after=after)
    made._words = [made._words[0], *ECHO]
    made.start()
    yield made, listening


def until(true: Callable[[], Any]) -> Any:
    end = time.monotonic() + 30
    while not (found := true()):
        assert time.monotonic() < end
        time.sleep(0.01)
    return found


def test_it_is_in_no_session_that_a_terminal_interrupts_and_ends_when_told() -> None:
    with beside() as (made, listening):
        process = until(lambda: made._process)
        assert os.getsid(process.pid) != os.getsid(0)
        made.end_soon()
        assert process.wait(20) == 0
        made.stop()
        assert listening.fileno() == -1


def test_what_ends_by_itself_is_started_again_so_often(caplog: pytest.LogCaptureFixture) -> None:
    with beside() as (made, _), caplog.at_level(logging.WARNING):
        seen: list[int] = []
        for _ in range(child.STARTS_MAX):
            process = until(
                lambda: made._process if made._process and made._process.pid not in seen else None
            )
            seen.append(process.pid)
            process.send_signal(signal.SIGKILL)
        made.wait()
        made.stop()
    assert caplog.messages == ["the echo ended"] * child.STARTS_MAX + [
        "the echo is started no more"
    ]


def test_it_may_be_told_to_end_before_it_began(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*words: Any, **options: Any) -> None:
        raise AssertionError(words)

    monkeypatch.setattr(subprocess, "Popen", never)
    for after in (None, 60.0):
        with beside(after) as (made, _):
            made.stop()
            assert made._process is None
