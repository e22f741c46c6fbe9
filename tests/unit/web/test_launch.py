"""The page beside a node: absent without its extra, started for its first visitor only."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

from chain.cli import page
from chain.node.server import listen
from chain.web.launch import Launcher


def test_without_the_extra_the_node_says_so_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(page, "available", lambda: False)
    with page.open_page("127.0.0.1", None, "http://127.0.0.1:1") as shown:
        assert shown is None
    said = capsys.readouterr().out
    assert said.startswith("page       not installed; ")
    assert said.count("\n") == 1


def test_a_taken_port_gives_way_unless_it_was_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with listen("127.0.0.1", 0) as taken:
        number = taken.getsockname()[1]
        monkeypatch.setattr(page, "PORT", number)
        with page.open_page("127.0.0.1", None, "http://127.0.0.1:1") as shown:
            assert shown is not None
            assert shown.port != number
        with (
            pytest.raises(SystemExit),
            page.open_page("127.0.0.1", number, "http://127.0.0.1:1"),
        ):
            pass
    assert "--ui-port" in capsys.readouterr().err


def test_the_process_starts_for_the_first_visitor(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []

    def popen(words: list[str], **options: object) -> subprocess.Popen[bytes]:
        started.append(words)
        return real([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=-1)

    real = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", popen)
    launcher = Launcher(listen("127.0.0.1", 0), "http://127.0.0.1:1")
    launcher.start()
    assert not started
    with socket.create_connection(("127.0.0.1", launcher.port)):
        for _ in range(200):
            if started:
                break
            launcher._thread.join(0.02)
        launcher.stop()
    assert [words[1:3] for words in started] == [["-m", "chain.web"]]


def test_the_command_line_does_not_load_the_front_end() -> None:
    code = "import sys, chain.cli.devnet; sys.exit('nicegui' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
