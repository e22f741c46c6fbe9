"""Each line of the threat model: refused with file, line and reason, or a failed call in bounded time."""

from __future__ import annotations

import resource
import time

import pytest
from folders import contract, handler
from hostile import REFUSED, Refused
from hostile_runs import FAILING, Failing, describe_failure

from chain.errors import ContractError
from chain.gas import GasMeter, OutOfGas
from chain.vm.sandbox.errors import ContractSourceError
from chain.vm.sandbox.runtime import run

GAS = 2_000_000
SECONDS = 20  # of this process's own time; unbounded work takes minutes
MEGABYTES = 900  # more than the process ever had before


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED.keys())
def test_source_is_refused_with_line_and_reason(case: Refused) -> None:
    started = time.process_time()
    with pytest.raises(ContractSourceError) as caught:
        contract(case.source).compile()
    assert case.reason in caught.value.reason
    if case.line:
        assert caught.value.line == case.line
    assert caught.value.file == "sample/contract.py"
    assert str(caught.value).startswith("sample/contract.py")
    assert time.process_time() - started < SECONDS


def outcome(case: Failing) -> tuple[str, int]:
    """How a call ends, and its gas."""
    entry = handler(case.body, case.head)
    meter = GasMeter(GAS)
    try:
        run(meter, entry, None, None, None, case.msg)
    except OutOfGas:
        return "gas", meter.used
    except (ContractError, RecursionError, MemoryError):
        raise
    except Exception as error:
        return describe_failure(error), meter.used
    return "answered", meter.used


@pytest.mark.parametrize("case", FAILING.values(), ids=FAILING.keys())
def test_handler_fails_in_bounded_time_and_memory(case: Failing) -> None:
    started, peak = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    how, gas = outcome(case)
    assert time.process_time() - started < SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < MEGABYTES * 1024
    assert how != "answered"
    assert case.how == how if case.how == "gas" else case.how in how
    if how == "gas":
        assert gas > GAS


@pytest.mark.parametrize(
    "name", ["C1 any", "E5 recursion", "D replace", "C4 min", "E7 list in itself"]
)
def test_a_failure_costs_the_same_each_time(name: str) -> None:
    assert outcome(FAILING[name]) == outcome(FAILING[name])
