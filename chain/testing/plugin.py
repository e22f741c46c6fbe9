"""The pytest plugin ``msgchain``: fixtures, gas report, options of state machines, saved failures.

Loaded by pytest wherever the package is installed, so it imports next to nothing until a fixture or
an option asks for it.

>>> sorted(name for name in globals() if name in {"chain", "accounts", "make_contract", "devnet"})
['accounts', 'chain', 'devnet', 'make_contract']
"""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import pytest

from chain.testing.gas import GasTable
from chain.testing.options import FAILURES, OPTIONS

_GAS: Final = GasTable()
_SHOWN_TRACES: Final = 3
_KEY: Final = "msgchain"
_DEFAULT_THRESHOLD: Final = 5


def pytest_addoption(parser: pytest.Parser) -> None:
    """The flags."""
    group = parser.getgroup("msgchain", "contracts and chains")
    group.addoption(
        "--gas-report", action="store_true", help="table of gas per contract and message"
    )
    group.addoption("--gas-save", metavar="FILE", help="write the gas table to FILE (JSON)")
    group.addoption("--gas-compare", metavar="FILE", help="compare with a saved gas table")
    group.addoption(
        "--gas-threshold",
        type=int,
        metavar="PERCENT",
        help="fail when a median is so many per cent above the one of --gas-compare",
    )
    group.addoption("--invariant-runs", type=int, metavar="N", help="runs of each state machine")
    group.addoption("--invariant-depth", type=int, metavar="N", help="steps of each run")
    group.addoption(
        "--invariant-report", action="store_true", help="what each state machine reached"
    )
    group.addoption(
        "--saved-failures-first",
        action="store_true",
        help="state machines run their saved failures before anything new",
    )
    group.addoption(
        "--failures-dir", metavar="DIR", default=str(FAILURES), help="where failures are saved"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Tell machines and chains what the flags say."""
    OPTIONS.runs = config.getoption("--invariant-runs")
    OPTIONS.depth = config.getoption("--invariant-depth")
    OPTIONS.failures = Path(str(config.getoption("--failures-dir")))
    OPTIONS.replay_first = bool(config.getoption("--saved-failures-first"))
    if _wants_gas(config):
        _GAS.watch()


def pytest_collection_finish() -> None:
    """What was imported lives to the end: full collections of garbage need not walk through it,
    which takes a tenth of a long run of calls.
    """
    gc.collect()
    gc.freeze()


def _wants_gas(config: pytest.Config) -> bool:
    names = ("--gas-report", "--gas-save", "--gas-compare")
    return any(config.getoption(name) for name in names)


# --- fixtures -------------------------------------------------------------------------------------


@pytest.fixture
def chain() -> Any:
    """A fresh ``Chain``."""
    return import_module("chain.testing").Chain()


@pytest.fixture
def accounts(chain: Any) -> dict[str, str]:
    """Alice, Bob, Carol and Dave with 1,000 MSG each: addresses by name."""
    return {name: chain.account(name, "1000msg") for name in ("alice", "bob", "carol", "dave")}


@pytest.fixture
def make_contract(chain: Any) -> Callable[..., str]:
    """A function that stores and instantiates a contract: ``make_contract(contract, msg, sender=…,
    funds=…, admin=…, label=…)``; the deployer is the sender who is not named.
    """

    def make(contract: Any, msg: Any = None, **more: Any) -> str:
        sender = more.pop("sender", None) or chain.account("deployer", "")
        label = more.pop("label", "made")
        code = chain.store_code(contract)
        return str(chain.instantiate(code, {} if msg is None else msg, sender, label, **more))

    return make


@pytest.fixture
def devnet(tmp_path: Path) -> Iterator[Any]:
    """A live devnet on a free port that makes a block for each transaction; see ``url``."""
    running = import_module("chain.testing.devnet").start(tmp_path / "devnet")
    try:
        yield running
    finally:
        running.stop()


# --- after a test, after all ----------------------------------------------------------------------


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """A failing test that has a chain shows its last transactions and the contracts' own errors."""
    outcome: Any = yield
    report = outcome.get_result()
    made = getattr(item, "funcargs", {}).get("chain")
    if made is None or report.when != "call" or not report.failed or not hasattr(made, "trace"):
        return
    shown = []
    for back in range(_SHOWN_TRACES, 0, -1):
        try:
            shown.append(str(made.trace(-back)))
        except ValueError:
            continue
    if shown:
        report.sections.append(("last transactions", "\n\n".join(shown)))
    if made.bugs:
        report.sections.append(("errors of contracts", made.bugs[-1]))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """A worker of xdist hands its figures over; the one process there is judges them."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        reports = [report.to_plain() for report in OPTIONS.reports if report.calls]
        output[_KEY] = json.dumps({"gas": _GAS.to_plain(), "reports": reports})
        return
    threshold = session.config.getoption("--gas-threshold")
    if threshold is not None and _above(session.config, int(threshold)):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: Any) -> None:
    """Take a worker's figures over."""
    plain = getattr(node, "workeroutput", {}).get(_KEY)
    if plain is None:
        return
    given = json.loads(plain)
    _GAS.merge(given["gas"])
    report = import_module("chain.testing.report").Report
    OPTIONS.reports.extend(report.from_plain(one) for one in given["reports"])


def _above(config: pytest.Config, threshold: int) -> list[str]:
    before = _before(config)
    return [] if before is None else _GAS.above(before, threshold)


def _before(config: pytest.Config) -> GasTable | None:
    name = config.getoption("--gas-compare")
    return GasTable.load(Path(str(name))) if name and Path(str(name)).exists() else None


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """The gas table, and what each state machine reached."""
    write = terminalreporter.write_line
    if _wants_gas(config):
        before = _before(config)
        terminalreporter.section("gas")
        for line in _GAS.lines(before):
            write(line)
        threshold = config.getoption("--gas-threshold")
        for line in _above(config, int(threshold)) if threshold is not None else ():
            write(f"above the threshold: {line}", red=True)
        target = config.getoption("--gas-save")
        if target:
            _GAS.save(Path(str(target)))
    reports = [report for report in OPTIONS.reports if report.calls]
    if reports and config.getoption("--invariant-report"):
        terminalreporter.section("state machines")
        for report in reports:
            for line in report.lines():
                write(line)
