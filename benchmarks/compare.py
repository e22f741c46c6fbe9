"""Two commits in turn: ``python -m benchmarks compare BASE [--rounds N] [--targets NAME …]``.

BASE is checked out beside the working tree; the same benchmarks (those of the working tree) run on
both in turn, so that both see the same machine. Printed are ratios of this tree to BASE, better
above 1, with the spread over the rounds.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks._measure import spread
from benchmarks.targets import GOALS

ROOT = Path(__file__).resolve().parents[1]
DEFAULT = ("call_one_write", "call_send_message", "query", "snapshot_revert", "tree_update")


def figures(tree: Path, targets: list[str]) -> dict[str, float]:
    """The targets of one tree, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks", "targets", "--quick", "--json", "--only"]
    done = subprocess.run(
        [*command, *targets], cwd=tree, capture_output=True, text=True, check=False
    )
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        sys.exit(f"the benchmarks of this tree do not run on {tree}: {why}")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {line["target"]: float(line["value"]) for line in lines}


def ratio(target: str, new: float, old: float) -> float:
    """How many times better the new figure is."""
    return new / old if GOALS[target][2] else old / new


def compare(base: str, rounds: int, targets: list[str]) -> list[dict[str, Any]]:
    """One object a target."""
    found: dict[str, list[float]] = {target: [] for target in targets}
    values: dict[str, list[tuple[float, float]]] = {target: [] for target in targets}
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder) / "base"
        subprocess.run(
            ["git", "worktree", "add", "--detach", str(other), base],
            cwd=ROOT,
            check=True,
            capture_output=True,
        )
        try:
            shutil.rmtree(other / "benchmarks", ignore_errors=True)
            shutil.copytree(
                ROOT / "benchmarks",
                other / "benchmarks",
                ignore=shutil.ignore_patterns("__pycache__", ".environments"),
            )
            for _ in range(rounds):
                old, new = figures(other, targets), figures(ROOT, targets)
                for target in targets:
                    found[target].append(ratio(target, new[target], old[target]))
                    values[target].append((old[target], new[target]))
        finally:
            subprocess.run(
                ["git", "worktree", "remove", "--force", str(other)], cwd=ROOT, check=True
            )
    return [
        {
            "target": target,
            "ratio": round(statistics.median(ratios), 3),
            "spread": spread(ratios),
            "base": statistics.median([old for old, _ in values[target]]),
            "here": statistics.median([new for _, new in values[target]]),
            "unit": GOALS[target][1],
        }
        for target, ratios in found.items()
    ]


def main(argv: list[str]) -> int:
    """Print the comparison."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks compare", description=__doc__)
    parser.add_argument("base", help="a commit, branch or tag")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--targets", nargs="+", choices=sorted(GOALS), default=list(DEFAULT))
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args(argv)
    for line in compare(args.base, args.rounds, args.targets):
        if args.json:
            print(json.dumps(line))
        else:
            print(
                f"{line['target']:18} {line['ratio']:6.3f} ± {line['spread']:.0%}   "
                f"{line['base']:,.1f} -> {line['here']:,.1f} {line['unit']}"
            )
    return 0
