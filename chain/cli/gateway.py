"""``msgchain gateway``: the doors for agents, beside any node."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from chain import wiring
from chain.cli.beside import (
    GRPC_TAKEN,
    PLACES,
    PORT,
    a2a_door_options,
    a2a_given,
    a2a_listen,
    a2a_url,
    grpc_held,
    say_places,
    url_of,
)
from chain.cli.gateway_a2a import a2a_door, a2a_own_options
from chain.cli.names import DEFAULT_FOLDER, PASSWORD, key_options, password
from chain.cli.output import JSON, fail, output_option
from chain.cli.running import heard, is_loopback
from chain.client.agent_calls import Contracts
from chain.client.jsonrpc import DEFAULT_URL, parse_url
from chain.gateway import rest
from chain.gateway.accounts import KeyRing
from chain.gateway.core import Core
from chain.gateway.keys import ApiKeys
from chain.gateway.limits import Limits
from chain.gateway.serve import CannotListen, Door, run
from chain.node import logs
from chain.node.server import listen

F = TypeVar("F", bound=Callable[..., Any])
API_KEYS: Final = Path("~/.msgchain/api-keys")
_PORT: Final = click.IntRange(0, 65_535)


def api_key_options(command: F) -> F:
    """Where API keys are kept, and where the contracts are."""
    folder = click.option(
        "--api-keys",
        "api_keys",
        type=click.Path(file_okay=False, path_type=Path),
        default=API_KEYS,
        show_default=True,
        envvar="MSGCHAIN_API_KEYS",
        help="Folder of the API keys; also from MSGCHAIN_API_KEYS.",
    )
    named = click.option(
        "--contract",
        "named",
        multiple=True,
        metavar="NAME=ADDRESS",
        help="Where a contract is, if not where devnets have it. Repeatable.",
    )
    where = click.option(
        "--rpc",
        default=DEFAULT_URL,
        show_default=True,
        envvar="MSGCHAIN_RPC",
        metavar="URL",
        help="The node; also from MSGCHAIN_RPC.",
    )
    return where(folder(named(command)))


def limit_options(command: F) -> F:
    """Token buckets."""
    standard = Limits()
    for name, value, text in (
        ("messages-burst", standard.messages_burst, "Messages of an agent at once."),
        ("messages-per-second", standard.messages, "Messages of an agent a second; 0: no limit."),
        ("requests-burst", standard.requests_burst, "Requests at once."),
        ("requests-per-second", standard.requests, "Requests a second; 0: no limit."),
    ):
        option = click.option(
            f"--{name}", type=click.IntRange(0), default=value, show_default=True, help=text
        )
        command = option(command)
    return command


def contracts_of(named: Sequence[str]) -> Contracts:
    """The contracts: a devnet's, but for those that are named."""
    found = wiring.contract_addresses()
    for one in named:
        name, equals, address = one.partition("=")
        if not equals or name not in found:
            fail(f"--contract {one}: write NAME=ADDRESS; the names are {', '.join(found)}")
        found[name] = address
    return Contracts.from_names(found)


@click.command()
@api_key_options
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=_PORT, default=PORT, show_default=True, help="Agent API; 0 takes a free port."
)
@limit_options
@key_options
@click.option(
    "--log-level",
    type=click.Choice(logs.LEVELS),
    default="warning",
    show_default=True,
    help="What goes to standard error.",
)
@click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Lines for people or JSON objects.",
)
@a2a_door_options
@a2a_own_options
@output_option
@click.option("--fd", type=int, hidden=True, help="A socket that listens already.")
@click.option("--child", is_flag=True, hidden=True, help="End when standard input ends.")
def gateway(
    *,
    rpc: str,
    api_keys: Path,
    named: tuple[str, ...],
    host: str,
    port: int,
    keyring: Path,
    password_file: Path | None,
    log_level: str,
    log_format: str,
    output: str,
    fd: int | None,
    child: bool,
    **limits: Any,
) -> None:
    """Serve the Agent API and A2A to agents, from any node's RPC."""
    a2a = a2a_given(limits)
    logs.set_up(log_level, log_format)
    try:
        parse_url(rpc)
    except ValueError as error:
        fail(str(error))
    opener = _password(password_file)
    core = Core(
        rpc,
        contracts_of(named),
        ApiKeys(api_keys.expanduser()),
        KeyRing(keyring.expanduser(), opener),
        Limits(
            requests=limits["requests_per_second"],
            requests_burst=limits["requests_burst"],
            messages=limits["messages_per_second"],
            messages_burst=limits["messages_burst"],
        ),
    )
    listening = _listening(host, port, fd)
    doors = [Door("Agent API", rest.application(core), listening)]
    places = {"rpc": rpc, "agent_api": url_of(host, listening)}
    second = a2a_listen(host, a2a) if a2a.fd is not None or not child else None
    with grpc_held(host, a2a) if second is not None else nullcontext("") as reached:
        if second is not None:
            places |= {"a2a": a2a_url(second)} | ({"a2a_grpc": reached} if reached else {})
            ring = keyring.expanduser()
            doors.append(a2a_door(core, second, a2a, keyring=ring, password=opener, grpc=reached))
        ready = None if child else partial(_introduce, places, output)
        try:
            asyncio.run(run(core, doors, parent=child, ready=ready))
        except CannotListen as error:
            fail(f"{error}; {GRPC_TAKEN}")


def _introduce(places: dict[str, str], output: str) -> None:
    """Say where the doors are."""
    if output == JSON:
        click.echo(json.dumps(dict.fromkeys(PLACES[:-1]) | places))
    else:
        say_places(places)


def _password(file: Path | None) -> str | None:
    """What opens the keystore; a gateway without one signs with devnet keys only."""
    return password(file) if file is not None or PASSWORD in os.environ else None


def _listening(host: str, port: int, fd: int | None) -> socket.socket:
    if fd is not None:
        return socket.socket(fileno=fd)
    listening = heard(partial(listen, host, port), "--port")
    if not is_loopback(listening.getsockname()[0]):
        click.echo(
            f"warning: listening on {host} without TLS: API keys can be read on the way", err=True
        )
    return listening


__all__ = ["API_KEYS", "DEFAULT_FOLDER", "api_key_options", "gateway"]
