"""What the pytest plugin's flags say to the state machines; defaults where there is no plugin."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FAILURES = Path(".msgchain/failures")


@dataclass(slots=True)
class Options:
    """Set once, when a test session begins.

    >>> Options().runs is None
    True
    """

    #: examples and steps of each state machine; None leaves what its settings say
    runs: int | None = None
    depth: int | None = None
    #: where falsifying sequences are saved
    failures: Path = FAILURES
    #: whether saved ones run first
    replay_first: bool = False
    #: the machines that ran, for the summary
    reports: list[Any] = field(default_factory=list)


OPTIONS = Options()
