"""The table of targets: each one measured now, on this machine, one object a line.

``python -m benchmarks targets [--quick] [--json] [--only NAME …]``. Rates are of processor time of
one thread, the best of several rounds; the pipeline's are of the clock on the wall, as ratios of
one thread's verification rate in the same run. ``--quick`` uses smaller states and shorter runs.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple


def _of(name: str) -> Any:
    """A module of this package, imported when its target is measured: ``compare`` runs these
    benchmarks on older trees, which may lack what another target needs.
    """
    return import_module(f"benchmarks.{name}")


#: target -> goal, unit, whether more is better
GOALS: dict[str, tuple[float, str, bool]] = {
    "e2e_mldsa": (1.0, "ratio", True),
    "e2e_secp256k1": (0.25, "ratio", True),
    "call_one_write": (20_000, "1/s", True),
    "call_send_message": (12_000, "1/s", True),
    "query": (30_000, "1/s", True),
    "snapshot_revert": (10_000, "1/s", True),
    "start_version": (0.15, "s", False),
    "start_first_tx": (0.5, "s", False),
    "start_devnet_tx": (0.5, "s", False),
    "growth": (1.3, "ratio", False),
    "replay": (3.0, "ratio", True),
    "restart_seconds": (2.0, "s", False),
    "restart_mb": (300, "MB", False),
    "tree_update": (40, "us", False),
    "stateful_steps": (2_500, "1/s", True),
}


class Found(NamedTuple):
    """One figure and what it was measured with."""

    target: str
    value: float
    params: dict[str, Any]


def _calls(size: str) -> Iterator[Found]:
    calls = _of("calls")
    for name, (rate, of) in calls.rates(size).items():
        yield Found(name, rate, {"of": of, "clock": "processor, best round"})


def _steps(size: str) -> Iterator[Found]:
    calls = _of("calls")
    machines, length = calls.STEPS[size]
    yield Found(
        "stateful_steps",
        calls.steps(machines, length),
        {"machines": machines, "steps": length, "clock": "processor"},
    )


def _pipeline(size: str) -> Iterator[Found]:
    pipeline = _of("pipeline")
    for kind in ("mldsa", "secp256k1"):
        count, senders, block = pipeline.COUNTS[size], pipeline.SENDERS[size], 500
        runs = [
            pipeline.measure(kind, count, senders, block if size != "smoke" else 4)
            for _ in range(1 if size == "smoke" else 3)
        ]
        best = max(runs, key=lambda run: run.ratio)
        yield Found(
            f"e2e_{kind}",
            best.ratio,
            {
                "per_second": round(best.rate),
                "one_thread_verifies": round(best.one_thread),
                "processor_us": round(best.cpu * 1e6),
                "ratio_if_two_cores_were_idle": round(best.two_idle_cores, 2),
                "all_runs": [round(run.ratio, 2) for run in runs],
                "transactions": count,
                "senders": senders,
                "block": block,
            },
        )


def _startup(size: str) -> Iterator[Found]:
    startup = _of("startup")
    for name, (arguments, until) in startup.STARTS.items():
        wall, cpu, _ = startup.quickest(arguments, until, startup.ROUNDS[size])
        yield Found(name, wall, {"processor_s": round(cpu, 3), "quickest_of": startup.ROUNDS[size]})
    wall, cpu = startup.quickest_first_transaction(startup.ROUNDS[size])
    params = {"processor_s": round(cpu, 3), "quickest_of": startup.ROUNDS[size]}
    yield Found("start_devnet_tx", wall, params)


def _growth(size: str) -> Iterator[Found]:
    growth = _of("growth")
    found = growth.measure(size)
    by_operation = growth.ratios(found)
    same = all(len({gas for _, gas in sizes.values()}) == 1 for sizes in found.values())
    yield Found(
        "growth",
        max(by_operation.values()),
        {"messages": list(growth.SIZES[size]), "same_gas": same, **by_operation},
    )


def _replay(size: str) -> Iterator[Found]:
    replay = _of("replay")
    found = replay.measure(replay.COUNTS[size], replay.SENDERS[size])
    yield Found("replay", found.ratio, {"transactions": replay.COUNTS[size], "clock": "processor"})


def _restart(size: str) -> Iterator[Found]:
    restart = _of("restart")
    seconds, resident, _ = restart.measure(size)
    yield Found("restart_seconds", seconds, {"messages": restart.SIZES[size]})
    yield Found("restart_mb", resident, {"messages": restart.SIZES[size]})


def _tree(size: str) -> Iterator[Found]:
    tree = _of("tree")
    keys = tree.SIZES[size][-1]
    found = tree.measure(keys, tree.BATCH[size], tree.ROUNDS[size])
    yield Found(
        "tree_update",
        found["us"],
        {
            "keys": keys,
            "batch": tree.BATCH[size],
            "median": round(found["median us"], 1),
            "in_sha256_of_64_bytes": round(found["ratio"], 1),
            "commit_with_values_and_history": round(found["whole us"], 1),
            "clock": "processor",
        },
    )


MEASURES: dict[str, tuple[Callable[[str], Iterator[Found]], tuple[str, ...]]] = {
    "calls": (_calls, ("call_one_write", "call_send_message", "query", "snapshot_revert")),
    "stateful": (_steps, ("stateful_steps",)),
    "pipeline": (_pipeline, ("e2e_mldsa", "e2e_secp256k1")),
    "startup": (_startup, ("start_version", "start_first_tx", "start_devnet_tx")),
    "growth": (_growth, ("growth",)),
    "replay": (_replay, ("replay",)),
    "restart": (_restart, ("restart_seconds", "restart_mb")),
    "tree": (_tree, ("tree_update",)),
}


def judged(found: Found) -> dict[str, Any]:
    """The object of one line."""
    goal, unit, more = GOALS[found.target]
    met = found.value >= goal if more else found.value <= goal
    if found.target == "e2e_secp256k1":
        met = met and found.params["per_second"] >= 4_000
    return {
        "target": found.target,
        "value": round(found.value, 3 if goal < 100 else 0),
        "goal": goal,
        "unit": unit,
        "met": met,
        "params": found.params,
    }


def measured(size: str, only: list[str]) -> Iterator[dict[str, Any]]:
    """The lines, as they come."""
    for measure, names in MEASURES.values():
        if only and not set(only) & set(names):
            continue
        for found in measure(size):
            if not only or found.target in only:
                yield judged(found)


def main(argv: list[str]) -> int:
    """Print the table; 0 whatever was met, for the lines say it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks targets", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller states, about two minutes")
    parser.add_argument("--smoke", action="store_true", help="as small as it goes, for tests")
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.add_argument("--only", nargs="+", choices=sorted(GOALS), default=[])
    args = parser.parse_args(argv)
    size = "smoke" if args.smoke else "quick" if args.quick else "real"
    for line in measured(size, args.only):
        if args.json:
            print(json.dumps(line), flush=True)
        else:
            mark = "met" if line["met"] else "NOT MET"
            print(
                f"{line['target']:18} {line['value']:>10} {line['unit']:6} "
                f"goal {line['goal']:<8} {mark:8} {line['params']}",
                flush=True,
            )
    return 0
