"""What ``msgchain devnet`` runs beside its node: the gateway's options and its process.

Apart from ``chain.cli.gateway``, so that a devnet does not import what only the gateway needs.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TypeVar

import click
import msgspec

from chain.cli.output import fail
from chain.node.server import PortInUse, listen

F = TypeVar("F", bound=Callable[..., Any])
#: of the Agent API and of A2A
PORT: Final = 8_080
A2A_PORT: Final = 8_081
FOLDER: Final = Path("~/.msgchain/a2a")
_MISSING: Final = "A2A        off: it needs a package; install msgchain[a2a]"
_NO_GRPC: Final = "--grpc-port needs a package; install msgchain[grpc]"
_PORT: Final = click.IntRange(0, 65_535)
#: seconds that the node has for its own start before the gateway's process takes a processor
_AFTER: Final = 0.6
_STOP_SECONDS: Final = 10


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
        return None
    if not a2a_installed():
        if given.port is not None:
            fail(_MISSING)
        click.echo(_MISSING, err=True)
        return None
    try:
        if given.fd is not None:
            return socket.socket(fileno=given.fd)
        return listen_near(host, given.port, A2A_PORT)
    except (PortInUse, OSError) as error:
        fail(f"cannot listen on {error}; stop what uses it or choose another with --a2a-port")


def grpc_address(host: str, given: A2aOptions, *, child: bool = False) -> str:
    """Where A2A will be over gRPC, empty for nowhere; says it, and what is in the way."""
    if given.grpc is None:
        return ""
    if given.off:
        fail("--grpc-port serves A2A, and --no-a2a serves none")
    if find_spec("grpc") is None:
        fail(_NO_GRPC)
    try:
        with listen(host, given.grpc) as tried:  # gRPC opens its port itself
            found = url_of(host, tried).removeprefix("http://")
    except (PortInUse, OSError) as error:
        fail(f"cannot listen on {error}; stop what uses it or choose another with --grpc-port")
    if not child:
        click.echo(f"A2A gRPC   {found}")
    return found


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


@contextmanager
def open_gateway(
    host: str, port: int | None, rpc_url: str, a2a: A2aOptions, home: Path
) -> Iterator[None]:
    """A gateway of the node in a process of its own; says where it is."""
    try:
        listening = listen_near(host, port, PORT)
    except (PortInUse, OSError) as error:
        fail(f"cannot listen on {error}; stop what uses it or choose another with --gateway-port")
    second = a2a_listen(host, a2a)
    click.echo(f"Agent API  {url_of(host, listening)}")
    sockets = [listening]
    words = [sys.executable, "-m", "chain.cli", "gateway", "--child", "--rpc", rpc_url]
    words += ["--fd", str(listening.fileno()), "--a2a-folder", str(home / "a2a")]
    if second is not None:
        click.echo(f"A2A        {a2a_url(second)}")
        sockets.append(second)
        words += ["--a2a-fd", str(second.fileno())]
        words += ["--allow-private-callbacks"] if a2a.private else []
        if reached := grpc_address(host, a2a):
            words += ["--host", host, "--grpc-port", reached.rpartition(":")[2]]
    child = _Child(words, sockets)
    try:
        yield
    finally:
        child.stop()


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


class _Child:
    """The gateway's process, started a moment later; its sockets listen already."""

    def __init__(self, words: Sequence[str], sockets: Sequence[socket.socket]) -> None:
        self._words = words
        self._sockets = sockets
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._ended = False
        self._timer = threading.Timer(_AFTER, self._start)
        self._timer.daemon = True
        self._timer.start()

    def _start(self) -> None:
        with self._lock:
            if not self._ended:
                fds = [one.fileno() for one in self._sockets]
                self._process = subprocess.Popen(self._words, stdin=subprocess.PIPE, pass_fds=fds)
                self._close()

    def _close(self) -> None:
        for one in self._sockets:
            one.close()

    def stop(self) -> None:
        """End it, or see to it that it never begins."""
        self._timer.cancel()
        with self._lock:
            self._ended = True
            self._close()
        process = self._process
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def url_of(host: str, listening: socket.socket) -> str:
    """Where a socket on a host is reached."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{listening.getsockname()[1]}"
