"""The gRPC services that a node answers, loaded when the first query comes or when there is time.

Their messages are built from tables by the protobuf library, which takes as long to load as the
rest of the node takes to its first block.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from chain.app.queries.desk import Service

if TYPE_CHECKING:
    from chain.node.service import Node


class Services(Mapping[str, Service]):
    """Path to what answers it."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._lock = threading.Lock()
        self._found: Mapping[str, Service] | None = None

    def load(self) -> Mapping[str, Service]:
        """All of them; from any thread."""
        found = self._found
        if found is None:
            with self._lock:
                found = self._found
                if found is None:
                    own = importlib.import_module("chain.app.queries.grpc").SERVICES
                    txs = importlib.import_module("chain.node.txservice").tx_services(self._node)
                    found = self._found = {**own, **txs}
        return found

    def __getitem__(self, path: str) -> Service:
        return self.load()[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self.load())

    def __len__(self) -> int:
        return len(self.load())
