"""Typed storage helpers: the twin of cw-storage-plus, with MessagePack values."""

from chain.storage_plus.bound import Bound, Order
from chain.storage_plus.indexed_map import IndexedMap
from chain.storage_plus.indexes import MultiIndex, UniqueIndex
from chain.storage_plus.item import Item
from chain.storage_plus.map import Map
from chain.storage_plus.paging import PAGE_DEFAULT, PAGE_MAX, page_size, paginate
from chain.storage_plus.prefix import Prefix
from chain.storage_plus.version import (
    ContractVersion,
    get_contract_version,
    set_contract_version,
)

__all__ = [
    "PAGE_DEFAULT",
    "PAGE_MAX",
    "Bound",
    "ContractVersion",
    "IndexedMap",
    "Item",
    "Map",
    "MultiIndex",
    "Order",
    "Prefix",
    "UniqueIndex",
    "get_contract_version",
    "page_size",
    "paginate",
    "set_contract_version",
]
