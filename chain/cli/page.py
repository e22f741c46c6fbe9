"""The page that people look at, beside a node: ``--ui-port``, ``--no-ui`` and ``msgchain page``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Final, TypeVar

import click

from chain.cli.beside import listen_near, url_of
from chain.cli.output import JSON, TABLE, fail, output_option
from chain.cli.running import heard
from chain.client.jsonrpc import DEFAULT_URL, parse_url
from chain.web.launch import Launcher, available

F = TypeVar("F", bound=Callable[..., Any])
PORT: Final = 8_090
_ABSENT: Final = "page       not installed; pip install 'msgchain[ui]' brings it"
_PORT: Final = click.IntRange(0, 65_535)


def page_options(command: F) -> F:
    """Whether and where a devnet shows its page."""
    port = click.option(
        "--ui-port",
        type=_PORT,
        help=f"Port of the page; 0 takes a free one. Default {PORT}, or a free one if it is taken.",
    )
    off = click.option("--no-ui", is_flag=True, help="Show no page.")
    return port(off(command))


@contextmanager
def open_page(
    host: str, port: int | None, rpc_url: str, output: str = TABLE, option: str = "--ui-port"
) -> Iterator[Launcher | None]:
    """The page of a node, ready for its first visitor; says where it is, or why there is none."""
    if not available():
        click.echo(_ABSENT)
        yield None
        return
    listening = heard(partial(listen_near, host, port, PORT), option)
    shown = Launcher(listening, rpc_url)
    if output == JSON:
        click.echo(json.dumps({"page": url_of(host, listening), "rpc": rpc_url}))
    else:
        click.echo(f"page       {url_of(host, listening)}")
    shown.start()
    try:
        yield shown
    finally:
        shown.stop()


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=_PORT, default=PORT, show_default=True, help="Port of the page.")
@click.option("--rpc", default=DEFAULT_URL, show_default=True, help="The node to read.")
@output_option
def page(*, host: str, port: int, rpc: str, output: str) -> None:
    """Show the page of a running node, which may be on another machine."""
    try:
        parse_url(rpc)
    except ValueError as error:
        fail(str(error))
    with open_page(host, port, rpc, output, "--port") as shown:
        if shown is None:
            raise SystemExit(1)
        with suppress(KeyboardInterrupt):
            shown.wait()
