"""Gas used is the same cold and warm, in another process, with tracing on, and in another block."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from dispatch_trace import traced
from scripted import Scripted

sys.path.append(str(Path(__file__).parent))
from gas_run import gas

RUN = Path(__file__).with_name("gas_run.py")


@pytest.fixture(scope="module")
def cold():
    return gas(Scripted())


def test_gas_of_a_second_run_on_the_same_state(cold):
    world = Scripted()
    for _ in range(2):
        mark = world.chain.snapshot()
        assert gas(world) == cold
        world.chain.revert(mark)


def test_gas_after_blocks_were_closed_and_reverted(cold):
    world = Scripted()
    mark = world.chain.snapshot()
    world.chain.next_block(3)
    gas(world)
    world.chain.next_block()
    world.chain.revert(mark)
    assert gas(world) == cold


def test_gas_with_tracing_on(cold):
    world = Scripted()
    with traced(world.chain) as rows:
        assert gas(world) == cold
    assert rows


@pytest.mark.parametrize("seed", ["0", "12345"])
def test_gas_in_another_process(cold, seed):
    environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": "Asia/Tokyo", "LC_ALL": "C"}
    answer = subprocess.run(
        [sys.executable, str(RUN)], capture_output=True, text=True, check=True, env=environment
    )
    assert json.loads(answer.stdout) == cold
