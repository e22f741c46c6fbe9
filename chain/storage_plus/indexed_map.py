"""``IndexedMap``: a map whose indexes follow every write (section 12 of the rules)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, overload

from chain.errors import ContractError
from chain.std.deps import Storage
from chain.storage_plus.indexes import MultiIndex, Primary, UniqueIndex
from chain.storage_plus.map import Map

T = TypeVar("T")

Index = MultiIndex[Any] | UniqueIndex[Any]


class IndexedMap(Map[T]):
    """A ``Map`` with indexes: a sequence of them, or a mapping by name (then also ``idx[name]``).

    An index entry is written only where it changes. A unique index refuses a value that another
    record has, after earlier entries of the same save were written: return the error, so that the
    call is rolled back (IDX-12).
    """

    __slots__ = ("_indexes", "idx")

    @overload
    def __init__(
        self,
        namespace: str,
        key_types: Any,
        value_type: type[T],
        indexes: Mapping[str, Index] | Sequence[Index],
    ) -> None: ...
    @overload
    def __init__(
        self,
        namespace: str,
        key_types: Any,
        value_type: Any,
        indexes: Mapping[str, Index] | Sequence[Index],
    ) -> None: ...
    def __init__(
        self,
        namespace: str,
        key_types: Any,
        value_type: Any,
        indexes: Mapping[str, Index] | Sequence[Index],
    ) -> None:
        super().__init__(namespace, key_types, value_type)
        named = indexes if isinstance(indexes, Mapping) else {i.namespace: i for i in indexes}
        self.idx = dict(named)
        self._indexes = tuple(named.values())
        primary = Primary(self._keys, self._decode, value_type)
        for index in self._indexes:
            index.bind(primary)

    def save(self, storage: Storage, key: Any, value: T) -> None:
        """Write the record and move its index entries."""
        raw = self._key(key)
        old = storage.get(raw)
        self._store(storage, raw, value, None if old is None else self._decode(old))

    def replace(self, storage: Storage, key: Any, value: T | None, old: T | None) -> None:
        """Write or remove (``None``) with an old value that the caller knows.

        A wrong old value leaves stale index entries (IDX-4).
        """
        raw = self._key(key)
        if value is not None:
            self._store(storage, raw, value, old)
        else:
            self._drop(storage, raw, old)

    def update(self, storage: Storage, key: Any, action: Callable[[T | None], T]) -> T:
        """Replace the record (or None) by ``action`` of it and give it back."""
        raw = self._key(key)
        found = storage.get(raw)
        # read twice, so that an action that changed a mutable part cannot hide old index values
        old = None if found is None else self._decode(found)
        value = action(None if found is None else self._decode(found))
        self._store(storage, raw, value, old)
        return value

    def remove(self, storage: Storage, key: Any) -> None:
        """Remove the record and its index entries; nothing there is no error (IDX-3)."""
        raw = self._key(key)
        old = storage.get(raw)
        if old is not None:
            self._drop(storage, raw, self._decode(old))

    def _store(self, storage: Storage, raw: bytes, value: T, old: T | None) -> None:
        primary_key = raw[len(self._namespace) :]
        new_bytes = self._encode(value)
        if old is None:
            for index in self._indexes:
                entry = index.entry_key(primary_key, value)
                if index.is_unique and storage.get(entry) is not None:
                    raise ContractError("Violates unique constraint on index")
                storage.set(entry, index.entry_value(primary_key, value))
        else:
            for index in self._indexes:
                before = index.entry_key(primary_key, old)
                entry = index.entry_key(primary_key, value)
                if before != entry:
                    storage.remove(before)
                    if index.is_unique and storage.get(entry) is not None:
                        raise ContractError("Violates unique constraint on index")
                    storage.set(entry, index.entry_value(primary_key, value))
                elif index.is_unique and value != old:
                    storage.set(entry, index.entry_value(primary_key, value))
        storage.set(raw, new_bytes)

    def _drop(self, storage: Storage, raw: bytes, old: T | None) -> None:
        if old is not None:
            primary_key = raw[len(self._namespace) :]
            for index in self._indexes:
                storage.remove(index.entry_key(primary_key, old))
        storage.remove(raw)
