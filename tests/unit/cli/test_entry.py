"""The entry of the command line."""

from __future__ import annotations

import signal
from types import SimpleNamespace
from typing import Any

import pytest

from chain import cli


def test_an_interrupt_while_loading_ends_it_without_a_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[Any] = []

    def look(*name: str) -> Any:
        seen.append(signal.getsignal(signal.SIGINT))
        return SimpleNamespace(main=look)

    monkeypatch.setattr(cli, "import_module", look)
    before = signal.getsignal(signal.SIGINT)
    try:
        for handler in (signal.default_int_handler, signal.SIG_IGN):
            signal.signal(signal.SIGINT, handler)
            cli.run()
    finally:
        signal.signal(signal.SIGINT, before)
    python, ignored = signal.default_int_handler, signal.SIG_IGN
    assert seen == [signal.SIG_DFL, python, ignored, ignored]
