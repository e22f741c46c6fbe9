"""``IndexedMap``: a map whose indexes follow every write (section 12 of the rules)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
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

    __slots__ = ("_indexes", "_size", "idx")

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
        self.idx: Mapping[str, Index] = MappingProxyType(dict(named))  # contracts see it
        self._size = len(self._namespace)
        self._indexes = tuple(named.values())
        primary = Primary(self._keys, self._decode, value_type)
        for index in self._indexes:
            index.bind(primary)

    def save(self, storage: Storage, key: Any, value: T) -> None:
        """Write the record and move its index entries."""
        raw = self._key(key)
        found = storage.get(raw)
        made = self._encode(value)
        if found is None:
            self._add(storage, raw, value)
        elif found != made:
            self._move(storage, raw, value, self._decode(found))
        storage.set(raw, made)

    def replace(self, storage: Storage, key: Any, value: T | None, old: T | None) -> None:
        """Write or remove (``None``) with an old value that the caller knows.

        A wrong old value leaves stale index entries (IDX-4).
        """
        raw = self._key(key)
        if value is None:
            self._drop(storage, raw, old)
            return
        made = self._encode(value)
        if old is None:
            self._add(storage, raw, value)
        else:
            self._move(storage, raw, value, old)
        storage.set(raw, made)

    def update(self, storage: Storage, key: Any, action: Callable[[T | None], T]) -> T:
        """Replace the record (or None) by ``action`` of it and give it back."""
        found = storage.get(self._key(key))
        value = action(None if found is None else self._decode(found))
        self.save(storage, key, value)
        return value

    def remove(self, storage: Storage, key: Any) -> None:
        """Remove the record and its index entries; nothing there is no error (IDX-3)."""
        raw = self._key(key)
        old = storage.get(raw)
        if old is not None:
            self._drop(storage, raw, self._decode(old))

    def _add(self, storage: Storage, raw: bytes, value: T) -> None:
        primary_key = raw[self._size :]
        for index in self._indexes:
            self._enter(storage, index, primary_key, value, index.index_of(primary_key, value))

    def _move(self, storage: Storage, raw: bytes, value: T, old: T) -> None:
        primary_key = raw[self._size :]
        for index in self._indexes:
            before = index.index_of(primary_key, old)
            after = index.index_of(primary_key, value)
            if before != after:
                storage.remove(index.entry_key(primary_key, before))
                self._enter(storage, index, primary_key, value, after)
            elif index.is_unique:
                entry = index.entry_key(primary_key, after)
                storage.set(entry, index.entry_value(primary_key, value))

    def _enter(self, storage: Storage, index: Index, primary_key: bytes, value: T, at: Any) -> None:
        entry = index.entry_key(primary_key, at)
        if index.is_unique and storage.get(entry) is not None:
            raise ContractError("Violates unique constraint on index")
        storage.set(entry, index.entry_value(primary_key, value))

    def _drop(self, storage: Storage, raw: bytes, old: T | None) -> None:
        if old is not None:
            primary_key = raw[self._size :]
            for index in self._indexes:
                storage.remove(index.entry_key(primary_key, index.index_of(primary_key, old)))
        storage.remove(raw)
