"""What ``devnet`` and ``node start`` share: options and running a node to its end."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import click

from chain.cli.output import fail
from chain.driver.genesis import GenesisFileError, parse_interval
from chain.driver.mempool import TXS_MAX
from chain.node import logs
from chain.node.home import HomeError
from chain.node.process import tune
from chain.node.server import PortInUse, Server, listen
from chain.node.service import INSTANT, MANUAL, Node
from chain.store.errors import StoreError, StoreLocked

F = TypeVar("F", bound=Callable[..., Any])


class BlockTime(click.ParamType):  # type: ignore[type-arg]
    """An interval such as ``5s`` or ``200ms``, or ``instant`` or ``manual``."""

    name = "INTERVAL|instant|manual"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | str:
        """Nanoseconds or a word."""
        if isinstance(value, int) or value in (INSTANT, MANUAL):
            return value if isinstance(value, int) else str(value)
        try:
            return parse_interval(value)
        except ValueError as error:
            self.fail(f"{error}, and neither instant nor manual", param, ctx)


def node_options(command: F) -> F:
    """Options of every command that runs a node."""
    for option in (
        click.option(
            "--host", default="127.0.0.1", show_default=True, help="Address to listen on."
        ),
        click.option(
            "--rpc-port",
            type=click.IntRange(0, 65_535),
            default=26_657,
            show_default=True,
            help="Port of the RPC; 0 takes a free one.",
        ),
        click.option(
            "--cors",
            multiple=True,
            metavar="ORIGIN",
            help="A web page that may call the RPC, or * for all. Repeatable.",
        ),
        click.option("--moniker", default="msgchain", show_default=True, help="The node's name."),
        click.option(
            "--mempool-txs",
            type=click.IntRange(1),
            default=TXS_MAX,
            show_default=True,
            help="Transactions that may wait.",
        ),
        click.option(
            "--rpc-unsafe", is_flag=True, help="Offer unsafe_flush_mempool, as CometBFT calls it."
        ),
        click.option(
            "--log-level",
            type=click.Choice(logs.LEVELS),
            default="warning",
            show_default=True,
            help="What goes to standard error.",
        ),
        click.option(
            "--log-format",
            type=click.Choice(["text", "json"]),
            default="text",
            show_default=True,
            help="Lines for people or JSON objects.",
        ),
    ):
        command = option(command)
    return command


def heard(make: Callable[[], socket.socket], option: str) -> socket.socket:
    """A socket, or say what is in the way of it and which option helps."""
    try:
        return make()
    except PortInUse as error:
        advice = f"stop what uses it or choose another with {option}"
        if not error.here:
            advice = "give --host an address of this machine"
        fail(f"cannot listen on {error}; {advice}")


def opened(make: Callable[[], Node]) -> Node:
    """Open a node, or say what to do about what is in the way."""
    try:
        return make()
    except StoreLocked as error:
        fail(f"{error}; stop that process, or use another --home")
    except (StoreError, GenesisFileError, HomeError) as error:
        fail(str(error))


def serve(
    node: Node,
    *,
    host: str,
    port: int,
    cors: tuple[str, ...],
    greet: Callable[[str], None],
    on_end: Callable[[], None] | None = None,
) -> None:
    """Listen, greet, and serve until a signal; ends with status 1 when the chain failed.
    ``on_end`` is called when the end begins."""
    try:
        listening = heard(partial(listen, host, port), "--rpc-port")
    except SystemExit:
        node.close()
        raise
    real = listening.getsockname()[1]
    if not is_loopback(listening.getsockname()[0]):
        click.echo(
            f"warning: listening on {host}: others on the network can reach this node", err=True
        )
    shown = f"[{host}]" if ":" in host else host
    greet(f"{shown}:{real}")
    server = Server(node, listening, origins=cors)
    if on_end is not None:
        server.on_end = on_end
    tune()
    server.run()
    if node.failure is not None:
        fail(f"the chain stopped: {node.failure}")
    click.echo("stopped", err=True)


def is_loopback(address: str) -> bool:
    """Whether only this machine reaches an address."""
    return ipaddress.ip_address(address.partition("%")[0]).is_loopback
