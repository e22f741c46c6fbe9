"""Typed storage helpers: the twin of cw-storage-plus, with MessagePack values."""

from chain.storage_plus.bound import Bound, Order
from chain.storage_plus.indexed_map import IndexedMap
from chain.storage_plus.indexes import MultiIndex, UniqueIndex
from chain.storage_plus.item import Item
from chain.storage_plus.map import Map
from chain.storage_plus.paging import PAGE_DEFAULT, PAGE_MAX, page_size, paginate
from chain.storage_plus.prefix import Prefix

__all__ = [
    "PAGE_DEFAULT",
    "PAGE_MAX",
    "Bound",
    "IndexedMap",
    "Item",
    "Map",
    "MultiIndex",
    "Order",
    "Prefix",
    "UniqueIndex",
    "page_size",
    "paginate",
]
