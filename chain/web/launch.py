"""Starts the page's process when somebody first opens it, so that a devnet starts no slower."""

from __future__ import annotations

import importlib.util
import socket

from chain.child import Child


def available() -> bool:
    """Whether the extra ``ui`` is installed."""
    return importlib.util.find_spec("nicegui") is not None


class Launcher(Child):
    """Waits for the first visitor of a listening socket and starts the page for it."""

    def __init__(self, listening: socket.socket, rpc_url: str) -> None:
        words = ["chain.web", "--fd", str(listening.fileno()), "--rpc", rpc_url]
        super().__init__("the page", words, [listening])
        self.listening = listening

    @property
    def port(self) -> int:
        """The port of the page."""
        return int(self.listening.getsockname()[1])
