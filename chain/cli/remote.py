"""What commands that speak to a node share: where it is, how answers are shown, and what to say
when something goes wrong.

Exit codes: 1 refused or wrong, 2 wrong usage, 3 no node there, 4 failed in a block (the fee is
paid), 5 not in a block in time.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

import click

from chain.cli.output import fail, output_option
from chain.client.control import NotADevnet
from chain.client.jsonrpc import DEFAULT_URL, RpcFailed, Unreachable
from chain.client.keystore import KeystoreError
from chain.client.rpc import RpcClient
from chain.client.transport import ChainError, TimedOut, TxFailed
from chain.crypto.addresses import AddressError

UNREACHABLE: Final = 3
FAILED: Final = 4
TIMED_OUT: Final = 5
#: of one value in a line of several; machines get all of it
_SHOWN_MAX: Final = 100
F = TypeVar("F", bound=Callable[..., Any])
#: what helps against a refusal, by codespace and code
_HELP: Final = {
    ("sdk", 4): "somebody else must sign this; see --from",
    ("sdk", 5): "the account has too little: `msgchain query balances ADDRESS`; on a devnet "
    "`msgchain control faucet ADDRESS`",
    ("sdk", 9): "the account does not exist until somebody sends it coins; on a devnet "
    "`msgchain control faucet ADDRESS`",
    ("sdk", 11): "give more gas, or leave it to --gas auto",
    ("sdk", 13): "the fee ceiling is below gas limit times gas price",
    ("sdk", 20): "the node's pool is full; wait for a block and send it again",
    ("sdk", 32): "another transaction of the account came between; send it again",
    ("wasm", 2): "`msgchain tx store --help` says what a node takes; --contracts of the node makes "
    "more contracts known",
    ("wasm", 22): "`msgchain query contracts` lists the contracts",
    ("wasm", 28): "`msgchain query codes` lists the codes",
}


def remote_options(command: F) -> F:
    """Options of every command that speaks to a node, and its failures in words."""
    where = click.option(
        "--rpc",
        "rpc",
        default=DEFAULT_URL,
        show_default=True,
        envvar="MSGCHAIN_RPC",
        metavar="URL",
        help="The node; also from MSGCHAIN_RPC.",
    )
    return where(output_option(in_words(command)))


def in_words(command: F) -> F:
    """The command with failures told as one line that says what to do."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except TxFailed as error:
            paid = ", its fee is paid" if error.outcome.gas_wanted else ""
            fail(
                f"the transaction failed in block {error.outcome.height} "
                f"({error.codespace}/{error.code}){paid}: {error.log}{_help(error)}\n"
                f"  hash {error.outcome.hash}",
                code=FAILED,
            )
        except ChainError as error:
            fail(f"refused ({error.codespace}/{error.code}): {error.log}{_help(error)}")
        except Unreachable as error:
            fail(
                f"no node at {error}; start one with `msgchain devnet`, or name another with --rpc",
                code=UNREACHABLE,
            )
        except TimedOut as error:
            fail(
                f"{error}; it may still come: `msgchain query tx HASH`. A paused or manual devnet "
                "makes a block with `msgchain control mine`",
                code=TIMED_OUT,
            )
        except NotADevnet as error:
            fail(f"{error}; `msgchain devnet` starts one")
        except RpcFailed as error:
            fail(f"the node refused: {error}")
        except (KeystoreError, AddressError, ValueError) as error:
            fail(str(error))
        except KeyboardInterrupt:
            click.echo("", err=True)
            raise SystemExit(130) from None

    return run  # type: ignore[return-value]  # the same signature


def _help(error: ChainError) -> str:
    found = _HELP.get((error.codespace, error.code))
    if "insufficient funds" in error.log:  # a simulation has no code of its own
        found = _HELP["sdk", 5]
    return f"\n  {found}" if found else ""


def reach(rpc: str, *, timeout: float = 60.0) -> RpcClient:
    """The node; a terminal sees how long a transaction has waited."""
    client = RpcClient(rpc, timeout=timeout, on_wait=_waiting if sys.stderr.isatty() else None)
    click.get_current_context().call_on_close(client.close)
    return client


def _waiting(seconds: float) -> None:
    click.echo(f"\rwaiting for a block: {seconds:.0f} s\033[K", nl=False, err=True)


def end_of_waiting() -> None:
    """Clear the line of a wait."""
    if sys.stderr.isatty():
        click.echo("\r\033[K", nl=False, err=True)


# --- showing --------------------------------------------------------------------------------------


def show_json(value: object) -> None:
    """One JSON document."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def show_fields(value: Mapping[str, Any], output: str) -> None:
    """Names and values."""
    if output == "json":
        show_json(value)
        return
    width = max((len(name) for name in value), default=0)
    for name, one in value.items():
        label = name.replace("_", " ")
        if isinstance(one, list) and one and all(isinstance(entry, dict) for entry in one):
            click.echo(label)
            for entry in one:
                click.echo(f"  {_entry(entry)}")
        else:
            click.echo(f"{label:<{width}}  {text_of(one)}")


def _entry(value: Mapping[str, Any]) -> str:
    """One of several things, on a line: an event, a message, anything."""
    head = str(value.get("type", ""))
    parts = value.get("attributes", {name: one for name, one in value.items() if name != "type"})
    shown = " ".join(f"{name}={_cut(text_of(one))}" for name, one in parts.items())
    return f"{head}  {shown}" if head else shown


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}…"


def show_rows(rows: Sequence[Mapping[str, Any]], output: str, nothing: str) -> None:
    """A list of equal things; ``nothing`` is said of an empty one."""
    if output == "json":
        show_json(list(rows))
        return
    if not rows:
        click.echo(nothing)
        return
    names = list(rows[0])
    cells = [[text_of(row[name]) for name in names] for row in rows]
    widths = [max(len(name), *(len(row[at]) for row in cells)) for at, name in enumerate(names)]
    click.echo(
        "  ".join(
            name.upper().ljust(width) for name, width in zip(names, widths, strict=True)
        ).rstrip()
    )
    for row in cells:
        click.echo(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        )


def text_of(value: object) -> str:
    """A value in a table."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False)
    return "" if value is None else str(value)


# --- reading arguments ----------------------------------------------------------------------------


def json_argument(text: str, what: str = "MSG") -> Any:
    """JSON of an argument: itself, ``@FILE``, or ``-`` for standard input."""
    if text == "-":
        text = sys.stdin.read()
    elif text.startswith("@"):
        try:
            text = Path(text[1:]).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            fail(f"{what}: {text[1:]} cannot be read: {error}")
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        fail(f"{what}: not JSON: {error}; quote it: '{{\"transfer\": {{…}}}}', or use @FILE")


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not JSON")
