"""Pages of a range: a limit and an exclusive cursor (STOR-22)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Final, Protocol, TypeVar

from chain.std.deps import Storage
from chain.storage_plus.bound import Bound, Order

V = TypeVar("V")
V_co = TypeVar("V_co", covariant=True)

PAGE_DEFAULT: Final = 30
PAGE_MAX: Final = 100


class Ranged(Protocol[V_co]):
    """A map, an indexed map, an index, or a prefix of one."""

    def range(
        self,
        storage: Storage,
        min: Bound | None = None,
        max: Bound | None = None,
        order: str = Order.ASCENDING,
    ) -> Iterator[tuple[Any, V_co]]:
        """Entries between two bounds."""


def page_size(limit: int | None, default: int = PAGE_DEFAULT, maximum: int = PAGE_MAX) -> int:
    """The limit that holds.

    ``default`` when absent, never above ``maximum``; 0 is an empty page.
    """
    return min(default if limit is None else limit, maximum)


def paginate(
    source: Ranged[V],
    storage: Storage,
    start_after: Any = None,
    limit: int | None = None,
    order: str = Order.DESCENDING,
    *,
    default: int = PAGE_DEFAULT,
    maximum: int = PAGE_MAX,
    keep: Callable[[Any, V], bool] | None = None,
) -> list[tuple[Any, V]]:
    """One page of (key, value), newest (highest key) first unless told otherwise.

    ``start_after`` is the last key of the page before, excluded; ``keep`` leaves out entries.
    """
    size = page_size(limit, default, maximum)
    if size <= 0:
        return []
    bound = None if start_after is None else Bound.exclusive(start_after)
    if order == Order.DESCENDING:
        entries = source.range(storage, None, bound, order)
    else:
        entries = source.range(storage, bound, None, order)
    if keep is not None:
        wanted = keep
        entries = filter(lambda entry: wanted(entry[0], entry[1]), entries)
    return list(islice(entries, size))
