"""Beside other test chains: calls a second, start time, memory, on work as alike as can be.

``python -m benchmarks comparisons [--only NAME …]``. Each other project is installed into an
environment of its own below ``benchmarks/.environments`` on first use (network needed); nothing of
it is a dependency of this one, and no test runs it. The work: a counter contract, one call that
reads and writes one number, mined or delivered at once; one read; and ``send_message`` of
``agent_a2a_v1`` beside a contract in Vyper that keeps the same records (``others/messages.vy``).
All in one run, by processor time, the best of ten parts of a measurement.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ENVIRONMENTS = HERE / ".environments"
#: name -> what is installed, and the script that prints one JSON object
OTHERS = {
    "titanoboa": (["titanoboa==0.2.8"], "titanoboa_counter.py"),
    "eth-tester": (["eth-tester[py-evm]==0.14.0b1", "vyper==0.4.3"], "eth_tester_counter.py"),
}


def python_of(name: str, packages: list[str]) -> Path:
    """The interpreter of an environment, made when it is not there."""
    folder = ENVIRONMENTS / name
    python = folder / "bin" / "python"
    ready = folder / "ready"
    wanted = "\n".join(packages)
    if not ready.exists() or ready.read_text(encoding="utf-8") != wanted:
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", *packages], check=True)
        ready.write_text(wanted, encoding="utf-8")
    return python


def measured(python: Path, script: Path, seconds: float) -> dict[str, Any]:
    """What a script prints."""
    done = subprocess.run(
        [str(python), str(script), str(seconds)],
        capture_output=True,
        text=True,
        check=False,
        cwd=HERE.parent,
    )
    if done.returncode:
        return {"error": done.stderr.strip().splitlines()[-1] if done.stderr else "failed"}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main(argv: list[str]) -> int:
    """Print one line a project, ours first."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks comparisons", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=sorted(OTHERS), default=sorted(OTHERS))
    parser.add_argument("--seconds", type=float, default=5.0, help="of each measurement")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args(argv)
    scripts = HERE / "others"
    lines = {
        "msgchain": measured(Path(sys.executable), scripts / "msgchain_counter.py", args.seconds)
    }
    for name in args.only:
        packages, script = OTHERS[name]
        try:
            python = python_of(name, packages)
        except subprocess.CalledProcessError as error:
            lines[name] = {"error": f"could not be installed: {error}"}
            continue
        lines[name] = measured(python, scripts / script, args.seconds)
    for name, found in lines.items():
        if args.json:
            print(json.dumps({"chain": name, **found}))
        else:
            print(f"{name:12} " + "  ".join(f"{key} {value}" for key, value in found.items()))
    return 0
