"""The A2A door of ``msgchain gateway``: its own options, and opening it."""

from __future__ import annotations

import socket
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from chain import wiring
from chain.cli.beside import FOLDER, A2aOptions, a2a_url
from chain.cli.output import fail
from chain.client.keystore import Keystore, KeystoreError
from chain.crypto.keys import ML_DSA_87
from chain.gateway.core import Core
from chain.gateway.serve import Door

F = TypeVar("F", bound=Callable[..., Any])
#: the root of the own accounts of gateways beside devnets; known to everybody
DEV_SECRET: Final = "a2a-gateway"


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


def a2a_door(
    core: Core,
    listening: socket.socket,
    given: A2aOptions,
    *,
    keyring: Path,
    password: str | None,
    grpc: str = "",
) -> Door:
    """The A2A door on a socket, and over gRPC at the address ``grpc``, if any."""
    http = import_module("chain.gateway.a2a_http")
    settings = http.A2aSettings(
        address=given.url or a2a_url(listening),
        secret=_secret(given.key, keyring, password),
        devnet=given.key is None,
        private_callbacks=given.private,
        folder=given.folder.expanduser(),
        grpc=grpc,
    )
    app = http.a2a_app(core, settings)
    if grpc:
        return _with_grpc(app, listening, grpc)
    return Door("A2A", app, listening, app.start, app.stop)


def _with_grpc(app: Any, listening: socket.socket, address: str) -> Door:
    """A door that begins and ends with its gRPC port."""
    second = import_module("chain.gateway.a2a_grpc").GrpcDoor(app, address)

    def start() -> None:
        app.start()
        second.start()

    async def stop() -> None:
        await second.stop()
        await app.stop()

    return Door("A2A", app, listening, start, stop)


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
