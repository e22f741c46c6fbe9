"""Falsifying sequences: printed as a script, saved as a log, run again on the contract of today."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from chain.cli.log import log
from chain.testing import Chain, contract_machine, save_failure, script
from chain.testing.examples import counter
from chain.testing.failures import saved_failures
from chain.testing.machine import SavedFailure

SETTINGS = settings(
    max_examples=60,
    stateful_step_count=8,
    deadline=None,
    database=None,
    derandomize=True,
    phases=(Phase.generate,),
)


def below(limit: int) -> Any:
    def few(chain: Any, address: str) -> bool:
        return bool(chain.query(address, {})["count"] < limit)

    return few


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    folder = tmp_path_factory.mktemp("failures")
    machine = contract_machine(
        counter, instantiate={}, invariants=[below(3)], failures=folder, actors=1
    )
    with pytest.raises(AssertionError) as found:
        run_state_machine_as_test(machine, settings=SETTINGS)
    return "\n".join(found.value.__notes__), folder


def test_the_script_does_the_same_again(failed: tuple[str, Path]) -> None:
    text = failed[0]
    start = text.index("from chain.testing import Chain")
    made: dict[str, Any] = {}
    lines = text[start:].split("\n\nsaved as")[0].split("\n\nthe contract")[0]
    exec(lines, made)
    assert made["chain"].query(made["counter"], {})["count"] >= 3


def test_the_saved_log_replays_with_traces(failed: tuple[str, Path]) -> None:
    (path,) = failed[1].glob("*.jsonl")
    assert path.stat().st_size < 50_000
    # its contract is made in chain.testing.examples, so a replay finds it
    done = CliRunner().invoke(log, ["replay", str(path), "--until", "1", "--trace"])
    assert done.exit_code == 0, done.output
    assert "instantiate" in done.output


def test_saved_failures_run_again_first(failed: tuple[str, Path]) -> None:
    folder = failed[1]
    still = contract_machine(
        counter, instantiate={}, invariants=[below(3)], failures=folder, actors=1
    )
    with pytest.raises(SavedFailure, match="still fails"):
        still.replay_saved()
    with pytest.raises(SavedFailure):
        still()
    mended = contract_machine(
        counter, instantiate={}, invariants=[below(10**40)], failures=folder, actors=1
    )
    assert mended.replay_saved() == saved_failures("counter", folder)


def test_a_script_names_blocks_and_refusals(tmp_path: Path) -> None:
    chain = Chain()
    alice = chain.account("alice", "5msg")
    address = chain.instantiate(chain.store_code(counter), {}, alice, "c")
    chain.next_block()
    chain.try_execute(address, {"add": {"by": "9999999"}}, alice)
    chain.set_time(chain.time + 7)
    chain.execute(address, {"add": {"by": "1"}}, alice)
    text = script(chain)
    assert "chain.next_block()\n" in text
    assert "chain.try_execute(c, {'add': {'by': '9999999'}}, sender=alice)  # wasm/5" in text
    assert "chain.set_time(" in text
    assert save_failure(chain, "a/b", tmp_path).name.startswith("a_b--")


def test_a_damaged_failure_is_warned_of_and_left_out(tmp_path: Path) -> None:
    (tmp_path / "counter--damaged.jsonl").write_text("{}\n")
    machine = contract_machine(counter, instantiate={}, failures=tmp_path)
    with pytest.warns(UserWarning, match="counter--damaged.jsonl.* cannot be run again: "):
        assert machine.replay_saved() == []


def test_a_failure_that_cannot_be_saved_is_shown_all_the_same() -> None:
    machine = contract_machine(
        counter, instantiate={}, invariants=[below(3)], failures=Path("/dev/null"), actors=1
    )
    with pytest.raises(AssertionError, match="few does not hold") as found:
        run_state_machine_as_test(machine, settings=SETTINGS)
    assert any("not saved: /dev/null" in text for text in found.value.__notes__)
