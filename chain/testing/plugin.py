"""The pytest plugin ``msgchain``: fixtures, gas report, options of state machines, saved failures.

Loaded by pytest wherever the package is installed, so it imports next to nothing until a fixture or
an option asks for it.

>>> sorted(name for name in globals() if name in {"chain", "accounts", "make_contract", "devnet"})
['accounts', 'chain', 'devnet', 'make_contract']
"""

from __future__ import annotations

import gc
import json
from argparse import ArgumentTypeError
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
_BEFORE: Final = pytest.StashKey[GasTable]()
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
        type=_at_least(0),
        metavar="PERCENT",
        help="fail when a median is so many per cent above the one of --gas-compare",
    )
    group.addoption(
        "--invariant-runs", type=_at_least(1), metavar="N", help="runs of each state machine"
    )
    group.addoption("--invariant-depth", type=_at_least(1), metavar="N", help="steps of each run")
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


def _at_least(least: int) -> Callable[[str], int]:
    """A whole number for a flag."""

    def number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise ArgumentTypeError(f"a whole number, not {text!r}") from None
        if value < least:
            raise ArgumentTypeError(f"at least {least}, not {value}")
        return value

    return number


def pytest_configure(config: pytest.Config) -> None:
    """Tell machines and chains what the flags say. Raises: UsageError for files that do not do."""
    OPTIONS.runs = config.getoption("--invariant-runs")
    OPTIONS.depth = config.getoption("--invariant-depth")
    OPTIONS.failures = Path(str(config.getoption("--failures-dir")))
    OPTIONS.replay_first = bool(config.getoption("--saved-failures-first"))
    if config.getoption("--gas-threshold") is not None and not config.getoption("--gas-compare"):
        raise pytest.UsageError("--gas-threshold: compared with what? Name it with --gas-compare")
    if _wants_gas(config):
        _check_gas_files(config)
        _GAS.watch()


def _check_gas_files(config: pytest.Config) -> None:
    """Say before the tests run what would fail behind them."""
    compared, target = config.getoption("--gas-compare"), config.getoption("--gas-save")
    if compared:
        try:
            config.stash[_BEFORE] = GasTable.load(Path(str(compared)))
        except FileNotFoundError:
            raise pytest.UsageError(
                f"--gas-compare: there is no {compared}; --gas-save={compared} writes one"
            ) from None
        except OSError as error:
            raise pytest.UsageError(f"--gas-compare: {compared}: {error.strerror}") from None
        except ValueError as error:
            raise pytest.UsageError(f"--gas-compare: {compared}: {error}") from None
    if target and not hasattr(config, "workerinput"):
        try:
            Path(str(target)).parent.mkdir(parents=True, exist_ok=True)
            with Path(str(target)).open("a", encoding="utf-8"):
                pass
        except OSError as error:
            raise pytest.UsageError(f"--gas-save: {target}: {error.strerror}") from None


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
    before = config.stash.get(_BEFORE, None)
    return [] if before is None else _GAS.above(before, threshold)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """The gas table, and what each state machine reached."""
    write = terminalreporter.write_line
    if _wants_gas(config):
        terminalreporter.section("gas")
        if _GAS.rows():
            for line in _GAS.lines(config.stash.get(_BEFORE, None)):
                write(line)
        else:
            write("no test called a contract")
        if any(report.calls for report in OPTIONS.reports):
            write("calls of state machines differ from run to run: see --invariant-report")
        threshold = config.getoption("--gas-threshold")
        for line in _above(config, int(threshold)) if threshold is not None else ():
            write(f"above the threshold: {line}", red=True)
        target = config.getoption("--gas-save")
        if target:
            _save_gas(write, Path(str(target)))
    reports = [report for report in OPTIONS.reports if report.calls]
    if not reports and config.getoption("--invariant-report"):
        terminalreporter.section("state machines")
        write("no state machine ran")
    if reports and config.getoption("--invariant-report"):
        terminalreporter.section("state machines")
        for report in reports:
            for line in report.lines():
                write(line)


def _save_gas(write: Callable[..., None], target: Path) -> None:
    try:
        _GAS.save(target)
    except OSError as error:
        write(f"the gas table was not written: {target}: {error.strerror}", red=True)
