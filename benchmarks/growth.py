"""How the cost of an operation of ``agent_a2a_v1`` grows with the messages there are."""

from __future__ import annotations

import hashlib
from typing import Any

from benchmarks import a2a

SIZES = {"smoke": (100, 300), "quick": (1_000, 20_000), "real": (1_000, 100_000, 1_000_000)}
ROUNDS = {"smoke": 3, "quick": 150, "real": 400}
#: what the table promises; a broadcast to 100 members is measured by ``a2a``
OPERATIONS = ("send", "inbox page", "pending count", "find", "rate limit")


def measure(size: str) -> dict[str, dict[int, tuple[float, int]]]:
    """Seconds and gas of each operation at each number of messages, the numbers in turn."""
    worlds = {messages: a2a.World(messages, a2a.CROWD["smoke"]) for messages in SIZES[size]}
    acts = {messages: a2a.operations(world) for messages, world in worlds.items()}
    found: dict[str, dict[int, tuple[float, int]]] = {}
    for name in OPERATIONS:
        calls = {one: (world, acts[one][name]) for one, world in worlds.items()}
        times = a2a.in_turn(calls, 3 * ROUNDS[size])
        found[name] = {messages: (seconds, gas) for messages, (seconds, gas, _) in times.items()}
    return found


def ratios(found: dict[str, dict[int, tuple[float, int]]]) -> dict[str, float]:
    """The worst time over the one at the fewest messages, by operation."""
    made = {}
    for name, by_size in found.items():
        times = [seconds for seconds, _ in by_size.values()]
        made[name] = round(max(times) / times[0], 3)
    return made


def run(size: str) -> dict[str, Any]:
    """Figures of one size; the gas is the same at every number of messages."""
    found = measure(size)
    figures: dict[str, Any] = {}
    digest = hashlib.sha256()
    for name, by_size in found.items():
        for messages, (seconds, gas) in by_size.items():
            figures[f"{name}, {messages:,} messages, us"] = round(seconds * 1e6, 1)
            digest.update(f"{name} {gas}".encode())
        figures[f"{name}, gas"] = next(iter(by_size.values()))[1]
        figures[f"{name}, gas is the same"] = len({gas for _, gas in by_size.values()}) == 1
    for name, ratio in ratios(found).items():
        figures[f"{name}, time over the smallest"] = ratio
    figures["digest"] = digest.hexdigest()[:16]
    return figures
