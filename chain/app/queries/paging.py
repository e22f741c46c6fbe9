"""Pages of the SDK's query services: a limit, a key or an offset, and a total where it is counted.

A page also ends at 4 MiB, with a key for the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from chain.app import keys
from chain.app.queries.desk import PAGE_BYTES
from chain.app.queries.failure import Failure
from chain.store.types import Reader
from chain.tx.proto import message

LIMIT: Final = 100
_BOTH: Final = "invalid request, either offset or key is expected, got both"
_RESPONSE: Final = message("cosmos.base.query.v1beta1.PageResponse")


class Page(NamedTuple):
    """What a page holds: rows without their prefix, and what its answer says of the next."""

    rows: list[tuple[bytes, bytes]]
    pagination: Any


def one_start(asked: Any, refused: Callable[[str], Failure]) -> None:
    """A page begins at a key or at an offset. Raises: Failure in the words of the service."""
    if asked.offset and asked.key:
        raise refused(_BOTH)


def internal(text: str) -> Failure:
    """How the SDK's supply and metadata refuse a page."""
    return Failure.status("Internal", text)


def paginate(text: str) -> Failure:
    """How the SDK's balances refuse a page."""
    return Failure.argument(f"paginate: {text}")


def counted(
    view: Reader, prefix: bytes, request: Any, refused: Callable[[str], Failure] = paginate
) -> Page:
    """A page as the SDK makes it: without a limit 100, and then the total is counted.

    ``request`` has ``pagination``. Raises: Failure.
    """
    asked = request.pagination
    one_start(asked, refused)
    limit = asked.limit or LIMIT
    if asked.key:
        return _from_key(view, prefix, asked.key, limit, reverse=asked.reverse)
    total = asked.count_total or not asked.limit
    return _from_offset(view, prefix, asked, limit, total=total)


def only_key(asked: Any) -> None:
    """wasmd's lists have no offset and no total. Raises: Failure."""
    if asked.offset or asked.count_total:
        raise Failure.argument("offset and count queries not supported")


def plain(view: Reader, prefix: bytes, request: Any) -> Page:
    """A page as wasmd makes it: 100 at most, no offset, no total. Raises: Failure."""
    asked = request.pagination
    only_key(asked)
    limit = min(asked.limit or LIMIT, LIMIT)
    return _from_key(view, prefix, asked.key, limit, reverse=asked.reverse)


def _walk(
    view: Reader, prefix: bytes, key: bytes, *, reverse: bool
) -> Iterator[tuple[bytes, bytes]]:
    """Rows of a prefix from a key on, without the prefix."""
    start: bytes = prefix
    end = keys.prefix_end(prefix)
    if key and reverse:
        end = prefix + key + b"\x00"
    elif key:
        start = prefix + key
    cut = len(prefix)
    for name, value in view.range(start, end, reverse):
        yield name[cut:], value


def _from_key(view: Reader, prefix: bytes, key: bytes, limit: int, *, reverse: bool) -> Page:
    rows: list[tuple[bytes, bytes]] = []
    size = 0
    for name, value in _walk(view, prefix, key, reverse=reverse):
        if len(rows) >= limit or (rows and size + len(name) + len(value) > PAGE_BYTES):
            return Page(rows, _RESPONSE(next_key=name))
        size += len(name) + len(value)
        rows.append((name, value))
    return Page(rows, _RESPONSE())


def _from_offset(view: Reader, prefix: bytes, asked: Any, limit: int, *, total: bool) -> Page:
    rows: list[tuple[bytes, bytes]] = []
    size = count = 0
    following = b""
    for name, value in _walk(view, prefix, b"", reverse=asked.reverse):
        count += 1
        if count <= asked.offset:
            continue
        if not following:
            full = len(rows) >= limit or (rows and size + len(name) + len(value) > PAGE_BYTES)
            if not full:
                size += len(name) + len(value)
                rows.append((name, value))
                continue
            following = name
        if not total:
            break
    known = count if total and (rows or not asked.offset) else 0
    return Page(rows, _RESPONSE(next_key=following, total=known))
