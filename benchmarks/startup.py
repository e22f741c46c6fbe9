"""From process start: ``--version``, and the first transaction of the demo."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from typing import Any

ROUNDS = {"smoke": 1, "quick": 7, "real": 21}
_MAIN = "import sys; from chain.cli.main import main; sys.argv[0] = 'msgchain'; main()"


def command(*arguments: str) -> list[str]:
    """The command line in a process of its own."""
    return [sys.executable, "-c", _MAIN, *arguments]


def spent(arguments: tuple[str, ...], until: str) -> tuple[float, float, str]:
    """Seconds on the wall to a line with these words, processor seconds so far, and the line.

    The process is ended then.
    """
    before = os.times()
    began = time.perf_counter()
    with subprocess.Popen(
        [*command(*arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        for line in process.stdout or ():
            if until in line:
                wall = time.perf_counter() - began
                process.kill()
                break
        else:
            raise RuntimeError(f"{arguments} did not say {until!r}: {process.communicate()[1]}")
    after = os.times()
    user = after.children_user - before.children_user
    return wall, user + after.children_system - before.children_system, line.strip()


def quickest(arguments: tuple[str, ...], until: str, rounds: int) -> tuple[float, float, str]:
    """The quickest of some starts after one that fills the caches of compiled code."""
    spent(arguments, until)
    return min(spent(arguments, until) for _ in range(rounds))


STARTS = {
    "start_version": (("--version",), "version"),
    "start_first_tx": (("demo",), "block 2:"),
}


def run(size: str) -> dict[str, Any]:
    """Seconds on the wall and of the processor."""
    figures: dict[str, Any] = {}
    digest = hashlib.sha256()
    for name, (arguments, until) in STARTS.items():
        wall, cpu, line = quickest(arguments, until, ROUNDS[size])
        figures[f"{name}, s"] = round(wall, 3)
        figures[f"{name}, processor s"] = round(cpu, 3)
        digest.update(line.encode())
    figures["digest"] = digest.hexdigest()[:16]
    return figures
