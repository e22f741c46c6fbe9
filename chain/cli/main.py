"""The command group. Each command lives in a module of its own, imported when it is asked for,
so that ``msgchain --version`` and ``msgchain demo`` start fast.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import Final

import click

from chain import __version__
from chain.cli.lazy import LazyGroup

#: a write that a full or broken place refused
_UNWRITABLE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
#: command -> "module:attribute", "one line of help"
COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("chain.cli.demo:demo", "Play two agents that negotiate and pay, on a fresh chain."),
    "new": ("chain.cli.new:new", "Write a contract project: contract, tests, invariant test."),
    "devnet": ("chain.cli.devnet:devnet", "Run a local chain with every contract."),
    "page": ("chain.cli.page:page", "Show the page of a running node."),
    "gateway": ("chain.cli.gateway:gateway", "Serve agents: the Agent API, beside any node."),
    "api-keys": ("chain.cli.api_keys:api_keys", "Keys of the Agent API."),
    "node": ("chain.cli.node:node", "Set up and run a node with a genesis of your own."),
    "repair": ("chain.cli.recover:repair", "Repair the data of a stopped node."),
    "rollback": ("chain.cli.recover:rollback", "Take the last blocks of a stopped node back."),
    "state": ("chain.cli.recover:state", "Export the state of a stopped node as a genesis."),
    "abci": ("chain.cli.abci:abci", "Serve the App to CometBFT."),
    "testnet": ("chain.cli.abci:testnet", "Run several CometBFT validators on this machine."),
    "keys": ("chain.cli.keys:keys", "Make and keep keys, encrypted with a password."),
    "tx": ("chain.cli.tx:tx", "Sign and send transactions."),
    "query": ("chain.cli.query:query", "Ask a node for accounts, contracts, blocks and events."),
    "gas": ("chain.cli.gas:gas", "Gas prices, and the gas of a transaction."),
    "schema": ("chain.cli.contracts:schema", "JSON Schema of a contract."),
    "control": ("chain.cli.control:control", "Controls of a running devnet: clock, snapshots, …"),
    "log": ("chain.cli.log:log", "Export, follow, show, verify and replay event logs."),
}


@click.command(
    cls=LazyGroup, lazy=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="msgchain")
def cli() -> None:
    """A local devnet and contract laboratory for chains on which AI agents talk and pay."""


def main() -> None:
    """Run the command line; a reader that closes the pipe ends it quietly, a full disk or a file
    that cannot be had by name."""
    if sys.flags.optimize:
        raise SystemExit(
            "msgchain does not run under python -O: it would remove checks. Run it without."
        )
    try:
        cli(prog_name="msgchain")
    except BrokenPipeError:
        _forget_output()
        raise SystemExit(141) from None
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            if error.filename is None:
                raise
            name = os.fsdecode(error.filename) if not isinstance(error.filename, int) else "output"
            raise SystemExit(f"error: {name}: {error.strerror}") from None
        _forget_output()
        raise SystemExit(
            f"error: cannot write: {error.strerror}; make room and run it again"
        ) from None


def _forget_output() -> None:
    """Let what is still in the buffer go nowhere, so that nothing fails once more at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
