"""What a contract's bug is called: a fixed text for results, the traceback for its author."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Final

from chain.vm.sandbox.runtime import Trap

#: Bugs whose kind is the same on every supported Python version; others are just "an error".
_KINDS: Final[dict[type[BaseException], str]] = {
    AttributeError: "a missing attribute",
    IndexError: "an index out of range",
    KeyError: "a missing key",
    NameError: "a name without a value",
    OverflowError: "a number out of range",
    TypeError: "a value of the wrong type",
    UnicodeDecodeError: "bytes that are not text",
    UnicodeEncodeError: "text that has no bytes",
    UnboundLocalError: "a name without a value",
    ValueError: "a wrong value",
    ZeroDivisionError: "a division by zero",
}


def describe_failure(error: BaseException) -> str:
    """A text for results: the same on every machine, never the words of a host error (G)."""
    if isinstance(error, Trap):
        return str(error)
    for kind in type(error).__mro__:
        if kind in _KINDS:
            return _KINDS[kind]
    return "an error"


def contract_traceback(error: BaseException) -> str:
    """The Python traceback with the contract's own lines; for the test kit and the devnet's log.

    Frames of the room's helpers are left out.
    """
    found = traceback.TracebackException.from_exception(error)
    inside = str(Path(__file__).parent)
    kept = [frame for frame in found.stack if not frame.filename.startswith(inside)]
    found.stack = traceback.StackSummary.from_list(kept)
    return "".join(found.format())
