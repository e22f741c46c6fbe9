"""The pytest plugin: fixtures, gas tables, options of state machines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chain.testing.gas import GasTable

pytest_plugins = ["pytester"]

PROJECT = """
from chain.testing.examples import counter

def test_add(chain, accounts, make_contract):
    address = make_contract(counter, {"start": 1})
    chain.execute(address, {"add": {"by": "2"}}, sender=accounts["alice"])
    assert chain.query(address, {})["count"] == EXPECTED
"""


@pytest.mark.parametrize("workers", [("-p", "no:xdist"), ("-n1",)], ids=["alone", "xdist"])
def test_gas_is_saved_and_compared(pytester: Any, workers: tuple[str, ...]) -> None:
    pytester.makepyfile(PROJECT.replace("EXPECTED", "3"))
    saved = pytester.runpytest_subprocess("--gas-report", "--gas-save=gas.json", *workers)
    saved.assert_outcomes(passed=1)
    saved.stdout.fnmatch_lines(["contract *message *calls*", "counter *add *1 *"])
    table = json.loads((pytester.path / "gas.json").read_text())
    table["counter.add"][2] //= 2
    (pytester.path / "gas.json").write_text(json.dumps(table))
    options = ("--gas-compare=gas.json", "--gas-threshold=5")
    risen = pytester.runpytest_subprocess(*options, *workers)
    assert risen.ret == 1
    risen.stdout.fnmatch_lines(["above the threshold: counter.add*"])


def test_a_failing_test_shows_the_last_transactions(pytester: Any) -> None:
    pytester.makepyfile(PROJECT.replace("EXPECTED", "4"))
    failed = pytester.runpytest_subprocess("-p", "no:xdist")
    failed.assert_outcomes(failed=1)
    failed.stdout.fnmatch_lines(["*last transactions*", '*execute * {"add":{"by":"2"}}*'])


def test_figures_of_workers_come_together(pytester: Any) -> None:
    pytester.makepyfile(
        PROJECT.replace("EXPECTED", "3"),
        test_machine="""
from chain.testing import contract_machine
from chain.testing.examples import counter
TestCounter = contract_machine(counter, instantiate={}).TestCase
""",
    )
    done = pytester.runpytest_subprocess(
        "-n2", "--gas-report", "--invariant-report", "--invariant-runs=3", "--invariant-depth=4"
    )
    done.assert_outcomes(passed=2)
    done.stdout.fnmatch_lines(["counter *add *", "counter: * calls"])


def test_medians_above_a_threshold_are_named(tmp_path: Path) -> None:
    before, now = GasTable(), GasTable()
    for gas in (100, 100, 100):
        before.add("c", "m", gas)
        now.add("c", "m", gas + 6)
    before.save(tmp_path / "gas.json")
    loaded = GasTable.load(tmp_path / "gas.json")
    assert now.above(loaded, 5) == ["c.m: median 100 to 106"]
    assert now.above(loaded, 6) == []
    assert now.lines(loaded)[1].endswith("+6.0 %")


@pytest.mark.parametrize("samples", [[5], [5, 9]])
def test_another_process_can_be_merged(samples: list[int]) -> None:
    one, other = GasTable(), GasTable()
    for gas in samples:
        other.add("c", "m", gas)
    one.add("c", "m", 7)
    one.merge(other.to_plain())
    assert one.rows()["c", "m"][0] == len(samples) + 1


@pytest.mark.parametrize("text", ['{"a": 5', "[1, 2]", '{"a.b": ["x", 1, 1, 1]}', '{"a.b": [1]}'])
def test_a_damaged_gas_table_is_told_in_a_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "gas.json").write_text(text)
    with pytest.raises(ValueError, match=r"^no gas table: [^\n]+$"):
        GasTable.load(tmp_path / "gas.json")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--gas-compare=gas.json"], "*--gas-compare: there is no gas.json*--gas-save=gas.json*"),
        (["--gas-compare=."], "*--gas-compare: .: Is a directory"),
        (["--gas-save=/proc/none/gas.json"], "*--gas-save: /proc/none/gas.json: *"),
        (["--gas-threshold=5"], "*--gas-threshold: compared with what?*"),
        (["--gas-threshold=-5"], "*at least 0, not -5"),
        (["--invariant-runs=0"], "*at least 1, not 0"),
        (["--invariant-depth=few"], "*a whole number, not 'few'"),
    ],
)
def test_flags_that_cannot_be_are_refused_before_the_tests(
    pytester: Any, options: list[str], reason: str
) -> None:
    pytester.makepyfile("def test_nothing(): pass")
    refused = pytester.runpytest_inprocess("-p", "no:xdist", *options)
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    refused.stderr.fnmatch_lines([reason])
    assert "Traceback" not in refused.stderr.str()
