"""The command group. Each command lives in a module of its own, imported when it is asked for,
so that ``msgchain --version`` and ``msgchain demo`` start fast.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from chain import __version__

#: command -> "module:attribute", "one line of help"
COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("chain.cli.demo:demo", "Play two agents that negotiate and pay, on a fresh chain."),
    "devnet": ("chain.cli.devnet:devnet", "Run a local chain with every contract."),
    "node": ("chain.cli.node:node", "Set up and run a node with a genesis of your own."),
    "log": ("chain.cli.log:log", "Show, verify and replay event logs."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of one command."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module, attribute = entry[0].split(":")
        command = getattr(import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{entry[0]} is not a command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="msgchain")
def cli() -> None:
    """A local devnet and contract laboratory for chains on which AI agents talk and pay."""


def main() -> None:
    """Run the command line; a reader that closes the pipe ends it quietly."""
    if sys.flags.optimize:
        raise SystemExit(
            "msgchain does not run under python -O: it would remove checks. Run it without."
        )
    try:
        cli(prog_name="msgchain")
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(141) from None
