"""How commands speak: errors that say what to do, and progress on long work."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

import click


def fail(text: str, *, code: int = 1) -> NoReturn:
    """Say what was wrong on standard error and end with ``code``."""
    click.echo(f"error: {text}", err=True)
    raise SystemExit(code)


@contextmanager
def progress(what: str) -> Iterator[Callable[[int], None]]:
    """A line on a terminal's standard error that tells how far long work is; silent elsewhere."""
    shown = sys.stderr.isatty()

    def step(height: int) -> None:
        if shown and height % 50 == 0:
            click.echo(f"\r{what}: height {height}", nl=False, err=True)

    try:
        yield step
    finally:
        if shown:
            click.echo("\r\033[K", nl=False, err=True)
