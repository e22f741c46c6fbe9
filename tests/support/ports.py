"""Ports for tests: below the range of outgoing connections, and not where another run begins."""

from __future__ import annotations

import random

from chain.abci.homes import PORT_FIRST, PORT_LAST, free_ports


def first_port() -> int:
    """Where to look for free ports; two runs at once hardly look at the same place."""
    return random.SystemRandom().randrange(PORT_FIRST, PORT_LAST - 500)


def ports(count: int) -> list[int]:
    """So many free ports."""
    return free_ports(count, first_port())
