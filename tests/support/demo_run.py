"""Runs the command line: where a test says so in a process, with the surroundings it chooses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from click.testing import CliRunner

from chain.cli.main import cli

COMMAND = (sys.executable, "-c", "from chain.cli.main import main; main()")
#: what must not change a chain: hash seed, time zone, locale, folder for temporary files
SURROUNDINGS: tuple[Mapping[str, str], ...] = (
    {"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C"},
    {"PYTHONHASHSEED": "4294967295", "TZ": "Asia/Kathmandu", "LC_ALL": "tr_TR.UTF-8"},
)


class Done(NamedTuple):
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


def msgchain(*arguments: str, env: Mapping[str, str] | None = None) -> Done:
    """Run the command line: in a process with these surroundings, or in this one."""
    if env is None:
        ended = CliRunner().invoke(cli, arguments, prog_name="msgchain")
        if ended.exception is not None and not isinstance(ended.exception, SystemExit):
            raise ended.exception
        return Done(ended.exit_code, ended.stdout, ended.stderr)
    done = subprocess.run(
        (*COMMAND, *arguments),
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **env},
        timeout=400,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def demo(*arguments: str, env: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The JSON object of a run."""
    done = msgchain("demo", "--json", *arguments, env=env)
    assert done.returncode == 0, done.stderr
    value: dict[str, Any] = json.loads(done.stdout)
    return value
