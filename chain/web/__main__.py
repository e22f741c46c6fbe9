"""``python -m chain.web --fd N --rpc URL``: serves the page on a socket that a parent opened."""

from __future__ import annotations

import argparse
import os
import socket
import sys
import threading

from chain.web.server import serve


def main() -> None:
    """Serve until standard input ends."""
    parser = argparse.ArgumentParser(prog="python -m chain.web")
    parser.add_argument("--fd", type=int, required=True, help="number of the listening socket")
    parser.add_argument("--rpc", required=True, help="URL of the node")
    given = parser.parse_args()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    serve(socket.socket(fileno=given.fd), given.rpc)


def _end_with_parent() -> None:
    while sys.stdin.buffer.read(4_096):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
