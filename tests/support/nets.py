"""Nets of validators in tests: how long a busy machine may take, and how high a net is."""

from __future__ import annotations

import time

from chain.abci.supervise import Net

#: for what takes seconds; whoever is quick waits for none of it
PATIENCE = 180


def top(net: Net) -> int:
    """The height of the node that is ahead, as soon as one of them answers."""
    end = time.monotonic() + PATIENCE
    while not (found := [height for height in net.heights().values() if height]):
        assert time.monotonic() < end, "no node answers"
        time.sleep(0.1)
    return max(found)
