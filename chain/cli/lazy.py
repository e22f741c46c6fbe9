"""Groups whose commands are imported when they are asked for, so that commands start fast."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


class LazyGroup(click.Group):
    """A group with a table of commands: name to ``module:attribute`` and one line of help."""

    def __init__(
        self, *args: Any, lazy: Mapping[str, tuple[str, str]] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self._lazy = lazy or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names: the group's own, then those of the table."""
        return [*super().list_commands(ctx), *self._lazy]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of one command."""
        entry = self._lazy.get(cmd_name)
        if entry is None:
            return super().get_command(ctx, cmd_name)
        module, attribute = entry[0].split(":")
        command = getattr(import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{entry[0]} is not a command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        own = [(name, self.commands[name]) for name in super().list_commands(ctx)]
        rows = [(name, command.get_short_help_str(70)) for name, command in own]
        rows += [(name, text) for name, (_, text) in self._lazy.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
