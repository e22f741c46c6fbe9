"""The A2A door of ``msgchain gateway`` and ``msgchain devnet``: its options, and opening it."""

from __future__ import annotations

import socket
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TypeVar

import click
import msgspec

from chain import wiring
from chain.cli.output import fail
from chain.client.keystore import Keystore, KeystoreError
from chain.crypto.keys import ML_DSA_87
from chain.gateway.core import Core
from chain.gateway.serve import Door, PortInUse, listen

F = TypeVar("F", bound=Callable[..., Any])
PORT: Final = 8_081
FOLDER: Final = Path("~/.msgchain/a2a")
#: the root of the own accounts of gateways beside devnets; known to everybody
DEV_SECRET: Final = "a2a-gateway"
_MISSING: Final = "A2A        off: it needs a package; install msgchain[a2a]"
_PORT: Final = click.IntRange(0, 65_535)


class A2aOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked for on the command line. ``fd``: a socket that listens already."""

    port: int | None = None
    off: bool = False
    url: str | None = None
    key: str | None = None
    private: bool = False
    folder: Path = FOLDER
    fd: int | None = None


def a2a_door_options(command: F) -> F:
    """Whether and where the A2A door is; all go into the argument ``a2a``."""
    options = (
        click.option(
            "--a2a-port",
            type=_PORT,
            help=f"Port of the A2A gateway; 0 takes a free one. Default {PORT}, or a free one.",
        ),
        click.option("--no-a2a", is_flag=True, help="Serve no A2A."),
        click.option(
            "--allow-private-callbacks",
            is_flag=True,
            help="Let push notifications of A2A reach loopback and private addresses.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def a2a_own_options(command: F) -> F:
    """Options of a door that stands alone."""
    options = (
        click.option("--a2a-url", metavar="URL", help="Where A2A clients reach it, for cards."),
        click.option(
            "--a2a-key",
            metavar="NAME",
            help="Native key of the keystore for the gateway's own accounts; on devnets none is "
            "needed.",
        ),
        click.option(
            "--a2a-folder",
            type=click.Path(file_okay=False, path_type=Path),
            default=FOLDER,
            show_default=True,
            help="Where push notifications are kept.",
        ),
        click.option("--a2a-fd", type=int, hidden=True, help="A socket that listens already."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def a2a_given(values: dict[str, Any]) -> A2aOptions:
    """The options, taken out of a command's arguments."""
    return A2aOptions(
        port=values.pop("a2a_port", None),
        off=values.pop("no_a2a", False),
        url=values.pop("a2a_url", None),
        key=values.pop("a2a_key", None),
        private=values.pop("allow_private_callbacks", False),
        folder=values.pop("a2a_folder", FOLDER),
        fd=values.pop("a2a_fd", None),
    )


def a2a_installed() -> bool:
    """Whether the packages of the extra ``a2a`` are there."""
    return all(find_spec(name) is not None for name in ("a2a", "sse_starlette"))


def a2a_listen(host: str, given: A2aOptions) -> socket.socket | None:
    """The socket of the door; None where there shall or can be none, which it says."""
    if given.off:
        return None
    if not a2a_installed():
        if given.port is not None:
            fail(_MISSING)
        click.echo(_MISSING, err=True)
        return None
    try:
        if given.fd is not None:
            return socket.socket(fileno=given.fd)
        try:
            return listen(host, PORT if given.port is None else given.port)
        except PortInUse:
            if given.port is not None:
                raise
            return listen(host, 0)
    except (PortInUse, OSError) as error:
        fail(f"cannot listen on {error}; stop what uses it or choose another with --a2a-port")


def a2a_door(
    core: Core,
    listening: socket.socket,
    given: A2aOptions,
    *,
    keyring: Path,
    password: str | None,
) -> Door:
    """The A2A door on a socket."""
    http = import_module("chain.gateway.a2a_http")
    settings = http.A2aSettings(
        address=given.url or a2a_url(listening),
        secret=_secret(given.key, keyring, password),
        devnet=given.key is None,
        private_callbacks=given.private,
        folder=given.folder.expanduser(),
    )
    app = http.a2a_app(core, settings)
    return Door("A2A", app, listening, app.start, app.stop)


def a2a_url(listening: socket.socket) -> str:
    """Where a socket is reached."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _secret(name: str | None, keyring: Path, password: str | None) -> bytes:
    if name is None:
        return wiring.dev_secret(DEV_SECRET)
    if password is None:
        fail(f"--a2a-key {name} needs the keystore's password; see --password-file")
    try:
        secret = Keystore(keyring).secret(name, password)
    except KeystoreError as error:
        fail(str(error))
    if secret.type != ML_DSA_87:
        fail(f"--a2a-key {name}: a native key is needed; make one with `msgchain keys add`")
    return secret.seed
