"""The README tells the truth: its commands exist, those that can run alone are run, links lead
somewhere."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from chain.cli.main import cli

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.M | re.S)
INLINE = re.compile(r"`(msgchain [^`]+)`")
#: Blocks whose commands need no node: each is run as it stands, in a folder of its own.
RUN = "msgchain demo"


def blocks(language: str) -> list[str]:
    return [body for kind, body in BLOCK.findall(README) if kind == language]


def command_lines() -> list[str]:
    lines = [line for body in blocks("sh") for line in body.splitlines()]
    lines += INLINE.findall(BLOCK.sub("", README))
    found = []
    for line in lines:
        text = line.split("  #")[0].strip().removesuffix("&").strip()
        text = text.removeprefix("pip install uv && ").removeprefix("uv run ")
        if text.startswith("msgchain "):
            found.append(text)
    return found


def words(text: str) -> list[str]:
    try:
        return shlex.split(text)[1:]
    except ValueError:
        return text.split()[1:]


@pytest.mark.parametrize("text", sorted(set(command_lines())))
def test_every_command_in_the_readme_exists(text: str) -> None:
    command: click.Command = cli
    context = click.Context(cli, info_name="msgchain")
    rest = words(text)
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        name = rest.pop(0).rstrip(",.;:…")
        if name == "…" or name.isupper():
            return
        found = command.get_command(context, name)
        assert found is not None, f"{text}: there is no command {name}"
        command = found
    known = {option for parameter in command.params for option in parameter.opts}
    known |= {option for parameter in command.params for option in parameter.secondary_opts}
    known |= {"--help", "-h", "--version"}
    for word in rest:
        if word.startswith("--"):
            assert word.split("=")[0].rstrip(",.;") in known, f"{text}: no option {word}"


def test_every_command_of_the_program_is_in_the_readme() -> None:
    names = cli.list_commands(click.Context(cli))
    missing = [name for name in names if f"msgchain {name}" not in README]
    assert not missing, missing


def test_the_blocks_that_need_no_node_run(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    chosen = [body for body in blocks("sh") if f"uv run {RUN}" in body and "log replay" in body]
    assert chosen
    for body in chosen:
        script = body.replace("uv run ", "")
        done = subprocess.run(
            ["bash", "-euc", script],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_links_inside_lead_to_headings_and_files() -> None:
    headings = {
        re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-")
        for title in re.findall(r"^#+ (.+)$", README, re.M)
    }
    for target in re.findall(r"\]\(([^)]+)\)", README):
        if target.startswith("#"):
            assert target[1:] in headings, f"no heading for {target}"
        elif "://" not in target:
            assert (ROOT / target).exists(), f"no file {target}"
