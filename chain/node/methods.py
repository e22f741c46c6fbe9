"""The table of RPC methods: names, parameters, who may be cached, and what answers.

A handler gets the node and its values and gives JSON values; it may run in any thread. Raises
``RpcError`` with the text that goes into ``data``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from chain.node.params import Param
from chain.node.service import Node

Handler = Callable[..., Any]


class RpcError(Exception):
    """A call that was understood and failed: -32603 with this text."""

    def __init__(self, text: str, *, code: int = -32603, message: str = "Internal error") -> None:
        super().__init__(text)
        self.text = text
        self.code = code
        self.message = message


class Method(msgspec.Struct, frozen=True):
    """One method.

    ``cached``: its answers may be kept by a cache unless one of these parameters is absent; None
    for those that never may. ``ordered``: calls run one after the other, in order of arrival.
    ``quick``: it takes no lock and next to no time, so it runs where it is called; ``light`` says
    whether a call with these values does. ``waits``: it may wait for a block. ``socket``: only
    over WebSocket.
    """

    name: str
    params: tuple[Param, ...]
    handler: Handler
    cached: tuple[str, ...] | None = None
    ordered: bool = False
    quick: bool = False
    light: Callable[[Node, Sequence[Any]], bool] | None = None
    waits: bool = False
    socket: bool = False

    def cacheable(self, values: Sequence[Any]) -> bool:
        """Whether an answer to these values never changes."""
        if self.cached is None:
            return False
        return not any(
            param.name in self.cached and value is None
            for param, value in zip(self.params, values, strict=True)
        )


def params(**kinds: str) -> tuple[Param, ...]:
    """Parameters from names and kinds."""
    return tuple([Param(name, kind) for name, kind in kinds.items()])


class Methods(Mapping[str, Method]):
    """Methods by name: CometBFT's and those that were added to the node."""

    def __init__(self, node: Node, table: Sequence[Method]) -> None:
        self._node = node
        self._table = {method.name: method for method in table}

    def __getitem__(self, name: str) -> Method:
        found = self._table.get(name) or self._node.extra_methods.get(name)
        if not isinstance(found, Method):
            raise KeyError(name)
        return found

    def __iter__(self) -> Any:
        yield from self._table
        yield from self._node.extra_methods

    def __len__(self) -> int:
        return len(self._table) + len(self._node.extra_methods)


PER_PAGE: Final = 30
PER_PAGE_MAX: Final = 100


def page_of(page: int | None, per_page: int | None, total: int) -> tuple[int, int]:
    """The first item and how many of a page. Raises: RpcError."""
    size = PER_PAGE if per_page is None or per_page < 1 else min(per_page, PER_PAGE_MAX)
    if page is None:
        return 0, size
    pages = max(1, -(-total // size))
    if not 0 < page <= pages:
        raise RpcError(f"page should be within [1, {pages}] range, given {page}")
    return (page - 1) * size, size


def ordering(order_by: str) -> bool:
    """Whether newest first is wanted. Raises: RpcError."""
    if order_by not in ("", "asc", "desc"):
        raise RpcError("expected order_by to be either `asc` or `desc` or empty")
    return order_by == "desc"
