"""The test kit: calls a second in the in-memory chain, steps a second of stateful tests.

Processor time of this process, so that a busy machine distorts less; one core, no signatures. The
Hypothesis figure of an empty rule is the floor that the others stand on.
"""

from __future__ import annotations

import base64
import hashlib
import time
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from chain.testing import Chain, contract_machine
from chain.testing.examples import counter

CALLS = {"smoke": 200, "real": 20_000}
EXAMPLES = {"smoke": 3, "real": 200}
STEPS = 50
ROUNDS = 3


def _seconds() -> float:
    return time.process_time()


def _mailbox() -> tuple[Chain, str, str, str]:
    """A chain with the message contract, without limits that a benchmark would meet."""
    chain = Chain()
    alice, bob = chain.account("alice"), chain.account("bob")
    limits = {"rate_messages_max": 1_000, "rate_window_seconds": 1}
    message = {
        "admin": alice,
        "registry_address": alice,
        "did_registry_address": alice,
        "limits": limits,
    }
    address = chain.instantiate(chain.store_code("agent_a2a_v1"), message, alice, "mailbox")
    return chain, address, alice, bob


def send_message(calls: int) -> tuple[float, str]:
    """``send_message`` calls a second, and the hash of what they wrote."""
    chain, address, alice, bob = _mailbox()
    payload = base64.b64encode(b"benchmark payload").decode()
    body = {
        "send_message": {
            "to": bob,
            "message_type": "notification",
            "payload": payload,
            "priority": 50,
            "ttl": 3_600,
        }
    }
    chain.execute(address, body, alice)
    spent = 0.0
    for start in range(0, calls, 500):
        chain.next_block(seconds=5)
        begin = _seconds()
        for _ in range(min(500, calls - start)):
            chain.execute(address, body, alice)
        spent += _seconds() - begin
    digest = hashlib.sha256()
    for key, value in chain.storage(address).items():
        digest.update(key + value)
    return calls / spent, digest.hexdigest()[:16]


def _count_calls(calls: int) -> float:
    """Calls a second of a contract made of functions with one write."""
    chain = Chain()
    alice = chain.account("alice")
    address = chain.instantiate(chain.store_code(counter), {}, alice, "counter")
    begin = _seconds()
    for _ in range(calls):
        chain.execute(address, {"add": {"by": "1"}}, alice)
    return calls / (_seconds() - begin)


def _machine(call: Any) -> type[RuleBasedStateMachine]:
    """A machine whose only rule makes one call."""

    class Machine(RuleBasedStateMachine):
        steps = 0

        @rule(number=st.integers(0, 255))
        def step(self, number: int) -> None:
            call(number)
            Machine.steps += 1

    return Machine


def steps_a_second(machine: Any, examples: int) -> float:
    """Steps a second of a state machine, generation only."""
    chosen = settings(
        max_examples=examples,
        stateful_step_count=STEPS,
        deadline=None,
        database=None,
        derandomize=True,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    counted = getattr(machine, "report", None)
    before: int = counted.steps if counted else machine.steps
    begin = _seconds()
    run_state_machine_as_test(machine, settings=chosen)
    spent = _seconds() - begin
    steps: int = counted.steps if counted else machine.steps
    return (steps - before) / spent


def run(size: str) -> dict[str, Any]:
    """Calls and steps a second; the best of a few rounds."""
    calls, examples = CALLS[size], EXAMPLES[size]
    rounds = ROUNDS if size == "real" else 1
    messages = [send_message(calls) for _ in range(rounds)]
    chain = Chain()
    alice = chain.account("alice")
    address = chain.instantiate(chain.store_code(counter), {}, alice, "counter")
    start = chain.snapshot()

    def one_call(number: int) -> None:
        chain.try_execute(address, {"add": {"by": str(number)}}, alice)

    derived = contract_machine(counter, instantiate={}, weights={"time_passes": 0})
    steps_a_second(derived, 2)
    figures = {
        "send_message calls/s": int(max(rate for rate, _ in messages)),
        "calls/s, one write, no metering": int(max(_count_calls(calls) for _ in range(rounds))),
        "steps/s, empty rule (Hypothesis)": int(
            max(steps_a_second(_machine(_nothing), examples) for _ in range(rounds))
        ),
        "steps/s, one call a rule": int(
            max(steps_a_second(_machine(one_call), examples) for _ in range(rounds))
        ),
        "steps/s, derived machine": int(
            max(steps_a_second(derived, examples) for _ in range(rounds))
        ),
        "hash": messages[0][1],
    }
    chain.revert(start)
    return figures


def _nothing(number: int) -> None:
    """An empty rule body."""
