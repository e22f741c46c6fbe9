"""``msgchain new NAME``: a contract project with messages, state, tests and an invariant test."""

from __future__ import annotations

import keyword
import re
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import click

from chain.cli.new_files import FILES
from chain.cli.output import fail

_NAME: Final = re.compile(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*")
_NAME_MAX: Final = 48
#: names that nobody has installed and that do not do either
_TAKEN: Final = {
    "tests": "the project's tests are in a folder of this name",
    "conftest": "pytest imports it by itself",
    "msgchain": "the project depends on a package of this name",
    "pytest": "the project's tests run with a package of this name",
}


@click.command()
@click.argument("name")
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Folder in which the project's folder is made; here by default.",
)
def new(name: str, into: Path) -> None:
    """Write a contract project called NAME: contract, messages, state, tests, pyproject.

    It is a savings box to change into your own: deposits, withdrawals, and an invariant test that
    Hypothesis attacks it with.
    """
    if not _NAME.fullmatch(name) or len(name) > _NAME_MAX:
        fail(f"{name!r}: lower-case letters and digits, words joined by - or _, as in my-auction")
    package = name.replace("-", "_")
    if keyword.iskeyword(package):
        fail(f"{package} is a word of Python; no import could name the contract")
    if package in _TAKEN:
        fail(f"{package} is taken: {_TAKEN[package]}")
    if _installed(package):
        fail(f"{package} is the name of an installed package; the project's folder would hide it")
    root = into / name
    if root.exists() or root.is_symlink():
        fail(f"{root} exists; choose another name or --into another folder")
    try:
        _write(root, name, package)
    except OSError as error:
        fail(f"{error.filename or root}: {error.strerror}")
    click.echo(f"{root}: the contract is in {package}/, its tests in tests/. Next:")
    click.echo(f"  cd {root} && pytest")


def _write(root: Path, name: str, package: str) -> None:
    for path, text in FILES.items():
        target = root / path.replace("PACKAGE", package)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(
            text.replace("PACKAGE", package).replace("PROJECT", name), encoding="utf-8"
        )


def _installed(package: str) -> bool:
    """Whether an import of the name would find something already, here or on another system."""
    if package in sys.stdlib_module_names:
        return True
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False
