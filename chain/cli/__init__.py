"""The ``msgchain`` command line; ``run`` is its entry, which loads nothing by itself."""

from __future__ import annotations

import signal
from importlib import import_module


def run() -> None:
    """Run it; Ctrl-C while it is still loading ends it without a word."""
    python = signal.default_int_handler
    if signal.getsignal(signal.SIGINT) is python:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    main = import_module("chain.cli.main").main
    if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:
        signal.signal(signal.SIGINT, python)
    main()
