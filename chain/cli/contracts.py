"""Contracts by name or folder, and ``msgchain schema``."""

from __future__ import annotations

import json
from pathlib import Path

import click

from chain.cli.output import fail, output_option, say
from chain.driver.codes import line_of
from chain.vm.contract import Contract
from chain.vm.sandbox.errors import ContractSourceError
from chain.vm.sandbox.loader import load_folder
from chain.vm.sandbox.schema import contract_schema, write_schema
from contracts.registry import NAMES, REGISTRY


def contract_of(text: str) -> Contract:
    """The contract of a name of the repository, or of a folder."""
    if text in NAMES:
        return REGISTRY[text]
    folder = Path(text)
    if not (folder / "contract.py").is_file():
        fail(
            f"{text!r} is neither a contract of the repository ({', '.join(NAMES)}) nor a folder "
            "with a contract.py"
        )
    try:
        found = load_folder(folder)
        found.version  # noqa: B018  # checks and compiles it now
    except ContractSourceError as error:
        fail(f"{folder}: {error}")
    return found


def line_of_contract(text: str) -> str:
    """The line that stores a contract."""
    return line_of(contract_of(text))


@click.command()
@click.argument("contract")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write one file an entry point and answer into this folder.",
)
@output_option
def schema(contract: str, out: Path | None, output: str) -> None:
    """JSON Schema of CONTRACT (a name of the repository, or a folder): what it takes and
    answers."""
    found = contract_of(contract)
    if out is None:
        click.echo(json.dumps(contract_schema(found), indent=2, ensure_ascii=False))
        return
    try:
        written = write_schema(found, out)
    except OSError as error:
        fail(f"--out {out} cannot be written: {error.strerror}")
    say(output, "\n".join(map(str, written)), files=[str(path) for path in written])
