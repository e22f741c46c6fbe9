"""Calls in the test chain, unsigned: a write, a message, a query, going back, a state machine."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from benchmarks._measure import best_rate, best_seconds
from chain.testing import Chain
from chain.vm.sandbox import loader

COUNTS = {"smoke": (20, 1), "quick": (400, 12), "real": (1_000, 40)}
STEPS = {"smoke": (2, 10), "quick": (40, 50), "real": (200, 50)}
COUNTER = '''\
"""A counter: one record read and written."""

from chain.std import Message, Response
from chain.storage_plus import Item

COUNT = Item("count", int)


class Add(Message):
    """Count on."""

    by: int


class Count(Message):
    """How far."""


EXECUTE = (Add,)
QUERY = (Count,)


def instantiate(deps, env, info, msg):
    """Start at nothing."""
    COUNT.save(deps.storage, 0)
    return Response()


def execute(deps, env, info, msg):
    """Add."""
    COUNT.save(deps.storage, COUNT.load(deps.storage) + msg.by)
    return Response().add_attribute("action", "add")


def query(deps, env, msg):
    """The count."""
    return {"count": COUNT.load(deps.storage)}
'''


class Counter:
    """A chain with the counter on it, in the room."""

    def __init__(self) -> None:
        self.chain = Chain()
        self.alice = self.chain.account("alice")
        source = loader.load_source("counter", {"counter/contract.py": COUNTER})
        self.address = self.chain.instantiate(
            self.chain.store_code(source), {}, sender=self.alice, label="counter"
        )

    def add(self) -> Any:
        """One call that reads and writes one record."""
        return self.chain.execute(self.address, b'{"add":{"by":1}}', sender=self.alice)

    def count(self) -> Any:
        """One query."""
        return self.chain.query(self.address, b'{"count":{}}')

    def there_and_back(self) -> None:
        """Snapshot, one call, revert."""
        chain = self.chain
        mark = chain.snapshot()
        self.add()
        chain.revert(mark)


class Messages:
    """A chain with ``agent_a2a_v1``; its limit on messages a second is raised to 1,000."""

    def __init__(self, senders: int = 10) -> None:
        chain = self.chain = Chain()
        admin = chain.account("admin")
        self.address = chain.instantiate(
            chain.store_code("agent_a2a_v1"),
            {"admin": admin, "registry_address": admin, "did_registry_address": admin},
            sender=admin,
            label="a2a",
        )
        chain.execute(
            self.address,
            {"update_config": {"limits": {"rate_messages_max": 1_000}}},
            sender=admin,
        )
        self.senders = [chain.account(f"sender {number}") for number in range(senders)]
        receiver = chain.account("receiver")
        self.body = (
            f'{{"send_message":{{"to":"{receiver}","message_type":"request",'
            '"payload":"aGVsbG8=","priority":50,"ttl":3600}}'
        ).encode()
        self.sent = 0

    def send(self) -> Any:
        """One message; a block after each 300."""
        self.sent += 1
        if self.sent % 300 == 0:
            self.chain.next_block()
        sender = self.senders[self.sent % len(self.senders)]
        return self.chain.execute(self.address, self.body, sender=sender)


def steps(machines: int, length: int) -> float:
    """Steps a second of a Hypothesis state machine, one contract call each."""
    taken = [0]
    counter = Counter()
    mark = counter.chain.snapshot()

    class Machine(RuleBasedStateMachine):
        """One rule: add. The chain is reverted to its beginning for each run."""

        def __init__(self) -> None:
            super().__init__()
            counter.chain.revert(mark)

        @rule(by=st.integers(1, 100))
        def add(self, by: int) -> None:
            """One call."""
            taken[0] += 1
            counter.chain.execute(counter.address, {"add": {"by": by}}, sender=counter.alice)

    options = settings(
        max_examples=machines,
        stateful_step_count=length,
        deadline=None,
        database=None,
        derandomize=True,
        phases=(Phase.generate,),
    )
    seconds = best_seconds(lambda: run_state_machine_as_test(Machine, settings=options), 1)
    return taken[0] / seconds


def rates(size: str) -> dict[str, tuple[float, str]]:
    """Each rate, and what it is of."""
    count, rounds = COUNTS[size]
    counter, messages = Counter(), Messages()
    works: dict[str, tuple[Callable[[], Any], str]] = {
        "call_one_write": (counter.add, "a record read and written, in the room"),
        "call_send_message": (messages.send, "10 senders, blocks of 300"),
        "query": (counter.count, "a record read"),
        "snapshot_revert": (counter.there_and_back, "snapshot, one write, revert"),
    }
    return {name: (best_rate(work, count, rounds), of) for name, (work, of) in works.items()}


def run(size: str) -> dict[str, Any]:
    """Figures of one size, and a digest of what the calls answered."""
    figures: dict[str, Any] = {
        f"{name}, 1/s": round(rate) for name, (rate, _) in rates(size).items()
    }
    figures["stateful_steps, 1/s"] = round(steps(*STEPS[size]))
    counter, messages = Counter(), Messages()
    answers = [counter.add(), messages.send()]
    said = repr([(answer.gas_used, answer.data, answer.events) for answer in answers])
    figures["digest"] = hashlib.sha256(said.encode()).hexdigest()[:16]
    return figures
