"""How the interpreter runs a node: for throughput, in a process that is the node's alone."""

from __future__ import annotations

import gc
import sys
from typing import Final

#: container objects made before the youngest are looked through; a block makes some fifty thousand
#: and its values hold no cycles
_COLLECT_AFTER: Final = 50_000
#: seconds that a thread may keep the others waiting: verification comes back for the interpreter
#: every third of a millisecond and should not wait for five
_SWITCH_SECONDS: Final = 0.0005


def tune() -> None:
    """Collect garbage seldom and not among what was loaded at the start; switch threads often."""
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER, 20, 20)
    sys.setswitchinterval(_SWITCH_SECONDS)


def settle() -> None:
    """Clear away what the start left, when there is time."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
