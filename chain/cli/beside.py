"""What ``msgchain devnet`` runs beside its node: the gateway's options and its process.

Apart from ``chain.cli.gateway``, so that a devnet does not import what only the gateway needs.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TypeVar

import click
import msgspec

from chain.child import Child
from chain.cli.output import fail
from chain.cli.running import heard
from chain.node.server import PortInUse, bound, listen

F = TypeVar("F", bound=Callable[..., Any])
#: of the Agent API and of A2A
PORT: Final = 8_080
A2A_PORT: Final = 8_081
FOLDER: Final = Path("~/.msgchain/a2a")
_MISSING: Final = "A2A        off: it needs a package; install msgchain[a2a]"
_NO_GRPC: Final = "--grpc-port needs a package; install msgchain[grpc]"
#: what to do about a port that gRPC cannot have
GRPC_TAKEN: Final = "stop what uses it or choose another with --grpc-port"
_LABELS: Final = {"agent_api": "Agent API", "a2a": "A2A", "a2a_grpc": "A2A gRPC"}
#: the names under which a start says to machines where its doors are
PLACES: Final = (*_LABELS, "page")
_PORT: Final = click.IntRange(0, 65_535)
#: seconds that the node has for its own start before the gateway's process takes a processor
_AFTER: Final = 0.6


class A2aOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked for on the command line. ``fd``: a socket that listens already."""

    port: int | None = None
    off: bool = False
    url: str | None = None
    key: str | None = None
    private: bool = False
    folder: Path = FOLDER
    fd: int | None = None
    grpc: int | None = None


def a2a_door_options(command: F) -> F:
    """Whether and where the A2A door is; all go into the argument ``a2a``."""
    options = (
        click.option(
            "--a2a-port",
            type=_PORT,
            help=f"Port of the A2A gateway; 0 takes a free one. Default {A2A_PORT}, or a free one.",
        ),
        click.option("--no-a2a", is_flag=True, help="Serve no A2A."),
        click.option(
            "--grpc-port",
            type=_PORT,
            help="Serve A2A over gRPC too; 0 takes a free port. Off unless given.",
        ),
        click.option(
            "--allow-private-callbacks",
            is_flag=True,
            help="Let push notifications of A2A reach loopback and private addresses.",
        ),
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
        grpc=values.pop("grpc_port", None),
    )


def a2a_installed() -> bool:
    """Whether the packages of the extra ``a2a`` are there."""
    return all(find_spec(name) is not None for name in ("a2a", "sse_starlette"))


def a2a_listen(host: str, given: A2aOptions) -> socket.socket | None:
    """The socket of the door; None where there shall or can be none, which it says."""
    if given.off:
        if given.grpc is not None:
            fail("--grpc-port serves A2A, and --no-a2a serves none")
        return None
    if not a2a_installed():
        if given.port is not None or given.grpc is not None:
            fail(_MISSING)
        click.echo(_MISSING, err=True)
        return None
    if given.fd is not None:
        return socket.socket(fileno=given.fd)
    return heard(partial(listen_near, host, given.port, A2A_PORT), "--a2a-port")


@contextmanager
def grpc_held(host: str, given: A2aOptions) -> Iterator[str]:
    """Where A2A will be over gRPC, empty for nowhere; says what is in the way. The port is kept
    for gRPC, which opens it itself."""
    if given.grpc is None:
        yield ""
        return
    if find_spec("grpc") is None:
        fail(_NO_GRPC)
    with heard(partial(bound, host, given.grpc), "--grpc-port") as found:
        address = url_of(host, found).removeprefix("http://")
        if sys.platform != "linux":  # elsewhere a port that is kept cannot be opened beside
            found.close()
        yield address


def say_places(places: Mapping[str, str]) -> None:
    """What a gateway says to people at its start."""
    for name, label in _LABELS.items():
        if name in places:
            click.echo(f"{label:<11}{places[name]}")


def a2a_url(listening: socket.socket) -> str:
    """Where a socket is reached."""
    return url_of(listening.getsockname()[0], listening)


def gateway_options(command: F) -> F:
    """Whether and where a devnet has its gateway."""
    port = click.option(
        "--gateway-port",
        type=_PORT,
        help=f"Port of the Agent API; 0 takes a free one. Default {PORT}, or a free one if taken.",
    )
    off = click.option("--no-gateway", is_flag=True, help="Run no gateway.")
    return port(off(a2a_door_options(command)))


class Beside(msgspec.Struct, frozen=True):
    """What runs beside a node: its process, and where it is reached, by name."""

    child: Child
    places: dict[str, str]


@contextmanager
def open_gateway(
    host: str, port: int | None, rpc_url: str, a2a: A2aOptions, home: Path
) -> Iterator[Beside]:
    """A gateway of the node in a process of its own."""
    with ExitStack() as opened:
        listening = opened.enter_context(
            heard(partial(listen_near, host, port, PORT), "--gateway-port")
        )
        sockets, places = [listening], {"agent_api": url_of(host, listening)}
        words = ["chain.cli", "gateway", "--child", "--rpc", rpc_url]
        words += ["--fd", str(listening.fileno()), "--a2a-folder", str(home / "a2a")]
        second = a2a_listen(host, a2a)
        if second is not None:
            sockets.append(opened.enter_context(second))
            places["a2a"] = a2a_url(second)
            words += ["--a2a-fd", str(second.fileno())]
            words += ["--allow-private-callbacks"] if a2a.private else []
            if reached := opened.enter_context(grpc_held(host, a2a)):
                places["a2a_grpc"] = reached
                words += ["--host", host, "--grpc-port", reached.rpartition(":")[2]]
        child = Child("the gateway", words, sockets, after=_AFTER)
        child.start()
        opened.callback(child.stop)
        say_places(places)
        yield Beside(child, places)


def listen_near(host: str, port: int | None, usual: int) -> socket.socket:
    """The port that was asked for; else the usual one, or a free one where that is taken.

    Raises: PortInUse, OSError.
    """
    if port is not None:
        return listen(host, port)
    try:
        return listen(host, usual)
    except PortInUse:
        return listen(host, 0)


def url_of(host: str, listening: socket.socket) -> str:
    """Where a socket on a host is reached."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{listening.getsockname()[1]}"
