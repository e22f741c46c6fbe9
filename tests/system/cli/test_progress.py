"""What a terminal shows while a log is replayed or imported, and nothing of it elsewhere."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from pathlib import Path

import pytest
from demo_run import COMMAND, demo

from chain.cli import output


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("progress") / "log.jsonl"
    demo("--log", str(path))
    return path


def on_a_terminal(*arguments: str) -> str:
    """What a command writes to the terminal that its standard error is."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        (*COMMAND, *arguments), stdout=subprocess.DEVNULL, stderr=theirs
    ) as process:
        os.close(theirs)
        text = b""
        try:
            while piece := os.read(ours, 65_536):
                text += piece
        except OSError:  # the other end is closed
            pass
        os.close(ours)
    assert process.returncode == 0
    return text.decode()


def test_the_bar_grows_to_its_end_and_goes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter(range(1_000))
    monkeypatch.setattr(output, "monotonic", lambda: next(clock))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with output.progress("replaying", 40) as step:
        for height in range(1, 41):
            step(height)
    shown = capsys.readouterr().err.split("\r\033[K")
    assert shown[0] == shown[-1] == ""
    assert shown[10] == "replaying: [######------------------] 25%, height 10 of 40, 1 blocks/s"
    assert shown[40] == f"replaying: [{'#' * 24}] 100%, height 40 of 40, 1 blocks/s"


def test_without_an_end_there_is_no_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter(range(1_000))
    monkeypatch.setattr(output, "monotonic", lambda: next(clock))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with output.progress("exporting") as step:
        step(7)
    assert capsys.readouterr().err == "\r\033[Kexporting: height 7, 1 blocks/s\r\033[K"


def test_a_replay_shows_it_on_a_terminal_alone(log: Path) -> None:
    assert re.search(r"replaying: \[#*-*\] \d+%, height", on_a_terminal("log", "replay", str(log)))
    quiet = subprocess.run(
        (*COMMAND, "log", "replay", str(log)), capture_output=True, text=True, check=True
    )
    assert quiet.stderr == ""
