"""Every benchmark runs at its smoke size, and prints what its readers parse."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks import plots, targets
from benchmarks.__main__ import main, names

ROOT = Path(__file__).resolve().parents[3]
#: those that start processes or sign many transactions: `targets` runs the same code below
SLOW = {"pipeline", "replay", "restart", "startup"}
#: those that start servers: each in a process of its own
SERVERS = {"abci", "gateway", "node", "soak"}


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(SERVERS & {*names()}))
def test_a_benchmark_with_servers_runs_at_smoke_size(name: str) -> None:
    command = [sys.executable, "-m", "benchmarks", name, "--size", "smoke", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["benchmark"] == name


@pytest.mark.parametrize("name", [name for name in names() if name not in SLOW | SERVERS])
def test_a_benchmark_runs_at_smoke_size(name: str) -> None:
    figures = import_module(f"benchmarks.{name}").run("smoke")
    assert figures
    assert all(isinstance(key, str) for key in figures)


def test_targets_print_one_object_a_line_for_every_target(capsys) -> None:
    assert main(["targets", "--smoke", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {line["target"] for line in lines} == set(targets.GOALS)
    for line in lines:
        assert list(line) == ["target", "value", "goal", "unit", "met", "params"]
        assert line["value"] > 0
        assert line["goal"] == targets.GOALS[line["target"]][0]


def test_growth_at_smoke_size_keeps_its_gas() -> None:
    figures = import_module("benchmarks.growth").run("smoke")
    assert all(value for key, value in figures.items() if key.endswith("gas is the same"))


def test_a_stage_of_the_profile_is_named_for_every_figure(capsys) -> None:
    assert main(["profile", "--count", "6", "--block", "3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["us"]) == {
        "decode", "verify", "check", "execute", "stage", "record", "write", "recheck",
    }  # fmt: skip


def test_a_chart_is_well_formed_and_holds_every_point() -> None:
    series = [
        plots.Series("a", [(1, 10.0), (10, 400.0), (100, 900.0)]),
        plots.Series("b", [(1, 1.0), (10, 2.0), (100, 7.5)], right=True),
    ]
    root = ElementTree.fromstring(plots.chart("title", ("x", "left", "right"), series))
    circles = root.findall("{http://www.w3.org/2000/svg}circle")
    assert len(circles) == 6
    heights = [float(circle.attrib["cy"]) for circle in circles[:3]]
    assert heights == sorted(heights, reverse=True)
    assert all(plots.TOP <= height <= plots.HEIGHT - plots.BOTTOM for height in heights)
