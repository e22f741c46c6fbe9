"""How commands speak: errors that say what to do, and progress on long work."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, Final, NoReturn, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
TABLE, JSON = "table", "json"
_RENEWED: Final = 0.2  # seconds between two states of a progress line
_BAR: Final = 24


def output_option(command: F) -> F:
    """``--output table`` for people or ``--output json`` for machines: the argument ``output``."""
    option = click.option(
        "--output",
        type=click.Choice([TABLE, JSON]),
        default=TABLE,
        show_default=True,
        help="For people or for machines.",
    )
    return option(command)


def output_or_json(command: F) -> F:
    """The same, and ``--json`` as a shorter word for it."""

    @functools.wraps(command)
    def run(*args: Any, as_json: bool, output: str, **kwargs: Any) -> Any:
        return command(*args, output=JSON if as_json else output, **kwargs)

    short = click.option("--json", "as_json", is_flag=True, help="The same as --output json.")
    return output_option(short(run))  # type: ignore[return-value]


def say(output: str, text: str, **fields: Any) -> None:
    """Tell what was done: a line of text for people, an object for machines."""
    click.echo(json.dumps(fields, ensure_ascii=False) if output == JSON else text)


def fail(text: str, *, code: int = 1) -> NoReturn:
    """Say what was wrong on standard error and end with ``code``."""
    click.echo(f"error: {text}", err=True)
    raise SystemExit(code)


@contextmanager
def progress(what: str, last: int | None = None) -> Iterator[Callable[[int], None]]:
    """A line on a terminal's standard error that tells how far long work is; silent elsewhere.

    With the ``last`` height it has a bar. It is renewed a few times a second.
    """
    shown = sys.stderr.isatty()
    began = told = monotonic()
    count = 0

    def step(height: int) -> None:
        nonlocal told, count
        if not shown:
            return
        count += 1
        now = monotonic()
        if now - told < _RENEWED:
            return
        told = now
        rate = f"{count / (now - began):,.0f} blocks/s"
        if last is None or last < height:
            text = f"{what}: height {height}, {rate}"
        else:
            bar = "#" * (_BAR * height // last)
            text = f"{what}: [{bar:-<{_BAR}}] {100 * height // last}%, height {height} of {last}"
            text += f", {rate}"
        click.echo(f"\r\033[K{text}", nl=False, err=True)

    try:
        yield step
    finally:
        if shown:
            click.echo("\r\033[K", nl=False, err=True)
